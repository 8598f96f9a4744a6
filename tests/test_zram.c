// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/zram.h"
#include "sim/zsmalloc.h"
#include "tests/test.h"

/* What the pages compress to: @src itself is the length; the last page asked about is kept. */
struct codec {
	const void *page;
	unsigned calls;
	int error;
};

static int length(void *arg, const void *page, uint32_t src)
{
	struct codec *codec = arg;

	codec->page = page;
	codec->calls++;
	return codec->error ? codec->error : (int)src;
}

struct rig {
	struct kernel *k;
	struct zram *zram;
	struct codec codec;
};

static void begin(struct rig *r)
{
	struct kernel_config config = {.no_contents = true};
	struct profile profile;
	char err[256];

	memset(r, 0, sizeof(*r));
	assert_int_equal(profile_init(&profile, "7.3", err, sizeof(err)), 0);
	config.profile = &profile;
	assert_int_equal(kernel_create(&config, &r->k), 0);
	assert_int_equal(zram_create(r->k, 100, length, &r->codec, &r->zram), 0);
}

static void finish(struct rig *r)
{
	zram_destroy(r->zram);
	kernel_destroy(r->k);
}

static struct zram_stats stats_of(struct rig *r)
{
	struct zram_stats stats;

	zram_stats(r->zram, &stats);
	return stats;
}

static void put(struct rig *r, uint32_t slot, uint32_t length_wanted)
{
	assert_int_equal(zram_write(r->zram, slot, NULL, length_wanted), 0);
}

static void a_page_of_any_repeated_word_has_no_object(void **state)
{
	uint64_t page[PAGE_SIZE / 8];
	struct rig r;

	begin(&r);
	memset(page, 0, sizeof(page));
	assert_int_equal(zram_write(r.zram, 0, page, 100), 0);
	for (unsigned i = 0; i < PAGE_SIZE / 8; i++)
		page[i] = 0x0123456789abcdef;
	assert_int_equal(zram_write(r.zram, 1, page, 100), 0);
	assert_int_equal(r.codec.calls, 0);
	assert_int_equal(stats_of(&r).same_pages, 2);
	assert_int_equal(stats_of(&r).orig_data_size, 8192);
	assert_int_equal(stats_of(&r).compr_data_size, 0);
	assert_int_equal(stats_of(&r).mem_used_total, 0);

	/* One byte in the middle, where neither end shows it. */
	((char *)page)[2000] ^= 1;
	assert_int_equal(zram_write(r.zram, 2, page, 100), 0);
	assert_int_equal(r.codec.calls, 1);
	assert_ptr_equal(r.codec.page, page);
	assert_int_equal(stats_of(&r).same_pages, 2);
	assert_int_equal(stats_of(&r).compr_data_size, 100);
	zram_discard(r.zram, 1);
	assert_int_equal(stats_of(&r).same_pages, 1);
	finish(&r);
}

static void without_a_page_length_0_says_same_filled(void **state)
{
	struct rig r;

	begin(&r);
	put(&r, 0, 0);
	assert_int_equal(stats_of(&r).same_pages, 1);
	assert_int_equal(stats_of(&r).mem_used_total, 0);
	finish(&r);
}

static void lengths_from_the_huge_class_on_are_kept_raw(void **state)
{
	struct rig r;

	begin(&r);
	put(&r, 0, 3624);
	assert_int_equal(stats_of(&r).huge_pages, 0);
	assert_int_equal(stats_of(&r).mem_used_total, 8 * 4096);
	put(&r, 1, 3625);
	assert_int_equal(stats_of(&r).huge_pages, 1);
	assert_int_equal(stats_of(&r).compr_data_size, 3624 + 4096);
	assert_int_equal(stats_of(&r).mem_used_total, 9 * 4096);
	put(&r, 2, 8192);
	assert_int_equal(stats_of(&r).huge_pages, 2);
	zram_discard(r.zram, 1);
	assert_int_equal(stats_of(&r).huge_pages, 1);
	assert_int_equal(stats_of(&r).huge_pages_since, 2);
	finish(&r);
}

