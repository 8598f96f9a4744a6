// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/bench_acomp.h"

#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench_page.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/variant.h"

/* Those of the letters. */
#define RUNS	   12
#define ROUNDS	   9
#define OPERATIONS 30000

#define DEFAULT_VARIANTS "eager,deferred"
/* Of scomp and of deflate: as to 6.15, and since. */
#define SCOMP_VARIANTS	 "scomp.adapter=copies,scomp.adapter=streams"
#define DEFLATE_VARIANTS "deflate.api=scomp+scomp.adapter=copies,deflate.api=acomp"

enum {
	OPT_JSON = 256,
	OPT_VARIANTS,
	OPT_PAGE,
	OPT_CALLER,
	OPT_COMPRESSOR,
	OPT_SIZE,
	OPT_QUICK,
	OPT_PIN,
	OPT_CLOCK,
	OPT_SEED,
	OPT_RUNS,
	OPT_ROUNDS,
	OPT_OPERATIONS,
	OPT_ONE_RUN,
};

struct parsed {
	struct bench_acomp_arguments a;
	const char *variants;
	char *list; /* the same, cut up */
	bool pinned;
	const char *one_run; /* NULL: this is the parent */
	unsigned run;
};

static const struct argp_option options[] = {
	{"variants", OPT_VARIANTS, "LIST", 0,
	 "What to compare, the first is the baseline: each KEY=VALUE+... or short names; "
	 "default " DEFAULT_VARIANTS " for zstd, else the kernel's two drivers",
	 0},
	{"page", OPT_PAGE, "PAGE", 0, "What is compressed: " BENCH_PAGE_HELP "; default text", 0},
	{"caller", OPT_CALLER, "NAME", 0,
	 "Whose requests: zswap (the default), squashfs, erofs, btrfs, f2fs or zram", 0},
	{"compressor", OPT_COMPRESSOR, "NAME[:LEVEL]", 0, "Of zswap's requests: " CODEC_NAMES_HELP,
	 0},
	{"size", OPT_SIZE, "SIZE", 0, "Bytes of a request; default: what the caller usually has",
	 0},
	{"quick", OPT_QUICK, 0, 0, "Fewer operations a round, so that it takes about 20 seconds",
	 0},
	{"pin", OPT_PIN, "CPU", 0, "The CPU to run on; default: the last one that is allowed", 0},
	{"clock", OPT_CLOCK, "CLOCK", 0,
	 "cpu: the run's CPU time, without what other tasks took (the default); or wall", 0},
	{"seed", OPT_SEED, "N", 0, "Of the resampling, from which the intervals come; default 1",
	 0},
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/bench.md)", 0},
	{"runs", OPT_RUNS, "N", OPTION_HIDDEN, 0, 0},
	{"rounds", OPT_ROUNDS, "N", OPTION_HIDDEN, 0, 0},
	{"operations", OPT_OPERATIONS, "N", OPTION_HIDDEN, 0, 0},
	{"one-run", OPT_ONE_RUN, "RUN:ROUNDS:OPERATIONS:CPU:WALL", OPTION_HIDDEN, 0, 0},
	{0},
};

static const char doc[] =
	"The benchmark of the patch letters: 12 runs, each a fresh process on one CPU, of 9 rounds "
	"of "
	"30,000 requests; the mean of each round, the median over the 108 of them; compression and "
	"decompression apart; variants in turn within each round. Prints baseline / patched / "
	"delta "
	"with a 95 % confidence interval over runs. docs/bench.md says how to read it.\v"
	"Short names: eager, deferred, context-once, probe, skip, once, static, no-bmi2; "
	"deferred+once "
	"is both.\n\n"
	"Examples:\n"
	"  zswapsim bench acomp --quick\n"
	"  zswapsim bench acomp --variants eager,deferred,once,deferred+once,static\n"
	"  zswapsim bench acomp --page silesia.bin#1000 --json\n"
	"  zswapsim bench acomp --caller btrfs --variants probe,once\n"
	"  zswapsim bench acomp --compressor deflate --quick\n\n"
	"Exit status: 0 done; 2 bad input or usage.";

