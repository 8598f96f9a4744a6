// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/verify_codec.h"
#include "sim/verify_zram.h"
#include "sim/verify_zswap.h"
#include "traces/scenario.h"

enum { OPT_VECTORS = 256, OPT_PAGES, OPT_LENGTHS, OPT_COMPRESSOR, OPT_AT_LEAST };

struct arguments {
	struct options_kernel kernel;
	const char *vectors, *pages, *lengths, *compressor;
	unsigned at_least;
};

static const struct argp_option options[] = {
	{"vectors", OPT_VECTORS, "FILE", 0, "The recording: a CSV file, plain or .zst", 0},
	{"pages", OPT_PAGES, "FILE", 0, "The pages that the kernel was fed, plain or .zst", 0},
	{"lengths", OPT_LENGTHS, "FILE", 0,
	 "What each page was compressed to (perpage_*.csv), in place of a codec", 0},
	{"compressor", OPT_COMPRESSOR, "NAME[:LEVEL]", 0,
	 "The codec, in place of the recording's own (docs/codecs.md)", 0},
	{"at-least", OPT_AT_LEAST, "PERCENT", 0,
	 "Where FILE has lengths of pages and no operations: how many must be the same here; "
	 "default 100",
	 0},
	{0},
};

static const char doc[] =
	"Replays a recording of a real kernel, operation by operation, and compares the counters "
	"of "
	"the port with the kernel's after each. If FILE has what the kernel compressed each page "
	"to "
	"(perpage_*.csv), says how many are of that length here. Settings are taken from the JSON "
	"beside the recording "
	"and from a scenarios.json beside or above it.\v"
	"Examples:\n"
	"  zswapsim verify --kernel 6.12 --vectors zswap_paths_zstd.csv.zst --pages pages.bin.zst\n"
	"  zswapsim verify --vectors zram_random_lz4.csv --pages pages.bin \\\n"
	"      --lengths perpage_zram_lz4.csv\n"
	"  zswapsim verify --vectors perpage_zswap_lz4.csv --pages pages.bin --at-least 97\n\n"
	"Exit status: 0 no row differs, 1 some do, 2 bad input.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->kernel;
		return 0;
	case OPT_VECTORS:
		a->vectors = arg;
		return 0;
	case OPT_PAGES:
		a->pages = arg;
		return 0;
	case OPT_LENGTHS:
		a->lengths = arg;
		return 0;
	case OPT_COMPRESSOR:
		a->compressor = codec_option(state, "--compressor", arg);
		return 0;
	case OPT_AT_LEAST:
		a->at_least = options_u64(state, "--at-least", arg, 0, 100);
		return 0;
	case ARGP_KEY_END:
		if (!a->vectors)
			options_error(state, "--vectors FILE is needed");
		if (!a->pages && !a->lengths)
			options_error(state, "--pages FILE or --lengths FILE is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* zram calls the codec itself, zstd with parameters for one page, and has room for two. */
struct zram_codec {
	struct kernel *k;
	struct crypto_acomp *tfm;
	char out[2 * PAGE_SIZE];
};

static int zram_length(void *arg, const void *page, uint32_t src)
{
	struct zram_codec *codec = arg;
	struct acomp_req req = {0};
	int ret;

	acomp_request_set_tfm(&req, codec->tfm);
	acomp_request_set_src_dma(&req, page, PAGE_SIZE);
	acomp_request_set_dst_dma(&req, codec->out, sizeof(codec->out));
	ret = crypto_acomp_compress(&req);
	return ret ? ret : (int)req.dlen;
}

static int zram_codec_create(const struct profile *profile, const char *compressor,
			     struct zram_codec **out)
{
	struct zram_codec *codec = calloc(1, sizeof(*codec));
	struct profile zram = *profile;
	struct kernel_config config = {.profile = &zram};
	int ret;

	if (!codec)
		return -ENOMEM;
	zram.zstd.api = ZSTD_API_ACOMP;
	zram.zstd.context = ZSTD_CONTEXT_ONCE;
	zram.zstd.params_hint = PAGE_SIZE;
	ret = kernel_create(&config, &codec->k);
	if (!ret) {
		crypto_init(codec->k, backends_registry());
		ret = crypto_alloc_acomp(codec->k, compressor, &codec->tfm);
	}
	*out = codec;
	return ret;
}

static void zram_codec_destroy(struct zram_codec *codec)
{
	if (!codec)
		return;
	crypto_free_acomp(codec->tfm);
	if (codec->k)
		crypto_exit(codec->k);
	kernel_destroy(codec->k);
	free(codec);
}

static int verify_as_zram(const struct arguments *a, const struct recording_pages *pages,
			  const struct recording_lengths *lengths, struct verify_report *report,
			  struct trace_error *err)
{
	struct verify_zram_config config = {
		.profile = &a->kernel.profile, .pages = pages, .lengths = lengths};
	const char *compressor = a->compressor;
	struct zram_codec *codec = NULL;
	struct scenario_name name;
	int ret = 0;

	if (!compressor)
		compressor = scenario_name(a->vectors, &name) ? CODEC_DEFAULT : name.algo;
	if (!lengths) {
		ret = zram_codec_create(&a->kernel.profile, compressor, &codec);
		config.length = zram_length;
		config.length_arg = codec;
	}
	if (ret == -ENOENT || ret == -EOPNOTSUPP) {
		snprintf(err->message, sizeof(err->message),
			 "%s: there is no codec '%s': give the lengths (--lengths)", a->vectors,
			 compressor);
	} else if (ret) {
		snprintf(err->message, sizeof(err->message), "%s", strerror(-ret));
	} else {
		ret = verify_zram(a->vectors, &config, report, err);
		snprintf(report->compressor, sizeof(report->compressor), "%s", compressor);
	}
	zram_codec_destroy(codec);
	return ret;
}

static int verify_as_zswap(const struct arguments *a, const struct recording_pages *pages,
			   const struct recording_lengths *lengths, struct verify_report *report,
			   struct trace_error *err)
{
	struct verify_zswap_config config = {
		.profile = &a->kernel.profile,
		.crypto = backends_registry(),
		.pages = pages,
		.lengths = lengths,
		.compressor = a->compressor,
	};

	return verify_zswap(a->vectors, &config, report, err);
}

static int form_of(const char *path, enum recording_form *form, struct trace_error *err)
{
	struct csv *csv;
	int ret = csv_open(path, &csv, err);

	if (ret)
		return ret;
	*form = recording_form(csv);
	csv_close(csv);
	return 0;
}

static void print(const struct arguments *a, enum recording_form form,
		  const struct verify_report *report)
{
	const char *compressor = *report->compressor ? report->compressor : NULL;
	char title[32];

	printf("%s: %s, kernel %s, %s\n", a->vectors, recording_form_name(form),
	       profile_title(&a->kernel.profile, title, sizeof(title)),
	       a->lengths ? "recorded lengths" : "lengths from the codec");
	if (!a->lengths && !codec_lengths_exact(compressor, &a->kernel.profile))
		printf("warning: %s is not this kernel's %s: its lengths differ, and with them all "
		       "that follows; --lengths takes the kernel's\n",
		       codec_spec(compressor).alg->library(), codec_spec(compressor).alg->cra_name);
	if (report->note[0])
		printf("note: %s\n", report->note);
	for (unsigned i = 0; i < report->nr_lines; i++)
		printf("%s\n", report->lines[i]);
	if (report->differing > report->nr_lines)
		printf("...\n");
	printf("%" PRIu64 " rows compared, %" PRIu64 " skipped, %" PRIu64 " differ\n", report->rows,
	       report->skipped, report->differing);
}

/* 0, and the status; or a negative errno. */
static int run_form(const struct arguments *a, enum recording_form form,
		    const struct recording_pages *pages, const struct recording_lengths *lengths,
		    int *status, struct trace_error *err)
{
	struct verify_report report;
	int ret;

	if (form == RECORDING_PERPAGE && pages && !lengths) {
		struct verify_codec v = {&a->kernel.profile, a->vectors, a->compressor, pages,
					 a->at_least};

		ret = verify_codec_run(&v, err);
		if (ret >= 0)
			*status = ret;
		return ret < 0 ? ret : 0;
	}
	if (verify_zram_form(form))
		ret = verify_as_zram(a, pages, lengths, &report, err);
	else
		ret = verify_as_zswap(a, pages, lengths, &report, err);
	if (ret)
		return ret;
	print(a, form, &report);
	*status = report.differing ? STATUS_CHECK_FAILED : STATUS_OK;
	return 0;
}

static int run(const struct arguments *a, const char *name)
{
	struct recording_lengths lengths = {0};
	struct recording_pages pages = {0};
	struct trace_error err = {0};
	enum recording_form form;
	int status = STATUS_OK, ret = form_of(a->vectors, &form, &err);

	if (!ret && a->pages)
		ret = recording_pages_load(a->pages, &pages, &err);
	if (!ret && a->lengths)
		ret = recording_lengths_load(a->lengths, &lengths, &err);
	if (!ret)
		ret = run_form(a, form, a->pages ? &pages : NULL, a->lengths ? &lengths : NULL,
			       &status, &err);
	recording_pages_finish(&pages);
	recording_lengths_finish(&lengths);
	if (!ret)
		return status;
	fprintf(stderr, "%s: %s\n", name, err.message);
	return ret == -EUCLEAN ? STATUS_CHECK_FAILED : STATUS_USAGE;
}

int cmd_verify(int argc, char **argv)
{
	static const struct argp_child children[] = {{&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
	struct arguments a = {.at_least = 100};
	int status = options_parse(&argp, argc, argv, &a);

	return status ? status : run(&a, argv[0]);
}
