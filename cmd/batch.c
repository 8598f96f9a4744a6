// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/batch.h"

#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "sim/replay.h"

#define DEFAULT_PAGES	2048
#define DEFAULT_ROUNDS	15
#define DEFAULT_FOLIOS	"4K,16K,64K,2M"
#define DEFAULT_CODECS	"zstd,deflate-iaa"
#define PAGES_A_ROUND	256
#define MAX_BATCH_PAGES (1u << 24)

enum { OPT_JSON = 256, OPT_CODECS, OPT_FOLIOS, OPT_DEVICE, OPT_PAGES, OPT_ROUNDS, OPT_SEED };

struct arguments {
	struct options_kernel kernel;
	const char *trace, *codecs, *folios, *device_name;
	uint64_t pages;
	unsigned rounds;
	bool json;
	struct bootstrap_config bootstrap;
	struct iaa_model device;
	struct crypto_registry registry;
	struct batch_report *report; /* codecs and sizes are filled in by the parser */
};

static const struct argp_option options[] = {
	{"codecs", OPT_CODECS, "LIST", 0, "Compressors, NAME[:LEVEL]; default " DEFAULT_CODECS, 0},
	{"folios", OPT_FOLIOS, "LIST", 0,
	 "Sizes of folios that the pages are cut into: 4K to 2M, or trace (as the trace has them); "
	 "default " DEFAULT_FOLIOS,
	 0},
	{"device", OPT_DEVICE, "DEVICE", 0,
	 "The model behind deflate-iaa: letter (the default), sweep, or a FILE.ini "
	 "(docs/batching.md)",
	 0},
	{"pages", OPT_PAGES, "N", 0, "How many pages of the trace's stores, or all; default 2048",
	 0},
	{"rounds", OPT_ROUNDS, "N", 0,
	 "Rounds of the measurement of software overhead, 0 (none) to 999; default 15", 0},
	{"seed", OPT_SEED, "N", 0, "Of the resampling, from which the intervals come; default 1",
	 0},
	{"json", OPT_JSON, 0, 0, "One JSON document in place of text (docs/batching.md)", 0},
	{0},
};

static const char doc[] =
	"Cuts the pages that TRACE stores into folios of several sizes and stores them under each "
	"interface for batching (zswap.batching): page by page, an array of requests, a segmented "
	"request, a request over the folio. Prints the calls of the compressor, what each needs "
	"beside it, and its software overhead. What is stored must be the same, every page is "
	"loaded and verified. Times of software are measured, those of deflate-iaa are of a "
	"model.\v"
	"Examples:\n"
	"  zswapsim batch silesia.bin\n"
	"  zswapsim batch --folios 64K --pages all --device sweep silesia.bin\n"
	"  zswapsim batch --codecs zstd,lz4 --rounds 99 --json silesia.bin\n\n"
	"Exit status: 0 done; 1 an interface stored or loaded something else; 2 bad input or "
	"usage.";

/* ---- options ---- */

const char *batch_size_name(unsigned order, char buf[static 16])
{
	unsigned kib = 4u << (order & 31);

	if (order == BATCHING_AS_TRACED)
		snprintf(buf, 16, "trace");
	else if (kib >= 1024)
		snprintf(buf, 16, "%uM", kib / 1024);
	else
		snprintf(buf, 16, "%uK", kib);
	return buf;
}

static unsigned parse_size(const struct argp_state *state, const char *text)
{
	uint64_t bytes;

	if (!strcmp(text, "trace"))
		return BATCHING_AS_TRACED;
	for (unsigned order = 0; order <= 9 && !options_read_size(text, &bytes); order++) {
		if (bytes == (uint64_t)PAGE_SIZE << order)
			return order;
	}
	options_error(state,
		      "--folios '%s': no size of a folio; there are 4K, 8K and so on to 2M, and "
		      "trace",
		      text);
}

/* Calls @add for each part of @list. */
static void split(const struct argp_state *state, const char *name, const char *list,
		  void (*add)(const struct argp_state *state, const char *part))
{
	char *copy = strdup(list), *rest = copy;

	if (!copy)
		options_error(state, "out of memory");
	while (rest) {
		char *part = strsep(&rest, ",");

		if (!*part)
			options_error(state, "%s '%s': one of them is empty", name, list);
		add(state, part);
	}
	free(copy);
}

static void add_size(const struct argp_state *state, const char *part)
{
	struct batch_report *r = ((struct arguments *)state->input)->report;
	unsigned order = parse_size(state, part);

	for (unsigned i = 0; i < r->nr_sizes; i++) {
		if (r->order[i] == order)
			options_error(state, "--folios: %s is there twice", part);
	}
	if (r->nr_sizes == BATCH_MAX_SIZES)
		options_error(state, "--folios: more than %u", BATCH_MAX_SIZES);
	r->order[r->nr_sizes++] = order;
}

