// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>

#include "sim/bench_stats.h"
#include "tests/test.h"
#include "traces/random.h"

#define RUNS   12
#define ROUNDS 9

static double base[RUNS * ROUNDS], changed[RUNS * ROUNDS];
static const struct bench_times base_times = {base, RUNS, ROUNDS};
static const struct bench_times changed_times = {changed, RUNS, ROUNDS};

/* Uniform over -1 to 1. */
static double noise(struct random *r)
{
	return 2 * random_unit(r) - 1;
}

/* A layout costs both sides of a run the same, and each of them something of its own. */
static void fill(struct random *r, double delta)
{
	for (unsigned run = 0; run < RUNS; run++) {
		double shared = 100 * noise(r), of_base = 5 * noise(r), of_changed = 5 * noise(r);

		for (unsigned i = run * ROUNDS; i < (run + 1) * ROUNDS; i++) {
			base[i] = 2000 + shared + of_base + 2 * noise(r);
			changed[i] = 2000 + delta + shared + of_changed + 2 * noise(r);
		}
	}
}

static struct bench_difference compare(const struct bench_times *a, const struct bench_times *b)
{
	struct bootstrap_config config;
	struct bench_difference d;

	bootstrap_config_init(&config);
	config.resamples = 500;
	assert_int_equal(bench_compare(&config, a, b, &d), 0);
	return d;
}

static void figures_are_medians_over_all_rounds_of_all_runs(void **state)
{
	static const double a[] = {5, 1, 900, 3, 2, 4}, b[] = {10, 2, 1800, 6, 4, 8};
	struct bench_difference d =
		compare(&(struct bench_times){a, 2, 3}, &(struct bench_times){b, 2, 3});

	assert_true(d.base == 3.5 && d.changed == 7);
	assert_true(d.delta == 3.5 && d.percent == 100);
	assert_true(interval_contains(&d.percent_interval, 100));
}

static void a_difference_is_found_in_what_runs_have_in_common(void **state)
{
	struct bench_difference d;
	struct random r;

	random_init(&r, 30, 0);
	fill(&r, -200);
	d = compare(&base_times, &changed_times);
	assert_true(interval_contains(&d.delta_interval, d.delta));
	assert_true(interval_contains(&d.percent_interval, d.percent));
	assert_true(d.delta_interval.high < -100 && d.percent_interval.high < -5);
}

/* What a second benchmark of the same thing finds is in it, 19 times of 20 or more. */
static void intervals_cover_the_difference(void **state)
{
	unsigned covered = 0;
	struct random r;

	random_init(&r, 31, 0);
	for (unsigned i = 0; i < 300; i++) {
		struct bench_difference d;

		fill(&r, -200);
		d = compare(&base_times, &changed_times);
		covered += interval_contains(&d.delta_interval, -200);
	}
	assert_true(covered >= 300 * 0.95);
}

static void one_run_has_no_interval(void **state)
{
	static const double a[] = {5, 1, 3}, b[] = {4, 4, 4};
	struct bench_difference d =
		compare(&(struct bench_times){a, 1, 3}, &(struct bench_times){b, 1, 3});

	assert_true(d.base == 3 && d.changed == 4 && d.delta == 1);
	assert_true(isnan(d.delta_interval.low) && isnan(d.percent_interval.high));
}

static void sides_that_do_not_match_are_refused(void **state)
{
	struct bench_times fewer = {base, RUNS - 1, ROUNDS}, shorter = {base, RUNS, ROUNDS - 1},
			   none = {base, 0, ROUNDS};
	struct bootstrap_config config;
	struct bench_difference d;

	bootstrap_config_init(&config);
	assert_int_equal(bench_compare(&config, &base_times, &fewer, &d), -EINVAL);
	assert_int_equal(bench_compare(&config, &base_times, &shorter, &d), -EINVAL);
	assert_int_equal(bench_compare(&config, &none, &none, &d), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_medians_over_all_rounds_of_all_runs),
		cmocka_unit_test(a_difference_is_found_in_what_runs_have_in_common),
		cmocka_unit_test(intervals_cover_the_difference),
		cmocka_unit_test(one_run_has_no_interval),
		cmocka_unit_test(sides_that_do_not_match_are_refused),
	};

	return cmocka_run_group_tests_name("bench_stats", tests, NULL, NULL);
}
