// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/cli/cli.h"

static const char *const modes[] = {"none", "requests", "segmented", "folio"};

static const char *make_trace(void **state, const char *profile)
{
	const char *trace = cli_path(state, "small.bin");
	struct cli_result r = run("trace", "synth", "-o", trace, "--profile", profile, "--pages",
				  "150", "--folio", "64K");

	assert_status(&r, 0);
	cli_free(&r);
	return trace;
}

/* Of pages that all shrink. */
static const char *small_trace(void **state)
{
	return make_trace(state, "half");
}

static json_t *get(json_t *o, const char *key)
{
	json_t *value = json_object_get(o, key);

	if (!value)
		fail_msg("no '%s'", key);
	return value;
}

static long long number(json_t *o, const char *key)
{
	return json_integer_value(get(o, key));
}

static json_t *parse(const struct cli_result *r)
{
	json_t *root;

	assert_status(r, 0);
	root = json_loads(r->out, 0, NULL);
	assert_non_null(root);
	return root;
}

static json_t *cell_of(json_t *root, const char *codec, const char *folio)
{
	json_t *cells = get(root, "cells"), *cell;
	size_t i;

	json_array_foreach(cells, i, cell)
	{
		if (!strcmp(json_string_value(get(cell, "codec")), codec) &&
		    !strcmp(json_string_value(get(cell, "folio")), folio))
			return cell;
	}
	fail_msg("no cell %s %s", codec, folio);
	return NULL;
}

static json_t *mode_of(json_t *cell, unsigned mode)
{
	json_t *o = json_array_get(get(cell, "interfaces"), mode);

	assert_string_equal(json_string_value(get(o, "interface")), modes[mode]);
	return o;
}

static void text_says_what_is_measured_and_what_is_modelled(void **state)
{
	struct cli_result r =
		run("batch", "--rounds", "2", "--folios", "4K,64K", small_trace(state), NULL);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nzstd, measured: calls of zswap into the crypto API"));
	assert_non_null(strstr(r.out, "\ndeflate-iaa, MODELLED: calls of the device"));
	assert_non_null(strstr(r.out, "model 'letter', not measured"));
	assert_non_null(strstr(r.out, "2.5 GHz"));
	assert_non_null(strstr(r.out, "\nzstd, measured: software overhead"));
	assert_non_null(strstr(r.out, "\ndeflate-iaa, measured: software overhead"));
	assert_non_null(strstr(r.out, "objects the same, counters the same"));
	assert_null(strstr(r.out, "DIFFER"));
	assert_non_null(strstr(r.out, "deflate-iaa is a modelled device"));
	cli_free(&r);
}

static void measured_and_modelled_are_never_in_one_place(void **state)
{
	struct cli_result r = run("batch", "--rounds", "0", "--json", "--folios", "64K",
				  small_trace(state), NULL);
	json_t *root = parse(&r);

	for (unsigned mode = 0; mode < 4; mode++) {
		json_t *zstd = get(mode_of(cell_of(root, "zstd", "64K"), mode), "calls");
		json_t *iaa = get(mode_of(cell_of(root, "deflate-iaa", "64K"), mode), "calls");

		assert_non_null(json_object_get(zstd, "measured"));
		assert_null(json_object_get(zstd, "modelled"));
		assert_non_null(json_object_get(iaa, "modelled"));
		assert_null(json_object_get(iaa, "measured"));
	}
	assert_true(
		json_is_null(get(mode_of(cell_of(root, "zstd", "64K"), 0), "overhead_measured")));
	json_decref(root);
	cli_free(&r);
}

/*
 * Folios of 16 pages, and of 1 at the end of each file: a device that is given 8 is called twice
 * for the former and once for the latter.
 */
static void check_letter(const char *trace, const char *pages, unsigned nr_files)
{
	struct cli_result r = run("batch", "--rounds", "0", "--json", "--folios", "trace",
				  "--codecs", "deflate-iaa", "--pages", pages, trace, NULL);
	json_t *root = parse(&r), *cell = cell_of(root, "deflate-iaa", "trace");
	long long nr_pages = number(cell, "pages"), folios = number(cell, "folios");
	long long large = (nr_pages - folios) / 15, calls[4];
	double p50[4];

	assert_int_equal(16 * large + (folios - large), nr_pages);
	for (unsigned mode = 0; mode < 4; mode++) {
		json_t *o = mode_of(cell, mode);

		calls[mode] = number(get(o, "calls"), "algorithm");
		p50[mode] = (double)number(get(get(get(o, "calls"), "modelled"), "page"), "p50_ns");
		assert_int_equal(calls[mode], mode ? 2 * large + (folios - large) : nr_pages);
		assert_true(json_is_true(get(o, "same_objects")));
		assert_true(json_is_true(get(o, "same_counters")));
		assert_int_equal(number(o, "mismatched_pages"), 0);
	}
	assert_int_equal((int)(p50[0] / p50[2] * 10 + 0.5), 47);
	print_message("# %u of 12 files: %lld -> %lld calls of the device; p50 %.0f -> %.0f ns a "
		      "page, modelled\n",
		      nr_files, calls[0], calls[2], p50[0], p50[2]);
	json_decref(root);
	cli_free(&r);
}