static const struct zstd_caller_info *caller_of(const struct argp_state *state, const char *name)
{
	const struct zstd_caller_info *info = zstd_caller_find(name);

	if (!info)
		options_error(state,
			      "--caller '%s': known are zswap, squashfs, erofs, btrfs, f2fs, zram",
			      name);
	return info;
}

/* What the parent says overrules the rest of its command line. */
static void read_one_run(struct parsed *p, const struct argp_state *state)
{
	struct bench_acomp_arguments *a = &p->a;
	unsigned wall;
	char end;

	if (sscanf(p->one_run, "%u:%u:%u:%u:%u%c", &p->run, &a->rounds, &a->operations, &a->cpu,
		   &wall, &end) != 5)
		options_error(state, "--one-run is for the program's own use");
	a->wall = wall;
	p->pinned = true;
}

static void split_variants(struct parsed *p, const struct argp_state *state)
{
	struct bench_acomp_arguments *a = &p->a;
	char *rest, err[1024];

	p->list = strdup(p->variants);
	if (!p->list)
		options_error(state, "out of memory");
	rest = p->list;
	while (rest) {
		char *text = strsep(&rest, ",");

		if (a->nr_variants == BENCH_ACOMP_MAX_VARIANTS)
			options_error(state, "--variants: more than %u", BENCH_ACOMP_MAX_VARIANTS);
		if (!*text)
			options_error(state, "--variants '%s': one of them is empty", p->variants);
		a->text[a->nr_variants] = text;
		if (variant_parse(&a->kernel, text, '+', &a->profile[a->nr_variants], err,
				  sizeof(err)))
			options_error(state, "--variants: %s", err);
		a->nr_variants++;
	}
	if (a->nr_variants < 2)
		options_error(state,
			      "--variants '%s': a baseline and something to compare with it "
			      "are needed",
			      p->variants);
}

static void load_data(struct bench_acomp_arguments *a, const struct argp_state *state)
{
	char err[1024];

	if (!a->size)
		a->size = a->caller->size;
	if (a->size < a->caller->min_size || a->size > a->caller->max_size || a->size % PAGE_SIZE)
		options_error(state,
			      "--size %u: %s has requests of %u to %u bytes, in multiples of 4096",
			      a->size, a->caller->name, a->caller->min_size, a->caller->max_size);
	a->data = malloc(a->size);
	if (!a->data)
		options_error(state, "out of memory");
	if (bench_page_load(a->page, a->data, a->size, err, sizeof(err)))
		options_error(state, "--page: %s", err);
}

/* The last one allowed: the first often serves interrupts. */
static void choose_cpu(struct parsed *p, const struct argp_state *state)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		options_error(state, "cannot tell which CPUs are allowed: %s", strerror(errno));
	for (unsigned cpu = 0; !p->pinned && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			p->a.cpu = cpu;
	}
	if (!CPU_ISSET(p->a.cpu, &set))
		options_error(state, "--pin %u: this process may not run on that CPU", p->a.cpu);
}

static const char *default_variants(const char *compressor)
{
	switch (codec_spec(compressor).alg->model) {
	case ACOMP_MODEL_ZSTD:
		break;
	case ACOMP_MODEL_SCOMP:
		return SCOMP_VARIANTS;
	case ACOMP_MODEL_DEFLATE:
		return DEFLATE_VARIANTS;
	}
	return DEFAULT_VARIANTS;
}

static void finish(struct parsed *p, const struct argp_state *state)
{
	if (p->one_run)
		read_one_run(p, state);
	if (p->a.compressor && p->a.caller->kind != ZSTD_CALLER_ACOMP)
		options_error(state, "--compressor: %s has zstd, only zswap has others",
			      p->a.caller->name);
	if (!p->variants)
		p->variants = default_variants(p->a.compressor);
	split_variants(p, state);
	load_data(&p->a, state);
	choose_cpu(p, state);
}

