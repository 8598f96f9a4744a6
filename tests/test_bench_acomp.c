// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "backends/bench_acomp.h"
#include "backends/registry.h"
#include "tests/test.h"

#define OPERATIONS 7u

/* Goes on by 700 ns at each reading: a round is two of them, a request 100 ns. */
struct clock {
	uint64_t now, readings;
};

static uint64_t read_clock(void *arg)
{
	struct clock *c = arg;

	c->readings++;
	return c->now += 100 * OPERATIONS;
}

static uint8_t page[4096];
static struct profile profiles[BENCH_ACOMP_MAX_VARIANTS];
static char err[1024];

static struct bench_acomp_config config_of(struct clock *clock, const char *caller)
{
	static const char *const set[] = {"zstd.stream_init=eager", "zstd.stream_init=deferred",
					  "zstd.context=once"};
	struct bench_acomp_config config = {
		.profile = profiles,
		.nr_variants = 3,
		.caller = zstd_caller_find(caller),
		.crypto = backends_registry(),
		.data = page,
		.size = sizeof(page),
		.rounds = 4,
		.operations = OPERATIONS,
		.clock = read_clock,
		.clock_arg = clock,
	};

	for (unsigned v = 0; v < 3; v++) {
		assert_int_equal(profile_init(&profiles[v], "7.3", err, sizeof(err)), 0);
		assert_int_equal(profile_set(&profiles[v], set[v], err, sizeof(err)), 0);
	}
	for (unsigned i = 0; i < sizeof(page); i++)
		page[i] = "words that come again "[i % 22];
	return config;
}

static void a_round_is_timed_as_a_whole(void **state)
{
	struct clock clock = {0};
	struct bench_acomp_config config = config_of(&clock, "zswap");
	struct bench_acomp_times times;

	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), 0);
	/* Two readings for each variant, side and round, and none within. */
	assert_int_equal(clock.readings, 2 * 3 * ZSTD_NR_SIDES * 4);
	for (unsigned v = 0; v < 3; v++) {
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
			assert_true(times.variant[v].does[side]);
			assert_int_equal(times.variant[v].ret[side], 0);
			for (unsigned round = 0; round < 4; round++)
				assert_true(times.variant[v].ns[side][round] == 100);
		}
	}
	bench_acomp_times_finish(&times);
}

static void each_variant_says_what_it_initialises(void **state)
{
	static const unsigned expected[] = {2, 1, 0};
	struct clock clock = {0};
	struct bench_acomp_config config = config_of(&clock, "zswap");
	struct bench_acomp_times times;

	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), 0);
	for (unsigned v = 0; v < 3; v++) {
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++)
			assert_int_equal(bench_acomp_initialisations(&times.variant[v].cost[side]),
					 expected[v]);
		assert_int_equal(times.variant[v].frame_bytes, times.variant[0].frame_bytes);
	}
	bench_acomp_times_finish(&times);
}

static void who_only_decompresses_has_no_times_of_compression(void **state)
{
	struct clock clock = {0};
	struct bench_acomp_config config = config_of(&clock, "squashfs");
	struct bench_acomp_times times;

	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), 0);
	assert_int_equal(clock.readings, 2 * 3 * 4);
	assert_false(times.variant[0].does[ZSTD_SIDE_COMPRESS]);
	assert_null(times.variant[0].ns[ZSTD_SIDE_COMPRESS]);
	assert_true(times.variant[2].ns[ZSTD_SIDE_DECOMPRESS][3] == 100);
	bench_acomp_times_finish(&times);
}

/* A random page: every request is refused, and that is measured. */
static void what_is_refused_each_time_is_measured(void **state)
{
	struct clock clock = {0};
	struct bench_acomp_config config = config_of(&clock, "zswap");
	struct bench_acomp_times times;
	uint64_t x = 1;

	for (unsigned i = 0; i < sizeof(page); i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		page[i] = x >> 56;
	}
	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), 0);
	assert_int_equal(times.variant[0].ret[ZSTD_SIDE_COMPRESS], -EINVAL);
	assert_int_equal(times.variant[0].frame_bytes, 0);
	assert_false(times.variant[0].does[ZSTD_SIDE_DECOMPRESS]);
	assert_true(times.variant[0].ns[ZSTD_SIDE_COMPRESS][0] == 100);
	bench_acomp_times_finish(&times);
}

static void numbers_out_of_range_are_refused(void **state)
{
	struct clock clock = {0};
	struct bench_acomp_config config = config_of(&clock, "zswap");
	struct bench_acomp_times times;

	config.rounds = 0;
	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), -EINVAL);
	config.rounds = 1;
	config.operations = 0;
	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), -EINVAL);
	config.operations = 1;
	config.nr_variants = BENCH_ACOMP_MAX_VARIANTS + 1;
	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), -EINVAL);
	config.nr_variants = 1;
	config.size = 8192;
	assert_int_equal(bench_acomp_run(&config, &times, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "zswap has requests of 4096"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_is_timed_as_a_whole),
		cmocka_unit_test(each_variant_says_what_it_initialises),
		cmocka_unit_test(who_only_decompresses_has_no_times_of_compression),
		cmocka_unit_test(what_is_refused_each_time_is_measured),
		cmocka_unit_test(numbers_out_of_range_are_refused),
	};

	return cmocka_run_group_tests_name("bench_acomp", tests, NULL, NULL);
}
