// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/compact_when.h"
#include "tests/test.h"

static void what_is_written_is_read_and_printed_again(void **state)
{
	static const struct {
		const char *text;
		enum compact_kind kind;
		uint64_t n;
	} good[] = {
		{"never", COMPACT_NEVER, 0},
		{"every:1", COMPACT_EVERY, 1},
		{"every:9223372036854775807", COMPACT_EVERY, INT64_MAX},
		{"fragmentation:1", COMPACT_FRAGMENTATION, 1},
		{"fragmentation:99", COMPACT_FRAGMENTATION, 99},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct compact_when when;
		char buf[64], err[256];

		assert_int_equal(compact_when_parse(good[i].text, &when, err, sizeof(err)), 0);
		assert_int_equal(when.kind, good[i].kind);
		assert_int_equal(when.n, good[i].n);
		assert_string_equal(compact_when_print(&when, buf, sizeof(buf)), good[i].text);
	}
}

static void anything_else_is_refused_and_changes_nothing(void **state)
{
	static const char *const bad[] = {
		"",
		"always",
		"every",
		"every:",
		"every:0",
		"every:-1",
		"every:1 ",
		"every:1k",
		"every:9223372036854775808",
		"fragmentation",
		"fragmentation:0",
		"fragmentation:100",
		"fragmentation:20%",
		"never:1",
		"Never",
		"every:99999999999999999999999",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct compact_when when = {COMPACT_EVERY, 7};
		char err[256] = "";

		assert_int_equal(compact_when_parse(bad[i], &when, err, sizeof(err)), -EINVAL);
		assert_non_null(strstr(err, bad[i]));
		assert_null(strchr(err, '\n'));
		assert_int_equal(when.kind, COMPACT_EVERY);
		assert_int_equal(when.n, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_and_printed_again),
		cmocka_unit_test(anything_else_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests_name("compact_when", tests, NULL, NULL);
}
