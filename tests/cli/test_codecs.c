// SPDX-License-Identifier: GPL-2.0-or-later
/* --compressor, in every command that has it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"

static const char *const codecs[] = {"zstd",  "zstd:12", "lz4",	    "lz4:7",
				     "lz4hc", "lzo",	 "deflate", "deflate:1"};
#define NR_CODECS (sizeof(codecs) / sizeof(*codecs))

static const char *make_trace(void **state, const char *name)
{
	const char *path = cli_path(state, name);
	struct cli_result r = run("trace", "synth", "-o", path, "--profile", "half", "--pages",
				  "120", "--cpus", "2");

	assert_status(&r, 0);
	cli_free(&r);
	return path;
}

static json_t *json_of(struct cli_result *r)
{
	json_t *root = json_loads(r->out, 0, NULL);

	assert_non_null(root);
	cli_free(r);
	return root;
}

static int64_t number(const json_t *root, const char *path)
{
	char key[128];

	while (*path) {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		root = json_object_get(root, key);
		path += len + (path[len] == '.');
	}
	assert_true(json_is_integer(root));
	return json_integer_value(root);
}

static void every_load_is_verified_with_each_compressor_in_both_kernels(void **state)
{
	static const char *const kernels[] = {"6.12", "7.3"};
	const char *trace = make_trace(state, "half.bin");

	for (unsigned i = 0; i < 2 * NR_CODECS; i++) {
		const char *codec = codecs[i / 2], *colon = strchrnul(codec, ':');
		struct cli_result r = run("replay", "--json", "--kernel", kernels[i & 1],
					  "--compressor", codec, trace);
		json_t *root, *settings;
		const char *name;

		assert_status(&r, 0);
		root = json_of(&r);
		settings = json_object_get(root, "settings");
		name = json_string_value(json_object_get(settings, "compressor"));
		assert_int_equal(strlen(name), colon - codec);
		assert_memory_equal(name, codec, colon - codec);
		if (*colon)
			assert_int_equal(number(settings, "level"), atoi(colon + 1));
		assert_int_equal(json_is_null(json_object_get(settings, "level")),
				 !strcmp(codec, "lzo"));
		assert_non_null(
			strpbrk(json_string_value(json_object_get(settings, "codec_library")),
				"0123456789"));
		assert_int_equal(number(root, "counts.events.mismatched_pages"), 0);
		assert_int_equal(number(root, "counts.events.failed_load_pages"), 0);
		assert_int_equal(number(root, "counts.events.verified_pages"),
				 number(root, "counts.events.stored_pages"));
		assert_true(number(root, "counts.kernel.zswpin") > 50);
		json_decref(root);
	}
}

/* Which functions there are, and so what can be expected, is the compressor's. */
static void calls_are_counted_under_the_kernels_names(void **state)
{
	static const struct {
		const char *codec, *expect;
		int status;
	} rows[] = {
		{"lz4", "compress.calls.LZ4_compress_default>0,decompress.copied_bytes>0", 0},
		{"lzo", "decompress.calls.lzo1x_decompress_safe>0", 0},
		{"deflate", "compress.calls.zlib_deflateInit2>0,decompress.copied_bytes=0", 0},
		{"deflate", "compress.calls.zlib_deflateInit2=0", 3},
		{"zstd", "compress.calls.zstd_init_cctx>0", 0},
		{"lz4", "compress.calls.zstd_init_cctx>0", 2},
		{"zstd", "compress.calls.zlib_deflate>0", 2},
	};
	const char *trace = make_trace(state, "calls.bin");

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		/* In this order, too. */
		struct cli_result r = run("replay", "--expect", rows[i].expect, "--compressor",
					  rows[i].codec, trace);

		assert_status(&r, rows[i].status);
		if (rows[i].status == 2)
			assert_refused(&r, "calls");
		cli_free(&r);
	}
}