static void add_codec(const struct argp_state *state, const char *part)
{
	struct arguments *a = state->input;
	struct batch_report *r = a->report;
	struct acomp_spec *spec = &r->codec[r->nr_codecs];
	char err[1024];

	if (r->nr_codecs == BATCH_MAX_CODECS)
		options_error(state, "--codecs: more than %u", BATCH_MAX_CODECS);
	if (crypto_parse_acomp(&a->registry, part, spec, err, sizeof(err)))
		options_error(state, "--codecs: %s", err);
	for (unsigned i = 0; i < r->nr_codecs; i++) {
		if (!strcmp(r->codec[i].name, spec->name))
			options_error(state, "--codecs: %s is there twice", part);
	}
	r->nr_codecs++;
}

static void read_device(struct arguments *a, const struct argp_state *state)
{
	const char *name = a->device_name;
	size_t len = strlen(name);
	char err[1024];
	int ret;

	if (len > 4 && !strcmp(name + len - 4, ".ini"))
		ret = iaa_model_read(name, &a->device, err, sizeof(err));
	else
		ret = iaa_model_builtin(name, &a->device, err, sizeof(err));
	if (ret)
		options_error(state, "--device: %s", err);
}

static void finish(struct arguments *a, const struct argp_state *state)
{
	options_need_trace(state, a->trace);
	if (a->kernel.profile.zswap.batching != ZSWAP_BATCHING_NONE)
		options_error(state, "zswap.batching is what this command varies");
	if (!a->kernel.profile.zswap.large_folios)
		options_error(state, "kernel %s stores no large folios: there is nothing to batch",
			      a->kernel.profile.name);
	read_device(a, state);
	a->registry = *backends_registry();
	a->registry.device = &a->device;
	split(state, "--codecs", a->codecs, add_codec);
	split(state, "--folios", a->folios, add_size);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->kernel;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_CODECS:
		a->codecs = arg;
		return 0;
	case OPT_FOLIOS:
		a->folios = arg;
		return 0;
	case OPT_DEVICE:
		a->device_name = arg;
		return 0;
	case OPT_PAGES:
		a->pages = !strcmp(arg, "all")
				   ? MAX_BATCH_PAGES
				   : options_u64(state, "--pages", arg, 1, MAX_BATCH_PAGES);
		return 0;
	case OPT_ROUNDS:
		a->rounds = options_u64(state, "--rounds", arg, 0, BATCHING_MAX_ROUNDS);
		return 0;
	case OPT_SEED:
		a->bootstrap.seed = options_u64(state, "--seed", arg, 0, INT64_MAX);
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

/* ---- the runs ---- */

static int run_modes(const struct batching_config *config, bool writeback,
		     struct batching_trace *trace, struct batching_result **results,
		     struct trace_error *err)
{
	int ret = 0;

	for (unsigned mode = 0; mode < BATCHING_NR_MODES && !ret; mode++) {
		results[mode] = calloc(1, sizeof(*results[mode]));
		if (!results[mode]) {
			snprintf(err->message, sizeof(err->message), "out of memory");
			return -ENOMEM;
		}
		ret = batching_run(config, mode, writeback, trace, results[mode], err);
	}
	return ret;
}

static void compare(struct batch_cell *cell)
{
	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		const struct batching_result *none = cell->result[0], *r = cell->result[mode];

		cell->same_objects[mode] = !strcmp(none->objects, r->objects);
		cell->same_counters[mode] = batching_same_counters(&none->zswap, &r->zswap);
	}
}

static int run_cell(const struct arguments *a, struct batching_trace *trace, unsigned codec,
		    unsigned size, struct trace_error *err)
{
	struct batch_cell *cell = &a->report->cell[codec][size];
	struct batching_config config = {
		.profile = &a->kernel.profile,
		.crypto = &a->registry,
		.compressor = a->report->codec[codec].name,
		.clock = replay_monotonic_ns,
	};
	int ret = batching_trace_cut(trace, a->report->order[size], err);

	if (ret)
		return ret;
	cell->folios = trace->nr_folios;
	cell->pages = trace->folio_pages;
	cell->zero_folios = trace->zero_folios;
	ret = run_modes(&config, true, trace, cell->result, err);
	/* If every page shrinks, nothing is refused. */
	if (!ret && cell->result[0]->zswap.dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW])
		ret = run_modes(&config, false, trace, cell->refusing, err);
	if (ret)
		return ret;
	compare(cell);
	if (!a->rounds)
		return 0;
	return batching_overhead_measure(&config, &a->bootstrap, a->rounds, PAGES_A_ROUND, trace,
					 &cell->overhead, err);
}

