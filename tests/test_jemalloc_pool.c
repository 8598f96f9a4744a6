// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "sim/jemalloc_pool.h"
#include "tests/test.h"

struct rig {
	struct kernel *k;
	struct zpool *pool;
	const struct je_arena *arena;
};

static struct rig begin(bool contents, uint64_t totalram_pages)
{
	struct profile profile;
	struct kernel_config config = {
		.profile = &profile, .no_contents = !contents, .totalram_pages = totalram_pages};
	struct rig r;
	char err[128];

	assert_int_equal(profile_init(&profile, "7.3", err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&config, &r.k), 0);
	assert_int_equal(zpool_create_pool(r.k, "jemalloc", "test", &r.pool), 0);
	r.arena = jemalloc_pool_arena(r.pool);
	return r;
}

static void finish(struct rig *r)
{
	zpool_destroy_pool(r->pool);
	kernel_destroy(r->k);
}

static void its_pages_are_those_that_jemalloc_calls_active(void **state)
{
	struct rig r = begin(true, 0);
	unsigned long handle[2000] = {0};
	struct je_arena_stats stats;

	srand(1);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = rand() % 2000;

		zpool_free(r.pool, handle[i]);
		handle[i] = zpool_malloc(r.pool, 1 + rand() % 4096, 0);
		if (step % 100)
			continue;
		assert_int_equal(je_arena_stats(r.arena, &stats), 0);
		assert_int_equal(stats.active_pages, zpool_get_total_pages(r.pool));
		assert_true(stats.mapped_pages >= stats.active_pages);
	}
	for (unsigned i = 0; i < 2000; i++)
		zpool_free(r.pool, handle[i]);
	assert_int_equal(je_arena_stats(r.arena, &stats), 0);
	assert_int_equal(stats.active_pages, 0);
	assert_int_equal(stats.regions, 0);
	assert_int_equal(zpool_get_total_pages(r.pool), 0);
	finish(&r);
}

static void objects_of_a_size_share_slabs_of_its_class(void **state)
{
	struct rig r = begin(false, 0);
	const struct je_bin *bin = je_arena_bin(r.arena, 2500);
	unsigned per_slab = bin->slab / bin->region;
	struct zpool_usage usage;

	/* jemalloc's classes, four to a doubling. */
	assert_int_equal(bin->region, 2560);
	assert_int_equal(je_arena_bin(r.arena, 2560)->region, 2560);
	assert_int_equal(je_arena_bin(r.arena, 2561)->region, 3072);
	assert_int_equal(je_arena_bin(r.arena, 4096)->region, 4096);
	assert_int_equal(je_arena_bin(r.arena, 1)->region, 8);
	for (unsigned i = 0; i < 10 * per_slab; i++)
		zpool_malloc(r.pool, 2500, 0);
	zpool_usage(r.pool, &usage);
	assert_int_equal(usage.groups, 10);
	assert_int_equal(usage.pages, 10 * bin->slab / PAGE_SIZE);
	assert_int_equal(usage.rounding_bytes, 10 * per_slab * 60);
	assert_int_equal(usage.unused_bytes, 0);
	finish(&r);
}

/* Where the objects are, as offsets in the pool's range. */
static uint64_t hash_of_layout(bool contents)
{
	struct rig r = begin(contents, 0);
	unsigned long handle[5000] = {0};
	uint64_t hash = 0;

	srand(9);
	for (unsigned step = 0; step < 40000; step++) {
		unsigned i = rand() % 5000;
		const char *mem;

		zpool_free(r.pool, handle[i]);
		handle[i] = zpool_malloc(r.pool, 1 + rand() % 4096, 0);
		mem = *(const char *const *)handle[i]; /* a handle points to where its object is */
		hash = hash * 31 + (mem - r.arena->space);
	}
	finish(&r);
	return hash;
}

static void where_objects_go_depends_on_the_history_alone(void **state)
{
	uint64_t hash = hash_of_layout(true);

	assert_int_equal(hash_of_layout(true), hash);
	assert_int_equal(hash_of_layout(false), hash);
}

static void memory_that_lies_idle_is_given_back(void **state)
{
	struct rig r = begin(true, 0);
	unsigned long handle[4000];
	unsigned char data[4096];

	memset(data, 0x5a, sizeof(data));
	for (unsigned i = 0; i < 4000; i++) {
		assert_int_equal(zpool_reserve(r.pool, 1), 0);
		handle[i] = zpool_malloc(r.pool, 4000, 0);
		zpool_obj_write(r.pool, handle[i], data, 4000);
	}
	for (unsigned i = 1; i < 4000; i++)
		zpool_free(r.pool, handle[i]);
	assert_int_equal(zpool_get_total_pages(r.pool), 1);
	assert_true(r.arena->idle >= 3999);
	zpool_trim(r.pool);
	assert_int_equal(r.arena->idle, 512);
	assert_memory_equal(*(char *const *)handle[0], data, 4000);
	/* And is there again, and clean, when it is needed. */
	for (unsigned i = 1; i < 4000; i++) {
		handle[i] = zpool_malloc(r.pool, 4000, 0);
		zpool_obj_write(r.pool, handle[i], data, 4000);
	}
	assert_int_equal(zpool_get_total_pages(r.pool), 4000);
	finish(&r);
}

static void a_reserve_gives_memory_to_what_is_handed_out_next(void **state)
{
	struct rig r = begin(true, 0);

	for (unsigned i = 0; i < 3000; i++) {
		uint64_t idle, pages = zpool_get_total_pages(r.pool);

		assert_int_equal(zpool_reserve(r.pool, 1), 0);
		idle = r.arena->idle;
		assert_false(IS_ERR_VALUE(zpool_malloc(r.pool, 1 + i, 0)));
		/* Every page that it took had been touched. */
		assert_int_equal(idle - r.arena->idle, zpool_get_total_pages(r.pool) - pages);
	}
	finish(&r);
}

static void an_address_range_that_is_used_up_is_no_memory(void **state)
{
	/* The least there is: 1 GiB and some. */
	struct rig r = begin(false, 1);
	uint64_t nr = 0;
	long ret;

	while (!IS_ERR_VALUE(ret = zpool_malloc(r.pool, 4096, 0)))
		nr++;
	assert_int_equal(ret, -12);
	assert_in_range(nr, 200000, (1u << 30) / PAGE_SIZE + 1024);
	assert_int_equal(zpool_get_total_pages(r.pool), nr);
	finish(&r);
}

static void pools_side_by_side_do_not_meet(void **state)
{
	struct rig a = begin(true, 0), b = begin(true, 0);
	unsigned long x, y;

	for (unsigned i = 0; i < 100; i++) {
		x = zpool_malloc(a.pool, 1000, 0);
		y = zpool_malloc(b.pool, 1000, 0);
	}
	assert_int_equal(zpool_get_total_pages(a.pool), zpool_get_total_pages(b.pool));
	zpool_free(a.pool, x);
	finish(&a);
	zpool_free(b.pool, y);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_pages_are_those_that_jemalloc_calls_active),
		cmocka_unit_test(objects_of_a_size_share_slabs_of_its_class),
		cmocka_unit_test(where_objects_go_depends_on_the_history_alone),
		cmocka_unit_test(memory_that_lies_idle_is_given_back),
		cmocka_unit_test(a_reserve_gives_memory_to_what_is_handed_out_next),
		cmocka_unit_test(an_address_range_that_is_used_up_is_no_memory),
		cmocka_unit_test(pools_side_by_side_do_not_meet),
	};

	return cmocka_run_group_tests_name("jemalloc_pool", tests, NULL, NULL);
}
