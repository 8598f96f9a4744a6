// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sim/zsmalloc.h"
#include "tests/test.h"

struct rig {
	struct kernel *k;
	struct zs_pool *pool;
	unsigned long h[90];
};

static struct rig rig_of(const char *preset, bool contents)
{
	struct kernel_config config = {.no_contents = !contents};
	struct profile profile;
	struct rig r = {0};
	char err[256];

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	config.profile = &profile;
	assert_int_equal(kernel_create(&config, &r.k), 0);
	r.pool = zs_create_pool(r.k, "test");
	assert_non_null(r.pool);
	return r;
}

static void finish(struct rig *r)
{
	zs_destroy_pool(r->pool);
	kernel_destroy(r->k);
}

/* @nr objects of 3600 bytes: class 3632, 9 objects in 8 pages. */
static void fill(struct rig *r, unsigned nr)
{
	unsigned char buf[3600];

	for (unsigned i = 0; i < nr; i++) {
		r->h[i] = zs_malloc(r->pool, sizeof(buf), 0);
		assert_false(IS_ERR_VALUE(r->h[i]));
		memset(buf, i, sizeof(buf));
		if (r->k->contents)
			zs_obj_write(r->pool, r->h[i], buf, sizeof(buf));
	}
}

static void check_contents(struct rig *r, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		unsigned char copy[3600], *p;

		if (!r->h[i])
			continue;
		p = zs_obj_read_begin(r->pool, r->h[i], 3600, copy);
		for (unsigned j = 0; j < 3600; j++)
			assert_int_equal(p[j], i);
		zs_obj_read_end(r->pool, r->h[i], 3600, p);
	}
}

static void drop(struct rig *r, unsigned i)
{
	zs_free(r->pool, r->h[i]);
	r->h[i] = 0;
}

static uint64_t pages_compacted(const struct rig *r)
{
	struct zs_pool_stats stats;

	zs_pool_stats(r->pool, &stats);
	return stats.pages_compacted;
}

/* cases.md C10 (a) */
static void compaction_frees_64_of_80_pages_of_which_each_9th_object_lives(void **state)
{
	static const char *const presets[] = {"6.12", "7.3"};

	for (int p = 0; p < 2; p++) {
		struct rig r = rig_of(presets[p], true);

		fill(&r, 90);
		assert_int_equal(zs_get_total_pages(r.pool), 80);
		for (unsigned i = 0; i < 90; i++) {
			if (i % 9)
				drop(&r, i);
		}
		assert_int_equal(zs_get_total_pages(r.pool), 80);
		assert_int_equal(zs_compactable_pages(r.pool), 64);
		assert_int_equal(zs_compact(r.pool), 64);
		assert_int_equal(zs_get_total_pages(r.pool), 16);
		assert_int_equal(pages_compacted(&r), 64);
		assert_int_equal(zs_compactable_pages(r.pool), 0);
		check_contents(&r, 90);
		finish(&r);
	}
}

/* C10 (b) */
static void compaction_frees_nothing_when_the_live_objects_need_all_zspages(void **state)
{
	struct rig r = rig_of("7.3", true);

	fill(&r, 18);
	for (unsigned i = 0; i < 18; i++) {
		if (i % 9 >= 5)
			drop(&r, i);
	}
	assert_int_equal(zs_compactable_pages(r.pool), 0);
	assert_int_equal(zs_compact(r.pool), 0);
	assert_int_equal(zs_get_total_pages(r.pool), 16);
	assert_int_equal(pages_compacted(&r), 0);
	check_contents(&r, 18);
	finish(&r);
}

/* C10 (c) */
static void compaction_of_ten_zspages_with_five_of_nine_leaves_six(void **state)
{
	struct rig r = rig_of("7.3", true);

	fill(&r, 90);
	for (unsigned i = 0; i < 90; i++) {
		if (i % 9 >= 5)
			drop(&r, i);
	}
	assert_int_equal(zs_compact(r.pool), 32);
	assert_int_equal(zs_get_total_pages(r.pool), 48);
	check_contents(&r, 90);
	finish(&r);
}