static void the_report_says_what_does_not_matter(void **state)
{
	const char *trace = make_trace(state, "report.bin");
	struct cli_result r =
		run("replay", "--compressor", "lz4:5", "--set", "zstd.cpuid=static", trace);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "(zstd.* does not matter: the compressor is lz4)"));
	assert_non_null(strstr(r.out, "warning: the switches zstd.* do not matter"));
	assert_non_null(strstr(r.out, "compressor=lz4 level=5 "));
	assert_non_null(strstr(r.out, "warning: kernels compress at level 1 of lz4, not 5"));
	assert_non_null(strstr(r.out, "CPUID instructions: not counted"));
	assert_null(strstr(r.out, "zstd_"));
	cli_free(&r);

	r = run("replay", "--compressor", "lzo", "--set", "zsmalloc.chain_size=16", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "compressor=lzo cpus="));
	assert_non_null(strstr(r.out, "lengths are the kernel's to the byte"));
	assert_null(strstr(r.out, "warning: the switches zstd"));
	cli_free(&r);

	r = run("replay", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "compressor=zstd level=3 cpus="));
	assert_null(strstr(r.out, "does not matter"));
	cli_free(&r);
}

static void versions_and_compare_replay_with_it(void **state)
{
	const char *trace = make_trace(state, "versions.bin");
	struct cli_result r = run("versions", "--json", "--kernels", "6.12,7.3", "--compressor",
				  "deflate", trace);
	const json_t *old, *new;
	json_t *root;

	assert_status(&r, 0);
	root = json_of(&r);
	old = json_array_get(json_object_get(root, "kernels"), 0);
	new = json_array_get(json_object_get(root, "kernels"), 1);
	assert_int_equal(number(old, "counts.compress.calls.zlib_deflateInit2"), 0);
	assert_int_equal(number(new, "counts.compress.calls.zlib_deflateInit2"),
			 number(new, "counts.compress.calls.zlib_deflate"));
	assert_true(json_is_true(json_object_get(old, "lengths_exact")));
	json_decref(root);

	r = run("compare", "--json", "--rounds", "2", "--compressor", "lz4", trace, "--base",
		"scomp.adapter=copies", "--with", "kernel=7.3");
	assert_status(&r, 0);
	root = json_of(&r);
	assert_string_equal(json_string_value(json_object_get(root, "compressor")), "lz4");
	assert_int_equal(number(root, "level"), 1);
	assert_memory_equal(json_string_value(json_object_get(root, "codec_library")), "liblz4 ",
			    7);
	json_decref(root);
}

static void reports_name_the_library(void **state)
{
	const char *trace = make_trace(state, "library.bin");
	struct cli_result r[] = {
		run("replay", "--compressor", "lz4", trace),
		run("versions", "--kernels", "7.3", "--compressor", "lz4", trace),
		run("compare", "--rounds", "1", "--compressor", "lz4", trace, "--with",
		    "kernel=6.12"),
		run("bench", "acomp", "--compressor", "lz4", "--runs", "1", "--rounds", "1",
		    "--operations", "5"),
	};

	for (unsigned i = 0; i < sizeof(r) / sizeof(*r); i++) {
		assert_status(&r[i], 0);
		assert_non_null(strstr(r[i].out, "compressor=lz4 level=1"));
		assert_non_null(strstr(r[i].out, "liblz4 1."));
		cli_free(&r[i]);
	}
}

static void bench_acomp_measures_the_two_drivers(void **state)
{
	struct cli_result r = run("bench", "acomp", "--json", "--compressor", "deflate", "--runs",
				  "1", "--rounds", "2", "--operations", "5");
	const json_t *variants;
	json_t *root;

	assert_status(&r, 0);
	root = json_of(&r);
	assert_string_equal(json_string_value(json_object_get(root, "compressor")), "deflate");
	variants = json_object_get(root, "variants");
	assert_int_equal(json_array_size(variants), 2);
	for (unsigned v = 0; v < 2; v++)
		assert_int_equal(number(json_array_get(variants, v), "compress.initialisations"),
				 v);
	json_decref(root);
}

