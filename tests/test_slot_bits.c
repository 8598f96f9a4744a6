// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "sim/slot_bits.h"
#include "tests/test.h"

#define N 3000

/* Dense, sparse and the last slots there are. */
static uint64_t slot_of(unsigned i)
{
	return i % 3 == 0 ? i : i % 3 == 1 ? (uint64_t)i << 27 : (1ull << 40) - 1 - i;
}

static void each_slot_keeps_its_own_number(void **state)
{
	struct slot_bits bits;

	assert_int_equal(slot_bits_init(&bits, 4), 0);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(slot_bits_set(&bits, i % 32, slot_of(i), i % 16), 0);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(slot_bits_get(&bits, i % 32, slot_of(i)), i % 16);
		assert_int_equal(slot_bits_get(&bits, (i + 1) % 32, slot_of(i)), 0);
	}
	assert_int_equal(bits.nr_used, N - (N + 15) / 16);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(slot_bits_set(&bits, i % 32, slot_of(i), 15 - i % 16), i % 16);
		assert_int_equal(slot_bits_set(&bits, i % 32, slot_of(i), 0), 15 - i % 16);
	}
	assert_int_equal(bits.nr_used, 0);
	assert_int_equal(kmem_cache_nr_live(bits.leaves), 0);
	slot_bits_finish(&bits);
}

static void neighbours_in_a_word_do_not_disturb_each_other(void **state)
{
	struct slot_bits bits;

	assert_int_equal(slot_bits_init(&bits, 4), 0);
	for (unsigned i = 0; i < 64; i++)
		slot_bits_set(&bits, 0, i, i % 15 + 1);
	slot_bits_set(&bits, 0, 20, 0);
	slot_bits_set(&bits, 0, 21, 9);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(slot_bits_get(&bits, 0, i), i == 20   ? 0
							     : i == 21 ? 9
								       : i % 15 + 1);
	slot_bits_finish(&bits);
}

static void one_bit_a_slot_is_a_set(void **state)
{
	struct slot_bits bits;

	assert_int_equal(slot_bits_init(&bits, 1), 0);
	for (unsigned i = 0; i < 20000; i += 3) {
		assert_int_equal(slot_bits_reserve(&bits, 1, i, 1), 0);
		assert_int_equal(slot_bits_set(&bits, 1, i, 1), 0);
		assert_int_equal(slot_bits_set(&bits, 1, i, 1), 1);
	}
	for (unsigned i = 0; i < 20000; i++)
		assert_int_equal(slot_bits_get(&bits, 1, i), i % 3 == 0);
	assert_int_equal(bits.nr_used, 6667);
	for (unsigned i = 0; i < 20000; i++)
		assert_int_equal(slot_bits_set(&bits, 1, i, 0), i % 3 == 0);
	assert_int_equal(bits.nr_used, 0);
	assert_int_equal(kmem_cache_nr_live(bits.leaves), 0);
	slot_bits_finish(&bits);
}

static void a_set_that_fails_changes_nothing(void **state)
{
	struct slot_bits bits;

	assert_int_equal(slot_bits_init(&bits, 4), 0);
	kmem_cache_fail_nth(bits.leaves, 1);
	assert_int_equal(slot_bits_set(&bits, 3, 5, 1), -ENOMEM);
	assert_int_equal(kmem_cache_nr_live(bits.leaves), 0);
	assert_int_equal(bits.nr_used, 0);
	assert_int_equal(slot_bits_get(&bits, 3, 5), 0);
	assert_int_equal(slot_bits_set(&bits, 3, 5, 1), 0);
	assert_int_equal(slot_bits_get(&bits, 3, 5), 1);
	slot_bits_finish(&bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_slot_keeps_its_own_number),
		cmocka_unit_test(neighbours_in_a_word_do_not_disturb_each_other),
		cmocka_unit_test(one_bit_a_slot_is_a_set),
		cmocka_unit_test(a_set_that_fails_changes_nothing),
	};

	return cmocka_run_group_tests_name("slot_bits", tests, NULL, NULL);
}
