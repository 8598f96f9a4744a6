// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/commands.h"
#include "cmd/mode_options.h"
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
	struct mode_options mode;
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
			  "  zswapsim versions --mode policy --totalram 64M silesia.bin\n"
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

	options_need_trace(state, a->trace);
	mode_options_check_compressor(state, &a->mode, a->config.compressor);
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
		state->child_inputs[1] = &a->mode;
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
		options_one_trace(state, &a->trace, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		finish(a, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* What came of the kernels, one by one. */
struct runs {
	unsigned nr; /* that were replayed, and have results to finish */
	struct replay_result *result[VERSIONS_MAX];
	struct lengths *lengths[VERSIONS_MAX]; /* NULL in measure mode; those of one key are one */
	uint64_t replay_ns[VERSIONS_MAX];
};

static int print(const struct arguments *a, const char *command, const struct trace_info *info,
		 const struct runs *runs)
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
		.result = runs->result,
		.lengths = runs->lengths,
		.replay_ns = runs->replay_ns,
	};

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	if (a->json)
		output_json(versions_report_json(&report));
	else
		versions_report_text(stdout, &report);
	for (unsigned i = 0; i < a->nr; i++) {
		if (runs->result[i]->counts.mismatched_pages ||
		    runs->result[i]->counts.failed_loads)
			return STATUS_CHECK_FAILED;
	}
	/* A trace without a store exercised nothing. */
	return runs->result[0]->counts.stores ? STATUS_OK : STATUS_EXPECTATION;
}

/* Those of kernel @i, which may be those of one before it. */
static int find_lengths(const struct arguments *a, struct trace_reader *reader, struct runs *runs,
			unsigned i, const char *name)
{
	struct lengths_config config = {.crypto = a->config.crypto,
					.profile = a->config.profile,
					.compressor = a->config.compressor};
	char key[LENGTHS_KEY_BYTES];
	struct trace_error err;

	if (lengths_key(reader, &config, key, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		return STATUS_USAGE;
	}
	for (unsigned before = 0; before < i && !runs->lengths[i]; before++) {
		if (!strcmp(runs->lengths[before]->key, key))
			runs->lengths[i] = runs->lengths[before];
	}
	if (!runs->lengths[i] &&
	    mode_options_lengths(&a->mode, name, a->trace, reader, &a->config, &runs->lengths[i]))
		return STATUS_USAGE;
	return STATUS_OK;
}

static int replay_one(struct arguments *a, struct trace_reader *reader, struct runs *runs,
		      const char *name)
{
	unsigned i = runs->nr;
	struct trace_error err;
	uint64_t start;

	runs->result[i] = malloc(sizeof(*runs->result[i]));
	if (!runs->result[i]) {
		fprintf(stderr, "%s: out of memory\n", name);
		return STATUS_USAGE;
	}
	a->config.profile = &a->profile[i];
	if (a->config.mode == REPLAY_POLICY && find_lengths(a, reader, runs, i, name))
		return STATUS_USAGE;
	a->config.lengths = runs->lengths[i];
	start = replay_monotonic_ns(NULL);
	if (replay_run(&a->config, reader, runs->result[i], &err)) {
		fprintf(stderr, "%s: kernel %s: %s\n", name, a->profile[i].name, err.message);
		return STATUS_USAGE;
	}
	runs->replay_ns[i] = replay_monotonic_ns(NULL) - start;
	runs->nr++;
	return STATUS_OK;
}

static void finish_runs(struct runs *runs)
{
	for (unsigned i = 0; i < runs->nr; i++)
		replay_result_finish(runs->result[i]);
	for (unsigned i = 0; i < VERSIONS_MAX; i++) {
		free(runs->result[i]);
		for (unsigned j = i + 1; runs->lengths[i] && j < VERSIONS_MAX; j++) {
			if (runs->lengths[j] == runs->lengths[i])
				runs->lengths[j] = NULL;
		}
		lengths_close(runs->lengths[i]);
	}
}

int cmd_versions(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&replay_options_argp, 0, NULL, 0}, {&mode_options_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	char *command = options_command_line(argc, argv);
	struct runs runs = {0};
	struct trace_reader *reader = NULL;
	struct arguments a = {0};
	struct trace_error err;
	int status;

	replay_config_init(&a.config);
	status = options_parse(&argp, argc, argv, &a);
	if (status)
		goto out;
	status = STATUS_USAGE;
	a.config.crypto = backends_registry();
	a.config.mode = a.mode.mode;
	if (!command) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = STATUS_OK;
	while (!status && runs.nr < a.nr)
		status = replay_one(&a, reader, &runs, argv[0]);
	if (!status)
		status = print(&a, command, trace_reader_info(reader), &runs);
out:
	finish_runs(&runs);
	trace_reader_close(reader);
	free(command);
	return status;
}
