// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/timing.h"

#include <time.h>

#include "backends/cpuid.h"
#include "tests/test.h"

static void spin(void *arg)
{
	uint64_t us = *(const unsigned *)arg;
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((uint64_t)(now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec <
		 us * 1000);
}

static void count_calls(void *arg)
{
	++*(unsigned *)arg;
}

static void a_call_takes_at_least_as_long_as_it_takes(void **state)
{
	unsigned us = 50;
	struct timing t;

	assert_int_equal(timing_measure(spin, &us, 100, &t), 0);
	assert_int_equal(t.nr, 100);
	/* Less a reading of the clock, which is some tens of ns, or a few us in an emulator. */
	assert_in_range(t.min, 45000, 1000000);
	assert_true(t.min <= t.median && t.median <= t.p99);
}

static void calls_are_made_as_often_as_told_and_a_few_times_more(void **state)
{
	unsigned nr = 0;
	struct timing t;

	assert_int_equal(timing_measure(count_calls, &nr, 1, &t), 0);
	assert_in_range(nr, 2, 100);
	assert_int_equal(t.min, t.p99);
	nr = 0;
	assert_int_equal(timing_measure(count_calls, &nr, 1000, &t), 0);
	assert_in_range(nr, 1001, 1100);
}

struct turns {
	char order[64];
	unsigned nr;
};

static void first(void *arg)
{
	struct turns *t = arg;

	if (t->nr < sizeof(t->order) - 1)
		t->order[t->nr++] = 'a';
}

static void second(void *arg)
{
	struct turns *t = arg;

	if (t->nr < sizeof(t->order) - 1)
		t->order[t->nr++] = 'b';
}

static void several_calls_are_made_in_turn(void **state)
{
	struct turns turns = {.nr = 0};
	const struct timing_call calls[] = {{first, &turns}, {second, &turns}};
	struct timing t[2];

	assert_int_equal(timing_measure_all(calls, 2, 4, t), 0);
	assert_int_equal(t[1].nr, 4);
	assert_true(turns.nr >= 8);
	for (unsigned i = 0; i < turns.nr; i++)
		assert_int_equal(turns.order[i], i % 2 ? 'b' : 'a');
}

static void each_of_several_calls_has_its_own_time(void **state)
{
	unsigned short_us = 20, long_us = 200;
	const struct timing_call calls[] = {{spin, &short_us}, {spin, &long_us}};
	struct timing t[2];

	assert_int_equal(timing_measure_all(calls, 2, 50, t), 0);
	assert_true(t[0].min < 180000);
	assert_true(t[1].min > 180000);
}

static void a_cpuid_takes_time_where_there_is_one(void **state)
{
	uint32_t regs[CPUID_NR_REGS];
	bool there = cpuid_execute(0, 0, regs);
	struct timing t;

	assert_int_equal(timing_cpuid(0, 1000, &t), 0);
	/* It serialises: it is never free. */
	assert_int_equal(t.median > 5, there);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_takes_at_least_as_long_as_it_takes),
		cmocka_unit_test(calls_are_made_as_often_as_told_and_a_few_times_more),
		cmocka_unit_test(several_calls_are_made_in_turn),
		cmocka_unit_test(each_of_several_calls_has_its_own_time),
		cmocka_unit_test(a_cpuid_takes_time_where_there_is_one),
	};

	return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
