// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/walk_run.h"

enum {
	OPT_JSON = 256,
	OPT_BATCH,
	OPT_KEEP_GOING,
	OPT_STEP,
	OPT_NO_STEPS,
	OPT_HEX,
	OPT_WARM,
	OPT_REQUEST, /* and more: those of walk_options without a short form */
};

#define MAX_OPTIONS 32

struct arguments {
	struct options_kernel kernel;
	const char *batch;
	struct walk_run run;
};

static const char doc[] =
	"Puts one acomp request under a microscope: runs it through the port of crypto/zstd and "
	"prints "
	"each step of the state machine, the contexts initialised and their CPUIDs, the path, the "
	"result, what libzstd in userspace makes of the bytes, the quirks met and what the "
	"kernel's "
	"callers see.\v"
	"A length may be told by L, the bytes of the frame: for --op decompress that of\n"
	"the source, for --op compress the frame as this source gives it where it has\n"
	"room (in a stream). L-1 is one byte less.\n\n"
	"With --set zstd.stream_drain=yes the loops as rewritten in March 2026 run, and\n"
	"the released ones beside them.\n\n"
	"A batch has the options of a request on each line ('#' begins a comment);\n"
	"those on the command line hold for every line that does not change them.\n\n"
	"Examples:\n"
	"  zswapsim walk --op compress --src virt:4096 --dst virt:4096 --data text\n"
	"  zswapsim walk --op compress --src sg:2048,2048 --dst sg:L-1\n"
	"  zswapsim walk --op compress --src sg:2048,0,2048 --dst sg:4096 -o half.zst\n"
	"  zswapsim walk --op decompress --src sg:1000,L-1000 --dst folio:4096@8192\n"
	"  zswapsim walk --op decompress --frame half.zst --src sg:L-3,3 --dst sg:2048\n"
	"  zswapsim walk --kernel 7.4 --step --op compress --src sg:4096 --dst sg:4096\n"
	"  zswapsim walk --set zstd.stream_drain=yes --op compress --src sg:2048,2048 \\\n"
	"      --dst sg:1029,L-1036,4000\n"
	"  zswapsim walk --json --batch requests.txt --op compress --data random\n\n"
	"docs/walk.md has one command line for each quirk.";

static const struct argp_option own_options[] = {
	{"json", OPT_JSON, NULL, 0, "Print one JSON document, or one a line for a batch", 0},
	{"batch", OPT_BATCH, "FILE", 0, "Run one request a line of FILE (-: standard input)", 0},
	{"keep-going", OPT_KEEP_GOING, NULL, 0,
	 "Go on after a bad line of the batch; the exit status is 2 all the same", 0},
	{"step", OPT_STEP, NULL, 0,
	 "Single-step the whole request and count the CPUIDs that it executes (takes seconds)", 0},
	{"no-steps", OPT_NO_STEPS, NULL, 0, "Leave the steps out of JSON", 0},
	{"hex", OPT_HEX, NULL, 0, "Put the bytes of output into JSON", 0},
	{"warm", OPT_WARM, "N", 0,
	 "Run the request N times before, on the same machine (for zstd.cpuid=once)", 0},
};

#define NR_OWN_OPTIONS (sizeof(own_options) / sizeof(*own_options))

static int key_of(unsigned i)
{
	return walk_options[i].key ? walk_options[i].key : OPT_REQUEST + (int)i;
}

/* Those of a request, then the command's own. */
static void make_options(struct argp_option options[MAX_OPTIONS])
{
	for (unsigned i = 0; i < walk_nr_options; i++)
		options[i] = (struct argp_option){
			.name = walk_options[i].name,
			.key = key_of(i),
			.arg = walk_options[i].value,
			.doc = walk_options[i].doc,
		};
	memcpy(options + walk_nr_options, own_options, sizeof(own_options));
	options[walk_nr_options + NR_OWN_OPTIONS] = (struct argp_option){0};
}

static error_t set_option(struct arguments *a, const struct walk_option *option, const char *value,
			  const struct argp_state *state)
{
	struct walk_error err;

	/* Said now, though it is set for each request. */
	if (option->set(&a->run.spec, value, &err))
		options_error(state, "%s", err.message);
	if (a->run.nr_set == WALK_MAX_SET)
		options_error(state, "more than %d options of a request", WALK_MAX_SET);
	a->run.set[a->run.nr_set].option = option;
	a->run.set[a->run.nr_set++].value = value;
	return 0;
}

static void check(const struct arguments *a, const struct argp_state *state)
{
	const struct walk_run *run = &a->run;

	if (!a->batch && run->keep_going)
		options_error(state, "--keep-going: only with --batch");
	if (a->batch && run->spec.output)
		options_error(state, "--output: in a batch it belongs on the line of its request");
	if (!run->json && (run->hex || !run->steps))
		options_error(state, "--%s: only with --json", run->hex ? "hex" : "no-steps");
	if (!a->batch && run->spec.op == WALK_OP_NONE)
		options_error(state,
			      "--op compress or --op decompress is needed (or --batch FILE)");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	for (unsigned i = 0; i < walk_nr_options; i++) {
		if (key == key_of(i))
			return set_option(a, &walk_options[i], arg, state);
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->kernel;
		return 0;
	case OPT_JSON:
		a->run.json = true;
		return 0;
	case OPT_BATCH:
		a->batch = arg;
		return 0;
	case OPT_KEEP_GOING:
		a->run.keep_going = true;
		return 0;
	case OPT_STEP:
		a->run.step = true;
		return 0;
	case OPT_NO_STEPS:
		a->run.steps = false;
		return 0;
	case OPT_HEX:
		a->run.hex = true;
		return 0;
	case OPT_WARM:
		a->run.warm = options_u64(state, "--warm", arg, 0, 1000000);
		return 0;
	case ARGP_KEY_END:
		check(a, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int run(struct arguments *a)
{
	struct walk_error err;
	int status = STATUS_USAGE;

	if (walk_run_start(&a->run, &err))
		goto out;
	if (a->batch)
		return walk_run_batch(&a->run, a->batch);
	if (!walk_run_one(&a->run, &err))
		return STATUS_OK;
out:
	fprintf(stderr, "%s: %s\n", a->run.name, err.message);
	return status;
}

int cmd_walk(int argc, char **argv)
{
	static const struct argp_child children[] = {{&options_kernel_argp, 0, NULL, 0}, {0}};
	struct argp_option options[MAX_OPTIONS];
	const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
	struct arguments a = {.run = {.name = argv[0], .steps = true}};
	int status;

	_Static_assert(NR_OWN_OPTIONS < MAX_OPTIONS / 2, "room for all options");
	make_options(options);
	walk_spec_reset(&a.run.spec);
	status = options_parse(&argp, argc, argv, &a);
	a.run.profile = &a.kernel.profile;
	if (!status)
		status = run(&a);
	walk_run_finish(&a.run);
	return status;
}
