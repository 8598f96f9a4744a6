// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "cmd/bench_page.h"
#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/test.h"

static uint8_t data[4 * PAGE_SIZE];
static char err[1024];

static void load(const char *name, size_t size)
{
	memset(data, 0xee, sizeof(data));
	if (bench_page_load(name, data, size, err, sizeof(err)))
		fail_msg("%s: %s", name, err);
}

static void refuse(const char *name, int ret, const char *word)
{
	assert_int_equal(bench_page_load(name, data, PAGE_SIZE, err, sizeof(err)), ret);
	if (!strstr(err, word))
		fail_msg("'%s': no '%s' in '%s'", name, word, err);
	assert_null(strchr(err, '\n'));
}

static bool all(const uint8_t *bytes, size_t size, uint8_t value)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != value)
			return false;
	}
	return true;
}

static size_t compressed(size_t size)
{
	static uint8_t out[5 * PAGE_SIZE];
	size_t n = ZSTD_compress(out, sizeof(out), data, size, 3);

	assert_false(ZSTD_isError(n));
	return n;
}

static void pages_that_are_made_are_what_they_are_called(void **state)
{
	load("zero", 2 * PAGE_SIZE);
	assert_true(all(data, 2 * PAGE_SIZE, 0));
	assert_true(all(data + 2 * PAGE_SIZE, PAGE_SIZE, 0xee));
	load("random", PAGE_SIZE);
	assert_true(compressed(PAGE_SIZE) > PAGE_SIZE);
	load("text", PAGE_SIZE);
	for (unsigned i = 0; i < PAGE_SIZE; i++)
		assert_true(data[i] == '\n' || (data[i] >= ' ' && data[i] < 127));
	assert_true(compressed(PAGE_SIZE) > 1000 && compressed(PAGE_SIZE) < 2000);
}

static void text_is_the_same_each_time_and_longer_text_begins_alike(void **state)
{
	uint8_t before[PAGE_SIZE];

	load("text", PAGE_SIZE);
	memcpy(before, data, PAGE_SIZE);
	load("text", 4 * PAGE_SIZE);
	assert_memory_equal(before, data, PAGE_SIZE);
	assert_memory_not_equal(before, data + PAGE_SIZE, PAGE_SIZE);
}

static void a_file_is_its_first_bytes_and_then_zeros(void **state)
{
	static const char path[] = "test-bench-page.tmp";
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("abc", file);
	fclose(file);
	load(path, PAGE_SIZE);
	assert_memory_equal(data, "abc", 3);
	assert_true(all(data + 3, PAGE_SIZE - 3, 0));
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	refuse(path, -EINVAL, "the file is empty");
	unlink(path);
	refuse(path, -ENOENT, "No such file or directory (a page is FILE, TRACE#N, zero");
	refuse(".", -EISDIR, "Is a directory");
}

static void a_page_of_a_trace_has_the_pages_after_it_behind_it(void **state)
{
	uint8_t page[3][PAGE_SIZE];
	char name[512];
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < 3; i++) {
		content_fill(page[i], 5 + i);
		draft_store(&d, i, 5 + i);
	}
	draft_commit(&d);
	snprintf(name, sizeof(name), "%s#1", d.path);
	load(name, 4 * PAGE_SIZE);
	assert_memory_equal(data, page[1], 2 * PAGE_SIZE);
	assert_true(all(data + 2 * PAGE_SIZE, 2 * PAGE_SIZE, 0));
	snprintf(name, sizeof(name), "%s#3", d.path);
	refuse(name, -EINVAL, "there is no page 3: the trace has 3 distinct pages");
	draft_end(&d);
	refuse(name, -ENOENT, d.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_that_are_made_are_what_they_are_called),
		cmocka_unit_test(text_is_the_same_each_time_and_longer_text_begins_alike),
		cmocka_unit_test(a_file_is_its_first_bytes_and_then_zeros),
		cmocka_unit_test(a_page_of_a_trace_has_the_pages_after_it_behind_it),
	};

	return cmocka_run_group_tests_name("bench_page", tests, NULL, NULL);
}
