// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include "traces/random.h"

static void the_numbers_are_those_of_xoshiro256_starstar(void **state)
{
	/* Published with the generator's other implementations, for the state 1, 2, 3, 4. */
	static const uint64_t expected[] = {
		11520ull,
		0ull,
		1509978240ull,
		1215971899390074240ull,
		1216172134540287360ull,
		607988272756665600ull,
		16172922978634559625ull,
		8476171486693032832ull,
	};
	struct random r = {.s = {1, 2, 3, 4}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		assert_true(random_u64(&r) == expected[i]);
}

static void seeds_and_streams_are_not_each_others(void **state)
{
	struct random a, b;

	random_init(&a, 1, 2);
	random_init(&b, 1, 2);
	assert_true(random_u64(&a) == random_u64(&b));
	random_init(&b, 2, 1);
	assert_true(random_u64(&a) != random_u64(&b));
	random_init(&b, 1, 3);
	assert_true(random_u64(&a) != random_u64(&b));
	random_init(&a, 0, 0);
	assert_true(random_u64(&a) != 0);
}

/* Chi-squared with 99 degrees of freedom: 161 is exceeded once in 10000 seeds, this is one seed. */
static void below_is_uniform_and_never_reaches_its_bound(void **state)
{
	uint32_t counts[100] = {0};
	double chi2 = 0;
	struct random r;

	random_init(&r, 1, 0);
	for (int i = 0; i < 1000000; i++) {
		uint64_t x = random_below(&r, 100);

		assert_true(x < 100);
		counts[x]++;
	}
	for (int i = 0; i < 100; i++)
		chi2 += (counts[i] - 10000.0) * (counts[i] - 10000.0) / 10000.0;
	assert_true(chi2 < 161);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(random_below(&r, 1), 0);
	/* Three quarters of 2^64: without rejection, every third number would come twice as often.
	 */
	counts[0] = counts[1] = counts[2] = 0;
	for (int i = 0; i < 300000; i++)
		counts[random_below(&r, 3ull << 62) % 3]++;
	for (int i = 0; i < 3; i++)
		assert_in_range(counts[i], 98800, 101200);
}

static void unit_is_in_the_half_open_interval(void **state)
{
	double low = 1, high = 0, sum = 0;
	struct random r;

	random_init(&r, 1, 0);
	for (int i = 0; i < 100000; i++) {
		double x = random_unit(&r);

		assert_true(x >= 0 && x < 1);
		low = x < low ? x : low;
		high = x > high ? x : high;
		sum += x;
	}
	assert_true(low < 0.001 && high > 0.999);
	assert_true(sum > 49500 && sum < 50500);
}

static void bytes_of_any_number_stay_inside_their_buffer(void **state)
{
	unsigned char buf[32], same[32];
	struct random r;

	for (size_t n = 0; n <= 17; n++) {
		memset(buf, 0xaa, sizeof(buf));
		random_init(&r, 5, n);
		random_bytes(&r, buf, n);
		assert_int_equal(buf[n], 0xaa);
		random_init(&r, 5, n);
		random_bytes(&r, same, n);
		assert_memory_equal(buf, same, n);
	}
}

static void permute_is_one_to_one(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 100, 1000, 4096, 4097, 27342};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		for (uint64_t key = 0; key < 3; key++) {
			bool *seen = calloc(sizes[s], sizeof(*seen));
			uint64_t fixed = 0;

			for (uint64_t i = 0; i < sizes[s]; i++) {
				uint64_t to = random_permute(i, sizes[s], key);

				assert_true(to < sizes[s]);
				assert_false(seen[to]);
				seen[to] = true;
				fixed += to == i;
			}
			/* One fixed point is what chance gives. */
			assert_true(sizes[s] < 100 || fixed < 10);
			free(seen);
		}
	}
	assert_true(random_permute(12345, 1ull << 62, 1) < 1ull << 62);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_xoshiro256_starstar),
		cmocka_unit_test(seeds_and_streams_are_not_each_others),
		cmocka_unit_test(below_is_uniform_and_never_reaches_its_bound),
		cmocka_unit_test(unit_is_in_the_half_open_interval),
		cmocka_unit_test(bytes_of_any_number_stay_inside_their_buffer),
		cmocka_unit_test(permute_is_one_to_one),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
