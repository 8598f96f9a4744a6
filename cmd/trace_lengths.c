// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/lengths_set.h"
#include "cmd/options.h"

static const char doc[] =
	"Compresses each distinct page of TRACE once, on all cores, and keeps the lengths in files "
	"beside it, from which policy mode replays it. What is there already, and is not stale, "
	"stays.\v"
	"Examples:\n"
	"  zswapsim trace lengths silesia.bin\n"
	"  zswapsim trace lengths --compressor zstd,zstd:19,lz4 --kernels 6.12,7.3 silesia.bin\n"
	"  zswapsim trace lengths -j 4 --compressor lzo silesia.bin\n\n"
	"A replay makes what it needs by itself; many at once need it made before them. "
	"docs/policy-mode.md describes the files.";

struct arguments {
	const char *trace;
	struct lengths_set set;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->set;
		return 0;
	case ARGP_KEY_ARG:
		options_one_trace(state, &a->trace, arg);
		return 0;
	case ARGP_KEY_END:
		options_need_trace(state, a->trace);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* What compresses how far, for somebody who looks at the lengths only. */
static void print(const struct lengths *l)
{
	uint64_t nr_zeros = 0, nr_failed = 0, bytes = 0, nr;

	for (uint64_t id = 0; id < l->nr_pages; id++) {
		int length = lengths_of(l, id);

		nr_zeros += length == 0;
		nr_failed += length < 0;
		bytes += length > 0 ? length : 0;
	}
	nr = l->nr_pages - nr_zeros - nr_failed;
	printf("%s: %" PRIu64 " pages, %" PRIu64 " of zeros, %" PRIu64 " do not shrink", l->key,
	       l->nr_pages, nr_zeros, nr_failed);
	if (nr)
		printf(", the others %.1f bytes in the mean", (double)bytes / (double)nr);
	if (l->origin == LENGTHS_COMPUTED)
		printf("; %.3f s by %u thread%s\n", (double)l->pass_ns / 1e9, l->nr_threads,
		       l->nr_threads == 1 ? "" : "s");
	else
		printf("; were there\n");
	printf("  %s\n", l->path ? l->path : l->why_not_kept);
}

static int run(struct arguments *a, const char *name)
{
	struct trace_reader *reader;
	struct trace_error err;
	int status;

	if (trace_reader_open(a->trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		return STATUS_USAGE;
	}
	if (trace_reader_info(reader)->content_free) {
		fprintf(stderr, "%s: %s: a content-free trace has its lengths already\n", name,
			a->trace);
		trace_reader_close(reader);
		return STATUS_USAGE;
	}
	status = lengths_set_open(&a->set, name, a->trace, reader);
	for (unsigned i = 0; !status && i < a->set.nr; i++) {
		print(a->set.lengths[i]);
		/* To keep them is what was asked for. */
		if (!a->set.lengths[i]->path)
			status = STATUS_USAGE;
	}
	trace_reader_close(reader);
	return status;
}

int cmd_trace_lengths(int argc, char **argv)
{
	static const struct argp_child children[] = {{&lengths_set_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {NULL, parse, "TRACE", doc, children, NULL, NULL};
	struct arguments a = {0};
	int status = options_parse(&argp, argc, argv, &a);

	if (!status)
		status = run(&a, argv[0]);
	lengths_set_close(&a.set);
	return status;
}
