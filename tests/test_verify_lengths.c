// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many pages have the length that a kernel gave them, codec by codec: the figures of
 * docs/codecs.md. Of the pages of the vectors, and of those that tests/kernel makes itself.
 */
#include "sim/verify_lengths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "tests/kernel/content.h"
#include "tests/test.h"
#include "tests/text_file.h"

static int check(const char *path, const char *kernel, const struct recording_pages *pages,
		 const char *compressor, bool zram, struct verify_lengths_result *result,
		 struct trace_error *err)
{
	struct verify_lengths_config config = {.crypto = backends_registry(),
					       .compressor = compressor,
					       .pages = pages,
					       .zram = zram};
	struct profile profile;
	char why[256];

	assert_int_equal(profile_init(&profile, kernel, why, sizeof(why)), 0);
	config.profile = &profile;
	memset(err, 0, sizeof(*err));
	return verify_lengths(path, &config, result, err);
}

/* ---- of the vectors ---- */

struct row {
	const char *kernel, *file;
	bool zram;
	uint32_t stored, refused;
	/* With this version of the library; NULL: with any. */
	const char *library;
	uint32_t equal;
	int shortest, longest;
};

static void check_vectors(const struct row *row)
{
	const char *dir = getenv("ZSWAPSIM_VECTORS");
	char path[4096], pages_path[4096];
	struct verify_lengths_result r;
	struct recording_pages pages;
	struct trace_error err;

	snprintf(path, sizeof(path), "%s/%s/%s", dir ? dir : "", row->kernel, row->file);
	snprintf(pages_path, sizeof(pages_path), "%s/pages.bin.zst", dir ? dir : "");
	if (!dir || access(path, R_OK) || access(pages_path, R_OK)) {
		print_message("# SKIP %s: there is no such file in $ZSWAPSIM_VECTORS\n", row->file);
		skip();
	}
	assert_int_equal(recording_pages_load(pages_path, &pages, &err), 0);
	assert_int_equal(check(path, row->kernel, &pages, NULL, row->zram, &r, &err), 0);
	print_message("# %s %s: %u of %u pages, %.2f %%, by %s\n", row->kernel, r.compressor,
		      r.equal, r.stored, 100.0 * r.equal / r.stored, r.library);
	assert_int_equal(r.stored, row->stored);
	assert_int_equal(r.refused, row->refused);
	assert_int_equal(r.wrong, 0);
	if (!row->library || !strcmp(row->library, r.library)) {
		assert_int_equal(r.equal, row->equal);
		assert_int_equal(r.shortest, row->shortest);
		assert_int_equal(r.longest, row->longest);
	} else {
		/* Another version's lengths are near all the same. */
		assert_true(r.equal > r.stored / 2);
	}
	recording_pages_finish(&pages);
}

static void every_length_of_deflate_is_the_kernels(void **state)
{
	check_vectors(&(struct row){"6.12", "perpage_zswap_deflate.csv.zst", false, 3566, 316, NULL,
				    3566, 0, 0});
}

static void every_length_of_lzo_is_the_kernels(void **state)
{
	check_vectors(&(struct row){"6.12", "perpage_zswap_lzo.csv.zst", false, 3486, 396, NULL,
				    3486, 0, 0});
}

static void of_lz4_97_percent_are_the_kernels(void **state)
{
	check_vectors(&(struct row){"6.12", "perpage_zswap_lz4.csv.zst", false, 3537, 345,
				    "liblz4 1.9.4", 3441, -5, 0});
}

static void zram_stored_the_same_lengths(void **state)
{
	check_vectors(&(struct row){"6.12", "perpage_zram_deflate.csv.zst", true, 3314, 408, NULL,
				    3314, 0, 0});
	check_vectors(&(struct row){"6.12", "perpage_zram_lz4.csv.zst", true, 3207, 515,
				    "liblz4 1.9.4", 3111, -5, 0});
}

/* ---- of tests/kernel ---- */

static void make_pages(struct recording_pages *pages)
{
	pages->nr = CONTENT_PAGES;
	pages->data = malloc((size_t)CONTENT_PAGES * CONTENT_PAGE_SIZE);
	assert_non_null(pages->data);
	for (uint32_t i = 0; i < CONTENT_PAGES; i++)
		content_page(pages->data + (size_t)i * CONTENT_PAGE_SIZE, i);
}

static void check_recorded(const char *kernel, const char *codec, const char *compressor,
			   struct verify_lengths_result *r)
{
	struct recording_pages pages;
	struct trace_error err;
	char path[4096];

