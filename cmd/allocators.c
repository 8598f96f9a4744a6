// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/registry.h"
#include "cmd/allocators_report.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/replay_options.h"
#include "cmd/replay_lengths.h"

#define DEFAULT_ROWS 20u

enum { OPT_JSON = 256, OPT_ROWS };

struct arguments {
	struct options_kernel kernel;
	struct replay_config machine;
	struct allocator_table_config config;
	const char *trace;
	bool json;
};

static const struct argp_option options[] = {
	{"rows", OPT_ROWS, "N", 0, "So many moments of the trace; default 20", 0},
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/allocators.md)", 0},
	{0},
};

static const char doc[] =
	"Replays TRACE over each allocator, zsmalloc, zbud and jemalloc, and prints in one table "
	"how "
	"many pages each pool has over time and what of them is lost. No page contents are "
	"touched; "
	"each distinct page is compressed once.\v"
	"Examples:\n"
	"  zswapsim allocators silesia.bin\n"
	"  zswapsim allocators --rows 50 --set zsmalloc.chain_size=4 silesia.bin\n"
	"  zswapsim allocators --compact every:1000 --json silesia.bin\n\n"
	"Exit status: 0 done; 1 a page came back changed or not at all; 2 bad input; 3 the trace "
	"stores nothing.";

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
	case OPT_ROWS:
		a->config.rows = options_u64(state, "--rows", arg, 1, ALLOCATOR_TABLE_MAX_ROWS);
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

static void replays_progress(void *arg)
{
	progress_step(arg);
}

static int verdict(const struct allocator_table *table, const struct trace_info *trace)
{
	for (unsigned i = 0; i < table->nr; i++) {
		if (table->columns[i].mismatched_pages || table->columns[i].failed_loads)
			return STATUS_CHECK_FAILED;
	}
	return trace->nr_type[TRACE_STORE] ? STATUS_OK : STATUS_EXPECTATION;
}

static int run(struct arguments *a, struct trace_reader *reader, const char *command,
	       const char *name)
{
	struct allocator_table table;
	struct allocators_report report = {.command = command,
					   .trace_path = a->trace,
					   .trace = trace_reader_info(reader),
					   .config = &a->config,
					   .table = &table};
	struct lengths *lengths = NULL;
	struct progress progress;
	struct trace_error err;
	int status = STATUS_USAGE;

	if (replay_lengths_open(name, a->trace, reader, &a->machine, &lengths))
		return STATUS_USAGE;
	a->config.replay = &a->machine;
	a->config.lengths = lengths;
	a->config.progress = replays_progress;
	a->config.progress_arg = &progress;
	progress_begin(&progress, name, "replays", 0, ALLOCATOR_TABLE_MAX, false);
	if (allocator_table_run(&a->config, reader, &table, &err)) {
		progress_end(&progress);
		fprintf(stderr, "%s: %s\n", name, err.message);
		goto out;
	}
	progress_end(&progress);
	if (a->json)
		output_json(allocators_report_json(&report));
	else
		allocators_report_text(stdout, &report);
	status = verdict(&table, report.trace);
out:
	allocator_table_finish(&table);
	lengths_close(lengths);
	return status;
}

int cmd_allocators(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&replay_options_argp, 0, NULL, 0}, {&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	char *command = options_command_line(argc, argv);
	struct arguments a = {.config = {.rows = DEFAULT_ROWS}};
	struct trace_reader *reader = NULL;
	struct trace_error err;
	int status;

	replay_config_init(&a.machine);
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
