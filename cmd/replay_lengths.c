// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/replay_lengths.h"

#include <stdio.h>

#include "cmd/progress.h"

static void pages_progress(void *arg, uint64_t done, uint64_t total)
{
	progress_set(arg, done);
}

int replay_lengths_open(const char *name, const char *path, struct trace_reader *reader,
			const struct replay_config *config, struct lengths **out)
{
	struct progress progress;
	struct lengths_config lengths = {
		.crypto = config->crypto,
		.profile = config->profile,
		.compressor = config->compressor,
		.progress = pages_progress,
		.progress_arg = &progress,
	};
	struct trace_error err;
	int ret;

	progress_begin(&progress, name, "pages compressed", 0, trace_reader_info(reader)->nr_pages,
		       false);
	ret = lengths_open(path, reader, &lengths, out, &err);
	progress_end(&progress);
	if (ret)
		fprintf(stderr, "%s: %s\n", name, err.message);
	return ret;
}
