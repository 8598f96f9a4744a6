// SPDX-License-Identifier: GPL-2.0-or-later
/* zswap over each codec: what the counters say of pages that do not fit, and what a load costs. */
#include <string.h>

#include "tests/machine.h"
#include "tests/test.h"

static const char *const codecs[] = {"zstd", "zstd:12", "lz4", "lz4:4", "lz4hc", "lzo", "deflate"};
#define NR_CODECS (sizeof(codecs) / sizeof(*codecs))

#define RANDOM 3 /* a page that no codec shrinks (content_fill) */

static struct machine *create(const char *kernel, const char *codec)
{
	return machine_create(&(struct machine_config){.kernel = kernel, .compressor = codec});
}

static void every_page_comes_back_with_every_codec_in_every_kernel(void **state)
{
	for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
		for (unsigned c = 0; c < NR_CODECS; c++) {
			struct machine *m = create(*kernel, codecs[c]);
			unsigned in_zswap = 0;

			for (uint32_t i = 0; i < 120; i++)
				in_zswap += machine_store1(m, i, i + 1) == SWAPOUT_ZSWAP;
			for (uint32_t i = 0; i < 120; i++) {
				enum swapin from;

				assert_int_equal(
					machine_load(m, i * 7 % 120, i * 7 % 120 + 1, &from), 0);
				in_zswap -= from == SWAPIN_ZSWAP;
			}
			assert_int_equal(in_zswap, 0);
			assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
			assert_int_equal(zswap_stats(m->z)->decompress_fail, 0);
			assert_true(zswap_stats(m->z)->zswpin > 80);
			machine_destroy(m);
		}
	}
}

/* As recorded: 6.12 counts a failure whatever the codec; 6.18 keeps the page as it is. */
static void a_page_that_does_not_fit_fails_or_is_stored_raw(void **state)
{
	static const struct {
		const char *kernel;
		bool raw;
	} rows[] = {{"6.8", false}, {"6.12", false}, {"6.18", true}, {"7.0", true},
		    {"7.2", true},  {"7.3", true},   {"7.4", true}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (unsigned c = 0; c < NR_CODECS; c++) {
			struct machine *m = create(rows[i].kernel, codecs[c]);
			const struct zswap_stats *s = zswap_stats(m->z);

			assert_int_equal(machine_store1(m, 1, RANDOM),
					 rows[i].raw ? SWAPOUT_ZSWAP : SWAPOUT_DISK);
			assert_int_equal(s->reject_compress_fail, !rows[i].raw);
			assert_int_equal(s->reject_compress_poor, 0);
			assert_int_equal(s->stored_incompressible_pages, rows[i].raw);
			assert_int_equal(m->last.path,
					 rows[i].raw ? ZSWAP_PATH_RAW : ZSWAP_PATH_FAILED);
			machine_destroy(m);
		}
	}
}

/* 6.17 has the driver of deflate that says -ENOSPC, and does not store pages raw yet. */
static void in_6_17_deflate_alone_counts_it_as_poor(void **state)
{
	for (unsigned c = 0; c < NR_CODECS; c++) {
		struct machine *m = create("6.17", codecs[c]);
		bool poor = !strcmp(codecs[c], "deflate");

		assert_int_equal(machine_store1(m, 1, RANDOM), SWAPOUT_DISK);
		assert_int_equal(zswap_stats(m->z)->reject_compress_poor, poor);
		assert_int_equal(zswap_stats(m->z)->reject_compress_fail, !poor);
		machine_destroy(m);
	}
}

/* 7.3, recorded: deflate 34 poor and 0 fail, lz4 31 fail, lzo 37 fail (zswap_nowb_*). */
static void without_writeback_deflate_counts_poor_and_the_others_fail(void **state)
{
	for (unsigned c = 0; c < NR_CODECS; c++) {
		struct machine *m = create("7.3", codecs[c]);
		bool poor = !strcmp(codecs[c], "deflate");

		m->memcg->zswap_writeback = false;
		assert_int_equal(machine_store1(m, 1, RANDOM), SWAPOUT_ACTIVATED);
		assert_int_equal(zswap_stats(m->z)->reject_compress_poor, poor);
		assert_int_equal(zswap_stats(m->z)->reject_compress_fail, !poor);
		assert_int_equal(zswap_stats(m->z)->stored_incompressible_pages, 0);
		machine_destroy(m);
	}
}

