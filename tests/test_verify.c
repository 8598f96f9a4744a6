// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sim/verify.h"
#include "tests/test.h"

static void rows_that_agree_leave_no_trace(void **state)
{
	struct verify_report r;

	verify_init(&r);
	for (uint64_t line = 2; line < 10; line++) {
		verify_row(&r);
		verify_compare(&r, line, "stored_pages", line, line);
	}
	assert_int_equal(r.rows, 8);
	assert_int_equal(r.differing, 0);
	assert_int_equal(r.first_differing, 0);
	assert_int_equal(r.nr_lines, 0);
}

static void a_row_with_two_differences_counts_once_and_names_both(void **state)
{
	struct verify_report r;

	verify_init(&r);
	verify_row(&r);
	verify_compare(&r, 2, "a", 1, 1);
	verify_row(&r);
	verify_compare(&r, 3, "a", 1, 2);
	verify_compare(&r, 3, "b", -1, -2);
	assert_int_equal(r.rows, 2);
	assert_int_equal(r.differing, 1);
	assert_int_equal(r.first_differing, 3);
	assert_int_equal(r.nr_lines, 2);
	assert_string_equal(r.lines[0], "line 3: a: recorded 1, here 2");
	assert_string_equal(r.lines[1], "line 3: b: recorded -1, here -2");
}

static void only_the_first_differences_are_kept_in_words(void **state)
{
	struct verify_report r;

	verify_init(&r);
	for (uint64_t line = 2; line < 102; line++) {
		verify_row(&r);
		verify_compare(&r, line, "x", 0, line);
	}
	assert_int_equal(r.differing, 100);
	assert_int_equal(r.first_differing, 2);
	assert_int_equal(r.last_differing, 101);
	assert_int_equal(r.nr_lines, VERIFY_MAX_LINES);
	assert_string_equal(r.lines[VERIFY_MAX_LINES - 1], "line 11: x: recorded 0, here 11");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_that_agree_leave_no_trace),
		cmocka_unit_test(a_row_with_two_differences_counts_once_and_names_both),
		cmocka_unit_test(only_the_first_differences_are_kept_in_words),
	};

	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
