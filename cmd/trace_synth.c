// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/pattern_options.h"
#include "cmd/version.h"
#include "traces/synth.h"

#define MAX_PAGES (1ull << 32)

static const char doc[] =
	"Makes a trace of pages that are made from figures, not from anyone's files, and says at "
	"what grain they are compressible.\v"
	"Profiles:\n"
	"  silesia         27342 pages which compress, one by one, as those of the\n"
	"                  Silesia corpus do: the sizes by zstd level 3 have the same\n"
	"                  histogram, file by file, and those by lz4 nearly the same\n"
	"                  mean. It is the nine of the twelve files that were profiled:\n"
	"                  not mozilla, sao and webster\n"
	"  half            each page is half random, half zero: every page shrinks to\n"
	"                  about half\n"
	"  random-or-zero  half of the pages are random, the others zero: no page\n"
	"                  shrinks to half, though all of them together do\n\n" PATTERN_OPTIONS_DOC
	"\n\nExamples:\n"
	"  zswapsim trace synth -o silesia.bin\n"
	"  zswapsim trace synth --profile silesia --rounds 10 -o long.bin\n"
	"  zswapsim trace synth --profile half --pages 300 -o half.bin\n"
	"  zswapsim trace synth --folio 64K --pattern zipf:1 --events 200000 -o z.bin";

enum key {
	KEY_PROFILE = 512,
	KEY_PAGES,
	KEY_ROUNDS,
};

struct options {
	struct pattern_options common;
	struct synth_config synth;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		o->synth.profile = "silesia";
		return 0;
	case KEY_PROFILE:
		o->synth.profile = arg;
		return 0;
	case KEY_PAGES:
		o->synth.nr_pages = options_u64(state, "--pages", arg, 1, MAX_PAGES);
		return 0;
	case KEY_ROUNDS:
		o->synth.rounds = options_u64(state, "--rounds", arg, 1, SYNTH_MAX_ROUNDS);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{"profile", KEY_PROFILE, "NAME", 0, "silesia (the default), half or random-or-zero", 0},
	{"pages", KEY_PAGES, "N", 0, "Pages of half and random-or-zero (default 4096)", 0},
	{"rounds", KEY_ROUNDS, "N", 0,
	 "How many times over silesia is made, each with other pages (default 1)", 0},
	{0},
};
static const struct argp_child children[] = {{&pattern_options_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.doc = doc,
	.children = children,
};

static char *command_of(const struct options *o, const char *name)
{
	const char *args[4] = {"--profile", o->synth.profile};
	char number[32];
	size_t nr = 2;

	if (o->synth.nr_pages || o->synth.rounds) {
		args[nr++] = o->synth.nr_pages ? "--pages" : "--rounds";
		snprintf(number, sizeof(number), "%" PRIu64,
			 o->synth.nr_pages ? o->synth.nr_pages : o->synth.rounds);
		args[nr++] = number;
	}
	return pattern_options_command(&o->common, name, args, nr);
}

static int synth(struct options *o, const char *name)
{
	struct trace_maker_config maker = {
		.path = o->common.output, .maker = VERSION_MAKER, .pattern = o->common.pattern};
	char *command = command_of(o, name), *path = NULL;
	int status = STATUS_USAGE;
	struct synth *s = NULL;
	struct trace_error err;
	struct trace_made made;

	if (!command || (!maker.path && asprintf(&path, "%s.bin", o->synth.profile) < 0)) {
		fprintf(stderr, "%s: out of memory\n", name);
		path = NULL;
		goto out;
	}
	if (path)
		maker.path = path;
	maker.command = command;
	o->synth.seed = o->common.pattern.seed;
	if (synth_create(&o->synth, &s, &err))
		goto err;
	if (trace_synth(s, &maker, &made, &err))
		goto err;
	pattern_options_print(&o->common, maker.path, &made);
	printf("grain: %s\n", synth_grain(s));
	status = STATUS_OK;
	goto out;
err:
	fprintf(stderr, "%s: %s\n", name, err.message);
out:
	synth_destroy(s);
	free(command);
	free(path);
	return status;
}

int cmd_trace_synth(int argc, char **argv)
{
	struct options o = {0};
	int status = options_parse(&argp, argc, argv, &o);

	return status == STATUS_OK ? synth(&o, argv[0]) : status;
}
