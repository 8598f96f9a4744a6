// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "sim/slot_bytes.h"
#include "tests/test.h"

#define N 3000

/* Dense, sparse and the last slots there are. */
static uint64_t slot_of(unsigned i)
{
	return i % 3 == 0 ? i : i % 3 == 1 ? (uint64_t)i << 27 : (1ull << 40) - 1 - i;
}

static void each_slot_keeps_its_own_byte(void **state)
{
	struct slot_bytes sb;

	assert_int_equal(slot_bytes_init(&sb), 0);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(slot_bytes_reserve(&sb, i % 32, slot_of(i)), 0);
		assert_int_equal(slot_bytes_set(&sb, i % 32, slot_of(i), 0xff, i), 0);
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(slot_bytes_get(&sb, i % 32, slot_of(i)), i % 256);
		assert_int_equal(slot_bytes_get(&sb, (i + 1) % 32, slot_of(i)), 0);
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(slot_bytes_set(&sb, i % 32, slot_of(i), 0xff, 255 - i), i % 256);
		assert_int_equal(slot_bytes_set(&sb, i % 32, slot_of(i), 0xff, 0), 255 - i % 256);
	}
	assert_int_equal(kmem_cache_nr_live(sb.leaves), 0);
	slot_bytes_finish(&sb);
}

static void a_mask_leaves_the_other_bits_alone(void **state)
{
	struct slot_bytes sb;

	assert_int_equal(slot_bytes_init(&sb), 0);
	assert_int_equal(slot_bytes_set(&sb, 0, 7, 0xf0, 0x50), 0);
	assert_int_equal(slot_bytes_set(&sb, 0, 7, 0x0f, 0x0c), 0x50);
	assert_int_equal(slot_bytes_get(&sb, 0, 7), 0x5c);
	assert_int_equal(slot_bytes_set(&sb, 0, 7, 0xf0, 0), 0x5c);
	assert_int_equal(slot_bytes_get(&sb, 0, 7), 0x0c);
	assert_int_equal(kmem_cache_nr_live(sb.leaves), 1);
	assert_int_equal(slot_bytes_set(&sb, 0, 7, 0x0f, 0), 0x0c);
	assert_int_equal(kmem_cache_nr_live(sb.leaves), 0);
	slot_bytes_finish(&sb);
}

static void a_set_that_fails_changes_nothing(void **state)
{
	struct slot_bytes sb;

	assert_int_equal(slot_bytes_init(&sb), 0);
	kmem_cache_fail_nth(sb.leaves, 1);
	assert_int_equal(slot_bytes_set(&sb, 3, 5, 0xff, 1), -ENOMEM);
	assert_int_equal(kmem_cache_nr_live(sb.leaves), 0);
	assert_int_equal(slot_bytes_get(&sb, 3, 5), 0);
	assert_int_equal(slot_bytes_set(&sb, 3, 5, 0xff, 1), 0);
	assert_int_equal(slot_bytes_get(&sb, 3, 5), 1);
	slot_bytes_finish(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_slot_keeps_its_own_byte),
		cmocka_unit_test(a_mask_leaves_the_other_bits_alone),
		cmocka_unit_test(a_set_that_fails_changes_nothing),
	};

	return cmocka_run_group_tests_name("slot_bytes", tests, NULL, NULL);
}
