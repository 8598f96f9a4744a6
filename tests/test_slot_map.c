// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>

#include "sim/slot_map.h"
#include "tests/policy_plan.h"
#include "tests/test.h"

#define SLOTS 3000u

static void an_empty_map_has_nothing(void **state)
{
	struct slot_map map;

	slot_map_init(&map);
	assert_null(slot_map_find(&map, 0));
	assert_false(slot_map_erase(&map, 0));
	slot_map_finish(&map);
}

/* Keys of several devices, dense and far apart: as slots are. */
static uint64_t key_of(unsigned i)
{
	return slot_key(i % 3, i % 2 ? i : (uint64_t)i << 20);
}

static void it_has_what_an_array_has(void **state)
{
	static uint64_t value[SLOTS];
	static bool there[SLOTS];
	uint64_t random = 7, nr = 0;
	struct slot_map map;

	slot_map_init(&map);
	for (unsigned step = 0; step < 200000; step++) {
		unsigned i = plan_random(&random, SLOTS);

		if (plan_random(&random, 100) < 45 + 10 * (step / 20000 % 2)) {
			value[i] = step;
			nr += !there[i];
			there[i] = true;
			assert_int_equal(slot_map_set(&map, key_of(i), step), 0);
		} else {
			assert_int_equal(slot_map_erase(&map, key_of(i)), there[i]);
			nr -= there[i];
			there[i] = false;
		}
		assert_int_equal(map.nr, nr);
		i = plan_random(&random, SLOTS);
		if (there[i])
			assert_int_equal(*slot_map_find(&map, key_of(i)), value[i]);
		else
			assert_null(slot_map_find(&map, key_of(i)));
	}
	slot_map_finish(&map);
}

static void what_was_reserved_is_set_without_memory(void **state)
{
	const struct slot_map_cell *cells;
	struct slot_map map;

	slot_map_init(&map);
	assert_int_equal(slot_map_reserve(&map, 1000), 0);
	cells = map.cells;
	for (unsigned i = 0; i < 1000; i++)
		slot_map_set(&map, key_of(i), i);
	assert_ptr_equal(map.cells, cells);
	slot_map_finish(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(it_has_what_an_array_has),
		cmocka_unit_test(what_was_reserved_is_set_without_memory),
	};

	return cmocka_run_group_tests_name("slot_map", tests, NULL, NULL);
}
