// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/commands.h"
#include "cmd/machine_options.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/replay_options.h"
#include "cmd/report.h"

enum { OPT_JSON = 256, OPT_CLASSES };

struct arguments {
	struct options_kernel kernel;
	const char *trace;
	struct machine_options machine;
	bool json, all_classes;
	struct replay_config config;
};

static const struct argp_option options[] = {
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/report-json.md)", 0},
	{"classes", OPT_CLASSES, 0, 0, "Text: every size class, not only those with most pages", 0},
	{0},
};

static const char doc[] =
	"Replays TRACE: every event runs the real code on the real pages and is timed, every page that "
	"is loaded is compared with the trace's. Prints a report.\v"
	"Examples:\n"
	"  zswapsim replay silesia.bin\n"
	"  zswapsim replay --kernel 6.12 silesia.bin\n"
	"  zswapsim replay --set zstd.stream_init=deferred --json silesia.bin\n"
	"  zswapsim replay --machine kvm-guest silesia.bin\n\n"
	"Exit status: 0 all loads were right; 1 a page came back changed or not at all; 2 bad input.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->config;
		state->child_inputs[1] = &a->kernel;
		state->child_inputs[2] = &a->machine;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_CLASSES:
		a->all_classes = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->trace)
			options_error(state, "one trace at a time, not '%s' too", arg);
		a->trace = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->trace)
			options_error(state, "a trace is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int print(const struct arguments *a, const char *command, const struct trace_info *info,
		 const struct replay_result *result, const struct report_cpuid *cpuid)
{
	struct machine_info machine;
	struct report report = {
		.command = command,
		.compressor = a->config.compressor,
		.profile = &a->kernel.profile,
		.trace = info,
		.trace_path = a->trace,
		.all_classes = a->all_classes,
		.machine = &machine,
		.result = result,
		.cpuid = cpuid,
	};

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	if (a->json)
		output_json(report_json(&report));
	else
		report_text(stdout, &report);
	if (result->counts.mismatched_pages || result->counts.failed_loads)
		return STATUS_CHECK_FAILED;
	return STATUS_OK;
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp_child children[] = {{&replay_options_argp, 0, NULL, 0},
						  {&options_kernel_argp, 0, NULL, 0},
						  {&machine_options_argp, 0, NULL, 0},
						  {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	char *command = options_command_line(argc, argv);
	struct replay_result *result = NULL;
	struct trace_reader *reader = NULL;
	struct report_cpuid cpuid;
	struct arguments a = {0};
	struct trace_error err;
	int status;

	replay_config_init(&a.config);
	status = options_parse(&argp, argc, argv, &a);
	if (status)
		goto out;
	status = STATUS_USAGE;
	a.config.profile = &a.kernel.profile;
	a.config.crypto = backends_registry();
	result = malloc(sizeof(*result));
	if (!result || !command) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	/* Before anything is timed, and before a long run that would fail. */
	if (cpuid_census_take(&cpuid.census, a.config.profile)) {
		fprintf(stderr, "%s: %s\n", argv[0],
			*cpuid.census.reason ? cpuid.census.reason : "out of memory");
		goto out;
	}
	cpuid.model = a.machine.model;
	if (trace_reader_open(a.trace, &reader, &err) ||
	    replay_run(&a.config, reader, result, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = print(&a, command, trace_reader_info(reader), result, &cpuid);
	replay_result_finish(result);
out:
	trace_reader_close(reader);
	free(result);
	free(command);
	return status;
}
