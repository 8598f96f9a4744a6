// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "tests/test.h"
#include "traces/zipf.h"

#define DRAWS 400000

/*
 * Chi-squared of @n ranks, the rare ones together, against k^-a / sum. Its mean is the degrees of
 * freedom, its standard deviation the root of twice that: five of them above is never by chance.
 */
static void check_masses(uint64_t n, double a, uint64_t seed)
{
	uint32_t *counts = calloc(n + 1, sizeof(*counts));
	double sum = 0, chi2 = 0, rest_expected = 0, rest = 0;
	unsigned freedom = 0;
	struct random r;
	struct zipf z;

	zipf_init(&z, n, a);
	random_init(&r, seed, 0);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t k = zipf_draw(&z, &r);

		assert_true(k >= 1 && k <= n);
		counts[k]++;
	}
	for (uint64_t k = 1; k <= n; k++)
		sum += pow(k, -a);
	for (uint64_t k = 1; k <= n; k++) {
		double expected = DRAWS * pow(k, -a) / sum;

		if (expected < 10) {
			rest_expected += expected;
			rest += counts[k];
			continue;
		}
		chi2 += (counts[k] - expected) * (counts[k] - expected) / expected;
		freedom++;
	}
	if (rest_expected >= 10) {
		chi2 += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
		freedom++;
	}
	free(counts);
	freedom = freedom > 1 ? freedom - 1 : 1;
	if (chi2 >= freedom + 5 * sqrt(2.0 * freedom))
		fail_msg("n %lu, a %g: chi-squared %g of %u degrees of freedom", (unsigned long)n,
			 a, chi2, freedom);
}

static void every_rank_comes_as_often_as_it_should(void **state)
{
	static const double exponents[] = {1e-9, 0.1, 0.5, 0.8, 0.99, 1,  1 + 1e-12,
					   1.01, 1.2, 2,   3.5, 8,    50, 1e6};
	static const uint64_t sizes[] = {1, 2, 3, 10, 1000};

	for (size_t e = 0; e < sizeof(exponents) / sizeof(*exponents); e++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			check_masses(sizes[s], exponents[e], 100 * e + s);
	}
}

static void very_many_ranks_need_no_table(void **state)
{
	const uint64_t n = 1ull << 40;
	uint32_t first = 0, upper_half = 0;
	struct random r;
	struct zipf z;

	/* a = 1: the first has 1 / (ln n + 0.5772), the upper half ln 2 of that. */
	zipf_init(&z, n, 1);
	random_init(&r, 1, 0);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t k = zipf_draw(&z, &r);

		assert_true(k >= 1 && k <= n);
		first += k == 1;
		upper_half += k > n / 2;
	}
	assert_in_range(first, DRAWS / 28.30 * 0.96, DRAWS / 28.30 * 1.04);
	assert_in_range(upper_half, 0.6931 * DRAWS / 28.30 * 0.95, 0.6931 * DRAWS / 28.30 * 1.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rank_comes_as_often_as_it_should),
		cmocka_unit_test(very_many_ranks_need_no_table),
	};

	return cmocka_run_group_tests_name("zipf", tests, NULL, NULL);
}
