// SPDX-License-Identifier: GPL-2.0-or-later
/* 'zswapsim allocators', 'zswapsim straddle', and replays with other allocators and compaction. */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"

static const char *trace;

static void must(struct cli_result r)
{
	assert_status(&r, 0);
	cli_free(&r);
}

static int make_traces(void **state)
{
	const char *pages;
	FILE *f;

	if (cli_tmpdir_setup(state))
		return 1;
	pages = cli_path(state, "pages.raw");
	trace = cli_path(state, "t.bin");
	f = fopen(pages, "w");
	assert_non_null(f);
	/* 120 pages of text that compresses to between a sixteenth and a half of a page. */
	for (unsigned page = 0; page < 120; page++) {
		for (unsigned i = 0; i < 4096; i++)
			fputc(i % 64 < page % 40 ? 'a' + rand() % 26 : ' ', f);
	}
	fclose(f);
	must(run("trace", "build", "--raw", "--pattern", "random", "--events", "3000", "-o", trace,
		 pages));
	return 0;
}

static json_t *json_of(const struct cli_result *r)
{
	json_error_t err;
	json_t *root = json_loads(r->out, 0, &err);

	assert_non_null(root);
	return root;
}

static int64_t integer(json_t *o, const char *key)
{
	json_t *value = json_object_get(o, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

/* Each key that a document has is told of in docs/allocators.md. */
static void must_be_documented(json_t *o, const char *text)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_array(o)) {
		json_array_foreach(o, i, value) must_be_documented(value, text);
	}
	json_object_foreach(o, key, value)
	{
		char quoted[128];

		snprintf(quoted, sizeof(quoted), "`%s`", key);
		if (!strstr(text, quoted))
			print_error("not documented: %s\n", key);
		assert_non_null(strstr(text, quoted));
		/* What all reports share is told of in docs/report-json.md. */
		if (strcmp(key, "trace") && strcmp(key, "profile") && strcmp(key, "versions") &&
		    strcmp(key, "machine"))
			must_be_documented(value, text);
	}
}

static void lines_end_without_spaces(const char *text)
{
	for (const char *c = text; *c; c++) {
		assert_true(*c == '\n' || isprint((unsigned char)*c));
		assert_false(*c == ' ' && c[1] == '\n');
	}
}

static void one_table_has_all_allocators_over_time(void **state)
{
	struct cli_result r = run("allocators", "--rows", "5", trace);
	const char *line;

	assert_status(&r, 0);
	lines_end_without_spaces(r.out);
	line = strstr(r.out, " | zsmalloc ");
	assert_non_null(line);
	assert_non_null(strstr(line, " | zbud "));
	assert_non_null(strstr(line, " | jemalloc\n"));
	assert_non_null(strstr(r.out, "\n      3000 | "));
	assert_non_null(strstr(r.out, "\n      peak | "));
	assert_non_null(strstr(r.out, "\n      mean | "));
	cli_free(&r);
}

static void bytes_of_each_moment_sum_up(void **state)
{
	struct cli_result r = run("allocators", "--json", "--compact", "every:50", trace);
	char *text = cli_read_source("docs/allocators.md");
	json_t *root, *columns, *column, *moment;
	size_t i, m;

	assert_status(&r, 0);
	root = json_of(&r);
	must_be_documented(root, text);
	columns = json_object_get(root, "allocators");
	assert_int_equal(json_array_size(columns), 3);
	json_array_foreach(columns, i, column)
	{
		json_t *moments = json_object_get(column, "moments");

		assert_int_equal(json_array_size(moments), 20);
		json_array_foreach(moments, m, moment)
		{
			assert_int_equal(integer(moment, "pool_pages") * 4096,
					 integer(moment, "payload_bytes") +
						 integer(moment, "rounding_bytes") +
						 integer(moment, "unused_bytes") +
						 integer(moment, "tail_bytes"));
			assert_true(integer(moment, "stored_pages") > 20);
		}
		assert_int_equal(integer(json_object_get(column, "compaction"), "runs"),
				 i ? 0 : 60);
	}
	json_decref(root);
	free(text);
	cli_free(&r);
}

static void the_straddle_table_has_a_row_a_chain_size(void **state)
{
	struct cli_result r = run("straddle", "--pages", "5", "--rounds", "2", trace);
	char row[16];

	assert_status(&r, 0);
	lines_end_without_spaces(r.out);
	assert_non_null(strstr(r.out, "measured, ns a load"));
	assert_non_null(strstr(r.out, "computed"));
	for (unsigned chain = 4; chain <= 16; chain++) {
		snprintf(row, sizeof(row), "\n%5u ", chain);
		assert_non_null(strstr(r.out, row));
	}
	cli_free(&r);
}

