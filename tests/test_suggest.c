// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sim/suggest.h"
#include "tests/test.h"

static void slips_of_the_finger_are_close(void **state)
{
	assert_true(suggest_close("replay", "replay"));
	assert_true(suggest_close("relpay", "replay")); /* swapped */
	assert_true(suggest_close("repla", "replay"));
	assert_true(suggest_close("replaay", "replay"));
	assert_true(suggest_close("rwplqy", "replay"));
	assert_true(suggest_close("trace biuld", "trace build"));
}

static void a_word_of_a_command_is_close_to_it(void **state)
{
	assert_true(suggest_close("build", "trace build"));
	assert_true(suggest_close("trace", "trace build"));
	assert_false(suggest_close("bui", "trace build"));
	assert_false(suggest_close("trac", "trace build"));
}

static void other_words_are_not_close(void **state)
{
	assert_false(suggest_close("", "replay"));
	assert_false(suggest_close("play a song", "replay"));
	assert_false(suggest_close("ry", "replay"));
	assert_false(suggest_close("abcdef", "replay"));
	/* Two letters out of four are chance. */
	assert_false(suggest_close("infx", "dumb"));
	assert_false(suggest_close("dxmx", "dump"));
}

static void overlong_words_are_not_close(void **state)
{
	char word[200];

	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_false(suggest_close(word, "replay"));
	assert_false(suggest_close(word, word));
	word[SUGGEST_MAX] = '\0';
	assert_true(suggest_close(word, word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_of_the_finger_are_close),
		cmocka_unit_test(a_word_of_a_command_is_close_to_it),
		cmocka_unit_test(other_words_are_not_close),
		cmocka_unit_test(overlong_words_are_not_close),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