static error_t parse_number(int key, char *arg, struct argp_state *state)
{
	struct parsed *p = state->input;
	struct bench_acomp_arguments *a = &p->a;

	switch (key) {
	case OPT_SIZE:
		a->size = options_size(state, "--size", arg, PAGE_SIZE, 1u << 20);
		return 0;
	case OPT_PIN:
		a->cpu = options_u64(state, "--pin", arg, 0, CPU_SETSIZE - 1);
		p->pinned = true;
		return 0;
	case OPT_SEED:
		a->bootstrap.seed = options_u64(state, "--seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_RUNS:
		a->runs = options_u64(state, "--runs", arg, 1, BENCH_ACOMP_MAX_RUNS);
		return 0;
	case OPT_ROUNDS:
		a->rounds = options_u64(state, "--rounds", arg, 1, BENCH_ACOMP_MAX_ROUNDS);
		return 0;
	case OPT_OPERATIONS:
		a->operations =
			options_u64(state, "--operations", arg, 1, BENCH_ACOMP_MAX_OPERATIONS);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct parsed *p = state->input;
	struct bench_acomp_arguments *a = &p->a;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->kernel;
		state->child_inputs[1] = &a->machine;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_VARIANTS:
		p->variants = arg;
		return 0;
	case OPT_PAGE:
		a->page = arg;
		return 0;
	case OPT_CALLER:
		a->caller = caller_of(state, arg);
		return 0;
	case OPT_COMPRESSOR:
		a->compressor = codec_option(state, "--compressor", arg);
		return 0;
	case OPT_CLOCK:
		if (strcmp(arg, "cpu") && strcmp(arg, "wall"))
			options_error(state, "--clock '%s': cpu or wall", arg);
		a->wall = !strcmp(arg, "wall");
		return 0;
	case OPT_QUICK:
		a->quick = true;
		return 0;
	case OPT_ONE_RUN:
		p->one_run = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		finish(p, state);
		return 0;
	}
	return parse_number(key, arg, state);
}

static int run_all(struct bench_acomp_arguments *a, int argc, char **argv, const char *command)
{
	struct machine_warnings warnings;
	struct machine_info machine;
	struct bench_acomp_result result;
	struct bench_acomp_report report = {
		.command = command,
		.arguments = a,
		.result = &result,
		.machine = &machine,
		.warnings = &warnings,
	};

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	machine_warnings_find(&warnings, &machine, "");
	if (bench_acomp_all_runs(a, argc, argv, &result))
		return STATUS_USAGE;
	if (a->runs < 2)
		machine_warnings_add(&warnings, "one run: there are no intervals");
	if (a->json)
		output_json(bench_acomp_json(&report));
	else
		bench_acomp_text(stdout, &report);
	bench_acomp_result_finish(&result);
	return STATUS_OK;
}

int cmd_bench_acomp(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&options_kernel_argp, 0, NULL, 0}, {&machine_options_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
	struct parsed p = {
		.a = {.caller = zstd_caller_infos,
		      .page = "text",
		      .runs = RUNS,
		      .rounds = ROUNDS,
		      .operations = OPERATIONS},
	};
	char *command = options_command_line(argc, argv);
	/* argp changes the order of argv; a run is given it as it was. */
	char **typed = calloc(argc + 1, sizeof(*typed));
	int status = STATUS_USAGE;

	bootstrap_config_init(&p.a.bootstrap);
	if (!command || !typed) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	memcpy(typed, argv, argc * sizeof(*typed));
	status = options_parse(&argp, argc, argv, &p);
	if (status)
		goto out;
	status = p.one_run ? bench_acomp_one_run(&p.a, p.run) : run_all(&p.a, argc, typed, command);
out:
	free(p.a.data);
	free(p.list);
	free(typed);
	free(command);
	return status;
}