	make_pages(&pages);
	assert_non_null(getenv("ZSWAPSIM_SOURCE"));
	snprintf(path, sizeof(path), "%s/tests/kernel/recordings/%s/perpage_zswap_%s.csv",
		 getenv("ZSWAPSIM_SOURCE"), kernel, codec);
	assert_int_equal(check(path, kernel, &pages, compressor, false, r, &err), 0);
	print_message("# %s %s: %u of %u pages, %.2f %%, %d to %d bytes off, by %s\n", kernel,
		      r->compressor, r->equal, r->stored, 100.0 * r->equal / r->stored, r->shortest,
		      r->longest, r->library);
	recording_pages_finish(&pages);
}

static void pages_of_our_own_have_the_shares_that_are_documented(void **state)
{
	static const struct {
		const char *codec, *library; /* NULL: any */
		uint32_t stored, equal;
	} rows[] = {
		{"deflate", NULL, 448, 448},
		{"lzo", NULL, 443, 443},
		{"lz4", "liblz4 1.9.4", 448, 440},
		{"lz4hc", "liblz4 1.9.4", 448, 336},
	};
	static const char *const kernels[] = {"6.12", "7.3"};

	for (unsigned i = 0; i < 8; i++) {
		struct verify_lengths_result r;

		check_recorded(kernels[i & 1], rows[i / 2].codec, NULL, &r);
		assert_int_equal(r.stored, rows[i / 2].stored);
		assert_int_equal(r.stored + r.refused, 480);
		assert_int_equal(r.wrong, 0);
		if (!rows[i / 2].library || !strcmp(rows[i / 2].library, r.library))
			assert_int_equal(r.equal, rows[i / 2].equal);
	}
}

/* A comparison that any codec passed would be none. */
static void another_level_or_codec_has_other_lengths(void **state)
{
	struct verify_lengths_result r;

	check_recorded("7.3", "deflate", "deflate:5", &r);
	assert_true(r.equal < r.stored && r.equal > 0);
	check_recorded("7.3", "deflate", "zstd", &r);
	assert_true(r.equal < r.stored / 4);
	check_recorded("6.12", "lz4", "lz4:2", &r);
	assert_true(r.equal < r.stored * 9 / 10);
	assert_string_equal(r.compressor, "lz4:2");
	assert_true(r.longest > 0);
}

/* ---- bad input ---- */

static void what_cannot_be_compared_is_a_clear_error(void **state)
{
	static const struct {
		const char *name, *text, *compressor, *words;
	} rows[] = {
		{"perpage_zswap_lzo-rle.csv", "page_index,comp_len,kind\n1,900,stored\n", NULL,
		 "no library"},
		{"perpage_zswap_brotli.csv", "page_index,comp_len,kind\n1,900,stored\n", NULL,
		 "no compressor 'brotli'"},
		{"lengths.csv", "page_index,comp_len,kind\n1,900,stored\n", NULL,
		 "does not say whose"},
		{"perpage_zswap_lz4.csv", "page_index,comp_len,kind\n512,900,stored\n", NULL,
		 "513 pages, and there are 512"},
		{"perpage_zswap_lz4.csv", "page_index,comp_len\n1,900\n", NULL, "kind"},
		{"perpage_zswap_lz4.csv", "page_index,comp_len,kind\n1,900,stored\n", "lz4:0",
		 "levels are numbers"},
	};
	struct recording_pages pages;

	make_pages(&pages);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *path = text_file(rows[i].name, rows[i].text);
		struct verify_lengths_result r;
		struct trace_error err;

		assert_int_equal(check(path, "7.3", &pages, rows[i].compressor, false, &r, &err),
				 -EINVAL);
		if (!strstr(err.message, rows[i].words))
			fail_msg("'%s' does not say '%s'", err.message, rows[i].words);
		assert_non_null(strstr(err.message, rows[i].name));
	}
	recording_pages_finish(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_of_deflate_is_the_kernels),
		cmocka_unit_test(every_length_of_lzo_is_the_kernels),
		cmocka_unit_test(of_lz4_97_percent_are_the_kernels),
		cmocka_unit_test(zram_stored_the_same_lengths),
		cmocka_unit_test(pages_of_our_own_have_the_shares_that_are_documented),
		cmocka_unit_test(another_level_or_codec_has_other_lengths),
		cmocka_unit_test(what_cannot_be_compared_is_a_clear_error),
	};

	return cmocka_run_group_tests_name("verify_lengths", tests, text_dir_create,
					   text_dir_remove);
}
