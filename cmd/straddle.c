// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/registry.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/replay_options.h"
#include "cmd/straddle_report.h"
#include "cmd/replay_lengths.h"

#define DEFAULT_PAGES  300u
#define DEFAULT_ROUNDS 7u

enum { OPT_JSON = 256, OPT_PAGES, OPT_ROUNDS, OPT_SEED };

struct arguments {
	struct options_kernel kernel;
	struct replay_config machine;
	struct straddle_config config;
	const char *trace;
	bool json;
};

static const struct argp_option options[] = {
	{"pages", OPT_PAGES, "N", 0,
	 "Measure so many of the loads that straddled, a chain size; default 300; 0: only count",
	 0},
	{"rounds", OPT_ROUNDS, "N", 0, "Measure each so often; default 7", 0},
	{"seed", OPT_SEED, "S", 0, "Of the draw of these loads; default 1", 0},
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/allocators.md)", 0},
	{0},
};

static const char doc[] =
	"Replays TRACE under each chain size of zsmalloc, 4 to 16, and prints in one table how "
	"many "
	"pages the pool has, how many loads streamed or were copied because their object lay over "
	"two pages, and what that cost: such loads are measured against loads of the same pages "
	"from chunks that lie in one.\v"
	"Examples:\n"
	"  zswapsim straddle silesia.bin\n"
	"  zswapsim straddle --kernel 6.12 silesia.bin\n"
	"  zswapsim straddle --set zstd.stream_init=deferred --pages 1000 --json silesia.bin\n"
	"  zswapsim straddle --pages 0 content-free.bin\n\n"
	"Exit status: 0 done; 1 a page came back changed or not at all; 2 bad input; 3 the trace "
	"loads nothing from zswap.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		a->kernel.machine = &a->machine;
		state->child_inputs[0] = &a->machine;
		state->child_inputs[1] = &a->kernel;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_PAGES:
		a->config.pages = options_u64(state, "--pages", arg, 0, STRADDLE_MAX_PAGES);
		return 0;
	case OPT_ROUNDS:
		a->config.rounds = options_u64(state, "--rounds", arg, 1, STRADDLE_MAX_ROUNDS);
		return 0;
	case OPT_SEED:
		a->config.seed = options_u64(state, "--seed", arg, 0, INT64_MAX);
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

static void steps_progress(void *arg, uint64_t done, uint64_t total)
{
	progress_set(arg, done);
}

static int verdict(const struct straddle_result *result)
{
	uint64_t loads = 0;

	for (unsigned i = 0; i < result->nr_rows; i++) {
		if (result->rows[i].mismatched || result->rows[i].failed)
			return STATUS_CHECK_FAILED;
		loads += result->rows[i].loads;
	}
	return loads ? STATUS_OK : STATUS_EXPECTATION;
}

static int run(struct arguments *a, struct trace_reader *reader, const char *command,
	       const char *name)
{
	struct straddle_result result;
	struct machine_info machine;
	struct straddle_report report = {.command = command,
					 .trace_path = a->trace,
					 .trace = trace_reader_info(reader),
					 .machine = &machine,
					 .config = &a->config,
					 .result = &result};
	struct lengths *lengths = NULL;
	struct progress progress;
	struct trace_error err;
	int ret;

	if (replay_lengths_open(name, a->trace, reader, &a->machine, &lengths))
		return STATUS_USAGE;
	a->config.replay = &a->machine;
	a->config.lengths = lengths;
	a->config.progress = steps_progress;
	a->config.progress_arg = &progress;
	progress_begin(&progress, name, "replays and loads", 0, straddle_steps(&a->config), false);
	ret = straddle_run(&a->config, reader, &result, &err);
	progress_end(&progress);
	if (ret) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		lengths_close(lengths);
		return ret == -EUCLEAN ? STATUS_CHECK_FAILED : STATUS_USAGE;
	}
	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	if (a->json)
		output_json(straddle_report_json(&report));
	else
		straddle_report_text(stdout, &report);
	lengths_close(lengths);
	return verdict(&result);
}

int cmd_straddle(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&replay_options_argp, 0, NULL, 0}, {&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	char *command = options_command_line(argc, argv);
	struct arguments a = {
		.config = {.pages = DEFAULT_PAGES, .rounds = DEFAULT_ROUNDS, .seed = 1}};
	struct trace_reader *reader = NULL;
	struct trace_error err;
	int status;

	replay_config_init(&a.machine);
	bootstrap_config_init(&a.config.bootstrap);
	status = options_parse(&argp, argc, argv, &a);
	if (status)
		goto out;
	status = STATUS_USAGE;
	if (!command) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	a.machine.profile = &a.kernel.profile;
	a.machine.crypto = backends_registry();
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = run(&a, reader, command, argv[0]);
out:
	trace_reader_close(reader);
	free(command);
	return status;
}
