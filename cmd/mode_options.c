// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/mode_options.h"

#include <string.h>

#include "cmd/codec.h"
#include "cmd/options.h"
#include "cmd/progress.h"

#define MAX_THREADS 256

enum { OPT_MODE = 768, OPT_NO_FILE };

const char *const lengths_origin_names[LENGTHS_NR_ORIGINS] = {
	[LENGTHS_COMPUTED] = "computed",
	[LENGTHS_FROM_FILE] = "file",
	[LENGTHS_FROM_TRACE] = "trace",
};

static const struct argp_option options[] = {
	{"mode", OPT_MODE, "MODE", 0,
	 "measure (the default): run and time the codec; policy: compress each distinct page once, "
	 "and replay without contents: the same counts, no times (docs/policy-mode.md)",
	 0},
	{"jobs", 'j', "N", 0,
	 "Policy mode: threads that compress pages, 1 to 256; default: one a CPU", 0},
	{"no-lengths-file", OPT_NO_FILE, 0, 0,
	 "Policy mode: neither use nor keep the file of lengths beside the trace", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct mode_options *o = state->input;

	switch (key) {
	case OPT_MODE:
		if (strcmp(arg, "measure") && strcmp(arg, "policy"))
			options_error(state, "--mode '%s': there are measure and policy", arg);
		o->mode = *arg == 'p' ? REPLAY_POLICY : REPLAY_MEASURE;
		return 0;
	case 'j':
		o->nr_threads = options_u64(state, "-j", arg, 1, MAX_THREADS);
		o->needs_policy = "-j";
		return 0;
	case OPT_NO_FILE:
		o->no_file = true;
		o->needs_policy = "--no-lengths-file";
		return 0;
	case ARGP_KEY_END:
		if (o->needs_policy && o->mode != REPLAY_POLICY)
			options_error(state, "%s is for --mode policy", o->needs_policy);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp mode_options_argp = {.options = options, .parser = parse};

void mode_options_check_compressor(const struct argp_state *state, const struct mode_options *o,
				   const char *compressor)
{
	if (compressor && (o->mode != REPLAY_POLICY || !codec_spec(compressor).alg))
		codec_option(state, "--compressor", compressor);
}

static void show_progress(void *arg, uint64_t done, uint64_t total)
{
	progress_set(arg, done);
}

int mode_options_lengths(const struct mode_options *o, const char *name, const char *trace,
			 struct trace_reader *reader, const struct replay_config *config,
			 struct lengths **out)
{
	struct progress progress;
	struct lengths_config lengths = {
		.crypto = config->crypto,
		.profile = config->profile,
		.compressor = config->compressor,
		.nr_threads = o->nr_threads,
		.no_file = o->no_file,
		.progress = show_progress,
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
	else if (*(*out)->why_not_kept)
		fprintf(stderr, "%s: the lengths are not kept: %s\n", name, (*out)->why_not_kept);
	return ret;
}
