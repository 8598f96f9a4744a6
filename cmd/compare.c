// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/compare_report.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/policy_options.h"
#include "cmd/replay_options.h"
#include "cmd/variant.h"

#define DEFAULT_ROUNDS 7

enum { OPT_JSON = 256, OPT_BASE, OPT_WITH, OPT_ROUNDS, OPT_SEED, OPT_MODE };

struct arguments {
	struct options_kernel kernel;
	struct replay_config machine; /* what all settings share */
	const char *trace, *base;
	const char *text[COMPARE_MAX_SETTINGS]; /* from 1: --with */
	char *words[COMPARE_MAX_SETTINGS];	/* of it, which settings refer to */
	struct settings settings[COMPARE_MAX_SETTINGS];
	struct compare_config config;
	bool json;
};

static const struct argp_option options[] = {
	{"base", OPT_BASE, "SETTINGS", 0,
	 "The baseline: KEY=VALUE,... or kernel=NAME,...; without it, what --kernel and --set say",
	 0},
	{"with", OPT_WITH, "SETTINGS", 0, "What to compare with it; up to 7 times", 0},
	{"rounds", OPT_ROUNDS, "N", 0, "Replays of the trace under each, 1 to 99; default 7", 0},
	{"seed", OPT_SEED, "N", 0, "Of the resampling, from which the intervals come; default 1",
	 0},
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/compare-json.md)", 0},
	{"mode", OPT_MODE, "MODE", 0, "measure, which is all that there is here", 0},
	{0},
};

static const char doc[] =
	"Replays TRACE under two or more settings in interleaved rounds and prints what changes, a "
	"page, "
	"with a 95 % confidence interval: by path, in zswap, and in total. Every load is verified. "
	"Counts that differ are listed. --kernel and --set hold for all settings.\v"
	"KEY is any setting ('zswapsim sweep --keys' lists them). In place of KEY=VALUE, a short "
	"name may stand: eager, deferred, context-once, probe, skip, once, static, no-bmi2.\n\n"
	"Examples:\n"
	"  zswapsim compare silesia.bin --with deferred --with once --with deferred,once\n"
	"  zswapsim compare silesia.bin --base kernel=6.12 --with kernel=7.3 --with kernel=7.4\n"
	"  zswapsim compare --rounds 15 --json silesia.bin --with zsmalloc.read=copy\n"
	"  zswapsim compare silesia.bin --with zswap.compressor=lz4 --with "
	"zswap.compressor=zstd:1\n\n"
	"Exit status: 0 all loads were right; 1 a page came back changed or not at all; 2 bad "
	"input; 3 the trace stores nothing at all.";

static void add_with(struct arguments *a, const struct argp_state *state, const char *text)
{
	if (a->config.nr_settings == COMPARE_MAX_SETTINGS)
		options_error(state, "more than %u times --with", COMPARE_MAX_SETTINGS - 1);
	a->text[a->config.nr_settings++] = text;
}

static void read_setting(struct arguments *a, const struct argp_state *state, unsigned s)
{
	const char *option = s ? "--with" : "--base";
	struct settings *settings = &a->settings[s];
	char err[2048];
	int ret;

	a->words[s] = strdup(a->text[s]);
	if (!a->words[s])
		options_error(state, "out of memory");
	settings->replay = a->machine;
	if (variant_parse_settings(&a->kernel, a->words[s], ',', settings, err, sizeof(err)))
		options_error(state, "%s: %s", option, err);
	ret = settings_check(settings, backends_registry(), err, sizeof(err));
	if (ret) {
		fprintf(stderr, "%s: %s: %s\n", state->name, option, err);
		policy_options_end_if_crashed(ret);
		exit(STATUS_USAGE);
	}
	a->config.settings[s] = *settings_config(settings);
	a->config.settings[s].crypto = backends_registry();
}

static void finish(struct arguments *a, const struct argp_state *state)
{
	options_need_trace(state, a->trace);
	if (a->machine.compressor)
		codec_option(state, "--compressor", a->machine.compressor);
	if (a->config.nr_settings < 2)
		options_error(state, "--with is needed: what is to be compared with the baseline?");
	a->text[0] = a->base ? a->base : "";
	for (unsigned s = 0; s < a->config.nr_settings; s++)
		read_setting(a, state, s);
}

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
	case OPT_BASE:
		if (a->base)
			options_error(state, "one --base at a time, not '%s' too", arg);
		a->base = arg;
		return 0;
	case OPT_WITH:
		add_with(a, state, arg);
		return 0;
	case OPT_MODE:
		if (strcmp(arg, "measure"))
			options_error(state,
				      "--mode '%s': a comparison is of times, which only measure "
				      "mode has; 'zswapsim sweep' compares counts",
				      arg);
		return 0;
	case OPT_ROUNDS:
		a->config.rounds = options_u64(state, "--rounds", arg, 1, COMPARE_MAX_ROUNDS);
		return 0;
	case OPT_SEED:
		a->config.bootstrap.seed = options_u64(state, "--seed", arg, 0, INT64_MAX);
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

