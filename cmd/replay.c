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
#include "cmd/mode_options.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/policy_options.h"
#include "cmd/policy_standing.h"
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
	struct mode_options mode;
	struct policy_options policy;
	struct policy_standing *standing; /* NULL: no policy was named */
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
	"  zswapsim replay --machine kvm-guest silesia.bin\n"
	"  zswapsim replay --mode policy --totalram 64M silesia.bin\n"
	"  zswapsim replay --totalram 128M --policy ./mine.so silesia.bin\n\n"
	"Exit status: 0 all loads were right; 1 a page came back changed or not at all; 2 bad "
	"input; "
	"3 an expectation was not met, or the trace stores nothing at all.";

/* The names of the counts are known before there are any. */
static void parse_expect(const struct argp_state *state, struct arguments *a, const char *text)
{
	struct replay_result *nothing = calloc(1, sizeof(*nothing));
	struct profile profile = {0};
	json_t *counts = NULL;
	char *err = NULL;

	if (nothing) {
		nothing->nr_codecs = a->policy.nr_codecs;
		for (unsigned i = 0; i < a->policy.nr_codecs; i++)
			nothing->codecs[i + 1] = a->policy.codecs[i];
		counts = report_counts_json(nothing, &profile, a->config.compressor);
	}
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
		state->child_inputs[3] = &a->mode;
		state->child_inputs[4] = &a->policy;
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
		options_one_trace(state, &a->trace, arg);
		return 0;
	case ARGP_KEY_END:
		options_need_trace(state, a->trace);
		if (a->interval && !a->csv)
			options_error(state, "--interval is for --csv");
		if (a->mode.mode == REPLAY_POLICY && a->machine.nr)
			options_error(state, "--machine models times, and policy mode has none");
		mode_options_check_compressor(state, &a->mode, a->config.compressor);
		if (a->policy.nr_codecs && !a->policy.nr && !a->config.policy_spec)
			options_error(state, "--policy-codec is for a --policy to choose from");
		if (a->policy.nr > 1)
			options_error(state,
				      "one --policy at a time, not %s too; 'zswapsim policy' "
				      "takes several",
				      a->policy.specs[1]);
		/* Their names depend on the compressor. */
		for (unsigned i = 0; i < a->nr_expected; i++)
			parse_expect(state, a, a->expected[i]);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* One run, from the options to what came of it. */
struct run {
	struct arguments args;
	const char *name; /* of the command, for messages */
	char *command;
	struct trace_reader *reader;
	struct lengths *lengths; /* NULL: measure mode */
	struct report_cpuid cpuid;
	struct replay_result *result;
	uint64_t replay_ns;
};

static int print(const struct run *run)
{
	const struct arguments *a = &run->args;
	const struct replay_result *result = run->result;
	struct machine_info machine;
	struct report report = {
		.command = run->command,
		.compressor = a->config.compressor,
		.profile = &a->kernel.profile,
		.trace = trace_reader_info(run->reader),
		.trace_path = a->trace,
		.scenario = a->config.scenario,
		.all_classes = a->all_classes,
		.machine = &machine,
		.result = result,
		.lengths = run->lengths,
		.replay_ns = run->replay_ns,
		.cpuid = &run->cpuid,
		.expect = a->expect.nr ? &a->expect : NULL,
		.policy = a->standing,
	};
	json_t *counts;
	unsigned unmet;

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	if (a->json)
		output_json(report_json(&report));
	else
		report_text(stdout, &report);
	counts = report_counts_json(result, &a->kernel.profile, a->config.compressor);
	unmet = expect_report(&a->expect, counts, run->name, stderr);
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

/* NULL if it cannot be: then it is said why. */
static struct timeline *open_timeline(struct run *run)
{
	struct arguments *a = &run->args;
	struct timeline *timeline;
	struct trace_error err;

	if (is_trace(a)) {
		fprintf(stderr, "%s: --csv: %s is the trace\n", run->name, a->csv);
		return NULL;
	}
	if (timeline_create(a->csv, &timeline, &err)) {
		fprintf(stderr, "%s: %s\n", run->name, err.message);
		return NULL;
	}
	a->config.sample = timeline_sample;
	a->config.sample_arg = timeline;
	a->config.sample_interval =
		a->interval ? a->interval
			    : trace_reader_info(run->reader)->nr_events / DEFAULT_SAMPLES;
	if (!a->config.sample_interval)
		a->config.sample_interval = 1;
	return timeline;
}

/* 0, or the exit status: then it is said why. */
static int replay(struct run *run)
{
	struct arguments *a = &run->args;
	struct timeline *timeline = NULL;
	struct trace_error err;
	uint64_t start;
	int ret = 0;

	if (a->csv) {
		timeline = open_timeline(run);
		if (!timeline)
			return STATUS_USAGE;
	}
	start = replay_monotonic_ns(NULL);
	ret = replay_run(&a->config, run->reader, run->result, &err);
	if (ret) {
		fprintf(stderr, "%s: %s\n", run->name, err.message);
		timeline_abort(timeline);
		policy_options_end_if_crashed(ret);
		return STATUS_USAGE;
	}
	run->replay_ns = replay_monotonic_ns(NULL) - start;
	if (timeline)
		ret = timeline_commit(timeline, &err);
	if (ret) {
		fprintf(stderr, "%s: %s\n", run->name, err.message);
		replay_result_finish(run->result);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

/* What CPUIDs cost is measured before anything else, and before a long run that would fail. */
static int take_census(struct run *run)
{
	struct cpuid_census *census = &run->cpuid.census;
	const struct policy_options *policy = &run->args.policy;
	const char *compressor = run->args.config.compressor;
	bool any = codec_is_zstd(compressor);

	run->cpuid.model = run->args.machine.model;
	run->cpuid.compressor = compressor;
	for (unsigned i = 0; i < policy->nr_codecs; i++)
		any = any || codec_is_zstd(policy->codecs[i]);
	if (!any) {
		codec_no_census(compressor, census->reason, sizeof(census->reason));
		return 0;
	}
	if (!cpuid_census_take(census, run->args.config.profile))
		return 0;
	fprintf(stderr, "%s: %s\n", run->name, *census->reason ? census->reason : "out of memory");
	return STATUS_USAGE;
}

static int prepare(struct run *run)
{
	struct arguments *a = &run->args;
	struct trace_error err;

	a->config.profile = &a->kernel.profile;
	a->config.crypto = backends_registry();
	a->config.mode = a->mode.mode;
	/* It may be named by --set as well. */
	if (a->policy.nr)
		a->config.policy_spec = a->policy.specs[0];
	a->config.policy_limit_ms = a->policy.limit_ms;
	run->result = malloc(sizeof(*run->result));
	if (!run->result || !run->command) {
		fprintf(stderr, "%s: out of memory\n", run->name);
		return STATUS_USAGE;
	}
	if (a->mode.mode == REPLAY_MEASURE && take_census(run))
		return STATUS_USAGE;
	if (trace_reader_open(a->trace, &run->reader, &err)) {
		fprintf(stderr, "%s: %s\n", run->name, err.message);
		return STATUS_USAGE;
	}
	if (a->mode.mode == REPLAY_POLICY &&
	    mode_options_lengths(&a->mode, run->name, a->trace, run->reader, &a->config,
				 &run->lengths))
		return STATUS_USAGE;
	a->config.lengths = run->lengths;
	return policy_options_open_codecs(&a->policy, run->name, a->trace, run->reader, &a->config);
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&replay_options_argp, 0, NULL, 0},  {&options_kernel_argp, 0, NULL, 0},
		{&machine_options_argp, 0, NULL, 0}, {&mode_options_argp, 0, NULL, 0},
		{&policy_options_argp, 0, NULL, 0},  {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	struct run run = {.command = options_command_line(argc, argv)};
	int status;

	replay_config_init(&run.args.config);
	status = options_parse(&argp, argc, argv, &run.args);
	run.name = argv[0];
	if (!status)
		status = prepare(&run);
	if (!status)
		status = replay(&run);
	if (!status) {
		if (run.args.config.policy_spec)
			status = policy_standing_find(&run.args.config, run.args.trace, run.reader,
						      run.result, argv[0], &run.args.standing);
		if (!status)
			status = print(&run);
		replay_result_finish(run.result);
	}
	policy_options_close_codecs(&run.args.policy);
	lengths_close(run.lengths);
	trace_reader_close(run.reader);
	free(run.args.standing);
	free(run.result);
	free(run.command);
	return status;
}
