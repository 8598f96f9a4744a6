// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>

#include "sim/bootstrap.h"
#include "tests/test.h"
#include "traces/random.h"

#define MAX_UNITS  64
#define MAX_BLOCKS 8

/* Measurements of two sides, each unit once in each block; without blocks there is one. */
struct data {
	unsigned nr_units, nr_blocks;
	double base[MAX_BLOCKS][MAX_UNITS], changed[MAX_BLOCKS][MAX_UNITS];
	double sum_base[MAX_UNITS], sum_changed[MAX_UNITS]; /* over the blocks drawn */
};

static void draw_blocks(void *arg, const unsigned *block)
{
	struct data *d = arg;

	for (unsigned u = 0; u < d->nr_units; u++) {
		d->sum_base[u] = d->sum_changed[u] = 0;
		for (unsigned b = 0; b < d->nr_blocks; b++) {
			d->sum_base[u] += d->base[block[b]][u] / d->nr_blocks;
			d->sum_changed[u] += d->changed[block[b]][u] / d->nr_blocks;
		}
	}
}

/* Mean of the base, mean of the difference. */
static void means(void *arg, const unsigned *unit, double *value)
{
	const struct data *d = arg;

	value[0] = value[1] = 0;
	for (unsigned i = 0; i < d->nr_units; i++) {
		value[0] += d->sum_base[unit[i]] / d->nr_units;
		value[1] += (d->sum_changed[unit[i]] - d->sum_base[unit[i]]) / d->nr_units;
	}
}

static void all_blocks(struct data *d)
{
	static const unsigned all[MAX_BLOCKS] = {0, 1, 2, 3, 4, 5, 6, 7};

	draw_blocks(d, all);
}

static void intervals(struct data *d, bool know_of_blocks, unsigned resamples, uint64_t seed,
		      struct interval out[2])
{
	struct bootstrap_config config = {.resamples = resamples, .confidence = 0.95, .seed = seed};
	struct bootstrap_sample sample = {
		.nr_units = d->nr_units,
		.nr_blocks = know_of_blocks ? d->nr_blocks : 0,
		.draw_blocks = draw_blocks,
		.nr_statistics = 2,
		.statistics = means,
		.arg = d,
	};

	all_blocks(d);
	assert_int_equal(bootstrap_intervals(&config, &sample, out), 0);
}

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double draw_exponential(struct random *r)
{
	return -log(1 - random_unit(r));
}

/* How often of @experiments the interval of @n draws with mean @mean has that in it. */
static double coverage(double (*draw)(struct random *r), double mean, unsigned n,
		       unsigned experiments)
{
	static struct data d;
	unsigned covered = 0;
	struct random r;

	random_init(&r, 20, n);
	d.nr_units = n;
	d.nr_blocks = 1;
	for (unsigned i = 0; i < experiments; i++) {
		struct interval out[2];

		for (unsigned u = 0; u < n; u++)
			d.base[0][u] = draw(&r);
		intervals(&d, false, 400, i, out);
		covered += interval_contains(&out[0], mean);
	}
	return (double)covered / experiments;
}

static void interval_of_a_normal_mean_covers_it_as_often_as_it_says(void **state)
{
	double few = coverage(draw_normal, 0, 12, 1000), many = coverage(draw_normal, 0, 60, 500);

	assert_true(few > 0.93 && few < 0.975);
	assert_true(many > 0.93 && many < 0.975);
}

/* Of a skewed distribution it is known to cover somewhat less. */
static void interval_of_a_skewed_mean_covers_it_nearly_as_often(void **state)
{
	double covered = coverage(draw_exponential, 1, 30, 500);

	assert_true(covered > 0.90 && covered < 0.975);
}