static void the_letters_arithmetic_holds_on_silesia(void **state)
{
	static const char *const files[] = {"dickens.zst", "nci.zst",	  "ooffice.zst",
					    "osdb.zst",	   "reymont.zst", "xml.zst"};
	const char *folder = getenv("ZSWAPSIM_SILESIA"), *trace = cli_path(state, "sil.bin");
	const char *args[16] = {"trace", "build", "-o", trace, "--folio", "64K"};
	char path[6][512];
	unsigned nr = 0;
	struct cli_result r;

	for (unsigned i = 0; folder && i < 6; i++) {
		snprintf(path[nr], sizeof(path[nr]), "%s/%s", folder, files[i]);
		if (!access(path[nr], R_OK)) {
			args[6 + nr] = path[nr];
			nr++;
		}
	}
	if (!nr) {
		print_message("# SKIP no file of Silesia in ZSWAPSIM_SILESIA\n");
		skip();
	}
	r = cli_run(NULL, args);
	assert_status(&r, 0);
	cli_free(&r);
	check_letter(trace, "4096", nr);
}

static void the_letters_arithmetic_holds_on_a_synthetic_trace(void **state)
{
	check_letter(small_trace(state), "all", 0);
}

static void a_device_of_ones_own_is_used(void **state)
{
	const char *ini = cli_path(state, "mine.ini");
	FILE *f = fopen(ini, "w");
	struct cli_result r;
	json_t *root, *load;

	fputs("[device]\nname = mine\nsource = a test\nbatch_size = 4\n[compress]\n1 = 1000\n"
	      "4 = 300\n[decompress]\n1 = 250\n",
	      f);
	fclose(f);
	r = run("batch", "--rounds", "0", "--json", "--folios", "64K", "--codecs", "deflate-iaa",
		"--device", ini, small_trace(state), NULL);
	root = parse(&r);
	assert_string_equal(json_string_value(get(get(root, "device"), "name")), "mine");
	assert_true(json_is_true(get(get(root, "device"), "modelled")));
	load = get(get(mode_of(cell_of(root, "deflate-iaa", "64K"), 1), "calls"), "modelled");
	assert_int_equal(number(get(load, "page"), "p50_ns") / 10, 30);
	assert_int_equal(number(get(load, "load"), "p50_ns"), 250);
	json_decref(root);
	cli_free(&r);
}

/* Whether raw deflate with fixed codes makes exactly 4096 bytes of it. */
static bool makes_4096(const unsigned char *page)
{
	unsigned char out[5000];
	z_stream z = {.next_in = (unsigned char *)page,
		      .avail_in = 4096,
		      .next_out = out,
		      .avail_out = sizeof(out)};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -12, 8, Z_FIXED), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out == 4096;
}

static void find_page(unsigned char *page)
{
	uint32_t rng = 1;

	for (unsigned try = 0; try < 100; try++) {
		for (unsigned i = 0; i < 4096; i++)
			page[i] = ((rng = rng * 1664525 + 1013904223) >> 16) % 144;
		for (unsigned length = 0; length < 8; length++) {
			memset(page + 1000, 0x11, length);
			if (makes_4096(page))
				return;
		}
	}
	fail_msg("no such page");
}

/* What docs/batching.md says of it. */
static void a_frame_of_4096_bytes_is_lost_by_segmented_and_that_is_said(void **state)
{
	const char *file = cli_path(state, "page"), *trace = cli_path(state, "page.bin");
	unsigned char page[4096];
	struct cli_result r;
	FILE *f;

	find_page(page);
	f = fopen(file, "w");
	assert_int_equal(fwrite(page, sizeof(page), 1, f), 1);
	fclose(f);
	r = run("trace", "build", "-o", trace, file);
	assert_status(&r, 0);
	cli_free(&r);
	r = run("batch", "--rounds", "0", "--folios", "4K", trace);
	assert_status(&r, 1);
	assert_non_null(strstr(r.out, "objects DIFFER (segmented)"));
	/* With writeback, and without. */
	assert_non_null(strstr(r.out, "wrong 2\n"));
	cli_free(&r);
	r = run("batch", "--rounds", "0", "--folios", "4K", "--codecs", "zstd", trace);
	assert_status(&r, 0);
	cli_free(&r);
}

/* ---- docs/batching.md ---- */

#define MAX_KEYS 200

struct keys {
	char name[MAX_KEYS][48];
	unsigned nr;
};

static void add_key(struct keys *keys, const char *name, size_t length)
{
	for (unsigned i = 0; i < keys->nr; i++) {
		if (strlen(keys->name[i]) == length && !strncmp(keys->name[i], name, length))
			return;
	}
	assert_true(keys->nr < MAX_KEYS && length < 48);
	snprintf(keys->name[keys->nr++], 48, "%.*s", (int)length, name);
}

