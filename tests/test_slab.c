// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/slab.h"
#include "tests/test.h"

#define N 20000

static void references_lead_back_to_their_objects(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("test", 24);
	static uint32_t refs[N];

	for (uint32_t i = 0; i < N; i++) {
		uint32_t *obj = kmem_cache_alloc(cache);

		assert_non_null(obj);
		assert_int_equal((uintptr_t)obj % 8, 0);
		memset(obj, 0, 24);
		*obj = i;
		refs[i] = kmem_cache_ref(cache, obj);
		assert_int_not_equal(refs[i], 0);
	}
	assert_int_equal(kmem_cache_nr_live(cache), N);
	assert_int_equal(kmem_cache_live_bytes(cache), N * 24);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(*(uint32_t *)kmem_cache_object(cache, refs[i]), i);
		kmem_cache_free(cache, kmem_cache_object(cache, refs[i]));
	}
	assert_int_equal(kmem_cache_nr_live(cache), 0);
	kmem_cache_destroy(cache);
}

static void what_was_freed_last_is_handed_out_first(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("test", 1);
	void *a = kmem_cache_alloc(cache), *b = kmem_cache_alloc(cache);

	kmem_cache_free(cache, a);
	kmem_cache_free(cache, b);
	assert_ptr_equal(kmem_cache_alloc(cache), b);
	assert_ptr_equal(kmem_cache_alloc(cache), a);
	kmem_cache_destroy(cache);
}

static void caches_in_one_range_have_no_object_in_common(void **state)
{
	struct kmem_cache *a = kmem_cache_create("a", 40);
	struct kmem_cache *b = kmem_cache_create_with(a, "b", 5000);
	static char *of_a[1000], *of_b[100];

	for (int i = 0; i < 1000; i++) {
		of_a[i] = memset(kmem_cache_alloc(a), 1, 40);
		if (i % 10 == 0)
			of_b[i / 10] = memset(kmem_cache_alloc(b), 2, 5000);
	}
	for (int i = 0; i < 1000; i++) {
		for (int j = 0; j < 40; j++)
			assert_int_equal(of_a[i][j], 1);
	}
	/* The range goes with the last of the two. */
	kmem_cache_destroy(a);
	for (int i = 0; i < 100; i++) {
		assert_ptr_equal(kmem_cache_object(b, kmem_cache_ref(b, of_b[i])), of_b[i]);
		assert_int_equal(of_b[i][4999], 2);
	}
	kmem_cache_destroy(b);
}

static void a_reserve_makes_room_at_once(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("test", 64);
	uint64_t nr;

	assert_int_equal(kmem_cache_reserve(cache, 1000), 0);
	nr = cache->nr_objects;
	assert_true(nr >= 1000);
	for (int i = 0; i < 1000; i++)
		assert_non_null(kmem_cache_alloc(cache));
	assert_int_equal(cache->nr_objects, nr);
	kmem_cache_destroy(cache);
}

static void the_nth_allocation_fails_and_no_other(void **state)
{
	struct kmem_cache *cache = kmem_cache_create("test", 16);

	kmem_cache_fail_nth(cache, 3);
	assert_non_null(kmem_cache_alloc(cache));
	assert_non_null(kmem_cache_alloc(cache));
	assert_null(kmem_cache_alloc(cache));
	for (int i = 0; i < 10000; i++)
		assert_non_null(kmem_cache_alloc(cache));
	kmem_cache_fail_nth(cache, 1);
	kmem_cache_fail_nth(cache, 0);
	assert_non_null(kmem_cache_alloc(cache));
	assert_int_equal(kmem_cache_nr_live(cache), 10003);
	kmem_cache_destroy(cache);
}

/* In a child: with little address space a cache works until it is used up, and says so. */
static int exhaust(void)
{
	struct rlimit limit = {2ull << 30, 2ull << 30};
	struct kmem_cache *cache;
	uint64_t nr = 0;

	if (setrlimit(RLIMIT_AS, &limit))
		return 2;
	cache = kmem_cache_create("test", 65536);
	if (!cache)
		return 3;
	while (kmem_cache_alloc(cache))
		nr++;
	if (nr < 512 || kmem_cache_reserve(cache, 1) == 0)
		return 4;
	kmem_cache_destroy(cache);
	return 0;
}

static void without_address_space_a_cache_is_smaller(void **state)
{
	int status;
	pid_t pid;

#ifdef SIM_ASAN
	skip(); /* its shadow takes more than the limit */
#endif
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(exhaust());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_lead_back_to_their_objects),
		cmocka_unit_test(what_was_freed_last_is_handed_out_first),
		cmocka_unit_test(caches_in_one_range_have_no_object_in_common),
		cmocka_unit_test(a_reserve_makes_room_at_once),
		cmocka_unit_test(the_nth_allocation_fails_and_no_other),
		cmocka_unit_test(without_address_space_a_cache_is_smaller),
	};

	return cmocka_run_group_tests_name("slab", tests, NULL, NULL);
}