/* A round is a bit faster or slower as a whole, in the difference of the sides, too. */
static void fill_with_blocks(struct data *d, struct random *r)
{
	d->nr_units = 40;
	d->nr_blocks = 7;
	for (unsigned b = 0; b < d->nr_blocks; b++) {
		double effect = draw_normal(r);

		for (unsigned u = 0; u < d->nr_units; u++) {
			d->base[b][u] = 100 + u;
			d->changed[b][u] = d->base[b][u] + effect + draw_normal(r);
		}
	}
}

static void what_blocks_have_in_common_does_not_pass_for_certainty(void **state)
{
	unsigned covered = 0, covered_blindly = 0;
	static struct data d;
	struct random r;

	random_init(&r, 21, 0);
	for (unsigned i = 0; i < 300; i++) {
		struct interval out[2];

		fill_with_blocks(&d, &r);
		intervals(&d, true, 1000, i, out);
		covered += interval_contains(&out[1], 0);
		intervals(&d, false, 400, i, out);
		covered_blindly += interval_contains(&out[1], 0);
	}
	assert_true(covered > 300 * 0.93);
	assert_true(covered_blindly < 300 * 0.7);
}

/* Contents differ by far more than what is looked for. */
static void pairing_takes_out_what_units_have_in_common(void **state)
{
	static struct data d = {.nr_units = 50, .nr_blocks = 1};
	struct interval out[2];
	struct random r;

	random_init(&r, 22, 0);
	for (unsigned u = 0; u < d.nr_units; u++) {
		d.base[0][u] = 1000 + 500 * draw_normal(&r);
		d.changed[0][u] = d.base[0][u] + 10 + draw_normal(&r);
	}
	intervals(&d, false, 2000, 1, out);
	assert_true(interval_contains(&out[1], 10));
	assert_true(out[1].high - out[1].low < 2);
	assert_true(out[0].high - out[0].low > 100);
}

static void a_seed_gives_the_same_interval_again(void **state)
{
	struct interval a[2], b[2], c[2];
	static struct data d;
	struct random r;

	random_init(&r, 23, 0);
	fill_with_blocks(&d, &r);
	intervals(&d, true, 2000, 5, a);
	intervals(&d, true, 2000, 5, b);
	intervals(&d, true, 2000, 6, c);
	assert_memory_equal(a, b, sizeof(a));
	assert_true(a[1].low != c[1].low);
	assert_true(fabs(a[1].low - c[1].low) < 0.3 && fabs(a[1].high - c[1].high) < 0.3);
}

static void what_never_differs_has_an_interval_of_one_point(void **state)
{
	static struct data d = {.nr_units = 20, .nr_blocks = 1};
	struct interval out[2];

	for (unsigned u = 0; u < d.nr_units; u++)
		d.base[0][u] = d.changed[0][u] = u;
	intervals(&d, false, 500, 1, out);
	assert_true(out[1].low == 0 && out[1].high == 0);
}

static void one_unit_says_nothing_and_one_block_only_of_units(void **state)
{
	static struct data d = {.nr_units = 1, .nr_blocks = 1, .base[0][0] = 3};
	struct interval out[2];

	intervals(&d, true, 500, 1, out);
	assert_true(isnan(out[0].low) && isnan(out[0].high));
	d.nr_units = 0;
	intervals(&d, true, 500, 1, out);
	assert_true(isnan(out[0].low));
	d.nr_units = 2;
	d.base[0][1] = 5;
	intervals(&d, true, 500, 1, out);
	assert_true(out[0].low == 3 && out[0].high == 5);
}

/* A row that hardly any of the units has. */
static void rare(void *arg, const unsigned *unit, double *value)
{
	const unsigned *nr_units = arg;

	value[0] = value[1] = NAN;
	for (unsigned i = 0; i < *nr_units; i++) {
		if (unit[i] == 0)
			value[0] = 7;
		if (unit[i] < 5)
			value[1] = 7;
	}
}