static void what_is_counted_measured_and_computed_is_kept_apart(void **state)
{
	struct cli_result r = run("straddle", "--kernel", "6.12", "--pages", "5", "--rounds", "2",
				  "--json", trace);
	char *text = cli_read_source("docs/allocators.md");
	json_t *root, *rows, *row;
	size_t i;

	assert_status(&r, 0);
	root = json_of(&r);
	must_be_documented(root, text);
	rows = json_object_get(root, "chain_sizes");
	assert_int_equal(json_array_size(rows), 13);
	json_array_foreach(rows, i, row)
	{
		json_t *counted = json_object_get(row, "counted");
		json_t *measured = json_object_get(row, "measured");
		json_t *computed = json_object_get(row, "computed");

		assert_int_equal(integer(row, "chain_size_pages"), 4 + i);
		assert_true(integer(counted, "straddling_pages") > 0);
		assert_int_equal(integer(counted, "copied_pages"),
				 integer(counted, "straddling_pages"));
		assert_int_equal(integer(counted, "streamed_pages"), 0);
		assert_int_equal(integer(measured, "loads"), 5);
		assert_true(json_is_real(json_object_get(measured, "tax_ns")));
		assert_true(json_is_array(json_object_get(measured, "tax_interval_ns")));
		assert_true(json_is_real(json_object_get(computed, "tax_total_ns")));
	}
	json_decref(root);
	free(text);
	cli_free(&r);
}

static void without_pages_to_measure_times_are_null(void **state)
{
	struct cli_result r = run("straddle", "--pages", "0", "--json", trace);
	json_t *root, *row;

	assert_status(&r, 0);
	root = json_of(&r);
	row = json_array_get(json_object_get(root, "chain_sizes"), 4);
	assert_true(json_is_null(json_object_get(json_object_get(row, "measured"), "tax_ns")));
	assert_true(
		json_is_null(json_object_get(json_object_get(row, "computed"), "tax_total_ns")));
	json_decref(root);
	cli_free(&r);
}

static void a_report_names_the_parts_of_its_allocator(void **state)
{
	static const struct {
		const char *set, *words[3];
	} rows[] = {
		{"pool.allocator=zsmalloc", {"zspages: ratio", "zspage tails", "size classes at"}},
		{"pool.allocator=zbud", {"pages of buddies: ratio", "page headers", "in zbud"}},
		{"pool.allocator=jemalloc", {"slabs: ratio", "slab tails", "in jemalloc"}},
	};

	for (unsigned i = 0; i < 3; i++) {
		struct cli_result r = run("replay", "--set", rows[i].set, trace);

		assert_status(&r, 0);
		for (unsigned w = 0; w < 3; w++)
			assert_non_null(strstr(r.out, rows[i].words[w]));
		assert_int_equal(!i, strstr(r.out, "zspage") != NULL);
		cli_free(&r);
	}
}

static void a_replay_compacts_and_says_what_it_cost(void **state)
{
	struct cli_result r = run("replay", "--compact", "every:100", "--expect",
				  "compaction.runs=30,compaction.freed_pages>0", trace);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\ncompaction, every:100: runs 30, objects moved "));
	assert_non_null(strstr(r.out, "compaction 0."));
	cli_free(&r);
	r = run("replay", trace);
	assert_status(&r, 0);
	assert_null(strstr(r.out, "compaction"));
	cli_free(&r);
}

static void refused(struct cli_result r, const char *word)
{
	assert_refused(&r, word);
	cli_free(&r);
}

static void what_makes_no_sense_is_refused(void **state)
{
	refused(run("replay", "--compact", "sometimes", trace), "sometimes");
	refused(run("replay", "--compact", "every:0", trace), "every:0");
	refused(run("replay", "--set", "pool.allocator=z3fold", trace), "zsmalloc zbud jemalloc");
	refused(run("replay", "--set", "pool.allocator=zbud", "--compact", "every:5", trace),
		"only zsmalloc compacts");
	refused(run("straddle", "--set", "pool.allocator=zbud", trace),
		"only zsmalloc has chain sizes");
	refused(run("straddle"), "a trace is needed");
	refused(run("straddle", trace, trace), "one trace at a time");
	refused(run("straddle", "--rounds", "0", trace), "--rounds");
	refused(run("straddle", "--pages", "x", trace), "--pages");
	refused(run("straddle", "/nonexistent"), "/nonexistent");
	refused(run("allocators"), "a trace is needed");
	refused(run("allocators", trace, trace), "one trace at a time");
	refused(run("allocators", "--rows", "0", trace), "--rows");
	refused(run("allocators", "/nonexistent"), "/nonexistent");
	refused(run("allocators", cli_path(state, "pages.raw")), "pages.raw");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_table_has_all_allocators_over_time),
		cmocka_unit_test(bytes_of_each_moment_sum_up),
		cmocka_unit_test(the_straddle_table_has_a_row_a_chain_size),
		cmocka_unit_test(what_is_counted_measured_and_computed_is_kept_apart),
		cmocka_unit_test(without_pages_to_measure_times_are_null),
		cmocka_unit_test(a_report_names_the_parts_of_its_allocator),
		cmocka_unit_test(a_replay_compacts_and_says_what_it_cost),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests_name("cli_allocators", tests, make_traces,
					   cli_tmpdir_teardown);
}
