// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/zpool.h"
#include "sim/zsmalloc.h"
#include "tests/test.h"

static struct kernel *kernel_of(bool contents)
{
	struct kernel_config config = {.no_contents = !contents};
	struct profile profile;
	struct kernel *k;
	char err[128];

	assert_int_equal(profile_init(&profile, PROFILE_DEFAULT, err, sizeof(err)), 0);
	config.profile = &profile;
	assert_int_equal(kernel_create(&config, &k), 0);
	return k;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocators_that_are_not_here_are_refused),
		cmocka_unit_test(every_profile_value_is_an_allocator_of_that_name),
		cmocka_unit_test(zsmalloc_through_zpool_is_zsmalloc),
	};

	return cmocka_run_group_tests_name("zpool", tests, NULL, NULL);
}
