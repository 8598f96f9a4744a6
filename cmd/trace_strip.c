// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/commands.h"
#include "cmd/lengths_set.h"
#include "cmd/options.h"
#include "cmd/version.h"

static const char doc[] =
	"Makes a content-free trace of TRACE, to be shared: the same events over the same pages, "
	"of "
	"which it has what compressors make of them and nothing else. It can be replayed in policy "
	"mode, with these compressors, and gives the same counts.\v"
	"What it still tells: which swap slot was stored and loaded when, on which CPU, for which "
	"memcg; which pages were equal or zero; names of phases. Left out, unless --keep-names is "
	"given: the command that made the trace, its title, paths of memcgs.\n\n"
	"Examples:\n"
	"  zswapsim trace strip silesia.bin -o shared.bin\n"
	"  zswapsim trace strip --compressor zstd,lz4,lzo --keep-names silesia.bin -o shared.bin\n"
	"  zswapsim replay --mode policy --compressor lz4 shared.bin";

enum { OPT_KEEP = 256 };

struct arguments {
	const char *trace, *output;
	bool keep_names;
	struct lengths_set set;
};

static const struct argp_option options[] = {
	{"output", 'o', "TRACE", 0,
	 "Where the new trace goes; there, it is replaced when it is whole", 0},
	{"keep-names", OPT_KEEP, 0, 0, "Keep command, title and paths of memcgs", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->set;
		return 0;
	case 'o':
		a->output = arg;
		return 0;
	case OPT_KEEP:
		a->keep_names = true;
		return 0;
	case ARGP_KEY_ARG:
		options_one_trace(state, &a->trace, arg);
		return 0;
	case ARGP_KEY_END:
		options_need_trace(state, a->trace);
		if (!a->output)
			options_error(state, "where to? -o TRACE is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int strip(struct arguments *a, struct trace_reader *reader, const char *name)
{
	const struct trace_info *info = trace_reader_info(reader);
	struct strip_config config = {
		.path = a->output,
		.maker = VERSION_MAKER,
		.command = info->command,
		.title = a->keep_names ? info->title : "content-free",
		.keep_names = a->keep_names,
		.lengths = (const struct lengths *const *)a->set.lengths,
	};
	struct trace_error err;

	/* Before pages are compressed in vain. */
	if (info->content_free) {
		fprintf(stderr, "%s: %s: the trace is content-free already\n", name, a->trace);
		return STATUS_USAGE;
	}
	if (lengths_set_open(&a->set, name, a->trace, reader))
		return STATUS_USAGE;
	config.nr = a->set.nr;
	if (strip_trace(reader, &config, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		return STATUS_USAGE;
	}
	printf("%s: %" PRIu64 " pages, %" PRIu64 " events, lengths by\n", a->output, info->nr_pages,
	       info->nr_events);
	for (unsigned i = 0; i < a->set.nr; i++)
		printf("  %s\n", a->set.lengths[i]->key);
	return STATUS_OK;
}

int cmd_trace_strip(int argc, char **argv)
{
	static const struct argp_child children[] = {{&lengths_set_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	struct arguments a = {0};
	struct trace_reader *reader;
	struct trace_error err;
	int status = options_parse(&argp, argc, argv, &a);

	if (status)
		return status;
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		return STATUS_USAGE;
	}
	status = strip(&a, reader, argv[0]);
	lengths_set_close(&a.set);
	trace_reader_close(reader);
	return status;
}
