// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/histogram.h"
#include "tests/test.h"

#define HOUR_NS 3600000000000ull

static uint64_t rng_state;

/* xorshift64: the same values everywhere. */
static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

static double rng_unit(void)
{
	return (rng() >> 11) * 0x1p-53;
}

static struct histogram *new_histogram(void)
{
	struct histogram *h = malloc(sizeof(*h));

	assert_non_null(h);
	histogram_init(h);
	return h;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Distributions that times have, and some that they do not. */
static uint64_t uniform_narrow(void)
{
	return 1000 + rng() % 100;
}

static uint64_t uniform_wide(void)
{
	return rng() % HOUR_NS;
}

static uint64_t log_uniform(void)
{
	return exp(rng_unit() * log(HOUR_NS));
}

static uint64_t small(void)
{
	return rng() % 300;
}

static uint64_t two_modes(void)
{
	return rng() % 100 < 99 ? 2300 + rng() % 200 : 4000000 + rng() % 1000000;
}

static uint64_t long_tail(void)
{
	return 500 / pow(rng_unit() + 1e-9, 1.2);
}

static uint64_t constant(void)
{
	return 123457;
}

static uint64_t powers_of_two_and_neighbours(void)
{
	return (1ull << (rng() % 64)) + rng() % 3 - 1;
}

static uint64_t (*const distributions[])(void) = {
	uniform_narrow, uniform_wide, log_uniform, small,
	two_modes,	long_tail,    constant,	   powers_of_two_and_neighbours,
};
#define NR_DISTRIBUTIONS (sizeof(distributions) / sizeof(*distributions))

static const unsigned quantiles[][2] = {
	{0, 1}, {1, 1000}, {1, 4}, {1, 2}, {9, 10}, {99, 100}, {999, 1000}, {9999, 10000}, {1, 1},
};
#define NR_QUANTILES (sizeof(quantiles) / sizeof(*quantiles))

/* The nearest rank, in a sorted array: what the definition says. */
static uint64_t true_quantile(const uint64_t *sorted, uint64_t n, unsigned num, unsigned den)
{
	uint64_t rank = n * num / den + (n * num % den != 0);

	return sorted[rank ? rank - 1 : 0];
}

static void check_against(const struct histogram *h, uint64_t *values, uint64_t n)
{
	uint64_t sum = 0;

	qsort(values, n, sizeof(*values), compare);
	for (uint64_t i = 0; i < n; i++)
		sum += values[i];
	assert_int_equal(h->count, n);
	assert_true(h->sum == sum);
	assert_true(h->min == values[0]);
	assert_true(h->max == values[n - 1]);
	assert_true(histogram_mean(h) == (double)sum / n);
	for (size_t q = 0; q < NR_QUANTILES; q++) {
		uint64_t expected = true_quantile(values, n, quantiles[q][0], quantiles[q][1]);
		uint64_t got = histogram_quantile(h, quantiles[q][0], quantiles[q][1]);
		uint64_t error = got > expected ? got - expected : expected - got;

		if (expected < 256)
			assert_int_equal(got, expected);
		else if (error > expected / 256)
			fail_msg("quantile %u/%u of %lu: %lu, not %lu", quantiles[q][0],
				 quantiles[q][1], (unsigned long)n, (unsigned long)got,
				 (unsigned long)expected);
	}
}

static void quantiles_are_within_a_256th_of_a_sorted_array(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 10, 99, 100, 101, 1000, 1001, 50000};
	uint64_t *values = malloc(50000 * sizeof(*values));
	struct histogram *h = new_histogram();

	rng_state = 1;
	for (size_t d = 0; d < NR_DISTRIBUTIONS; d++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			histogram_init(h);
			for (uint64_t i = 0; i < sizes[s]; i++) {
				values[i] = distributions[d]();
				histogram_add(h, values[i]);
			}
			check_against(h, values, sizes[s]);
		}
	}
	free(values);
	free(h);
}

static void merged_histograms_are_the_histogram_of_all_values(void **state)
{
	struct histogram *all = new_histogram(), *sum = new_histogram(), *part = new_histogram();

	rng_state = 2;
	for (size_t d = 0; d < NR_DISTRIBUTIONS; d++) {
		histogram_init(part);
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t value = distributions[d]();

			histogram_add(all, value);
			histogram_add(part, value);
		}
		histogram_merge(sum, part);
	}
	assert_memory_equal(all, sum, sizeof(*all));
	histogram_init(part);
	histogram_merge(sum, part);
	assert_memory_equal(all, sum, sizeof(*all));
	free(all);
	free(sum);
	free(part);
}

static void buckets_follow_each_other_without_a_gap(void **state)
{
	unsigned last = histogram_bucket(0);

	assert_int_equal(last, 0);
	/* At every border of buckets the next bucket begins, and nowhere else. */
	for (unsigned shift = 0; shift <= 56; shift++) {
		for (uint64_t i = shift ? 128 : 0; i < 256; i++) {
			uint64_t low = i << shift, high = low + (1ull << shift) - 1;

			if (low)
				assert_int_equal(histogram_bucket(low), last + 1);
			assert_int_equal(histogram_bucket(high), histogram_bucket(low));
			last = histogram_bucket(low);
		}
	}
	assert_int_equal(last, HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void a_histogram_without_values_is_all_zero(void **state)
{
	struct histogram *h = new_histogram();
	struct histogram_summary summary, zero = {0};

	histogram_summarise(h, &summary);
	assert_int_equal(summary.count, 0);
	assert_memory_equal(&summary, &zero, sizeof(zero));
	free(h);
}

static void the_rank_is_exact_where_a_double_would_round_up(void **state)
{
	struct histogram *h = new_histogram();
	struct histogram_summary summary;

	/* 0.999 * 1000 is 999.0000000000001 in some ways to write it. */
	for (unsigned i = 1; i <= 999; i++)
		histogram_add(h, 10);
	histogram_add(h, 200);
	histogram_summarise(h, &summary);
	assert_int_equal(summary.p50, 10);
	assert_int_equal(summary.p99, 10);
	assert_int_equal(summary.p99_9, 10);
	assert_int_equal(summary.max, 200);
	histogram_add(h, 200);
	assert_int_equal(histogram_quantile(h, 999, 1000), 200);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_within_a_256th_of_a_sorted_array),
		cmocka_unit_test(merged_histograms_are_the_histogram_of_all_values),
		cmocka_unit_test(buckets_follow_each_other_without_a_gap),
		cmocka_unit_test(a_histogram_without_values_is_all_zero),
		cmocka_unit_test(the_rank_is_exact_where_a_double_would_round_up),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
