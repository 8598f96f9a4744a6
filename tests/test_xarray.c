// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "sim/xarray.h"
#include "tests/test.h"

#define N 3000

static uint64_t random_index(unsigned i)
{
	/* Dense, sparse and extreme indices. */
	uint64_t wide = (uint64_t)rand() << 32 ^ (uint64_t)rand() << 11 ^ rand();

	return i % 3 == 0 ? i : i % 3 == 1 ? wide : UINT64_MAX - i;
}

static void entries_are_found_replaced_and_erased(void **state)
{
	struct xa_nodes *nodes = xa_nodes_create();
	static uint64_t index[N];
	struct xarray xa;
	uint32_t old;

	srand(7);
	xa_init(&xa, nodes);
	for (unsigned i = 0; i < N; i++) {
		index[i] = random_index(i);
		assert_int_equal(xa_load(&xa, index[i]), 0);
		assert_int_equal(xa_store(&xa, index[i], i + 1, &old), 0);
		assert_int_equal(old, 0);
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(xa_load(&xa, index[i]), i + 1);
		assert_int_equal(xa_store(&xa, index[i], i + N + 1, &old), 0);
		assert_int_equal(old, i + 1);
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(xa_erase(&xa, index[i]), i + N + 1);
		assert_int_equal(xa_erase(&xa, index[i]), 0);
		assert_int_equal(xa_load(&xa, index[i]), 0);
	}
	assert_true(xa_empty(&xa));
	assert_int_equal(xa_nodes_nr_live(nodes), 0);
	xa_nodes_destroy(nodes);
}

static void find_visits_every_entry_in_order(void **state)
{
	struct xa_nodes *nodes = xa_nodes_create();
	uint64_t at = 0, last = 0;
	struct xarray xa;
	unsigned seen = 0;
	uint32_t old;

	srand(8);
	xa_init(&xa, nodes);
	for (unsigned i = 0; i < N; i++)
		xa_store(&xa, random_index(i), 1, &old);
	while (xa_find(&xa, &at)) {
		assert_true(!seen || at > last);
		last = at;
		seen++;
		if (!++at)
			break;
	}
	assert_int_equal(seen, N);
	xa_destroy(&xa);
	assert_int_equal(xa_nodes_nr_live(nodes), 0);
	xa_nodes_destroy(nodes);
}

static void an_empty_array_keeps_no_node_wherever_its_first_value_was(void **state)
{
	static const uint64_t indices[] = {0, 63, 64, 1ull << 27, UINT64_MAX};
	struct xa_nodes *nodes = xa_nodes_create();
	struct xarray xa;
	uint32_t old;

	xa_init(&xa, nodes);
	for (unsigned i = 0; i < sizeof(indices) / sizeof(*indices); i++) {
		assert_int_equal(xa_store(&xa, indices[i], 7, &old), 0);
		assert_int_equal(xa_load(&xa, indices[i]), 7);
		assert_int_equal(xa_erase(&xa, indices[i]), 7);
		assert_true(xa_empty(&xa));
		assert_int_equal(xa_nodes_nr_live(nodes), 0);
	}
	xa_nodes_destroy(nodes);
}

static void a_failed_store_leaves_no_node_behind(void **state)
{
	struct xa_nodes *nodes = xa_nodes_create();
	struct xarray xa;
	uint32_t old;

	xa_init(&xa, nodes);
	assert_int_equal(xa_store(&xa, 5, 5, &old), 0);
	for (unsigned nth = 1; nth < 20; nth++) {
		xa_nodes_fail_nth(nodes, nth);
		assert_int_equal(xa_store(&xa, 1ull << 60, 6, &old), -ENOMEM);
		assert_int_equal(xa_nodes_nr_live(nodes), 2); /* a node and a leaf */
		assert_int_equal(xa_load(&xa, 5), 5);
	}
	xa_nodes_fail_nth(nodes, 0);
	xa_destroy(&xa);
	xa_nodes_destroy(nodes);
}

/* Leaves grow, shrink and are moved into each other's places. */
static void many_arrays_of_the_same_nodes_do_not_disturb_each_other(void **state)
{
	static uint32_t expected[8][4096];
	struct xa_nodes *nodes = xa_nodes_create();
	struct xarray xa[8];
	uint64_t values = 0;
	uint32_t old;

	srand(9);
	for (unsigned i = 0; i < 8; i++)
		xa_init(&xa[i], nodes);
	for (unsigned round = 0; round < 300000; round++) {
		/* Ever fewer, and at the end none. */
		unsigned i = rand() % 8, at = rand() % 4096;
		bool store = rand() % 300000 > (int)round;

		if (round % 100 == 0)
			assert_int_equal(xa_nodes_reserve(nodes, 64), 0);
		if (store) {
			uint32_t value = rand() % 1000 + 1;

			assert_int_equal(xa_store(&xa[i], at, value, &old), 0);
			values += !old;
			assert_int_equal(old, expected[i][at]);
			expected[i][at] = value;
		} else {
			values -= !!expected[i][at];
			assert_int_equal(xa_erase(&xa[i], at), expected[i][at]);
			expected[i][at] = 0;
		}
		if (round % 20000 == 0) {
			for (unsigned j = 0; j < 8 * 4096; j++)
				assert_int_equal(xa_load(&xa[j / 4096], j % 4096),
						 expected[j / 4096][j % 4096]);
		}
	}
	assert_true(values > 0);
	/* At most 4 bytes a value are room to spare. */
	assert_true(xa_nodes_live_bytes(nodes) < values * 8 + 8 * 64 * (32 + 4) + 8 * 2 * 264);
	for (unsigned j = 0; j < 8 * 4096; j++)
		assert_int_equal(xa_erase(&xa[j / 4096], j % 4096), expected[j / 4096][j % 4096]);
	assert_int_equal(xa_nodes_nr_live(nodes), 0);
	xa_nodes_destroy(nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_replaced_and_erased),
		cmocka_unit_test(find_visits_every_entry_in_order),
		cmocka_unit_test(an_empty_array_keeps_no_node_wherever_its_first_value_was),
		cmocka_unit_test(many_arrays_of_the_same_nodes_do_not_disturb_each_other),
		cmocka_unit_test(a_failed_store_leaves_no_node_behind),
	};

	return cmocka_run_group_tests_name("xarray", tests, NULL, NULL);
}
