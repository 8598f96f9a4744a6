// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "tests/build_rig.h"
#include "tests/test.h"
#include "tests/trace_file.h"

static void a_file_is_cut_into_pages_and_the_last_is_filled_with_zeros(void **state)
{
	static const size_t sizes[] = {1, 4095, 4096, 4097, 40000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *data = content(i, sizes[i]);
		const char *path = put("in/file", data, sizes[i]);

		assert_int_equal(build(inputs_of(path)), (sizes[i] + 4095) / 4096);
		check_pages(data, sizes[i]);
		free(data);
	}
}

static void folios_hold_the_pages_of_one_file_in_order(void **state)
{
	uint8_t *data = content(1, 11 * 4096);
	struct trace_made made;

	put("in/a", data, 6 * 4096);
	put("in/b", data + 6 * 4096, 5 * 4096);
	made = build_order(inputs_of(at("in/a"), at("in/b")), false, 2);
	/* 1 folio and 2 pages, 1 folio and 1 page; 11 loads, 11 invalidates, 3 marks. */
	assert_int_equal(made.nr_events, 5 + 11 + 11 + 3);
	assert_int_equal(made.nr_distinct, 11);
	check_pages(data, 11 * 4096);
	free(data);
}

static void a_directory_is_walked_by_name_and_links_and_empty_files_are_skipped(void **state)
{
	uint8_t *data = content(2, 4 * 4096);

	put("in/b", data + 4096, 4096);
	put("in/B", data, 4096);
	put("in/empty", data, 0);
	assert_int_equal(mkdir(at("in/c"), 0700), 0);
	put("in/c/z", data + 3 * 4096, 4096);
	put("in/c/a", data + 2 * 4096, 4096);
	assert_int_equal(symlink("b", at("in/a-link")), 0);
	assert_int_equal(symlink("c", at("in/dir-link")), 0);
	assert_int_equal(mkfifo(at("in/fifo"), 0600), 0);
	assert_int_equal(build(inputs_of(at("in"))), 4);
	check_pages(data, 4 * 4096);
	/* Links that are named are followed. */
	assert_int_equal(build(inputs_of(at("in/dir-link"))), 2);
	check_pages(data + 2 * 4096, 2 * 4096);
	assert_int_equal(build(inputs_of(at("in/c/"), at("in/b"))), 3);
	free(data);
}

static void without_a_page_there_is_no_trace(void **state)
{
	static uint8_t zeros[10240];
	uint8_t *data = content(11, 100);

	refuse(inputs_of(put("in/empty", "", 0)), "empty", "not one byte");
	refuse(inputs_of(at("in")), "in", "not one byte");
	/* A tar, and a packed file, of nothing. */
	refuse(inputs_of(put("in/nothing.tar", zeros, sizeof(zeros))), "nothing.tar",
	       "not one byte");
	refuse(inputs_of(packed_of("in/nothing.zst", "zstd", data, 0)), "nothing.zst",
	       "not one byte");
	refuse(inputs_of(archive_of("in/empty.zip", "zip", NULL, NULL, data, 0, 0)), "empty.zip",
	       "not one byte");
	free(data);
}

static void what_cannot_be_read_is_named(void **state)
{
	refuse(inputs_of(put("in/there", "x", 1), at("in/missing")), "in/missing", "No such file");
	refuse(inputs_of("/dev/null"), "/dev/null", "neither a file nor a directory");
}

static void a_file_without_permission_is_named(void **state)
{
	const char *secret = put("in/secret", "x", 1);
	bool root_user = geteuid() == 0;

	assert_int_equal(chmod(secret, 0), 0);
	/* Root may read everything: be somebody else for a while. */
	if (root_user &&
	    (chown(at("."), 65534, -1) || chown(at("in"), 65534, -1) || seteuid(65534))) {
		print_message("# SKIP cannot be somebody else than root\n");
		skip();
	}
	refuse(inputs_of(at("in")), "in/secret", "Permission denied");
	if (root_user)
		assert_int_equal(seteuid(0), 0);
}

