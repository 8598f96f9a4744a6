// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "sim/number.h"
#include "tests/test.h"

static void a_range_is_one_number_or_two(void **state)
{
	uint64_t first, last;
	const char *end;

	assert_int_equal(number_read_range("7", &end, &first, &last), 0);
	assert_int_equal(first, 7);
	assert_int_equal(last, 7);
	assert_int_equal(*end, '\0');
	assert_int_equal(number_read_range("0-9999, more", &end, &first, &last), 0);
	assert_int_equal(first, 0);
	assert_int_equal(last, 9999);
	assert_string_equal(end, ", more");
	assert_int_equal(number_read_range("5-5", &end, &first, &last), 0);
}

static void a_range_that_is_none_is_refused(void **state)
{
	static const char *const bad[] = {"", "-1", "a", "2-1", "1-", "1-a", " 1", "1--2"};
	uint64_t first, last;
	const char *end;

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(number_read_range(bad[i], &end, &first, &last), -EINVAL);
	assert_int_equal(number_read_range("0-18446744073709551616", &end, &first, &last), -ERANGE);
}

static void a_size_may_have_a_unit(void **state)
{
	uint64_t v;

	assert_int_equal(number_read_size("3K", &v), 0);
	assert_int_equal(v, 3072);
	assert_int_equal(number_read_size("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(number_read_size("16777216T", &v), -ERANGE);
	assert_int_equal(number_read_size("-1", &v), -EINVAL);
	assert_int_equal(number_read_size("1KB", &v), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_one_number_or_two),
		cmocka_unit_test(a_range_that_is_none_is_refused),
		cmocka_unit_test(a_size_may_have_a_unit),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
