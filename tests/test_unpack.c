// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/test.h"
#include "tests/text_file.h"
#include "traces/unpack.h"

/* Reads the whole file; returns what unpack said at the end. */
static int read_all(const char *path, bool by_magic, char *buf, size_t *len)
{
	struct trace_error err;
	struct unpack *u;
	const void *data;
	size_t size;
	int ret = unpack_open(path, by_magic, &u, &err);

	*len = 0;
	if (ret)
		return ret;
	while ((ret = unpack_next(u, &data, &size, &err)) > 0) {
		memcpy(buf + *len, data, size);
		*len += size;
	}
	if (ret < 0)
		assert_non_null(strstr(err.message, path));
	unpack_close(u);
	return ret;
}

static void check_text(const char *path, bool by_magic, const char *text)
{
	char buf[4096];
	size_t len;

	assert_int_equal(read_all(path, by_magic, buf, &len), 0);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(buf, text, len);
}

static void plain_and_packed_files_read_the_same(void **state)
{
	check_text(text_file("plain", "one\ntwo\n"), false, "one\ntwo\n");
	check_text(text_file("plain", "one\ntwo\n"), true, "one\ntwo\n");
	check_text(text_file("packed.zst", "one\ntwo\n"), false, "one\ntwo\n");
	check_text(text_file("empty", ""), true, "");
	check_text(text_file("empty.zst", ""), true, "");
}

static void a_packed_file_under_a_plain_name_is_told_by_its_magic(void **state)
{
	char buf[4096];
	size_t len;

	rename(text_file("packed.zst", "text"), text_path("renamed"));
	check_text(text_path("renamed"), true, "text");
	assert_int_equal(read_all(text_path("renamed"), false, buf, &len), 0);
	assert_memory_equal(buf, "\x28\xb5\x2f\xfd", 4);
}

static void a_packed_file_that_is_cut_off_is_an_error(void **state)
{
	char text[3000], buf[4096];
	struct stat st;
	size_t len;

	srand(1);
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = rand();
	assert_int_equal(stat(bytes_file("whole.zst", text, sizeof(text)), &st), 0);
	for (off_t cut = 5; cut < st.st_size; cut += 50) {
		const char *path = bytes_file("cut.zst", text, sizeof(text));

		cut_file(path, cut);
		assert_true(read_all(path, false, buf, &len) < 0);
	}
}

static void what_cannot_be_read_is_one_line_with_the_path(void **state)
{
	struct trace_error err;
	struct unpack *u;

	assert_int_equal(unpack_open(text_path("absent"), false, &u, &err), -ENOENT);
	assert_non_null(strstr(err.message, "absent: No such file"));
	assert_int_equal(unpack_open(text_path("."), false, &u, &err), -EISDIR);
	assert_non_null(strstr(err.message, "directory"));
	assert_null(strchr(err.message, '\n'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_and_packed_files_read_the_same),
		cmocka_unit_test(a_packed_file_under_a_plain_name_is_told_by_its_magic),
		cmocka_unit_test(a_packed_file_that_is_cut_off_is_an_error),
		cmocka_unit_test(what_cannot_be_read_is_one_line_with_the_path),
	};

	return cmocka_run_group_tests_name("unpack", tests, text_dir_create, text_dir_remove);
}
