// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include "tests/text_file.h"
#include "traces/csv.h"

static struct csv *csv_of(const char *text)
{
	struct trace_error err;
	struct csv *csv;

	assert_int_equal(csv_open(text_file("t.csv", text), &csv, &err), 0);
	return csv;
}

static void columns_are_found_by_name_beside_unknown_ones(void **state)
{
	static const char *const names[] = {"src", "op"};
	struct csv *csv = csv_of("op,new,src\nwrite,9,17\nread,8,-18\n");
	struct trace_error err;
	int columns[2];
	int64_t v;

	assert_int_equal(csv_require(csv, names, 2, columns, &err), 0);
	assert_int_equal(csv_column(csv, "absent"), -1);
	assert_int_equal(csv_next(csv, &err), 1);
	assert_int_equal(csv_line(csv), 2);
	assert_string_equal(csv_text(csv, columns[1]), "write");
	assert_int_equal(csv_int(csv, columns[0], &v, &err), 0);
	assert_int_equal(v, 17);
	assert_int_equal(csv_next(csv, &err), 1);
	assert_int_equal(csv_int(csv, columns[0], &v, &err), 0);
	assert_int_equal(v, -18);
	assert_int_equal(csv_next(csv, &err), 0);
	csv_close(csv);
}

static void a_column_that_is_missing_is_named(void **state)
{
	static const char *const names[] = {"op", "slot"};
	struct csv *csv = csv_of("op,src\n");
	struct trace_error err;
	int columns[2];

	assert_int_equal(csv_require(csv, names, 2, columns, &err), -EINVAL);
	assert_non_null(strstr(err.message, "t.csv: has no column 'slot'"));
	csv_close(csv);
}

static void what_the_kernel_does_not_have_reads_as_minus_one(void **state)
{
	struct csv *csv = csv_of("a,b\n-1,18446744073709551615\n");
	struct trace_error err;
	int64_t v;

	assert_int_equal(csv_next(csv, &err), 1);
	for (int column = -1; column < 2; column++) {
		assert_int_equal(csv_int(csv, column, &v, &err), 0);
		assert_int_equal(v, -1);
	}
	assert_string_equal(csv_text(csv, -1), "");
	csv_close(csv);
}

static void a_bad_number_is_named_with_file_line_and_column(void **state)
{
	static const char *const bad[] = {
		"x",
		"",
		"1x",
		"0x10",
		" 1",
		"1 ",
		"+1",
		"-",
		"--1",
		"1.5",
		"1e3",
		"nan",
		"18446744073709551616",
		"9223372036854775808",
		"-9223372036854775809",
	};
	struct trace_error err;
	char text[128];
	int64_t v;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct csv *csv;

		snprintf(text, sizeof(text), "one,two\n1,1\n1,%s\n", bad[i]);
		csv = csv_of(text);
		assert_int_equal(csv_next(csv, &err), 1);
		assert_int_equal(csv_next(csv, &err), 1);
		assert_int_equal(csv_int(csv, 1, &v, &err), -EINVAL);
		assert_non_null(strstr(err.message, "t.csv: line 3: column two: "));
		csv_close(csv);
	}
}

static void a_number_out_of_its_range_is_refused(void **state)
{
	struct csv *csv = csv_of("slot\n4096\n");
	struct trace_error err;
	int64_t v;

	assert_int_equal(csv_next(csv, &err), 1);
	assert_int_equal(csv_int_within(csv, 0, 0, 4096, &v, &err), 0);
	assert_int_equal(csv_int_within(csv, 0, 0, 4095, &v, &err), -EINVAL);
	assert_non_null(strstr(err.message, "column slot: 4096 is not within 0 to 4095"));
	csv_close(csv);
}

/* Opens and reads to the end or to the first error. */
static int read_through(const char *path, struct trace_error *err)
{
	struct csv *csv;
	int ret = csv_open(path, &csv, err);

	if (ret)
		return ret;
	while ((ret = csv_next(csv, err)) > 0)
		;
	csv_close(csv);
	return ret;
}