static int run_all(const struct arguments *a, struct batching_trace *trace, struct trace_error *err)
{
	int ret = 0;

	for (unsigned codec = 0; codec < a->report->nr_codecs && !ret; codec++) {
		for (unsigned size = 0; size < a->report->nr_sizes && !ret; size++)
			ret = run_cell(a, trace, codec, size, err);
	}
	return ret;
}

/* Of many tries the shortest: the others were interrupted. */
static double mutex_cost(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const unsigned n = 10000;
	uint64_t shortest = UINT64_MAX;

	for (unsigned try = 0; try < 20; try++) {
		uint64_t start = replay_monotonic_ns(NULL), ns;

		for (unsigned i = 0; i < n; i++) {
			pthread_mutex_lock(&mutex);
			pthread_mutex_unlock(&mutex);
		}
		ns = replay_monotonic_ns(NULL) - start;
		if (ns < shortest)
			shortest = ns;
	}
	return (double)shortest / n;
}

static void warn(const struct arguments *a, struct machine_warnings *w)
{
	for (unsigned codec = 0; codec < a->report->nr_codecs; codec++) {
		char lines[CODEC_MAX_WARNINGS][256];
		unsigned n = codec_warnings(a->report->codec[codec].name, &a->kernel.profile, false,
					    lines);

		for (unsigned i = 0; i < n; i++)
			machine_warnings_add(w, "%s", lines[i]);
	}
}

static int exit_status(const struct batch_report *r)
{
	for (unsigned c = 0; c < r->nr_codecs; c++) {
		for (unsigned s = 0; s < r->nr_sizes; s++) {
			const struct batch_cell *cell = &r->cell[c][s];

			for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
				if (!cell->same_objects[mode] || batch_mismatched(cell, mode))
					return STATUS_CHECK_FAILED;
			}
		}
	}
	return STATUS_OK;
}

static int run(struct arguments *a, const char *command, struct trace_reader *reader)
{
	struct batch_report *r = a->report;
	struct machine_warnings warnings;
	struct machine_info machine;
	struct batching_trace trace;
	struct trace_error err;
	int ret;

	machine_info_read(&machine, "", machine_cpuid_hypervisor);
	machine_warnings_find(&warnings, &machine, "");
	ret = batching_trace_load(reader, a->pages, &trace, &err);
	if (!ret) {
		r->pages = trace.nr_pages;
		ret = run_all(a, &trace, &err);
		batching_trace_finish(&trace);
	}
	if (ret) {
		fprintf(stderr, "zswapsim batch: %s\n", err.message);
		return STATUS_USAGE;
	}
	warn(a, &warnings);
	r->command = command;
	r->trace_path = a->trace;
	r->trace = trace_reader_info(reader);
	r->profile = &a->kernel.profile;
	r->machine = &machine;
	r->warnings = &warnings;
	r->device = &a->device;
	r->bootstrap = &a->bootstrap;
	r->rounds = a->rounds;
	r->mutex_ns = mutex_cost();
	if (a->json)
		output_json(batch_json(r));
	else
		batch_text(stdout, r);
	return exit_status(r);
}

static void free_report(struct batch_report *r)
{
	for (unsigned c = 0; r && c < r->nr_codecs; c++) {
		for (unsigned s = 0; s < r->nr_sizes; s++) {
			batching_overhead_finish(&r->cell[c][s].overhead);
			for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
				free(r->cell[c][s].result[mode]);
				free(r->cell[c][s].refusing[mode]);
			}
		}
	}
	free(r);
}

int cmd_batch(int argc, char **argv)
{
	static const struct argp_child children[] = {{&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	struct arguments a = {.codecs = DEFAULT_CODECS,
			      .folios = DEFAULT_FOLIOS,
			      .device_name = "letter",
			      .pages = DEFAULT_PAGES,
			      .rounds = DEFAULT_ROUNDS,
			      .report = calloc(1, sizeof(*a.report))};
	char *command = options_command_line(argc, argv);
	struct trace_reader *reader = NULL;
	struct trace_error err;
	int status = STATUS_USAGE;

	bootstrap_config_init(&a.bootstrap);
	if (!command || !a.report) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		goto out;
	}
	status = options_parse(&argp, argc, argv, &a);
	if (status)
		goto out;
	status = STATUS_USAGE;
	if (trace_reader_open(a.trace, &reader, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		goto out;
	}
	status = run(&a, command, reader);
out:
	trace_reader_close(reader);
	free_report(a.report);
	free(command);
	return status;
}
