// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/registry.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/expect.h"
#include "cmd/machine_options.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/replay_options.h"
#include "cmd/report.h"
#include "cmd/timeline.h"

/* Of a timeline, unless it is said otherwise. */
#define DEFAULT_SAMPLES 1000u

enum { OPT_JSON = 256, OPT_CLASSES, OPT_CSV, OPT_INTERVAL, OPT_EXPECT };

struct arguments {
	struct options_kernel kernel;
	const char *trace, *csv;
	const char *expected[OPTIONS_MAX_SETS]; /* of --expect, in order */
	unsigned nr_expected;
	struct machine_options machine;
	bool json, all_classes;
	uint64_t interval; /* 0: not given */
	struct replay_config config;
	struct expectations expect;
};

static const struct argp_option options[] = {
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/report-json.md)", 0},
	{"classes", OPT_CLASSES, 0, 0, "Text: every size class, not only those with most pages", 0},
	{"csv", OPT_CSV, "FILE", 0, "Write the pool over time there (docs/timeline.md)", 0},
	{"interval", OPT_INTERVAL, "N", 0,
	 "A line of it after every N events; by default 1000 lines or so", 0},
	{"expect", OPT_EXPECT, "LIST", 0,
	 "Exit with 3 unless the counts are such: 'stores>0,written_back>=100'; names are those of "
	 "counts in the JSON report",
	 0},
	{0},
};

static const char doc[] =
	"Replays TRACE: every event runs the real code on the real pages and is timed, every page "
	"that "
	"is loaded is compared with the trace's. Prints a report.\v"
	"Examples:\n"
	"  zswapsim replay silesia.bin\n"
	"  zswapsim replay --kernel 6.12 silesia.bin\n"
	"  zswapsim replay --compressor lz4 silesia.bin\n"
	"  zswapsim replay --set zstd.stream_init=deferred --json silesia.bin\n"
	"  zswapsim replay --totalram 128M --swap nvme --expect 'written_back>0' silesia.bin\n"
	"  zswapsim replay --scenario limits.ini --csv pool.csv --interval 100 silesia.bin\n"
	"  zswapsim replay --machine kvm-guest silesia.bin\n\n"
	"Exit status: 0 all loads were right; 1 a page came back changed or not at all; 2 bad "
	"input; "
	"3 an expectation was not met, or the trace stores nothing at all.";

/* The names of the counts are known before there are any. */
static void parse_expect(const struct argp_state *state, struct arguments *a, const char *text)
{
	struct replay_result *nothing = calloc(1, sizeof(*nothing));
	struct profile profile = {0};
	json_t *counts =
		nothing ? report_counts_json(nothing, &profile, a->config.compressor) : NULL;
	char *err = NULL;

	if (!counts || (expect_parse(&a->expect, text, counts, &err) && !err))
		options_error(state, "out of memory");
	json_decref(counts);
	free(nothing);
	if (err)
		options_error(state, "--expect: %s", err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		a->kernel.machine = &a->config;
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
	case OPT_CSV:
		a->csv = arg;
		return 0;
	case OPT_INTERVAL:
		a->interval = options_u64(state, "--interval", arg, 1, INT64_MAX);
		return 0;
	case OPT_EXPECT:
		if (a->nr_expected == OPTIONS_MAX_SETS)
			options_error(state, "more than %d times --expect", OPTIONS_MAX_SETS);
		a->expected[a->nr_expected++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->trace)
			options_error(state, "one trace at a time, not '%s' too", arg);
		a->trace = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->trace)
			options_error(state, "a trace is needed");
		if (a->interval && !a->csv)
			options_error(state, "--interval is for --csv");
		/* Their names depend on the compressor. */
		for (unsigned i = 0; i < a->nr_expected; i++)
			parse_expect(state, a, a->expected[i]);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int print(const struct arguments *a, const char *command, const struct trace_info *info,
		 const struct replay_result *result, const struct report_cpuid *cpuid,
		 const char *name)
{
	struct machine_info machine;
	struct report report = {
		.command = command,
		.compressor = a->config.compressor,
		.profile = &a->kernel.profile,
		.trace = info,
		.trace_path = a->trace,
		.scenario = a->config.scenario,
		.all_classes = a->all_classes,
		.machine = &machine,
		.result = result,
		.cpuid = cpuid,
		.expect = a->expect.nr ? &a->expect : NULL,
	};
	json_t *counts;
	unsigned unmet;

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	if (a->json)
		output_json(report_json(&report));
	else
		report_text(stdout, &report);
	counts = report_counts_json(result, &a->kernel.profile, a->config.compressor);
	unmet = expect_report(&a->expect, counts, name, stderr);
	json_decref(counts);
	if (result->counts.mismatched_pages || result->counts.failed_loads)
		return STATUS_CHECK_FAILED;
	/* A trace without a store exercised nothing, which a script should see. */
	return unmet || !result->counts.stores ? STATUS_EXPECTATION : STATUS_OK;
}

/* The trace would be gone when the timeline is put in its place. */
static bool is_trace(const struct arguments *a)
{
	struct stat csv, trace;

	return !stat(a->csv, &csv) && !stat(a->trace, &trace) && csv.st_dev == trace.st_dev &&
	       csv.st_ino == trace.st_ino;
}

/* 0, or the exit status: then it is said why. */
static int run(struct arguments *a, struct trace_reader *reader, struct replay_result *result,
	       const char *name)
{
	uint64_t nr_events = trace_reader_info(reader)->nr_events;
	struct timeline *timeline = NULL;
	struct trace_error err;
	int ret = 0;

	if (a->csv) {
		if (is_trace(a)) {
			fprintf(stderr, "%s: --csv: %s is the trace\n", name, a->csv);
			return STATUS_USAGE;
		}
		ret = timeline_create(a->csv, &timeline);
		if (ret) {
			fprintf(stderr, "%s: %s: %s\n", name, a->csv, strerror(-ret));
			return STATUS_USAGE;
		}
		a->config.sample = timeline_sample;
		a->config.sample_arg = timeline;
		a->config.sample_interval = a->interval ? a->interval : nr_events / DEFAULT_SAMPLES;
		if (!a->config.sample_interval)
			a->config.sample_interval = 1;
	}
	if (replay_run(&a->config, reader, result, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		timeline_abort(timeline);
		return STATUS_USAGE;
	}
	if (timeline)
		ret = timeline_commit(timeline);
	if (ret) {
		fprintf(stderr, "%s: %s: %s\n", name, a->csv, strerror(-ret));
		replay_result_finish(result);
		return STATUS_USAGE;
	}
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
	if (!codec_is_zstd(a.config.compressor)) {
		memset(&cpuid.census, 0, sizeof(cpuid.census));
		snprintf(cpuid.census.reason, sizeof(cpuid.census.reason),
			 "contexts of zstd are, and the compressor is %s",
			 codec_spec(a.config.compressor).alg->cra_name);
	} else if (cpuid_census_take(&cpuid.census, a.config.profile)) {
		fprintf(stderr, "%s: %s\n", argv[0],
			*cpuid.census.reason ? cpuid.census.reason : "out of memory");
		goto out;
	}
	cpuid.model = a.machine.model;
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = run(&a, reader, result, argv[0]);
	if (status)
		goto out;
	status = print(&a, command, trace_reader_info(reader), result, &cpuid, argv[0]);
	replay_result_finish(result);
out:
	trace_reader_close(reader);
	free(result);
	free(command);
	return status;
}
