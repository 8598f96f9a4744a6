// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "sim/verify_zswap_lengths.h"
#include "sim/zswap.h"
#include "tests/test.h"

enum { STORED, POOR, RAW, SAME, NONE, NR };

static uint8_t kinds[NR] = {
	[STORED] = RECORDING_KIND_STORED, [POOR] = RECORDING_KIND_POOR, [RAW] = RECORDING_KIND_RAW,
	[SAME] = RECORDING_KIND_SAME,	  [NONE] = RECORDING_KIND_NONE,
};
static uint16_t bytes[NR] = {[STORED] = 1234};
static const struct recording_lengths lengths = {.nr = NR, .kind = kinds, .length = bytes};

static void a_page_ends_as_its_codec_ended(void **state)
{
	struct verify_zswap_lengths l = {.lengths = &lengths, .compressor = "zstd"};

	assert_int_equal(verify_zswap_length_of(&l, STORED), 1234);
	assert_int_equal(verify_zswap_length_of(&l, POOR), -ENOSPC);
	assert_int_equal(verify_zswap_length_of(&l, RAW), -EINVAL);
	l.compressor = "deflate";
	assert_int_equal(verify_zswap_length_of(&l, RAW), -ENOSPC);
}

static void a_row_without_a_length_is_found(void **state)
{
	const struct verify_zswap_lengths l = {.lengths = &lengths, .compressor = "zstd"};
	struct verify_row all[] = {{.src = -1}, {.src = STORED}, {.src = SAME}, {.src = POOR}};
	const struct verify_rows rows = {.rows = all, .nr = 4};

	assert_null(verify_zswap_lengths_missing(&l, &rows));
	all[2].src = NONE;
	assert_ptr_equal(verify_zswap_lengths_missing(&l, &rows), &all[2]);
	all[1].src = NR;
	assert_ptr_equal(verify_zswap_lengths_missing(&l, &rows), &all[1]);
}

/* A folio of 14 pages that shrink and two of zeros is charged for all of them. */
static void the_charge_of_a_folio_tells_what_zeros_take(void **state)
{
	struct verify_zswap_lengths l = {.lengths = &lengths, .compressor = "zstd"};
	struct verify_row all[18] = {0};
	const struct verify_rows rows = {.rows = all, .nr = 18};

	all[0].recorded[VC_MEMCG_ZSWAP_BYTES] = 1000;
	all[1].op = VERIFY_STORE64;
	all[1].recorded[VC_MEMCG_ZSWAP_BYTES] = 1000 + 14 * 1234 + 2 * 17;
	for (unsigned i = 0; i < 16; i++)
		all[2 + i].src = i % 8 ? STORED : SAME;
	assert_int_equal(verify_zswap_length_of(&l, ZSWAP_ZERO_ID), -EINVAL);
	verify_zswap_lengths_find_zero(&l, &rows);
	assert_int_equal(verify_zswap_length_of(&l, ZSWAP_ZERO_ID), 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_ends_as_its_codec_ended),
		cmocka_unit_test(a_row_without_a_length_is_found),
		cmocka_unit_test(the_charge_of_a_folio_tells_what_zeros_take),
	};

	return cmocka_run_group_tests_name("verify_zswap_lengths", tests, NULL, NULL);
}
