// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/poison.h"
#include "tests/test.h"
#include "tests/zs_rig.h"

static void a_fresh_zspage_hands_out_its_chunks_in_order(void **state)
{
	struct rig r = rig_of("7.3");

	for (unsigned i = 0; i < 18; i++)
		assert_int_equal(locate(&r, must_malloc(&r, 3600)).index, i % 9);
	assert_int_equal(zs_get_total_pages(r.pool), 16);
	rig_finish(&r);
}

static void the_chunk_freed_last_is_handed_out_first(void **state)
{
	static const unsigned freed[] = {2, 7, 0, 5};
	struct rig r = rig_of("7.3");
	unsigned long h[9];

	for (unsigned i = 0; i < 9; i++)
		h[i] = must_malloc(&r, 3600);
	for (unsigned i = 0; i < 4; i++)
		zs_free(r.pool, h[freed[i]]);
	for (unsigned i = 4; i-- > 0;)
		assert_int_equal(locate(&r, must_malloc(&r, 3600)).index, freed[i]);
	rig_finish(&r);
}

static void the_fullest_zspage_with_room_is_filled_first(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long h[27], n;

	for (unsigned i = 0; i < 27; i++)
		h[i] = must_malloc(&r, 3600);
	/* 4, 8 and 8 of 9 left; the third zspage is filed last, at the head of its group. */
	for (unsigned i = 0; i < 5; i++)
		zs_free(r.pool, h[i]);
	zs_free(r.pool, h[9 + 3]);
	zs_free(r.pool, h[18 + 6]);
	n = must_malloc(&r, 3600);
	assert_ptr_equal(obj_place(r.pool, n).zspage, obj_place(r.pool, h[18]).zspage);
	n = must_malloc(&r, 3600);
	assert_ptr_equal(obj_place(r.pool, n).zspage, obj_place(r.pool, h[9]).zspage);
	n = must_malloc(&r, 3600);
	assert_ptr_equal(obj_place(r.pool, n).zspage, obj_place(r.pool, h[5]).zspage);
	assert_int_equal(zs_get_total_pages(r.pool), 24);
	rig_finish(&r);
}

/* Class 48 has 256 objects, so one more or less seldom changes its group. */
static void a_zspage_keeps_its_position_while_its_group_is_the_same(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long h[512];

	for (unsigned i = 0; i < 512; i++)
		h[i] = must_malloc(&r, 40);
	zs_free(r.pool, h[0]);	 /* first: 255 of 256, group 10 */
	zs_free(r.pool, h[256]); /* second: the same, in front of it */
	zs_free(r.pool, h[1]);	 /* first: 254, still group 10 */
	assert_ptr_equal(obj_place(r.pool, must_malloc(&r, 40)).zspage,
			 obj_place(r.pool, h[257]).zspage);
	rig_finish(&r);
}

static void the_last_object_takes_its_pages_along(void **state)
{
	struct rig r = rig_of("7.3");
	struct page_frames_stats stats;
	unsigned long a = must_malloc(&r, 3600), b = must_malloc(&r, 3600);

	assert_int_equal(zs_get_total_pages(r.pool), 8);
	zs_free(r.pool, a);
	assert_int_equal(zs_get_total_pages(r.pool), 8);
	zs_free(r.pool, b);
	assert_int_equal(zs_get_total_pages(r.pool), 0);
	assert_int_equal(page_frames_stats(r.k->frames, &stats), 0);
	assert_int_equal(stats.live_pages, 0);
	rig_finish(&r);
}

static void pages_are_on_the_node_that_was_asked_for(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long a = zs_malloc(r.pool, 100, 1), b = zs_malloc(r.pool, 100, 0);

	assert_int_equal(locate(&r, a).nid, 1);
	/* It fits in the zspage that is there: the node plays no part in the search. */
	assert_int_equal(locate(&r, b).nid, 1);
	assert_int_equal(locate(&r, zs_malloc(r.pool, 2000, 0)).nid, 0);
	rig_finish(&r);
}

static void the_word_of_7_3_names_the_class(void **state)
{
	struct rig with = rig_of("7.3"), without = rig_with("7.3", 8, ZS_OBJ_WORD_IDX24, true);

	for (unsigned size = 1; size <= 4096; size += 50) {
		unsigned long h = must_malloc(&with, size), g = must_malloc(&without, size);
		unsigned long obj = handle_to_obj(h);

		assert_int_equal(obj >> 15 & 511, zs_lookup_class_index(with.pool, size));
		assert_int_equal(obj >> 24, page_to_pfn(obj_place(with.pool, h).page));
		assert_int_equal(obj & 32767, locate(&with, h).index);
		assert_int_equal(handle_to_obj(g) & 0xffffff, locate(&without, g).index);
		assert_ptr_equal(obj_to_class(with.pool, obj), obj_place(with.pool, h).class);
	}
	rig_finish(&with);
	rig_finish(&without);
}

static void a_sanitizer_sees_every_byte_that_is_no_payload(void **state)
{
#ifdef SIM_ASAN
	struct rig r = rig_of("7.3");
	unsigned long h = must_malloc(&r, 3601);
	char *payload = (char *)page_address(obj_place(r.pool, h).page) + 8;

	assert_true(__asan_address_is_poisoned(payload - 1));
	assert_null(__asan_region_is_poisoned(payload, 3601));
	assert_true(__asan_address_is_poisoned(payload + 3601));
	must_malloc(&r, 3600);
	zs_free(r.pool, h);
	assert_true(__asan_address_is_poisoned(payload));
	rig_finish(&r);
#else
	print_message("# SKIP not built with AddressSanitizer\n");
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fresh_zspage_hands_out_its_chunks_in_order),
		cmocka_unit_test(the_chunk_freed_last_is_handed_out_first),
		cmocka_unit_test(the_fullest_zspage_with_room_is_filled_first),
		cmocka_unit_test(a_zspage_keeps_its_position_while_its_group_is_the_same),
		cmocka_unit_test(the_last_object_takes_its_pages_along),
		cmocka_unit_test(pages_are_on_the_node_that_was_asked_for),
		cmocka_unit_test(the_word_of_7_3_names_the_class),
		cmocka_unit_test(a_sanitizer_sees_every_byte_that_is_no_payload),
	};

	return cmocka_run_group_tests_name("zspage", tests, NULL, NULL);
}