static void an_input_is_not_written_over(void **state)
{
	const char *path = put("in/file", "precious", 8);
	struct trace_made made;
	struct trace_error err;
	struct bytes after;

	assert_int_equal(link(path, at("hard")), 0);
	assert_int_equal(symlink("in/file", at("soft")), 0);
	assert_int_equal(build_at(path, inputs_of(path), false, 0, &made, &err), -EEXIST);
	assert_int_equal(build_at(at("hard"), inputs_of(at("in")), false, 0, &made, &err), -EEXIST);
	assert_int_equal(build_at(at("soft"), inputs_of(path), false, 0, &made, &err), -EEXIST);
	assert_non_null(strstr(err.message, "one of the inputs"));
	after = bytes_read(path);
	assert_int_equal(after.size, 8);
	assert_memory_equal(after.data, "precious", 8);
	free(after.data);
	/* Beside the inputs it may be, and its temporary files are none of them. */
	assert_int_equal(build_at(at("in/out.bin"), inputs_of(at("in")), false, 0, &made, &err), 0);
	assert_int_equal(made.nr_pages, 1);
}

static void an_error_leaves_the_old_trace(void **state)
{
	const char *bad = put("in/bad.zip", "no", 2), *target = put("old.bin", "old", 3);
	struct trace_made made;
	struct trace_error err;
	struct bytes after;

	assert_true(build_at(target, inputs_of(bad), false, 0, &made, &err) < 0);
	after = bytes_read(target);
	assert_int_equal(after.size, 3);
	assert_memory_equal(after.data, "old", 3);
	free(after.data);
}

static void the_same_inputs_give_the_same_bytes(void **state)
{
	uint8_t *data = content(12, 30000);
	struct trace_made made;
	struct trace_error err;
	struct bytes a, b;

	put("in/file", data, 30000);
	assert_ok(build_at(at("a.bin"), inputs_of(at("in")), false, 4, &made, &err), &err);
	assert_ok(build_at(at("b.bin"), inputs_of(at("in")), false, 4, &made, &err), &err);
	a = bytes_read(at("a.bin"));
	b = bytes_read(at("b.bin"));
	assert_int_equal(a.size, made.file_bytes);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	free(a.data);
	free(b.data);
	free(data);
}

static void memory_does_not_grow_with_the_input(void **state)
{
	const size_t mib = 96;
	uint64_t before, after;

	put("in/large", "x", 1);
	assert_int_equal(truncate(at("in/large"), mib << 20), 0);
	before = rss_anon();
	assert_int_equal(build(inputs_of(at("in/large"))), mib << 8);
	after = rss_anon();
	assert_true(after < before + (16 << 20));
}

/* As many whole pages as the figures have, and one more where a file does not end with one. */
static void silesia_has_as_many_pages_as_its_figures(void **state)
{
	const char *vectors = getenv("ZSWAPSIM_VECTORS"), *silesia = getenv("ZSWAPSIM_SILESIA");
	char path[4096], line[1024], name[64];
	unsigned pages, seen = 0;
	FILE *figures;

	snprintf(path, sizeof(path), "%s/silesia-page-sizes.csv", vectors ? vectors : "");
	figures = fopen(path, "r");
	if (!figures || !silesia) {
		if (figures)
			fclose(figures);
		print_message("# SKIP the Silesia files are not here\n");
		skip();
	}
	while (fgets(line, sizeof(line), figures)) {
		uint64_t bytes;
		struct bytes head;

		if (sscanf(line, "%63[^,],%u,", name, &pages) != 2)
			continue;
		snprintf(path, sizeof(path), "%s/%s.zst", silesia, name);
		if (access(path, R_OK))
			continue;
		head = bytes_read(path);
		bytes = ZSTD_getFrameContentSize(head.data, head.size);
		free(head.data);
		assert_int_equal(bytes / 4096, pages);
		assert_int_equal(build(inputs_of(path)), (bytes + 4095) / 4096);
		seen++;
	}
	fclose(figures);
	if (!seen) {
		print_message("# SKIP the Silesia files are not here\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_file_is_cut_into_pages_and_the_last_is_filled_with_zeros),
		test(folios_hold_the_pages_of_one_file_in_order),
		test(a_directory_is_walked_by_name_and_links_and_empty_files_are_skipped),
		test(without_a_page_there_is_no_trace),
		test(what_cannot_be_read_is_named),
		test(a_file_without_permission_is_named),
		test(an_input_is_not_written_over),
		test(an_error_leaves_the_old_trace),
		test(the_same_inputs_give_the_same_bytes),
		test(memory_does_not_grow_with_the_input),
		test(silesia_has_as_many_pages_as_its_figures),
	};

	return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
