// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"
#include "tests/trace_file.h"

static const char *sample(void **state)
{
	const char *path = cli_path(state, "sample.bin");

	sample_write(path);
	return path;
}

static int64_t integer(const json_t *root, const char *key)
{
	const json_t *value = json_object_get(root, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void info_says_who_made_the_trace_and_what_is_in_it(void **state)
{
	struct cli_result r = run("trace", "info", sample(state), NULL);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "zswapsim trace build -o sample"));
	assert_non_null(strstr(r.out, "43 distinct, 91 stored"));
	assert_non_null(strstr(r.out, "STORE      46"));
	assert_non_null(strstr(r.out, "2 /a/b: parent 1, zswap.max 4096, zswap.writeback 1, "
				      "created later"));
	assert_non_null(strstr(r.out, "0 fill"));
	cli_free(&r);
}

static void info_as_json_has_every_count_and_table(void **state)
{
	struct cli_result r = run("trace", "info", "--json", sample(state), NULL);
	json_t *root = json_loads(r.out, 0, NULL), *memcgs, *memcg;

	assert_status(&r, 0);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "schema")),
			    "zswapsim-trace-info");
	assert_int_equal(integer(root, "schema_version"), 1);
	assert_string_equal(json_string_value(json_object_get(root, "title")), "sample");
	assert_int_equal(integer(root, "seed"), 42);
	assert_int_equal(integer(root, "distinct_pages"), SAMPLE_PAGES);
	assert_int_equal(integer(root, "stored_pages"), SAMPLE_PAGES + 16 * SAMPLE_FOLIOS);
	assert_int_equal(integer(root, "events"), SAMPLE_PAGES + SAMPLE_FOLIOS + 8);
	assert_int_equal(integer(root, "store_events"), SAMPLE_PAGES + SAMPLE_FOLIOS);
	assert_int_equal(integer(root, "memcg_events"), 4);
	assert_int_equal(integer(root, "duration_ns"), 3002);
	assert_int_equal(integer(root, "cpus"), 4);
	assert_true(json_is_false(json_object_get(root, "content_free")));
	memcgs = json_object_get(root, "memcgs");
	assert_int_equal(json_array_size(memcgs), 3);
	memcg = json_array_get(memcgs, 1);
	assert_string_equal(json_string_value(json_object_get(memcg, "path")), "/a");
	assert_true(json_is_null(json_object_get(memcg, "zswap_max_bytes")));
	memcg = json_array_get(memcgs, 2);
	assert_int_equal(integer(memcg, "zswap_max_bytes"), 4096);
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "marks"), 0)),
			    "fill");
	json_decref(root);
	cli_free(&r);
}

static unsigned count_lines(const char *text)
{
	unsigned nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void dump_prints_one_line_an_event(void **state)
{
	const char *path = sample(state);
	struct cli_result r = run("trace", "dump", path, NULL);

	assert_status(&r, 0);
	assert_int_equal(count_lines(r.out), SAMPLE_PAGES + SAMPLE_FOLIOS + 8);
	assert_int_equal(strncmp(r.out, "0 0 cpu 0 memcg 0 MARK fill\n", 28), 0);
	assert_non_null(strstr(r.out, "\n1 0 cpu 0 memcg 2 MEMCG online\n"));
	assert_non_null(strstr(r.out, "\n2 0 cpu 0 memcg 2 MEMCG zswap.max 1048576\n"));
	assert_non_null(strstr(r.out, "\n9 1005 cpu 1 memcg 2 STORE type 1 offset 5 order 0 "
				      "pages 5\n"));
	assert_non_null(strstr(r.out, "STORE type 0 offset 1024 order 4 pages 0 1 2 3 4 5 6 7 8 9 "
				      "10 11 12 13 14 15\n"));
	assert_non_null(strstr(r.out, "PRESSURE scan 32\n"));
	assert_non_null(strstr(r.out, "LOAD type 0 offset 1024 order 4\n"));
	cli_free(&r);

	r = run("trace", "dump", "--first", "50", "--count", "2", path, NULL);
	assert_status(&r, 0);
	assert_int_equal(strncmp(r.out, "50 3000 ", 8), 0);
	assert_int_equal(count_lines(r.out), 2);
	cli_free(&r);
	r = run("trace", "dump", "--first", "18446744073709551615", path, NULL);
	assert_status(&r, 0);
	assert_string_equal(r.out, "");
	cli_free(&r);
}

static void dump_as_json_is_one_object_a_line(void **state)
{
	struct cli_result r = run("trace", "dump", "--json", sample(state), NULL);
	const char *line = r.out;
	unsigned nr = 0, pages = 0;

	assert_status(&r, 0);
	for (; *line; line = strchr(line, '\n') + 1, nr++) {
		json_t *o = json_loadb(line, strchr(line, '\n') - line, 0, NULL);

		assert_non_null(o);
		assert_int_equal(integer(o, "event"), nr);
		pages += json_array_size(json_object_get(o, "page_ids"));
		json_decref(o);
	}
	assert_int_equal(nr, SAMPLE_PAGES + SAMPLE_FOLIOS + 8);
	assert_int_equal(pages, SAMPLE_PAGES + 16 * SAMPLE_FOLIOS);
	cli_free(&r);
}

static void check_passes_a_whole_trace_and_names_what_is_wrong_with_another(void **state)
{
	const char *path = sample(state), *damaged = cli_path(state, "damaged.bin");
	struct bytes b = bytes_read(path);
	struct cli_result r;
	char expected[64];

	r = run("trace", "check", path, NULL);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, ": ok, 43 pages, 54 events\n"));
	cli_free(&r);

	((uint8_t *)section_of(&b, ZSWT_KEYS))[3] ^= 1;
	reseal(&b);
	bytes_write(&b, damaged);
	snprintf(expected, sizeof(expected), "damaged.bin: offset %llu: page 0 has another key",
		 (unsigned long long)section_offset(&b, ZSWT_KEYS));
	r = run("trace", "check", damaged, NULL);
	assert_refused(&r, expected);
	cli_free(&r);

	r = run("trace", "check", damaged, path, NULL);
	assert_status(&r, 2);
	assert_one_line(r.out);
	assert_one_line(r.err);
	cli_free(&r);
	free(b.data);
}

