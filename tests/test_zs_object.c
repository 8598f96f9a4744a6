// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "tests/test.h"
#include "tests/zs_rig.h"

static void object_that_crosses_a_page_is_read_as_two_sg_entries(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned char data[3600], got[3600];
	struct scatterlist sg[2];
	unsigned long h;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = i * 7;
	must_malloc(&r, 3600);
	h = must_malloc(&r, 3600); /* its chunk begins at 3632 */
	zs_obj_write(r.pool, h, data, sizeof(data));
	assert_int_equal(zs_obj_read_sg_begin(r.pool, h, sg, 3600), 2);
	assert_int_equal(zs_nr_mapped(r.pool), 1);
	assert_int_equal(sg[0].offset, 3640);
	assert_int_equal(sg[0].length, 4096 - 3640);
	assert_false(sg[0].end);
	assert_int_equal(sg[1].offset, 0);
	assert_int_equal(sg[1].length, 3600 - (4096 - 3640));
	assert_true(sg[1].end);
	memcpy(got, (char *)page_address(sg[0].page) + sg[0].offset, sg[0].length);
	memcpy(got + sg[0].length, page_address(sg[1].page), sg[1].length);
	assert_memory_equal(got, data, sizeof(data));
	zs_obj_read_sg_end(r.pool, h);
	rig_finish(&r);
}

static void a_chunk_that_crosses_but_whose_payload_does_not_is_one_entry(void **state)
{
	struct rig r = rig_of("7.3");
	struct scatterlist sg[2];
	unsigned long h;

	must_malloc(&r, 3600);
	h = must_malloc(&r, 3600);
	assert_int_equal(zs_obj_read_sg_begin(r.pool, h, sg, 4096 - 3640), 1);
	assert_int_equal(sg[0].length, 4096 - 3640);
	assert_true(sg[0].end);
	zs_obj_read_sg_end(r.pool, h);
	rig_finish(&r);
}

static void a_raw_page_begins_at_offset_0_and_is_one_entry(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long h = must_malloc(&r, 4096);
	struct zs_obj_location loc = locate(&r, h);
	unsigned char data[4096], copy[4096];
	struct scatterlist sg[2];
	void *p;

	memset(data, 0x5a, sizeof(data));
	zs_obj_write(r.pool, h, data, 4096);
	assert_int_equal(loc.offset, 0);
	assert_true(loc.huge);
	assert_false(loc.straddles);
	assert_int_equal(zs_obj_read_sg_begin(r.pool, h, sg, 4096), 1);
	assert_int_equal(sg[0].offset, 0);
	zs_obj_read_sg_end(r.pool, h);
	p = zs_obj_read_begin(r.pool, h, 4096, copy);
	assert_ptr_not_equal(p, copy);
	assert_memory_equal(p, data, 4096);
	zs_obj_read_end(r.pool, h, 4096, p);
	rig_finish(&r);
}

static void by_the_class_rule_the_whole_chunk_goes_through_a_buffer(void **state)
{
	struct rig r = rig_with("6.12", 8, ZS_OBJ_WORD_IDX24, true);
	unsigned long first = must_malloc(&r, 3600), second = must_malloc(&r, 3600);
	char *p = zs_map_object(r.pool, first, ZS_MM_WO);

	/* The first lies within a page: no copy. */
	assert_ptr_equal(p, (char *)page_address(obj_place(r.pool, first).page) + 8);
	memset(p, 1, 3600);
	zs_unmap_object(r.pool, first);

	p = zs_map_object(r.pool, second, ZS_MM_WO);
	assert_ptr_equal(p, r.pool->area.buf + 8);
	memset(p, 2, 3600);
	zs_unmap_object(r.pool, second);
	memset(r.pool->area.buf, 0, PAGE_SIZE);
	p = zs_map_object(r.pool, second, ZS_MM_RO);
	for (unsigned i = 0; i < 3600; i++)
		assert_int_equal(p[i], 2);
	p[0] = 9; /* is thrown away */
	zs_unmap_object(r.pool, second);
	p = zs_map_object(r.pool, second, ZS_MM_RW);
	assert_int_equal(p[0], 2);
	p[0] = 9; /* is kept */
	zs_unmap_object(r.pool, second);
	p = zs_map_object(r.pool, second, ZS_MM_RO);
	assert_int_equal(p[0], 9);
	zs_unmap_object(r.pool, second);
	rig_finish(&r);
}

