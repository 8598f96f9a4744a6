// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/policy_options.h"
#include "cmd/policy_report.h"
#include "cmd/progress.h"
#include "cmd/replay_lengths.h"
#include "cmd/replay_options.h"

enum { OPT_JSON = 256, OPT_CAPACITY, OPT_OBJECTIVE, OPT_LIST };

struct arguments {
	struct options_kernel kernel;
	struct replay_config machine;
	struct policy_options policies;
	struct policy_table_config config;
	const char *trace;
	bool json, list;
};

static const struct argp_option options[] = {
	{"capacity", OPT_CAPACITY, "SIZE", 0,
	 "Of the ideal objective, in bytes of compressed pages; by default the pool's limit", 0},
	{"objective", OPT_OBJECTIVE, "WHICH", 0, "ideal, kernel or both (the default)", 0},
	{"list", OPT_LIST, 0, 0, "List the policies that are built in, and no more", 0},
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/report-json.md)", 0},
	{0},
};

static const char doc[] =
	"Replays TRACE once with each policy and prints how many pages it read from disk, beside "
	"the "
	"clairvoyant policy and a bound that no policy can beat: under an ideal objective and "
	"under "
	"the kernel's (docs/policies.md). No page contents are touched; each distinct page is "
	"compressed once. Without --policy: the kernel's choice and all that are built in.\v"
	"Examples:\n"
	"  zswapsim policy --totalram 128M silesia.bin\n"
	"  zswapsim policy --policy kernel --policy lru --policy ./mine.so:64 silesia.bin\n"
	"  zswapsim policy --policy ./mine.so --policy-codec lz4 --policy-codec zstd:19 "
	"silesia.bin\n"
	"  zswapsim policy --objective ideal --capacity 16M --json silesia.bin\n"
	"  zswapsim policy --list\n\n"
	"Exit status: 0 done; 1 a page came back changed or not at all, or a replay stopped; 2 bad "
	"input, or a policy "
	"that failed; 3 the trace stores nothing at all.";

static void parse_objective(const struct argp_state *state, struct arguments *a, const char *arg)
{
	a->config.ideal = strcmp(arg, "kernel");
	a->config.real = strcmp(arg, "ideal");
	if (strcmp(arg, "ideal") && strcmp(arg, "kernel") && strcmp(arg, "both"))
		options_error(state, "--objective '%s': it is ideal, kernel or both", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		a->kernel.machine = &a->machine;
		state->child_inputs[0] = &a->policies;
		state->child_inputs[1] = &a->machine;
		state->child_inputs[2] = &a->kernel;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_LIST:
		a->list = true;
		return 0;
	case OPT_CAPACITY:
		a->config.capacity = options_size(state, "--capacity", arg, 1, 1ull << 50);
		return 0;
	case OPT_OBJECTIVE:
		parse_objective(state, a, arg);
		return 0;
	case ARGP_KEY_ARG:
		options_one_trace(state, &a->trace, arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->list)
			options_need_trace(state, a->trace);
		if (a->machine.policy_spec)
			options_error(state, "--set policy=%s: --policy names those to be run",
				      a->machine.policy_spec);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void list(void)
{
	printf("kernel         the kernel's own, by its version: its lists, its shrink worker\n");
	for (const struct policy_builtin *b = policy_builtins; b->ops; b++)
		printf("%-14s %s\n", b->ops->name, b->doc);
}

static void runs_progress(void *arg, unsigned done, unsigned total)
{
	progress_step(arg);
}

static int print(const struct arguments *a, const struct policy_report *report)
{
	bool wrong = false;

	if (a->json)
		output_json(policy_report_json(report));
	else
		policy_report_text(stdout, report);
	for (unsigned i = 0; i < report->table->nr_rows; i++)
		wrong |= report->table->rows[i].kernel.mismatched ||
			 report->table->rows[i].kernel.failed ||
			 *report->table->rows[i].kernel.stopped;
	if (wrong)
		return STATUS_CHECK_FAILED;
	/* A trace without a store exercised nothing, which a script should see. */
	return report->trace->nr_type[TRACE_STORE] ? STATUS_OK : STATUS_EXPECTATION;
}

static int run(struct arguments *a, struct trace_reader *reader, const char *command,
	       const char *name)
{
	struct policy_table *table = malloc(sizeof(*table));
	struct policy_report report = {.command = command,
				       .trace_path = a->trace,
				       .trace = trace_reader_info(reader),
				       .config = &a->config,
				       .table = table};
	struct lengths *lengths = NULL;
	struct progress progress;
	struct trace_error err;
	int ret, status = STATUS_USAGE;

	if (!table) {
		fprintf(stderr, "%s: out of memory\n", name);
		return STATUS_USAGE;
	}
	if (replay_lengths_open(name, a->trace, reader, &a->machine, &lengths) ||
	    policy_options_open_codecs(&a->policies, name, a->trace, reader, &a->machine))
		goto out;
	a->config.reader = reader;
	a->config.lengths = lengths;
	a->config.progress = runs_progress;
	a->config.progress_arg = &progress;
	progress_begin(&progress, name, "runs", 0, policy_table_nr_runs(&a->config), false);
	ret = policy_table_run(&a->config, table, &err);
	progress_end(&progress);
	if (ret) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		policy_options_end_if_crashed(ret);
		goto out;
	}
	status = print(a, &report);
out:
	lengths_close(lengths);
	policy_options_close_codecs(&a->policies);
	free(table);
	return status;
}

int cmd_policy(int argc, char **argv)
{
	static const struct argp_child children[] = {{&policy_options_argp, 0, NULL, 0},
						     {&replay_options_argp, 0, NULL, 0},
						     {&options_kernel_argp, 0, NULL, 0},
						     {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	char *command = options_command_line(argc, argv);
	struct trace_reader *reader = NULL;
	struct arguments a = {.config = {.ideal = true, .real = true}};
	struct trace_error err;
	int status;

	replay_config_init(&a.machine);
	status = options_parse(&argp, argc, argv, &a);
	if (status || a.list) {
		if (a.list && !status)
			list();
		goto out;
	}
	status = STATUS_USAGE;
	if (!command) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	a.machine.profile = &a.kernel.profile;
	a.machine.crypto = backends_registry();
	a.machine.policy_limit_ms = a.policies.limit_ms;
	a.config.kernel = &a.machine;
	if (policy_options_load(&a.policies, &a.config.nr_policies, a.config.policies, argv[0]))
		goto out;
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = run(&a, reader, command, argv[0]);
out:
	trace_reader_close(reader);
	for (unsigned i = 0; i < a.config.nr_policies; i++)
		policy_unload(a.config.policies[i]);
	free(command);
	return status;
}
