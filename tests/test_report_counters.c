// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cmd/report_counters.h"
#include "tests/test.h"

static struct replay_result result; /* large */

static struct report_counter find(const char *kernel, const char *name)
{
	struct report_counter counter[REPORT_MAX_COUNTERS];
	struct profile p;
	char err[256];
	unsigned nr;

	assert_int_equal(profile_init(&p, kernel, err, sizeof(err)), 0);
	nr = report_counters(&result, &p, counter);
	for (unsigned i = 0; i < nr; i++) {
		if (!strcmp(counter[i].name, name))
			return counter[i];
	}
	fail_msg("no %s", name);
	return counter[0];
}

static void a_counter_has_its_value(void **state)
{
	result.zswap.stored_incompressible_pages = 3;
	result.zswap.decompress_fail = 4;
	result.dev.written_requests = 5;
	result.dev.read_requests = 6;
	result.pool_end.pages = 7;
	result.swap.pswpout = 8;
	result.zswap.written_back_pages = 9;
	assert_int_equal(find("7.3", "stored_incompressible_pages").value, 3);
	assert_int_equal(find("7.3", "decompress_fail").value, 4);
	assert_int_equal(find("7.3", "nrswpout").value, 5);
	assert_int_equal(find("7.3", "nrswpin").value, 6);
	assert_int_equal(find("7.3", "pool_total_size").value, 7 * PAGE_SIZE);
	assert_int_equal(find("7.3", "pswpout").value, 17);
}

static void a_counter_is_absent_until_its_kernel(void **state)
{
	static const struct {
		const char *name, *without, *with;
	} since[] = {
		{"decompress_fail", "6.12", "6.18"},
		{"stored_incompressible_pages", "6.12", "6.18"},
		{"nrswpout", "7.2", "7.3"},
		{"nrswpin", "7.2", "7.3"},
	};

	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++) {
		assert_true(find(since[i].without, since[i].name).absent);
		assert_false(find(since[i].with, since[i].name).absent);
	}
	assert_false(find("6.8", "zswpwb").absent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_has_its_value),
		cmocka_unit_test(a_counter_is_absent_until_its_kernel),
	};

	return cmocka_run_group_tests_name("report_counters", tests, NULL, NULL);
}