static void compaction_counts_the_same_without_contents(void **state)
{
	struct rig r = rig_of("7.3", false);

	fill(&r, 90);
	for (unsigned i = 0; i < 90; i++) {
		if (i % 9)
			drop(&r, i);
	}
	assert_int_equal(zs_compact(r.pool), 64);
	assert_int_equal(zs_get_total_pages(r.pool), 16);
	finish(&r);
}

/* The fullest zspage receives, the emptiest gives, and its objects go in order of their chunks. */
static void the_emptiest_zspage_is_emptied_into_the_fullest(void **state)
{
	struct rig r = rig_of("7.3", true);
	struct zs_obj_location loc;

	fill(&r, 27);
	for (unsigned i = 0; i < 9; i++) {
		if (i >= 7) /* leaves 7 of 9 */
			drop(&r, i);
		if (i >= 3) /* 3 of 9 */
			drop(&r, 9 + i);
		if (i != 4 && i != 6) /* 2 of 9: objects 22 and 24 */
			drop(&r, 18 + i);
	}
	assert_int_equal(zs_compact(r.pool), 8);
	/* The free list of the first: 8 was freed last. */
	zs_obj_locate(r.pool, r.h[22], &loc);
	assert_int_equal(loc.index, 8);
	zs_obj_locate(r.pool, r.h[24], &loc);
	assert_int_equal(loc.index, 7);
	check_contents(&r, 27);
	finish(&r);
}

static void a_source_that_is_being_read_stops_its_class(void **state)
{
	struct rig r = rig_of("7.3", true);
	struct zs_class_stats stats;
	char copy[3600];
	void *p;

	fill(&r, 90);
	for (unsigned i = 0; i < 90; i++) {
		if (i % 9 >= 1 + (i < 9)) /* the first keeps 2 objects, the others 1 */
			drop(&r, i);
	}
	/* The head of the emptiest group is the zspage that was filed last. */
	p = zs_obj_read_begin(r.pool, r.h[81], 3600, copy);
	assert_int_equal(zs_nr_mapped(r.pool), 1);
	assert_int_equal(zs_compact(r.pool), 0);
	zs_obj_read_end(r.pool, r.h[81], 3600, p);
	assert_int_equal(zs_nr_mapped(r.pool), 0);
	zs_class_stats(r.pool, zs_nr_classes(r.pool) - 2, &stats);
	assert_int_equal(stats.geometry.size, 3632);
	assert_int_equal(stats.zspages[2], 9); /* 11 % */
	assert_int_equal(stats.zspages[3], 1); /* 22 % */
	assert_int_equal(zs_compact(r.pool), 64);
	check_contents(&r, 90);
	finish(&r);
}

static void straddling_objects_are_counted_anew_when_they_move(void **state)
{
	struct rig r = rig_of("7.3", true);
	struct zs_usage usage;

	fill(&r, 18);
	zs_usage(r.pool, &usage);
	assert_int_equal(usage.straddling_objs, 14);
	for (unsigned i = 0; i < 9; i++) {
		if (i < 8) /* leaves object 8, which lies within the last page */
			drop(&r, i);
		if (i == 3) /* makes room in the other zspage where an object straddles */
			drop(&r, 9 + i);
	}
	zs_usage(r.pool, &usage);
	assert_int_equal(usage.straddling_objs, 6);
	assert_int_equal(zs_compact(r.pool), 8);
	zs_usage(r.pool, &usage);
	assert_int_equal(usage.straddling_objs, 7);
	check_contents(&r, 18);
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compaction_frees_64_of_80_pages_of_which_each_9th_object_lives),
		cmocka_unit_test(compaction_frees_nothing_when_the_live_objects_need_all_zspages),
		cmocka_unit_test(compaction_of_ten_zspages_with_five_of_nine_leaves_six),
		cmocka_unit_test(compaction_counts_the_same_without_contents),
		cmocka_unit_test(the_emptiest_zspage_is_emptied_into_the_fullest),
		cmocka_unit_test(a_source_that_is_being_read_stops_its_class),
		cmocka_unit_test(straddling_objects_are_counted_anew_when_they_move),
	};

	return cmocka_run_group_tests_name("zs_compact", tests, NULL, NULL);
}
