// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "sim/replay_counters.h"
#include "tests/test.h"

static struct replay_counter counters[REPLAY_MAX_COUNTERS];

static uint64_t counter(unsigned nr, const char *name)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!strcmp(counters[i].name, name))
			return counters[i].value;
	}
	fail_msg("no counter '%s'", name);
	return 0;
}

static void each_counter_has_a_name_of_its_own(void **state)
{
	struct replay_result *result = calloc(1, sizeof(*result));
	unsigned nr = replay_counters(result, counters);

	assert_in_range(nr, 90, REPLAY_MAX_COUNTERS);
	for (unsigned i = 0; i < nr; i++) {
		assert_true(strlen(counters[i].name) > 2);
		assert_true(strlen(counters[i].name) < sizeof(counters[i].name) - 1);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(counters[i].name, counters[k].name);
	}
	free(result);
}

static void counters_are_those_of_the_result(void **state)
{
	struct replay_result *result = calloc(1, sizeof(*result));
	unsigned nr;

	result->counts.verified_pages = 1;
	result->counts.out_pages[SWAPOUT_DISK] = 2;
	result->zswap.reject_compress_poor = 3;
	result->zswap.dir[ZSWAP_LOAD].calls[ACOMP_CALL_INIT_DCTX] = 4;
	result->zswap.dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW] = 5;
	result->zswap.dir[ZSWAP_WRITEBACK].straddled = 6;
	result->pool_peak.zspages = 7;
	result->swap.pswpin = 8;
	nr = replay_counters(result, counters);
	assert_int_equal(counter(nr, "events.verified_pages"), 1);
	assert_int_equal(counter(nr, "events.out_disk_pages"), 2);
	assert_int_equal(counter(nr, "kernel.reject_compress_poor"), 3);
	assert_int_equal(counter(nr, "decompress.calls.zstd_init_dctx"), 4);
	assert_int_equal(counter(nr, "compress.raw_pages"), 5);
	assert_int_equal(counter(nr, "writeback.straddling_pages"), 6);
	assert_int_equal(counter(nr, "pool_at_peak.zspages"), 7);
	assert_int_equal(counter(nr, "kernel.pswpin"), 8);
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counter_has_a_name_of_its_own),
		cmocka_unit_test(counters_are_those_of_the_result),
	};

	return cmocka_run_group_tests_name("replay_counters", tests, NULL, NULL);
}