static void an_overwrite_allocates_before_it_frees(void **state)
{
	struct rig r;

	begin(&r);
	put(&r, 0, 4096);
	put(&r, 0, 4096);
	/* For a moment there were two. */
	assert_int_equal(stats_of(&r).mem_used_max, 8192);
	assert_int_equal(stats_of(&r).mem_used_total, 4096);
	assert_int_equal(stats_of(&r).orig_data_size, 4096);
	assert_int_equal(stats_of(&r).huge_pages, 1);
	assert_int_equal(stats_of(&r).huge_pages_since, 2);
	finish(&r);
}

static void a_same_filled_page_frees_what_it_overwrites(void **state)
{
	struct rig r;

	begin(&r);
	put(&r, 0, 1000);
	put(&r, 0, 0);
	assert_int_equal(stats_of(&r).mem_used_total, 0);
	assert_int_equal(stats_of(&r).mem_used_max, 4096);
	assert_int_equal(stats_of(&r).orig_data_size, 4096);
	assert_int_equal(stats_of(&r).same_pages, 1);
	finish(&r);
}

static void discards_of_empty_slots_do_nothing(void **state)
{
	struct rig r;

	begin(&r);
	put(&r, 5, 1000);
	zram_discard(r.zram, 4);
	zram_discard(r.zram, 5);
	zram_discard(r.zram, 5);
	assert_int_equal(stats_of(&r).orig_data_size, 0);
	assert_int_equal(stats_of(&r).compr_data_size, 0);
	assert_int_equal(stats_of(&r).mem_used_total, 0);
	finish(&r);
}

static void compact_adds_to_pages_compacted(void **state)
{
	struct rig r;

	begin(&r);
	for (unsigned i = 0; i < 90; i++)
		put(&r, i, 3600);
	for (unsigned i = 0; i < 90; i++) {
		if (i % 9)
			zram_discard(r.zram, i);
	}
	zram_compact(r.zram);
	assert_int_equal(stats_of(&r).pages_compacted, 64);
	assert_int_equal(stats_of(&r).mem_used_total, 16 * 4096);
	assert_int_equal(stats_of(&r).mem_used_max, 80 * 4096);
	finish(&r);
}

static void a_write_that_fails_leaves_the_slot_as_it_was(void **state)
{
	static const char page[PAGE_SIZE] = "not the same";
	struct rig r;

	begin(&r);
	put(&r, 0, 1000);
	zs_fail_nth(zram_pool(r.zram), 1);
	assert_int_equal(zram_write(r.zram, 0, NULL, 2000), -ENOMEM);
	r.codec.error = -EIO;
	assert_int_equal(zram_write(r.zram, 0, NULL, 2000), -EIO);
	r.codec.error = 0;
	/* A page with contents cannot compress to nothing. */
	assert_int_equal(zram_write(r.zram, 0, page, 0), -EINVAL);
	assert_int_equal(stats_of(&r).compr_data_size, 1000);
	assert_int_equal(stats_of(&r).orig_data_size, 4096);
	assert_int_equal(stats_of(&r).mem_used_max, 4096);
	finish(&r);
}

static void devices_of_no_size_are_refused(void **state)
{
	struct zram *zram;
	struct rig r;

	begin(&r);
	assert_int_equal(zram_create(r.k, 0, length, &r.codec, &zram), -EINVAL);
	assert_int_equal(zram_create(r.k, ZRAM_MAX_SLOTS + 1, length, &r.codec, &zram), -EINVAL);
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_of_any_repeated_word_has_no_object),
		cmocka_unit_test(without_a_page_length_0_says_same_filled),
		cmocka_unit_test(lengths_from_the_huge_class_on_are_kept_raw),
		cmocka_unit_test(an_overwrite_allocates_before_it_frees),
		cmocka_unit_test(a_same_filled_page_frees_what_it_overwrites),
		cmocka_unit_test(discards_of_empty_slots_do_nothing),
		cmocka_unit_test(compact_adds_to_pages_compacted),
		cmocka_unit_test(a_write_that_fails_leaves_the_slot_as_it_was),
		cmocka_unit_test(devices_of_no_size_are_refused),
	};

	return cmocka_run_group_tests_name("zram", tests, NULL, NULL);
}
