// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "backends/zstd.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "sim/verify_zram.h"
#include "sim/verify_zswap.h"

enum { OPT_VECTORS = 256, OPT_PAGES, OPT_LENGTHS };

struct arguments {
	struct options_kernel kernel;
	const char *vectors, *pages, *lengths;
};

static const struct argp_option options[] = {
	{"vectors", OPT_VECTORS, "FILE", 0, "The recording: a CSV file, plain or .zst", 0},
	{"pages", OPT_PAGES, "FILE", 0, "The pages that the kernel was fed, plain or .zst", 0},
	{"lengths", OPT_LENGTHS, "FILE", 0,
	 "What each page was compressed to (perpage_*.csv), in place of a codec", 0},
	{0},
};

static const char doc[] =
	"Replays a recording of a real kernel, operation by operation, and compares the counters of "
	"the port with the kernel's after each. Settings are taken from the JSON beside the recording "
	"and from a scenarios.json beside or above it.\v"
	"Examples:\n"
	"  zswapsim verify --kernel 6.12 --vectors zswap_paths_zstd.csv.zst --pages pages.bin.zst\n"
	"  zswapsim verify --vectors zram_random_lz4.csv --pages pages.bin \\\n"
	"      --lengths perpage_zram_lz4.csv\n\n"
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
	case ARGP_KEY_END:
		if (!a->vectors)
			options_error(state, "--vectors FILE is needed");
		if (!a->pages && !a->lengths)
			options_error(state, "--pages FILE or --lengths FILE is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* zram calls zstd itself, with parameters for one page and room for two. */
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

static int zram_codec_create(const struct profile *profile, struct zram_codec **out)
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
		ret = crypto_alloc_acomp(codec->k, "zstd", &codec->tfm);
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
	struct zram_codec *codec = NULL;
	int ret = 0;

	if (!lengths) {
		ret = zram_codec_create(&a->kernel.profile, &codec);
		config.length = zram_length;
		config.length_arg = codec;
	}
	if (ret)
		snprintf(err->message, sizeof(err->message), "%s", strerror(-ret));
	else
		ret = verify_zram(a->vectors, &config, report, err);
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
	unsigned library = a->kernel.profile.zstd.library;
	char title[32];

	printf("%s: %s, kernel %s, %s\n", a->vectors, recording_form_name(form),
	       profile_title(&a->kernel.profile, title, sizeof(title)),
	       a->lengths ? "recorded lengths" : "lengths from the codec");
	if (!a->lengths && !zstd_library_lengths_exact(library))
		printf("warning: libzstd %s is not this kernel's zstd: its lengths differ, and with "
		       "them all that follows; --lengths takes the kernel's\n",
		       zstd_library_version());
	if (report->note[0])
		printf("note: %s\n", report->note);
	for (unsigned i = 0; i < report->nr_lines; i++)
		printf("%s\n", report->lines[i]);
	if (report->differing > report->nr_lines)
		printf("...\n");
	printf("%" PRIu64 " rows compared, %" PRIu64 " skipped, %" PRIu64 " differ\n", report->rows,
	       report->skipped, report->differing);
}

static int run(const struct arguments *a, const char *name)
{
	struct recording_lengths lengths = {0};
	struct recording_pages pages = {0};
	struct verify_report report;
	struct trace_error err = {0};
	enum recording_form form;
	int ret = form_of(a->vectors, &form, &err);

	if (!ret && a->pages)
		ret = recording_pages_load(a->pages, &pages, &err);
	if (!ret && a->lengths)
		ret = recording_lengths_load(a->lengths, &lengths, &err);
	if (!ret && verify_zram_form(form))
		ret = verify_as_zram(a, a->pages ? &pages : NULL, a->lengths ? &lengths : NULL,
				     &report, &err);
	else if (!ret)
		ret = verify_as_zswap(a, a->pages ? &pages : NULL, a->lengths ? &lengths : NULL,
				      &report, &err);
	recording_pages_finish(&pages);
	recording_lengths_finish(&lengths);
	if (ret) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		return ret == -EUCLEAN ? STATUS_CHECK_FAILED : STATUS_USAGE;
	}
	print(a, form, &report);
	return report.differing ? STATUS_CHECK_FAILED : STATUS_OK;
}

int cmd_verify(int argc, char **argv)
{
	static const struct argp_child children[] = {{&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
	struct arguments a = {0};
	int status = options_parse(&argp, argc, argv, &a);

	return status ? status : run(&a, argv[0]);
}
