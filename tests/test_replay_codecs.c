// SPDX-License-Identifier: GPL-2.0-or-later
/* A small trace, end to end, with each compressor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/draft.h"
#include "tests/test.h"

static const char *const codecs[] = {"zstd",  "zstd:-10", "zstd:19", "lz4",	"lz4:32",
				     "lz4hc", "lz4hc:12", "lzo",     "deflate", "deflate:1"};
#define NR_CODECS (sizeof(codecs) / sizeof(*codecs))
#define NR_PAGES  150

static void begin(struct draft *d)
{
	draft_begin(d);
	for (uint32_t i = 0; i < NR_PAGES; i++)
		draft_store(d, i, i);
	for (uint32_t i = 0; i < NR_PAGES; i++)
		draft_load(d, i * 7 % NR_PAGES);
	for (uint32_t i = 0; i < NR_PAGES; i++)
		draft_store(d, i, i + 1);
	for (uint32_t i = 0; i < NR_PAGES; i++)
		draft_load(d, i);
}

static int replay(struct draft *d, const char *kernel, const char *compressor,
		  unsigned max_pool_percent, struct replay_result *result)
{
	struct replay_config config;

	replay_config_init(&config);
	config.compressor = compressor;
	if (max_pool_percent) {
		config.totalram_pages = 640;
		config.max_pool_percent = max_pool_percent;
	}
	return draft_run_config(d, kernel, &config, result);
}

static void every_load_is_verified_with_each_compressor(void **state)
{
	static const char *const kernels[] = {"6.12", "7.3"};
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	begin(&d);
	for (unsigned i = 0; i < 2 * NR_CODECS; i++) {
		assert_int_equal(replay(&d, kernels[i & 1], codecs[i / 2], 0, result), 0);
		assert_int_equal(result->counts.verified_pages, 2 * NR_PAGES);
		assert_int_equal(result->counts.mismatched_pages, 0);
		assert_int_equal(result->counts.failed_loads, 0);
		assert_true(result->zswap.zswpin > NR_PAGES);
		assert_true(result->pool_peak.pages > 20);
		assert_true(result->zswap.dir[ZSWAP_STORE].codec_ns > 0);
		assert_true(result->zswap.dir[ZSWAP_LOAD].straddled > 10);
		replay_result_finish(result);
	}
	draft_end(&d);
	free(result);
}

/* Written back and read from the disk: those pages are verified, too. */
static void a_full_pool_writes_back_with_each_compressor(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	begin(&d);
	for (unsigned i = 0; i < NR_CODECS; i++) {
		assert_int_equal(replay(&d, "7.3", codecs[i], 6, result), 0);
		assert_true(result->zswap.written_back_pages > 0);
		assert_int_equal(result->counts.verified_pages, 2 * NR_PAGES);
		assert_int_equal(result->counts.mismatched_pages + result->counts.failed_loads, 0);
		replay_result_finish(result);
	}
	draft_end(&d);
	free(result);
}

/* The pool shows which is which; none is another under a new name. */
static void compressors_differ_in_what_they_store(void **state)
{
	static const char *const all[] = {"zstd",  "zstd:-10", "lz4",	 "lz4:32",
					  "lz4hc", "lzo",      "deflate"};
	struct replay_result *result = malloc(sizeof(*result));
	uint64_t payload[7];
	struct draft d;

	begin(&d);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(replay(&d, "7.3", all[i], 0, result), 0);
		payload[i] = result->pool_peak.payload_bytes;
		for (unsigned j = 0; j < i; j++)
			assert_int_not_equal(payload[i], payload[j]);
		replay_result_finish(result);
	}
	draft_end(&d);
	free(result);
}

static void what_cannot_be_had_ends_the_replay_at_once(void **state)
{
	static const char *const bad[] = {"lzo-rle", "842", "lz4:0", "zstd:99", "nothing", ""};
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	begin(&d);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_true(replay(&d, "7.3", bad[i], 0, result) < 0);
		assert_true(strlen(d.err.message) > 10);
	}
	draft_end(&d);
	free(result);
}

/* Contents of which the stand-in for IAA makes 4096 bytes. */
static const uint32_t of_4096[] = {5790, 13202, 13258, 15324, 21580, 23132};

/* Where incompressible pages are refused, it is decompressed, however it is read. */
static void a_frame_of_a_whole_page_is_no_raw_page(void **state)
{
	const unsigned nr = sizeof(of_4096) / sizeof(*of_4096);
	struct replay_result *result = malloc(sizeof(*result));
	struct replay_config config;
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < nr; i++)
		draft_store(&d, i, of_4096[i]);
	for (unsigned i = 0; i < nr; i++)
		draft_load(&d, i);
	replay_config_init(&config);
	config.compressor = "deflate-iaa";
	assert_int_equal(draft_run_set(&d, "7.3", "zswap.incompressible=reject", &config, result),
			 0);
	assert_int_equal(result->zswap.zswpin, nr);
	assert_int_equal(result->pool_peak.payload_bytes, nr * 4096);
	assert_int_equal(result->counts.mismatched_pages, 0);
	assert_int_equal(result->zswap.dir[ZSWAP_LOAD].pages[ZSWAP_PATH_RAW], 0);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

/* From zswap and, once it was written back, from disk: draft_run_set() compares the modes. */
static void a_page_that_segmented_loses_is_a_mismatch_in_both_modes(void **state)
{
	const unsigned nr = sizeof(of_4096) / sizeof(*of_4096);
	struct replay_result *result = malloc(sizeof(*result));
	struct replay_config config;
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < nr; i++)
		draft_store(&d, i, of_4096[i]);
	draft_store(&d, nr, 5);
	for (unsigned i = 0; i <= nr; i++)
		draft_load(&d, i);
	replay_config_init(&config);
	config.compressor = "deflate-iaa";
	assert_int_equal(draft_run_set(&d, "7.3", "zswap.batching=segmented", &config, result), 0);
	assert_int_equal(result->zswap.zswpin, nr + 1);
	assert_int_equal(result->counts.mismatched_pages, nr);
	replay_result_finish(result);
	config.totalram_pages = 20;
	config.given = REPLAY_GIVEN_TOTALRAM;
	assert_int_equal(draft_run_set(&d, "7.3", "zswap.batching=segmented", &config, result), 0);
	assert_true(result->zswap.written_back_pages > 0);
	assert_true(result->counts.mismatched_pages > result->zswap.zswpin);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_is_verified_with_each_compressor),
		cmocka_unit_test(a_full_pool_writes_back_with_each_compressor),
		cmocka_unit_test(compressors_differ_in_what_they_store),
		cmocka_unit_test(a_frame_of_a_whole_page_is_no_raw_page),
		cmocka_unit_test(a_page_that_segmented_loses_is_a_mismatch_in_both_modes),
		cmocka_unit_test(what_cannot_be_had_ends_the_replay_at_once),
	};

	return cmocka_run_group_tests_name("replay_codecs", tests, NULL, NULL);
}
