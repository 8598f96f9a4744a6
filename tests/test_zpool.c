// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zpool.h"
#include "sim/zsmalloc.h"
#include "tests/test.h"

static struct kernel *kernel_with(const char *preset, bool contents)
{
	struct kernel_config config = {.no_contents = !contents};
	struct profile profile;
	struct kernel *k;
	char err[128];

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	config.profile = &profile;
	assert_int_equal(kernel_create(&config, &k), 0);
	return k;
}

static struct kernel *kernel_of(bool contents)
{
	return kernel_with(PROFILE_DEFAULT, contents);
}

static void allocators_that_are_not_here_are_refused(void **state)
{
	static const char *const names[] = {"z3fold", "zsmalloc2", "zs", "ZSMALLOC", ""};
	struct kernel *k = kernel_of(true);
	struct zpool *pool = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(zpool_create_pool(k, names[i], "test", &pool), -ENOENT);
	assert_null(pool);
	kernel_destroy(k);
}

static void every_profile_value_is_an_allocator_of_that_name(void **state)
{
	struct kernel *k = kernel_of(true);
	const struct profile_key *key;
	unsigned nr = 0;

	profile_for_each_key (key) {
		if (strcmp(key->key, "pool.allocator"))
			continue;
		for (; key->values[nr]; nr++) {
			struct zpool *pool;

			assert_int_equal(zpool_create_pool(k, key->values[nr], "test", &pool), 0);
			assert_string_equal(zpool_get_type(pool), key->values[nr]);
			assert_string_equal(zpool_types()[nr], key->values[nr]);
			zpool_destroy_pool(pool);
		}
	}
	assert_true(nr > 0);
	assert_null(zpool_types()[nr]);
	kernel_destroy(k);
}

static void zsmalloc_through_zpool_is_zsmalloc(void **state)
{
	struct kernel *k = kernel_of(true);
	struct zpool_location loc;
	struct zs_obj_location zs_loc;
	struct zpool_usage usage;
	struct zs_pool *zs;
	unsigned long handle[40];
	struct zpool *pool;

	assert_int_equal(zpool_create_pool(k, "zsmalloc", "test", &pool), 0);
	zs = zpool_zs_pool(pool);
	assert_non_null(zs);
	for (unsigned i = 0; i < 40; i++) {
		handle[i] = zpool_malloc(pool, 3000 - i, 0);
		assert_false(IS_ERR_VALUE(handle[i]));
		zpool_locate(pool, handle[i], &loc);
		zs_obj_locate(zs, handle[i], &zs_loc);
		assert_int_equal(loc.index, zs_loc.index);
		assert_int_equal(loc.offset, zs_loc.offset);
		assert_int_equal(loc.length, 3000 - i);
		assert_int_equal(loc.slot_size, zs_loc.class_size);
		assert_int_equal(loc.straddles, zs_loc.straddles);
	}
	assert_int_equal(zpool_get_total_pages(pool), zs_get_total_pages(zs));
	zpool_usage(pool, &usage);
	assert_int_equal(usage.objects, 40);
	assert_int_equal(usage.pages * PAGE_SIZE, usage.payload_bytes + usage.rounding_bytes +
							  usage.unused_bytes + usage.tail_bytes);
	for (unsigned i = 0; i < 40; i++)
		zpool_free(pool, handle[i]);
	assert_int_equal(zpool_get_total_pages(pool), 0);
	zpool_destroy_pool(pool);
	kernel_destroy(k);
}

/* ---- what holds for each of them ---- */

#define OBJECTS 3000

struct object {
	unsigned long handle;
	unsigned size;
	uint32_t seed;
};

static void fill(unsigned char *to, unsigned size, uint32_t seed)
{
	for (unsigned i = 0; i < size; i++) {
		seed = seed * 1664525u + 1013904223u;
		to[i] = seed >> 24;
	}
}