/* Those of the report: what stands in other reports too is not looked into. */
static void keys_of(json_t *o, struct keys *keys)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_array(o)) {
		json_array_foreach(o, i, value) keys_of(value, keys);
		return;
	}
	json_object_foreach(o, key, value)
	{
		add_key(keys, key, strlen(key));
		if (strcmp(key, "machine") && strcmp(key, "trace") && strcmp(key, "profile") &&
		    strcmp(key, "version"))
			keys_of(value, keys);
	}
}

/* The first cell of each row of the tables behind "## JSON". */
static void keys_of_document(struct keys *keys)
{
	char *text = cli_read_source("docs/batching.md"), *line = strstr(text, "\n## JSON\n");

	assert_non_null(line);
	while ((line = strstr(line, "\n| `"))) {
		size_t length;

		line += 4;
		length = strcspn(line, "`");
		add_key(keys, line, length);
	}
	free(text);
}

static bool has(const struct keys *keys, const char *name)
{
	for (unsigned i = 0; i < keys->nr; i++) {
		if (!strcmp(keys->name[i], name))
			return true;
	}
	return false;
}

static void every_key_is_documented_and_every_documented_key_is_there(void **state)
{
	/* Random pages are refused where there is no writeback, which has keys of its own. */
	const char *trace = make_trace(state, "random-or-zero");
	struct cli_result r = run("batch", "--rounds", "2", "--json", "--folios", "64K", "--device",
				  "sweep", trace, NULL);
	struct keys printed = {0}, written = {0};
	json_t *root = parse(&r);

	keys_of(root, &printed);
	keys_of_document(&written);
	for (unsigned i = 0; i < printed.nr; i++) {
		if (!has(&written, printed.name[i]))
			fail_msg("'%s' is not in docs/batching.md", printed.name[i]);
	}
	for (unsigned i = 0; i < written.nr; i++) {
		if (!has(&printed, written.name[i]))
			fail_msg("'%s' of docs/batching.md is not printed", written.name[i]);
	}
	json_decref(root);
	cli_free(&r);
}

/* ---- bad input ---- */

static void what_cannot_be_is_refused_in_one_line(void **state)
{
	const char *trace = small_trace(state), *ini = cli_path(state, "bad.ini");
	const struct {
		const char *args[4], *word;
	} bad[] = {
		{{"--folios", "5K"}, "no size of a folio"},
		{{"--folios", "4M"}, "no size of a folio"},
		{{"--folios", "64K,"}, "one of them is empty"},
		{{"--folios", "64K,64K"}, "there twice"},
		{{"--codecs", "qat"}, "qat"},
		{{"--codecs", "lzo-rle"}, "lzo-rle"},
		{{"--codecs", "zstd,zstd:3"}, "there twice"},
		{{"--device", "nothing"}, "known: letter, sweep"},
		{{"--device", "/nonexistent/a.ini"}, "No such file"},
		{{"--device", ini}, "bad.ini:2: [device]: unknown key"},
		{{"--pages", "0"}, "--pages"},
		{{"--rounds", "1000"}, "--rounds"},
		{{"--set", "zswap.batching=folio"}, "is what this command varies"},
		{{"--kernel", "6.12"}, "no large folios"},
		{{"another.bin"}, "one trace at a time"},
	};
	FILE *f = fopen(ini, "w");
	struct cli_result r;

	fputs("[device]\ncolour = red\n", f);
	fclose(f);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *args[8] = {"batch", "--rounds", "0", trace};

		memcpy(args + 4, bad[i].args, sizeof(bad[i].args));
		r = cli_run(NULL, args);
		assert_refused(&r, bad[i].word);
		cli_free(&r);
	}
	r = run("batch");
	assert_refused(&r, "a trace is needed");
	cli_free(&r);
	r = run("batch", "/nonexistent.bin");
	assert_refused(&r, "/nonexistent.bin");
	cli_free(&r);
}

static void help_has_examples(void **state)
{
	struct cli_result r = run("batch", "--help");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "Examples:\n  zswapsim batch"));
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_says_what_is_measured_and_what_is_modelled),
		cmocka_unit_test(measured_and_modelled_are_never_in_one_place),
		cmocka_unit_test(the_letters_arithmetic_holds_on_silesia),
		cmocka_unit_test(the_letters_arithmetic_holds_on_a_synthetic_trace),
		cmocka_unit_test(a_device_of_ones_own_is_used),
		cmocka_unit_test(a_frame_of_4096_bytes_is_lost_by_segmented_and_that_is_said),
		cmocka_unit_test(every_key_is_documented_and_every_documented_key_is_there),
		cmocka_unit_test(what_cannot_be_is_refused_in_one_line),
		cmocka_unit_test(help_has_examples),
	};

	return cmocka_run_group_tests_name("cli_batch", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