static void rows_that_do_not_fit_the_names_are_refused(void **state)
{
	static const struct {
		const char *text, *cause;
	} bad[] = {
		{"", "is empty"},
		{"a,b", "line 1: does not end in a newline"},
		{"a,a\n", "line 1: column 'a' is there twice"},
		{"a,b\n1\n", "line 2: has 1 fields, there are 2 columns"},
		{"a,b\n1,2\n1,2,3\n", "line 3: has 3 fields, there are 2 columns"},
		{"a,b\n1,2\n\n", "line 3: has 1 fields"},
		{"a,b\n1,2\n1,2", "line 3: does not end in a newline: cut off?"},
		{"a,b\n1,\x01\n", "line 2: byte 0x01 is no text"},
	};
	struct trace_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_through(text_file("t.csv", bad[i].text), &err), -EINVAL);
		assert_non_null(strstr(err.message, bad[i].cause));
	}
	assert_int_equal(read_through(bytes_file("t.csv", "a\n\0\n", 4), &err), -EINVAL);
	assert_non_null(strstr(err.message, "line 2: byte 0x00 is no text"));
}

static void lines_and_columns_have_a_limit(void **state)
{
	size_t size = CSV_MAX_LINE + 2;
	char *text = malloc(size);
	struct trace_error err;

	assert_non_null(text);
	memset(text, 'a', size);
	text[size - 1] = '\n';
	assert_int_equal(read_through(bytes_file("t.csv", text, size), &err), -EINVAL);
	assert_non_null(strstr(err.message, "longer than"));
	assert_int_equal(read_through(bytes_file("t.csv", text + 1, size - 1), &err), 0);
	memset(text, ',', size);
	text[CSV_MAX_COLUMNS] = '\n';
	assert_int_equal(read_through(bytes_file("t.csv", text, CSV_MAX_COLUMNS + 1), &err),
			 -EINVAL);
	assert_non_null(strstr(err.message, "more than 256 columns"));
	free(text);
}

static void packed_files_and_dos_lines_are_read(void **state)
{
	struct trace_error err;
	struct csv *csv;
	int64_t v;

	assert_int_equal(csv_open(text_file("t.csv.zst", "a,b\r\n1,2\r\n"), &csv, &err), 0);
	assert_int_equal(csv_column(csv, "b"), 1);
	assert_int_equal(csv_next(csv, &err), 1);
	assert_int_equal(csv_int(csv, 1, &v, &err), 0);
	assert_int_equal(v, 2);
	assert_int_equal(csv_next(csv, &err), 0);
	csv_close(csv);
}

/* Rows that lie across the blocks in which the file is read. */
static void a_long_file_is_read_whole(void **state)
{
	size_t size = 0, cap = 4u << 20;
	char *text = malloc(cap);
	struct trace_error err;
	struct csv *csv;
	int64_t v;

	assert_non_null(text);
	size += sprintf(text, "n,filler\n");
	for (unsigned i = 0; i < 100000; i++)
		size += sprintf(text + size, "%u,%.*s\n", i, (int)(i % 37),
				"abcdefghijklmnopqrstuvwxyz0123456789");
	assert_true(size < cap);
	for (int packed = 0; packed < 2; packed++) {
		const char *path = bytes_file(packed ? "t.csv.zst" : "t.csv", text, size);

		assert_int_equal(csv_open(path, &csv, &err), 0);
		for (unsigned i = 0; i < 100000; i++) {
			assert_int_equal(csv_next(csv, &err), 1);
			assert_int_equal(csv_int(csv, 0, &v, &err), 0);
			assert_int_equal(v, i);
			assert_int_equal(strlen(csv_text(csv, 1)), i % 37 < 36 ? i % 37 : 36);
		}
		assert_int_equal(csv_next(csv, &err), 0);
		csv_close(csv);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_found_by_name_beside_unknown_ones),
		cmocka_unit_test(a_column_that_is_missing_is_named),
		cmocka_unit_test(what_the_kernel_does_not_have_reads_as_minus_one),
		cmocka_unit_test(a_bad_number_is_named_with_file_line_and_column),
		cmocka_unit_test(a_number_out_of_its_range_is_refused),
		cmocka_unit_test(rows_that_do_not_fit_the_names_are_refused),
		cmocka_unit_test(lines_and_columns_have_a_limit),
		cmocka_unit_test(packed_files_and_dos_lines_are_read),
		cmocka_unit_test(a_long_file_is_read_whole),
	};

	return cmocka_run_group_tests_name("csv", tests, text_dir_create, text_dir_remove);
}