static void bad_input_is_one_line_and_status_2(void **state)
{
	static const char *const commands[] = {"info", "dump", "check"};
	const char *path = cli_path(state, "cut.bin"), *folder = cli_path(state, ".");
	struct bytes b = bytes_read(sample(state)), cut = {b.data, b.size / 2};
	char expected[64];

	bytes_write(&cut, path);
	snprintf(expected, sizeof(expected), "cut.bin: offset %zu: the file ends here", cut.size);
	for (unsigned i = 0; i < 3; i++) {
		struct cli_result r = run("trace", commands[i], path, NULL);

		assert_refused(&r, expected);
		cli_free(&r);
		r = run("trace", commands[i], folder, NULL);
		assert_refused(&r, "is a directory");
		cli_free(&r);
		r = run("trace", commands[i], "/dev/null", NULL);
		assert_refused(&r, "not a regular file");
		cli_free(&r);
		r = run("trace", commands[i], NULL);
		assert_refused(&r, "a trace is needed");
		cli_free(&r);
	}
	free(b.data);
}

static void a_dump_ends_where_the_damage_begins(void **state)
{
	struct bytes b = bytes_read(sample(state));
	struct zswt_event *ev = section_of(&b, ZSWT_EVENTS);
	const char *path = cli_path(state, "event.bin");
	struct cli_result r;
	char expected[96];

	ev[7].cpu = htole16(9);
	reseal(&b);
	bytes_write(&b, path);
	snprintf(expected, sizeof(expected), "offset %llu: event 7: CPU 9 does not exist",
		 (unsigned long long)section_offset(&b, ZSWT_EVENTS) + 7 * 32);
	r = run("trace", "dump", path, NULL);
	assert_status(&r, 2);
	assert_int_equal(count_lines(r.out), 7);
	assert_one_line(r.err);
	assert_non_null(strstr(r.err, expected));
	cli_free(&r);
	free(b.data);
}

static void every_help_has_an_example(void **state)
{
	static const char *const commands[] = {"info", "dump", "check"};

	for (unsigned i = 0; i < 3; i++) {
		struct cli_result r = run("trace", commands[i], "--help", NULL);
		char expected[64];

		assert_status(&r, 0);
		snprintf(expected, sizeof(expected), "Examples:\n  zswapsim trace %s", commands[i]);
		assert_non_null(strstr(r.out, expected));
		cli_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_says_who_made_the_trace_and_what_is_in_it),
		cmocka_unit_test(info_as_json_has_every_count_and_table),
		cmocka_unit_test(dump_prints_one_line_an_event),
		cmocka_unit_test(dump_as_json_is_one_object_a_line),
		cmocka_unit_test(check_passes_a_whole_trace_and_names_what_is_wrong_with_another),
		cmocka_unit_test(bad_input_is_one_line_and_status_2),
		cmocka_unit_test(a_dump_ends_where_the_damage_begins),
		cmocka_unit_test(every_help_has_an_example),
	};

	return cmocka_run_group_tests_name("trace", tests, cli_tmpdir_setup, cli_tmpdir_teardown);
}
