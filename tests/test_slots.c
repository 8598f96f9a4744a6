// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slots.h"
#include "tests/test.h"

static void a_slot_keeps_what_is_noted_until_it_is_set_again(void **state)
{
	struct slots *slots;
	bool in_memory;
	uint32_t id;

	assert_int_equal(slots_create(true, NULL, &slots), 0);
	assert_int_equal(slots_set(slots, 1, 77, UINT32_MAX, false), 0);
	assert_int_equal(slots_note_memcg(slots, 1, 77, SLOTS_MAX_MEMCGS - 1), 0);
	slots_note_written_back(slots, 1, 77);
	assert_true(slots_get(slots, 1, 77, &id, &in_memory));
	assert_int_equal(id, UINT32_MAX);
	assert_false(in_memory);
	assert_int_equal(slots_memcg(slots, 1, 77), SLOTS_MAX_MEMCGS - 1);
	assert_true(slots_written_back(slots, 1, 77));

	assert_int_equal(slots_set(slots, 1, 77, 0, false), 0);
	assert_true(slots_get(slots, 1, 77, &id, &in_memory));
	assert_int_equal(id, 0);
	assert_false(in_memory);
	assert_int_equal(slots_memcg(slots, 1, 77), 0);
	assert_false(slots_written_back(slots, 1, 77));
	assert_int_equal(slots_nr_used(slots), 1);
	assert_int_equal(slots_set(slots, 1, 77, 5, true), 0);
	assert_true(slots_get(slots, 1, 77, &id, &in_memory));
	assert_true(in_memory);
	assert_false(slots_written_back(slots, 1, 77));
	slots_destroy(slots);
}

static void without_ids_a_slot_keeps_a_tag_of_its_page(void **state)
{
	struct slots *slots;
	bool in_memory;
	uint32_t id;

	assert_int_equal(slots_create(false, NULL, &slots), 0);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(slots_reserve(slots, 2, i, 1), 0);
		assert_int_equal(slots_set(slots, 2, i, 1000 + i, i % 3 == 0), 0);
		if (i % 3 == 1)
			slots_note_written_back(slots, 2, i);
	}
	for (uint32_t i = 0; i < 100; i++) {
		assert_true(slots_get(slots, 2, i, &id, &in_memory));
		assert_int_equal(id, i % 4);
		assert_int_equal(in_memory, i % 3 == 0);
		assert_int_equal(slots_written_back(slots, 2, i), i % 3 == 1);
		assert_true(slots_clear(slots, 2, i));
	}
	assert_int_equal(slots_nr_used(slots), 0);
	slots_destroy(slots);
}

static void what_is_noted_of_a_slot_that_was_never_set_is_lost(void **state)
{
	struct slots *slots;
	bool in_memory;
	uint32_t id;

	assert_int_equal(slots_create(true, NULL, &slots), 0);
	slots_note_memcg(slots, 0, 5, 3);
	slots_note_written_back(slots, 0, 5);
	assert_false(slots_get(slots, 0, 5, &id, &in_memory));
	assert_int_equal(slots_memcg(slots, 0, 5), 0);
	assert_false(slots_written_back(slots, 0, 5));
	assert_int_equal(slots_nr_used(slots), 0);
	assert_false(slots_clear(slots, 0, 5));
	slots_destroy(slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_keeps_what_is_noted_until_it_is_set_again),
		cmocka_unit_test(without_ids_a_slot_keeps_a_tag_of_its_page),
		cmocka_unit_test(what_is_noted_of_a_slot_that_was_never_set_is_lost),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
