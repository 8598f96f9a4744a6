// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "sim/future.h"
#include "tests/test.h"

static struct future *begin(uint64_t nr_events, uint64_t nr_pages)
{
	struct future *f;

	assert_int_equal(future_create(nr_events, nr_pages, &f), 0);
	return f;
}

static void a_page_is_used_when_its_slot_is_loaded(void **state)
{
	struct future *f = begin(100, 3);

	assert_int_equal(future_store(f, 10), 0);
	assert_int_equal(future_store(f, 11), 0);
	future_load(f, 11, 5);
	future_load(f, 10, 7);
	assert_int_equal(future_store(f, 10), 0);
	future_load(f, 10, 99);
	future_finish(f);
	assert_int_equal(future_next_use(f, 0), 7);
	assert_int_equal(future_next_use(f, 1), 5);
	assert_int_equal(future_next_use(f, 2), 99);
	future_destroy(f);
}

static void a_page_that_is_freed_or_overwritten_is_never_used(void **state)
{
	struct future *f = begin(100, 4);

	future_store(f, 1);
	future_free(f, 1);
	future_load(f, 1, 3);
	future_store(f, 2);
	future_store(f, 2);
	future_load(f, 2, 9);
	future_load(f, 2, 10);
	future_store(f, 3);
	assert_true(future_next_use(f, 0) == FUTURE_NEVER);
	assert_true(future_next_use(f, 1) == FUTURE_NEVER);
	assert_int_equal(future_next_use(f, 2), 9);
	assert_true(future_next_use(f, 3) == FUTURE_NEVER);
	assert_true(future_next_use(f, 4) == FUTURE_NEVER);
	assert_int_equal(future_store(f, 4), -EINVAL);
	future_destroy(f);
}

static void it_takes_four_bytes_a_page_unless_events_have_larger_numbers(void **state)
{
	struct future *narrow = begin(UINT32_MAX - 1ull, 1000), *wide = begin(1ull << 33, 1000);

	assert_int_equal(future_bytes(narrow), 4000);
	assert_int_equal(future_bytes(wide), 8000);
	future_store(narrow, 1);
	future_load(narrow, 1, UINT32_MAX - 2ull);
	assert_int_equal(future_next_use(narrow, 0), UINT32_MAX - 2ull);
	future_store(wide, 1);
	future_load(wide, 1, UINT32_MAX);
	future_store(wide, 1);
	future_load(wide, 1, (1ull << 33) - 1);
	future_store(wide, 1);
	assert_int_equal(future_next_use(wide, 0), UINT32_MAX);
	assert_int_equal(future_next_use(wide, 1), (1ull << 33) - 1);
	assert_true(future_next_use(wide, 2) == FUTURE_NEVER);
	future_destroy(narrow);
	future_destroy(wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_is_used_when_its_slot_is_loaded),
		cmocka_unit_test(a_page_that_is_freed_or_overwritten_is_never_used),
		cmocka_unit_test(it_takes_four_bytes_a_page_unless_events_have_larger_numbers),
	};

	return cmocka_run_group_tests_name("future", tests, NULL, NULL);
}
