// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "tests/test.h"
#include "traces/text.h"

static void utf_8_of_every_length_is_text(void **state)
{
	static const char *const good[] = {"",
					   "a b~",
					   "\xc2\xa0",
					   "\xdf\xbf",
					   "\xe0\xa0\x80",
					   "\xed\x9f\xbf",
					   "\xee\x80\x80",
					   "\xef\xbf\xbf",
					   "\xf0\x90\x80\x80",
					   "\xf4\x8f\xbf\xbf",
					   "x\xc3\xa9y\xe2\x82\xacz"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(trace_text_span(good[i]), strlen(good[i]));
}

static void what_is_no_character_ends_the_text(void **state)
{
	static const char *const bad[] = {"\x01",
					  "\x1f",
					  "\x7f",
					  "\x80",
					  "\xbf",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xc2\x80",
					  "\xc2\x9f",
					  "\xc2",
					  "\xc2\x41",
					  "\xe0\x9f\xbf",
					  "\xe2\x82",
					  "\xe2\x82\x41",
					  "\xed\xa0\x80",
					  "\xed\xbf\xbf",
					  "\xf0\x9f\x90",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf8\x88\x80\x80\x80",
					  "\xff"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[16] = "ok";

		assert_int_equal(trace_text_span(bad[i]), 0);
		strcat(text, bad[i]);
		assert_int_equal(trace_text_span(text), 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf_8_of_every_length_is_text),
		cmocka_unit_test(what_is_no_character_ends_the_text),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