/* By each of the ways there are to read an object; to map it is 6.12's. */
static void check_contents(struct zpool *pool, const struct object *o, bool map)
{
	unsigned char expected[PAGE_SIZE], copy[PAGE_SIZE];
	struct scatterlist sg[2];
	unsigned nr, at = 0;
	void *mem;

	fill(expected, o->size, o->seed);
	mem = zpool_obj_read_begin(pool, o->handle, o->size, copy);
	assert_memory_equal(mem, expected, o->size);
	zpool_obj_read_end(pool, o->handle, o->size, mem);
	if (map) {
		mem = zpool_map_handle(pool, o->handle, ZPOOL_MM_RO);
		assert_memory_equal(mem, expected, o->size);
		assert_int_equal(zpool_nr_mapped(pool), 1);
		zpool_unmap_handle(pool, o->handle);
	}
	nr = zpool_obj_read_sg_begin(pool, o->handle, sg, o->size);
	for (unsigned i = 0; i < nr; i++) {
		assert_memory_equal(sg_virt(&sg[i]), expected + at, sg[i].length);
		assert_int_equal(sg[i].end, i == nr - 1);
		at += sg[i].length;
	}
	assert_int_equal(at, o->size);
	zpool_obj_read_sg_end(pool, o->handle);
	assert_int_equal(zpool_nr_mapped(pool), 0);
}

static void write_object(struct zpool *pool, const struct object *o, bool map)
{
	unsigned char data[PAGE_SIZE];

	fill(data, o->size, o->seed);
	if (!map || o->seed % 2) {
		zpool_obj_write(pool, o->handle, data, o->size);
		return;
	}
	memcpy(zpool_map_handle(pool, o->handle, ZPOOL_MM_WO), data, o->size);
	zpool_unmap_handle(pool, o->handle);
}

static unsigned random_size(void)
{
	return rand() % 3 ? 1 + rand() % 3968 : 1 + rand() % 300;
}

static void must_be_sound(struct zpool *pool)
{
	char err[256] = "";
	int ret = zpool_check(pool, err, sizeof(err));

	assert_string_equal(err, "");
	assert_int_equal(ret, 0);
}

static void random_objects_keep_their_contents(const char *type, bool map)
{
	static struct object objects[OBJECTS];
	struct kernel *k = kernel_with(map ? "6.12" : "7.3", true);
	struct page_frames_stats frames;
	struct zpool_usage usage;
	struct zpool *pool;
	uint64_t payload = 0, nr = 0;

	memset(objects, 0, sizeof(objects));
	srand(2);
	assert_int_equal(zpool_create_pool(k, type, "test", &pool), 0);
	for (unsigned step = 0; step < 15000; step++) {
		struct object *o = &objects[rand() % OBJECTS];

		assert_int_equal(zpool_reserve(pool, 1 + step % 20), 0);
		if (o->handle) {
			check_contents(pool, o, map);
			zpool_free(pool, o->handle);
			payload -= o->size;
			nr--;
			o->handle = 0;
		} else {
			o->size = random_size();
			o->seed = rand();
			o->handle = zpool_malloc(pool, o->size, 0);
			assert_false(IS_ERR_VALUE(o->handle));
			write_object(pool, o, map);
			payload += o->size;
			nr++;
		}
		zpool_usage(pool, &usage);
		assert_int_equal(usage.payload_bytes, payload);
		assert_int_equal(usage.objects, nr);
		assert_int_equal(usage.pages, zpool_get_total_pages(pool));
		assert_int_equal(usage.pages * PAGE_SIZE,
				 usage.payload_bytes + usage.rounding_bytes + usage.unused_bytes +
					 usage.tail_bytes);
		if (step % 3000 == 0)
			must_be_sound(pool);
		zpool_trim(pool);
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (objects[i].handle)
			check_contents(pool, &objects[i], map);
		zpool_free(pool, objects[i].handle);
	}
	must_be_sound(pool);
	/* All memory is back. */
	assert_int_equal(zpool_get_total_pages(pool), 0);
	assert_int_equal(page_frames_stats(k->frames, &frames), 0);
	assert_int_equal(frames.live_pages, 0);
	zpool_destroy_pool(pool);
	kernel_destroy(k);
}

static void every_allocator_keeps_contents_and_counts(void **state)
{
	for (const char *const *type = zpool_types(); *type; type++) {
		random_objects_keep_their_contents(*type, false);
		random_objects_keep_their_contents(*type, true);
	}
}