static bool is_there(const struct machine_warnings *w, const char *line)
{
	for (unsigned i = 0; i < w->nr; i++) {
		if (!strcmp(w->line[i], line))
			return true;
	}
	return false;
}

static void warn_of_codec(const struct arguments *a, unsigned nr_settings,
			  struct machine_warnings *w)
{
	for (unsigned s = 0; s < nr_settings; s++) {
		char lines[CODEC_MAX_WARNINGS][256];
		unsigned n = codec_warnings(a->settings[s].replay.compressor,
					    &a->settings[s].profile, false, lines);

		for (unsigned i = 0; i < n; i++) {
			if (!is_there(w, lines[i]))
				machine_warnings_add(w, "%s", lines[i]);
		}
	}
}

static void warn(const struct arguments *a, const struct compare_result *result,
		 struct machine_warnings *w)
{
	if (!result->setting[0].replay->counts.stored_pages)
		machine_warnings_add(w, "the trace stores nothing: there is nothing to compare");
	if (a->config.rounds == 1)
		machine_warnings_add(
			w, "one round: the intervals know nothing of what differs between "
			   "rounds");
	warn_of_codec(a, result->nr_settings, w);
}

static int exit_status(const struct compare_result *result)
{
	for (unsigned s = 0; s < result->nr_settings; s++) {
		if (result->setting[s].mismatched_pages || result->setting[s].failed_loads)
			return STATUS_CHECK_FAILED;
	}
	/* Nothing was exercised, which a script should see. */
	return result->setting[0].replay->counts.stores ? STATUS_OK : STATUS_EXPECTATION;
}

/* A scenario has changed what no option gave: what is reported is what held when it began. */
static void take_what_held(struct arguments *a, const struct compare_result *result)
{
	for (unsigned s = 0; s < result->nr_settings; s++) {
		const struct replay_result *r = result->setting[s].replay;
		struct replay_config *c = &a->settings[s].replay;

		c->totalram_pages = r->totalram_pages;
		c->nr_nodes = r->nr_nodes;
		c->max_pool_percent = r->max_pool_percent;
		c->accept_threshold_percent = r->accept_threshold_percent;
		c->shrinker_enabled = r->shrinker_enabled;
	}
}

static int run(struct arguments *a, const char *command, struct trace_reader *reader,
	       struct compare_result *result)
{
	struct compare_report report = {
		.command = command,
		.trace_path = a->trace,
		.trace = trace_reader_info(reader),
		.settings = a->settings,
		.config = &a->config,
		.result = result,
	};
	struct machine_warnings warnings;
	struct machine_info machine;
	struct trace_error err;
	int status;

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	machine_warnings_find(&warnings, &machine, "");
	if (compare_run(&a->config, reader, result, &err)) {
		fprintf(stderr, "zswapsim compare: %s\n", err.message);
		return STATUS_USAGE;
	}
	warn(a, result, &warnings);
	take_what_held(a, result);
	memcpy(report.text, a->text, sizeof(report.text));
	report.machine = &machine;
	report.warnings = &warnings;
	if (a->json)
		output_json(compare_report_json(&report));
	else
		compare_report_text(stdout, &report);
	status = exit_status(result);
	compare_result_finish(result);
	return status;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&replay_options_argp, 0, NULL, 0}, {&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	struct arguments a = {.config = {.nr_settings = 1, .rounds = DEFAULT_ROUNDS}};
	char *command = options_command_line(argc, argv);
	struct compare_result *result = NULL;
	struct trace_reader *reader = NULL;
	struct trace_error err;
	int status;

	bootstrap_config_init(&a.config.bootstrap);
	replay_config_init(&a.machine);
	status = options_parse(&argp, argc, argv, &a);
	if (status)
		goto out;
	status = STATUS_USAGE;
	result = malloc(sizeof(*result));
	if (!result || !command) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = run(&a, command, reader, result);
out:
	trace_reader_close(reader);
	for (unsigned s = 0; s < COMPARE_MAX_SETTINGS; s++)
		free(a.words[s]);
	free(result);
	free(command);
	return status;
}