/* Loads until one lies over two pages; its event is in m->last. */
static void load_a_straddling_page(struct machine *m)
{
	for (uint32_t i = 0; i < 400; i++)
		machine_store1(m, i, 2 * i + 2);
	for (uint32_t i = 0; i < 400; i++) {
		struct zpool_location loc;
		enum swapin from;

		if (!zswap_locate(m->z, (swp_entry_t){0, i}, &loc) || !loc.straddles)
			continue;
		assert_int_equal(machine_load(m, i, 2 * i + 2, &from), 0);
		assert_int_equal(from, SWAPIN_ZSWAP);
		return;
	}
	fail_msg("no object lies over two pages");
}

static void a_straddling_load_streams_or_is_copied(void **state)
{
	static const struct {
		const char *kernel, *codec;
		enum zswap_path path;
		enum acomp_stream_reason reason;
		bool linearised, by_scomp;
	} rows[] = {
		{"6.12", "zstd", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, false},
		{"6.12", "lz4", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, false},
		{"6.12", "deflate", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, false},
		{"6.18", "lzo", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, false},
		{"6.18", "deflate", ZSWAP_PATH_STREAM, ACOMP_STREAM_NOT, true, false},
		{"7.3", "zstd", ZSWAP_PATH_STREAM, ACOMP_STREAM_SRC, false, false},
		{"7.3", "deflate", ZSWAP_PATH_STREAM, ACOMP_STREAM_SRC, false, false},
		{"7.3", "lz4", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, true},
		{"7.3", "lz4hc", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, true},
		{"7.3", "lzo", ZSWAP_PATH_ONESHOT, ACOMP_STREAM_NOT, true, true},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine *m = create(rows[i].kernel, rows[i].codec);
		const struct zswap_account *a = &zswap_stats(m->z)->dir[ZSWAP_LOAD];

		load_a_straddling_page(m);
		assert_int_equal(m->last.path, rows[i].path);
		assert_int_equal(m->last.reason, rows[i].reason);
		assert_int_equal(m->last.linearised, rows[i].linearised);
		assert_int_equal(m->last_cost.copy_bytes, rows[i].by_scomp ? m->last.length : 0);
		assert_int_equal(a->copied_bytes, m->last_cost.copy_bytes);
		assert_int_equal(a->straddled, 1);
		machine_destroy(m);
	}
}

/* Ids are lengths there, and 0 to 4096 may be any codec's. */
static void without_contents_any_name_will_do_and_the_path_is_its_own(void **state)
{
	static const struct {
		const char *codec;
		enum zswap_path store;
		enum acomp_call call;
	} rows[] = {
		{"zstd", ZSWAP_PATH_ONESHOT, ACOMP_CALL_INIT_CCTX},
		{"lz4", ZSWAP_PATH_ONESHOT, ACOMP_CALL_COMPRESS_CCTX},
		{"deflate", ZSWAP_PATH_STREAM, ACOMP_CALL_INIT_CCTX},
		{"lzo-rle", ZSWAP_PATH_ONESHOT, ACOMP_CALL_COMPRESS_CCTX},
		{"842", ZSWAP_PATH_ONESHOT, ACOMP_CALL_COMPRESS_CCTX},
		{"brotli", ZSWAP_PATH_ONESHOT, ACOMP_CALL_COMPRESS_CCTX},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine *m = machine_create(
			&(struct machine_config){.compressor = rows[i].codec, .lengths = true});

		assert_int_equal(machine_store1(m, 1, 1000), SWAPOUT_ZSWAP);
		assert_int_equal(m->last.path, rows[i].store);
		assert_int_equal(m->last_cost.calls[rows[i].call], 1);
		machine_destroy(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_comes_back_with_every_codec_in_every_kernel),
		cmocka_unit_test(a_page_that_does_not_fit_fails_or_is_stored_raw),
		cmocka_unit_test(in_6_17_deflate_alone_counts_it_as_poor),
		cmocka_unit_test(without_writeback_deflate_counts_poor_and_the_others_fail),
		cmocka_unit_test(a_straddling_load_streams_or_is_copied),
		cmocka_unit_test(without_contents_any_name_will_do_and_the_path_is_its_own),
	};

	return cmocka_run_group_tests_name("zswap_codecs", tests, NULL, NULL);
}
