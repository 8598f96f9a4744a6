// SPDX-License-Identifier: GPL-2.0-or-later
/* The document and the structs say the same, and version 1 stays what it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/trace_file.h"

struct field {
	size_t offset, bytes;
	const char *name;
};

#define FIELD(s, f)                                                                                \
	{                                                                                          \
		offsetof(struct s, f), sizeof(((struct s *)0)->f), #f                              \
	}

static FILE *open_document(void)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/docs/trace-format.md", getenv("ZSWAPSIM_SOURCE"));
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

/* The next table of the document that has offsets is that of these fields. */
static void check_table(FILE *document, const struct field *fields, unsigned nr)
{
	static const char head[] = "| offset | bytes | field |";
	char line[512], expected[128];

	do
		assert_non_null(fgets(line, sizeof(line), document));
	while (strncmp(line, head, strlen(head)));
	assert_non_null(fgets(line, sizeof(line), document)); /* the line under it */
	for (unsigned i = 0; i < nr; i++) {
		assert_non_null(fgets(line, sizeof(line), document));
		snprintf(expected, sizeof(expected), "| %zu | %zu | %.*s |", fields[i].offset,
			 fields[i].bytes, (int)strcspn(fields[i].name, "0123456789"),
			 fields[i].name);
		if (strncmp(line, expected, strlen(expected)))
			fail_msg("the document has '%s', not '%s'", line, expected);
	}
	assert_non_null(fgets(line, sizeof(line), document));
	assert_string_equal(line, "\n");
}

#define check(document, ...)                                                                       \
	check_table(document, (const struct field[]){__VA_ARGS__},                                 \
		    sizeof((const struct field[]){__VA_ARGS__}) / sizeof(struct field))

static void the_document_has_every_field_where_it_is(void **state)
{
	FILE *f = open_document();

	check(f, FIELD(zswt_header, magic), FIELD(zswt_header, version),
	      FIELD(zswt_header, page_size), FIELD(zswt_header, flags),
	      FIELD(zswt_header, file_bytes), FIELD(zswt_header, nr_pages),
	      FIELD(zswt_header, nr_events), FIELD(zswt_header, nr_list_ids),
	      FIELD(zswt_header, nr_stored_pages), FIELD(zswt_header, seed),
	      FIELD(zswt_header, nr_memcgs), FIELD(zswt_header, nr_marks),
	      FIELD(zswt_header, nr_cpus), FIELD(zswt_header, nr_swap_types),
	      FIELD(zswt_header, block_pages), FIELD(zswt_header, nr_compressors),
	      FIELD(zswt_header, maker), FIELD(zswt_header, command), FIELD(zswt_header, title),
	      FIELD(zswt_header, reserved0), FIELD(zswt_header, nr_type),
	      FIELD(zswt_header, reserved1), FIELD(zswt_header, checksum));
	check(f, FIELD(zswt_block, offset), FIELD(zswt_block, bytes), FIELD(zswt_block, reserved),
	      FIELD(zswt_block, checksum));
	check(f, FIELD(zswt_memcg, path), FIELD(zswt_memcg, parent),
	      FIELD(zswt_memcg, zswap_writeback), FIELD(zswt_memcg, online),
	      FIELD(zswt_memcg, zswap_max));
	check(f, FIELD(zswt_event, time_ns), FIELD(zswt_event, type), FIELD(zswt_event, order),
	      FIELD(zswt_event, swap_type), FIELD(zswt_event, what), FIELD(zswt_event, cpu),
	      FIELD(zswt_event, memcg), FIELD(zswt_event, offset), FIELD(zswt_event, arg));
	check(f, FIELD(zswt_footer, sections), FIELD(zswt_footer, checksum),
	      FIELD(zswt_footer, hash), FIELD(zswt_footer, magic));
	check(f, FIELD(zswt_section, kind), FIELD(zswt_section, reserved),
	      FIELD(zswt_section, offset), FIELD(zswt_section, bytes),
	      FIELD(zswt_section, checksum));
	fclose(f);
}

static void the_document_has_every_section_in_its_order(void **state)
{
	char line[512], expected[64];
	FILE *f = open_document();

	do
		assert_non_null(fgets(line, sizeof(line), f));
	while (strncmp(line, "| kind | section |", 18));
	assert_non_null(fgets(line, sizeof(line), f));
	for (int kind = 0; kind < ZSWT_SECTIONS; kind++) {
		assert_non_null(fgets(line, sizeof(line), f));
		snprintf(expected, sizeof(expected), "| %d | %s |", kind, zswt_section_names[kind]);
		assert_int_equal(strncmp(line, expected, strlen(expected)), 0);
	}
	fclose(f);
}

/* Whoever changes it on purpose needs a new version; the file has no block, so any libzstd will do.
 */
static void version_1_is_what_it_was(void **state)
{
	const struct trace_writer_config config = {.maker = "maker",
						   .command = "command",
						   .title = "title",
						   .seed = 1,
						   .nr_cpus = 2,
						   .nr_swap_types = 1};
	const struct trace_event events[] = {
		{.type = TRACE_MARK},
		{.type = TRACE_MEMCG, .memcg = 1, .what = TRACE_MEMCG_ZSWAP_MAX, .arg = 4096},
		{.type = TRACE_LOAD, .time_ns = 7, .cpu = 1, .offset = 16, .order = 4}};
	const struct trace_memcg memcg = {.path = "/a", .zswap_max = TRACE_NO_LIMIT};
	const char *path = scratch_path("golden");
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;
	uint16_t index;
	uint64_t mark;

	assert_ok(trace_writer_create(path, &config, &w, &err), &err);
	assert_ok(trace_writer_memcg(w, &memcg, &index, &err), &err);
	assert_ok(trace_writer_mark_name(w, "phase", &mark, &err), &err);
	for (unsigned i = 0; i < 3; i++)
		assert_ok(trace_writer_event(w, &events[i], NULL, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_int_equal(trace_reader_info(r)->file_bytes, 776);
	assert_string_equal(trace_reader_info(r)->hash, "6fa041ed10f1192b47ad681c674b90d1");
	trace_reader_close(r);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_has_every_field_where_it_is),
		cmocka_unit_test(the_document_has_every_section_in_its_order),
		cmocka_unit_test(version_1_is_what_it_was),
	};

	return cmocka_run_group_tests_name("layout", tests, scratch_create, scratch_remove);
}