static void what_cannot_be_had_is_refused_everywhere(void **state)
{
	static const struct {
		const char *codec, *word;
	} rows[] = {
		{"lzo-rle", "no library"},    {"842", "no library"},   {"gzip", "there are zstd[:"},
		{"zstd:23", "-131072 to 22"}, {"lz4hc:13", "1 to 12"}, {"lzo:9", "no levels"},
	};
	const char *trace = make_trace(state, "refused.bin");

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cli_result r[] = {
			run("replay", "--compressor", rows[i].codec, trace),
			run("versions", "--compressor", rows[i].codec, trace),
			run("compare", "--compressor", rows[i].codec, trace, "--with", "once"),
			run("bench", "acomp", "--compressor", rows[i].codec),
			run("verify", "--compressor", rows[i].codec, "--vectors", trace, "--pages",
			    trace),
		};

		for (unsigned c = 0; c < sizeof(r) / sizeof(*r); c++) {
			assert_refused(&r[c], rows[i].word);
			cli_free(&r[c]);
		}
	}
	{
		struct cli_result r =
			run("bench", "acomp", "--compressor", "lz4", "--caller", "f2fs");

		assert_refused(&r, "only zswap");
		cli_free(&r);
	}
}

/* Two pages of text, one of them stored in another length than here. */
static void verify_counts_lengths(void **state)
{
	const char *pages = cli_path(state, "pages.bin");
	char lengths[4096], text[256];
	struct cli_result r;
	FILE *f = fopen(pages, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < 2 * 4096; i++)
		fputc(i % 4096 < 100 ? "abc"[i % 3] : 'x', f);
	fclose(f);
	snprintf(lengths, sizeof(lengths), "%s", cli_path(state, "perpage_zswap_deflate.csv"));
	for (int wrong = 0; wrong <= 1; wrong++) {
		static const char *const shares[] = {"100", "50"};

		for (unsigned i = 0; i < 2; i++) {
			f = fopen(lengths, "w");
			assert_non_null(f);
			snprintf(text, sizeof(text),
				 "page_index,comp_len,kind\n0,27,stored\n1,%d,stored\n",
				 wrong ? 99 : 27);
			fputs(text, f);
			fclose(f);
			r = run("verify", "--vectors", lengths, "--pages", pages, "--at-least",
				shares[i]);
			assert_status(&r, wrong && !i);
			assert_non_null(strstr(r.out, wrong ? "1 (50.00 %)" : "2 (100.00 %)"));
			assert_non_null(strstr(r.out, "deflate by zlib "));
			cli_free(&r);
		}
	}
	r = run("verify", "--vectors", lengths, "--pages", pages, "--at-least", "101");
	assert_refused(&r, "--at-least");
	cli_free(&r);
}

/* What the program takes is what the document says. */
static void the_document_has_every_compressor_and_its_levels(void **state)
{
	struct cli_result r = run("replay", "--compressor", "?", "x");
	char *document = cli_read_source("docs/codecs.md"), *next = NULL;
	char *list = strstr(r.err, "there are ");
	unsigned nr = 0;

	assert_non_null(list);
	list[strcspn(list, "\n")] = '\0';
	for (char *item = strtok_r(list + 10, ",", &next); item;
	     item = strtok_r(NULL, ",", &next)) {
		char name[32], row[64], levels[32] = "none";

		assert_true(sscanf(item, " %31[a-z0-9-][:%31[^]]", name, levels) >= 1);
		snprintf(row, sizeof(row), "\n| `%s` |", name);
		assert_non_null(strstr(document, row));
		item = strstr(document, row) + 1;
		item = strndup(item, strcspn(item, "\n"));
		assert_non_null(strstr(item, levels));
		free(item);
		nr++;
	}
	assert_true(nr >= 5);
	assert_non_null(strstr(document, "\n| `lzo-rle` | none |"));
	assert_non_null(strstr(document, "\n| `842` | none |"));
	free(document);
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_is_verified_with_each_compressor_in_both_kernels),
		cmocka_unit_test(calls_are_counted_under_the_kernels_names),
		cmocka_unit_test(the_report_says_what_does_not_matter),
		cmocka_unit_test(versions_and_compare_replay_with_it),
		cmocka_unit_test(reports_name_the_library),
		cmocka_unit_test(bench_acomp_measures_the_two_drivers),
		cmocka_unit_test(what_cannot_be_had_is_refused_everywhere),
		cmocka_unit_test(verify_counts_lengths),
		cmocka_unit_test(the_document_has_every_compressor_and_its_levels),
	};

	return cmocka_run_group_tests_name("cli codecs", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
