// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/policy_lengths.h"

#include <stdio.h>

#include "cmd/progress.h"

static void show(void *arg, uint64_t done, uint64_t total)
{
	progress_set(arg, done);
}

int policy_lengths_open(const struct replay_config *config, const char *trace,
			struct trace_reader *reader, const char *name, struct lengths **out)
{
	struct progress progress;
	struct lengths_config lengths = {
		.crypto = config->crypto,
		.profile = config->profile,
		.compressor = config->compressor,
		.progress = show,
		.progress_arg = &progress,
	};
	struct trace_error err;
	int ret;

	progress_begin(&progress, name, "pages compressed", 0, trace_reader_info(reader)->nr_pages,
		       false);
	ret = lengths_open(trace, reader, &lengths, out, &err);
	progress_end(&progress);
	if (ret)
		fprintf(stderr, "%s: %s\n", name, err.message);
	return ret;
}
