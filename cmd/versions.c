// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/replay_options.h"
#include "cmd/versions_report.h"

enum { OPT_JSON = 256, OPT_KERNELS };

struct arguments {
	const char *trace, *kernels;
	struct options_kernel kernel; /* its --set alone */
	bool json;
	struct replay_config config;
	struct profile profile[VERSIONS_MAX];
	unsigned nr;
};

static const struct argp_option options[] = {
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/report-json.md)", 0},
	{"kernels", OPT_KERNELS, "LIST", 0,
	 "Only these, with commas: 6.8,6.12; default: all presets", 0},
	{"set", 's', "KEY=VALUE", 0,
	 "Change one switch of every preset, or another setting ('zswapsim sweep --keys'); may be "
	 "repeated",
	 0},
	{0},
};

static const char doc[] = "Replays TRACE once under each kernel preset, oldest first, with the "
			  "same settings, and prints "
			  "the results side by side. Every load is verified.\v"
			  "Examples:\n"
			  "  zswapsim versions silesia.bin\n"
			  "  zswapsim versions --totalram 128M --swap nvme silesia.bin\n"
			  "  zswapsim versions --compressor zstd:19 silesia.bin\n"
			  "  zswapsim versions --kernels 6.8,6.12 --shrinker burst.bin\n\n"
			  "Exit status: 0 all loads were right; 1 a page came back changed or not "
			  "at all; 2 bad input.";

static void add_kernel(struct arguments *a, const struct argp_state *state, const char *name)
{
	struct profile *p = &a->profile[a->nr];
	char err[1024];

	if (a->nr == VERSIONS_MAX)
		options_error(state, "more than %u kernels", VERSIONS_MAX);
	if (profile_init(p, name, err, sizeof(err)))
		options_error(state, "--kernels: %s", err);
	for (unsigned i = 0; i < a->kernel.nr_sets; i++) {
		if (profile_set(p, a->kernel.sets[i], err, sizeof(err)))
			options_error(state, "--set: %s", err);
	}
	a->nr++;
}

static void finish(struct arguments *a, const struct argp_state *state)
{
	const char *const *preset = profile_presets();

	if (!a->trace)
		options_error(state, "a trace is needed");
	for (; !a->kernels && *preset; preset++)
		add_kernel(a, state, *preset);
	for (const char *name = a->kernels; name;) {
		size_t len = strcspn(name, ",");
		char one[32];

		snprintf(one, sizeof(one), "%.*s", (int)len, name);
		add_kernel(a, state, one);
		name = name[len] ? name + len + 1 : NULL;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		a->kernel.machine = &a->config;
		state->child_inputs[0] = &a->config;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_KERNELS:
		a->kernels = arg;
		return 0;
	case 's':
		options_add_set(&a->kernel, state, arg);
		if (a->kernel.name)
			options_error(state, "--set kernel=%s: --kernels chooses the kernels",
				      a->kernel.name);
		return 0;
	case ARGP_KEY_ARG:
		if (a->trace)
			options_error(state, "one trace at a time, not '%s' too", arg);
		a->trace = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		finish(a, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int print(const struct arguments *a, const char *command, const struct trace_info *info,
		 struct replay_result *const *result)
{
	struct machine_info machine;
	const struct versions_report report = {
		.command = command,
		.compressor = a->config.compressor,
		.trace = info,
		.trace_path = a->trace,
		.scenario = a->config.scenario,
		.machine = &machine,
		.nr = a->nr,
		.profile = a->profile,
		.result = result,
	};

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	if (a->json)
		output_json(versions_report_json(&report));
	else
		versions_report_text(stdout, &report);
	for (unsigned i = 0; i < a->nr; i++) {
		if (result[i]->counts.mismatched_pages || result[i]->counts.failed_loads)
			return STATUS_CHECK_FAILED;
	}
	/* A trace without a store exercised nothing. */
	return result[0]->counts.stores ? STATUS_OK : STATUS_EXPECTATION;
}

/* @nr: how many were replayed, and have results to finish. */
static int replay_all(struct arguments *a, struct trace_reader *reader,
		      struct replay_result **result, unsigned *nr, const char *name)
{
	struct trace_error err;

	for (*nr = 0; *nr < a->nr; ++*nr) {
		result[*nr] = malloc(sizeof(**result));
		if (!result[*nr]) {
			fprintf(stderr, "%s: out of memory\n", name);
			return STATUS_USAGE;
		}
		a->config.profile = &a->profile[*nr];
		if (replay_run(&a->config, reader, result[*nr], &err)) {
			fprintf(stderr, "%s: kernel %s: %s\n", name, a->profile[*nr].name,
				err.message);
			return STATUS_USAGE;
		}
	}
	return STATUS_OK;
}

int cmd_versions(int argc, char **argv)
{
	static const struct argp_child children[] = {{&replay_options_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	char *command = options_command_line(argc, argv);
	struct replay_result *result[VERSIONS_MAX] = {NULL};
	struct trace_reader *reader = NULL;
	struct arguments a = {0};
	struct trace_error err;
	unsigned nr = 0;
	int status;

	replay_config_init(&a.config);
	status = options_parse(&argp, argc, argv, &a);
	if (status)
		goto out;
	status = STATUS_USAGE;
	a.config.crypto = backends_registry();
	if (!command) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = replay_all(&a, reader, result, &nr, argv[0]);
	if (!status)
		status = print(&a, command, trace_reader_info(reader), result);
out:
	for (unsigned i = 0; i < nr; i++)
		replay_result_finish(result[i]);
	for (unsigned i = 0; i < VERSIONS_MAX; i++)
		free(result[i]);
	trace_reader_close(reader);
	free(command);
	return status;
}