static void same_layout(const char *type)
{
	static unsigned long with[OBJECTS], without[OBJECTS];
	struct kernel *k = kernel_of(true), *l = kernel_of(false);
	struct zpool *a, *b;

	memset(with, 0, sizeof(with));
	memset(without, 0, sizeof(without));
	srand(3);
	assert_int_equal(zpool_create_pool(k, type, "test", &a), 0);
	assert_int_equal(zpool_create_pool(l, type, "test", &b), 0);
	for (unsigned step = 0; step < 15000; step++) {
		struct zpool_usage x, y;
		unsigned i = rand() % OBJECTS;

		if (with[i]) {
			zpool_free(a, with[i]);
			zpool_free(b, without[i]);
			with[i] = without[i] = 0;
		} else {
			struct zpool_location p, q;
			unsigned size = random_size();

			with[i] = zpool_malloc(a, size, 0);
			without[i] = zpool_malloc(b, size, 0);
			zpool_locate(a, with[i], &p);
			zpool_locate(b, without[i], &q);
			assert_int_equal(p.slot_size, q.slot_size);
			assert_int_equal(p.index, q.index);
			assert_int_equal(p.offset, q.offset);
			assert_int_equal(p.length, q.length);
			assert_int_equal(p.straddles, q.straddles);
		}
		zpool_usage(a, &x);
		zpool_usage(b, &y);
		assert_memory_equal(&x, &y, sizeof(x));
	}
	/* Objects that are live go with their pools. */
	zpool_destroy_pool(a);
	zpool_destroy_pool(b);
	kernel_destroy(k);
	kernel_destroy(l);
}

static void every_allocator_lays_out_alike_with_contents_and_without(void **state)
{
	for (const char *const *type = zpool_types(); *type; type++)
		same_layout(*type);
}

static void an_allocation_that_fails_changes_nothing(void **state)
{
	for (const char *const *type = zpool_types(); *type; type++) {
		struct kernel *k = kernel_of(true);
		struct zpool_usage before, after;
		unsigned long handle;
		struct zpool *pool;

		assert_int_equal(zpool_create_pool(k, *type, "test", &pool), 0);
		handle = zpool_malloc(pool, 100, 0);
		zpool_usage(pool, &before);
		zpool_fail_nth(pool, 2);
		zpool_free(pool, zpool_malloc(pool, 3000, 0));
		assert_int_equal((long)zpool_malloc(pool, 3000, 0), -ENOMEM);
		zpool_usage(pool, &after);
		assert_memory_equal(&before, &after, sizeof(after));
		/* Once only, and not for what is refused anyway. */
		zpool_fail_nth(pool, 1);
		assert_int_equal((long)zpool_malloc(pool, 0, 0), -EINVAL);
		assert_int_equal((long)zpool_malloc(pool, 4097, 0), -ENOSPC);
		assert_int_equal((long)zpool_malloc(pool, 10, 0), -ENOMEM);
		zpool_free(pool, zpool_malloc(pool, 3000, 0));
		zpool_free(pool, 0);
		zpool_free(pool, (unsigned long)-ENOMEM);
		zpool_free(pool, handle);
		assert_int_equal(zpool_get_total_pages(pool), 0);
		must_be_sound(pool);
		zpool_destroy_pool(pool);
		kernel_destroy(k);
	}
}

static void only_zsmalloc_straddles(void **state)
{
	for (const char *const *type = zpool_types(); *type; type++) {
		struct kernel *k = kernel_of(false);
		struct zpool_usage usage;
		struct zpool *pool;

		assert_int_equal(zpool_create_pool(k, *type, "test", &pool), 0);
		for (unsigned size = 1; size <= 3968; size++)
			assert_false(IS_ERR_VALUE(zpool_malloc(pool, size, 0)));
		zpool_usage(pool, &usage);
		assert_int_equal(usage.objects, 3968);
		assert_int_equal(usage.straddling_objs > 0, !strcmp(*type, "zsmalloc"));
		zpool_destroy_pool(pool);
		kernel_destroy(k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocators_that_are_not_here_are_refused),
		cmocka_unit_test(every_profile_value_is_an_allocator_of_that_name),
		cmocka_unit_test(zsmalloc_through_zpool_is_zsmalloc),
		cmocka_unit_test(every_allocator_keeps_contents_and_counts),
		cmocka_unit_test(every_allocator_lays_out_alike_with_contents_and_without),
		cmocka_unit_test(an_allocation_that_fails_changes_nothing),
		cmocka_unit_test(only_zsmalloc_straddles),
	};

	return cmocka_run_group_tests_name("zpool", tests, NULL, NULL);
}