/* cases.md C12 */
static void class_rule_and_payload_rule_pick_the_same_objects(void **state)
{
	for (unsigned chain = 4; chain <= 16; chain++) {
		struct zs_class_table table;
		unsigned differing = 0;

		assert_int_equal(zs_class_table_init(&table, PAGE_SIZE, chain, 0), 0);
		for (unsigned n = 1; n < table.huge_class_size; n++) {
			const struct zs_class_geometry *g = zs_class_lookup(&table, n);
			struct size_class class = {.size = g->size};

			for (unsigned i = 0; i < g->objs; i++) {
				unsigned start = i * g->size, payload = start + 8;
				bool by_class = start / 4096 != (start + g->size - 1) / 4096;
				bool by_payload = payload / 4096 != (payload + n - 1) / 4096;

				differing += by_class != by_payload;
				differing += by_payload != payload_straddles(&class, i, n);
				if (by_payload)
					assert_int_equal((4096 - payload % 4096) % 16, 8);
			}
		}
		assert_int_equal(differing, 0);
		zs_class_table_finish(&table);
	}
}

static void seven_of_nine_objects_of_class_3632_straddle(void **state)
{
	struct rig r = rig_of("7.3");
	struct zs_usage usage;
	unsigned n = 0;

	for (unsigned i = 0; i < 9; i++)
		n += locate(&r, must_malloc(&r, 3600)).straddles;
	zs_usage(r.pool, &usage);
	assert_int_equal(n, 7);
	assert_int_equal(usage.straddling_objs, 7);
	rig_finish(&r);
}

/* What was in the frames before must not show: neither in payloads nor in what is counted. */
static void tails_that_were_never_written_do_not_matter(void **state)
{
	static const char *const presets[] = {"6.12", "7.3"};

	for (unsigned p = 0; p < 4; p++) {
		struct rig r = rig_of(presets[p % 2]);
		unsigned char data[3000], copy[4096], *got;
		struct page *page[8];
		unsigned long h[9];

		for (unsigned i = 0; i < 8; i++) {
			page[i] = alloc_pages(r.k->frames, 0, 0);
			memset(page_address(page[i]), p < 2 ? 0x00 : 0xff, PAGE_SIZE);
		}
		for (unsigned i = 0; i < 8; i++)
			free_pages(r.k->frames, page[i]);
		for (unsigned i = 0; i < 9; i++) {
			h[i] = must_malloc(&r, 3600);
			memset(data, i, sizeof(data));
			zs_obj_write(r.pool, h[i], data, sizeof(data));
		}
		for (unsigned i = 0; i < 9; i++) {
			memset(data, i, sizeof(data));
			got = zs_obj_read_begin(r.pool, h[i], sizeof(data), copy);
			assert_memory_equal(got, data, sizeof(data));
			zs_obj_read_end(r.pool, h[i], sizeof(data), got);
			if (r.k->profile.zsmalloc.straddle != ZS_STRADDLE_CLASS)
				continue;
			got = zs_map_object(r.pool, h[i], ZS_MM_RO);
			assert_memory_equal(got, data, sizeof(data));
			zs_unmap_object(r.pool, h[i]);
		}
		rig_finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(object_that_crosses_a_page_is_read_as_two_sg_entries),
		cmocka_unit_test(a_chunk_that_crosses_but_whose_payload_does_not_is_one_entry),
		cmocka_unit_test(a_raw_page_begins_at_offset_0_and_is_one_entry),
		cmocka_unit_test(by_the_class_rule_the_whole_chunk_goes_through_a_buffer),
		cmocka_unit_test(class_rule_and_payload_rule_pick_the_same_objects),
		cmocka_unit_test(seven_of_nine_objects_of_class_3632_straddle),
		cmocka_unit_test(tails_that_were_never_written_do_not_matter),
	};

	return cmocka_run_group_tests_name("zs_object", tests, NULL, NULL);
}