static void a_statistic_that_is_seldom_there_has_no_interval(void **state)
{
	struct bootstrap_config config = {.resamples = 1000, .confidence = 0.95, .seed = 1};
	unsigned nr_units = 10;
	struct bootstrap_sample sample = {
		.nr_units = 10, .nr_statistics = 2, .statistics = rare, .arg = &nr_units};
	struct interval out[2];

	/* The first unit is among ten draws with a probability of 0.65. */
	assert_int_equal(bootstrap_intervals(&config, &sample, out), 0);
	assert_true(out[0].low == 7 && out[1].high == 7);
	/* Among the first two of them with 0.19; one of the first five with 0.75. */
	nr_units = 2;
	assert_int_equal(bootstrap_intervals(&config, &sample, out), 0);
	assert_true(isnan(out[0].low) && out[1].low == 7);
}

static void settings_out_of_range_are_refused(void **state)
{
	static struct data d = {.nr_units = 3, .nr_blocks = 1};
	struct bootstrap_sample sample = {
		.nr_units = 3, .nr_statistics = 2, .statistics = means, .arg = &d};
	static const struct bootstrap_config bad[] = {
		{.resamples = BOOTSTRAP_MIN_RESAMPLES - 1, .confidence = 0.95},
		{.resamples = BOOTSTRAP_MAX_RESAMPLES + 1, .confidence = 0.95},
		{.resamples = 1000, .confidence = 0},
		{.resamples = 1000, .confidence = 1},
		{.resamples = 1000, .confidence = NAN},
	};
	struct interval out[2];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(bootstrap_intervals(&bad[i], &sample, out), -EINVAL);
}

static void students_t_is_as_in_the_tables(void **state)
{
	static const struct {
		unsigned df;
		double t; /* of 0.975 */
	} table[] = {{1, 12.70620}, {2, 4.30265},  {6, 2.44691},   {11, 2.20099},
		     {30, 2.04227}, {60, 2.00030}, {120, 1.97993}, {999, 1.96234}};

	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_true(fabs(bootstrap_t_quantile(0.975, table[i].df) - table[i].t) < 1e-5);
		assert_true(fabs(bootstrap_t_quantile(0.025, table[i].df) + table[i].t) < 1e-5);
		assert_true(fabs(bootstrap_t_cdf(table[i].t, table[i].df) - 0.975) < 1e-6);
		assert_true(fabs(bootstrap_t_cdf(0, table[i].df) - 0.5) < 1e-12);
	}
}

static void few_units_are_taken_further_out(void **state)
{
	assert_true(bootstrap_tail(0.95, 2) < 1e-6);
	assert_true(fabs(bootstrap_tail(0.95, 12) - 0.01076) < 2e-5);
	assert_true(bootstrap_tail(0.95, 500) > 0.0245 && bootstrap_tail(0.95, 500) < 0.025);
	assert_true(fabs(bootstrap_tail(0.95, 100000) - 0.025) < 1e-12);
	for (unsigned n = 2; n < 200; n++)
		assert_true(bootstrap_tail(0.9, n) < bootstrap_tail(0.9, n + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_of_a_normal_mean_covers_it_as_often_as_it_says),
		cmocka_unit_test(interval_of_a_skewed_mean_covers_it_nearly_as_often),
		cmocka_unit_test(what_blocks_have_in_common_does_not_pass_for_certainty),
		cmocka_unit_test(pairing_takes_out_what_units_have_in_common),
		cmocka_unit_test(a_seed_gives_the_same_interval_again),
		cmocka_unit_test(what_never_differs_has_an_interval_of_one_point),
		cmocka_unit_test(one_unit_says_nothing_and_one_block_only_of_units),
		cmocka_unit_test(a_statistic_that_is_seldom_there_has_no_interval),
		cmocka_unit_test(settings_out_of_range_are_refused),
		cmocka_unit_test(students_t_is_as_in_the_tables),
		cmocka_unit_test(few_units_are_taken_further_out),
	};

	return cmocka_run_group_tests_name("bootstrap", tests, NULL, NULL);
}
