// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"
#include "tests/trace_file.h"

/* A small trace in the test's folder. */
static const char *small_trace(void **state)
{
	const char *trace = cli_path(state, "small.bin");
	struct cli_result r = run("trace", "synth", "-o", trace, "--profile", "half", "--pages",
				  "60", "--pattern", "random", "--events", "200");

	assert_status(&r, 0);
	cli_free(&r);
	return trace;
}

static json_t *get(json_t *o, const char *key)
{
	json_t *value = json_object_get(o, key);

	if (!value)
		fail_msg("no '%s'", key);
	return value;
}

static json_t *parse(const struct cli_result *r)
{
	json_t *root;

	assert_status(r, 0);
	root = json_loads(r->out, 0, NULL);
	assert_non_null(root);
	return root;
}

static void a_table_has_baseline_changed_and_delta(void **state)
{
	const char *trace = small_trace(state);
	struct cli_result r = run("compare", "--rounds", "2", trace, "--with", "deferred");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "baseline"));
	assert_non_null(strstr(r.out, "\nmeasured  compress, one-shot "));
	assert_non_null(strstr(r.out, "\nmeasured  load, one-shot "));
	assert_non_null(strstr(r.out, "\nmeasured  all calls "));
	assert_non_null(strstr(r.out, "\ncounted   decompress.calls.zstd_init_dstream "));
	assert_non_null(strstr(r.out, "zstd.stream_init=deferred"));
	assert_non_null(strstr(r.out, "made other calls of the codec"));
	/* A sum of one path is the path. */
	assert_null(strstr(r.out, "measured  compress, all"));
	cli_free(&r);
	r = run("compare", "--rounds", "1", "--compressor", "deflate", trace, "--with", "eager");
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nmeasured  compress, streamed "));
	assert_null(strstr(r.out, "measured  compress, all"));
	assert_null(strstr(r.out, "measured  load, all"));
	cli_free(&r);
}

/* Case C24. */
static void settings_that_never_differ_are_said_to(void **state)
{
	const char *trace = small_trace(state);
	struct cli_result r = run("compare", "--rounds", "2", trace, "--with",
				  "zsmalloc.obj_word=pfn40+idx24", "--with", "once");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nwith 1: zsmalloc.obj_word=pfn40+idx24\n"
				      "no event took a different path, and all counts are "
				      "identical\n"));
	/* The same calls, but not the same contexts. */
	assert_non_null(strstr(r.out, "\nwith 2: once\nno event took a different path, and all "
				      "counts are identical; contexts come to be in another way"));
	assert_null(strstr(r.out, "counts that differ"));
	cli_free(&r);
}

static void contexts_of_zstd_are_no_matter_to_another_compressor(void **state)
{
	const char *trace = small_trace(state);
	struct cli_result r = run("compare", "--rounds", "1", "--compressor", "lz4", trace,
				  "--with", "once", "--with", "no-bmi2");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nwith 1: once\nno event took a different path, and all "
				      "counts are identical\n"));
	assert_null(strstr(r.out, "contexts come to be in another way"));
	cli_free(&r);
}

static void check_row(const char *key, json_t *row)
{
	double base, changed;
	json_t *delta = get(row, "delta"), *interval;

	if (json_is_null(delta))
		return;
	base = json_real_value(get(get(row, "baseline"), "ns"));
	changed = json_real_value(get(get(row, "changed"), "ns"));
	assert_true(base > 0 && changed > 0);
	assert_true(fabs(changed - base - json_number_value(get(delta, "ns"))) < 1e-3);
	assert_true(fabs(100 * (changed - base) / base - json_number_value(get(delta, "percent"))) <
		    1e-6);
	interval = get(delta, "ns_interval");
	assert_int_equal(json_array_size(interval), 2);
	assert_true(json_number_value(json_array_get(interval, 0)) <=
		    json_number_value(json_array_get(interval, 1)));
	assert_int_equal(json_array_size(get(delta, "percent_interval")), 2);
}

static void json_has_every_row_with_its_interval(void **state)
{
	const char *trace = small_trace(state), *key;
	struct cli_result r = run("compare", "--json", "--rounds", "3", trace, "--with", "deferred",
				  "--with", "kernel=6.12");
	json_t *root = parse(&r), *settings, *rows, *row;

	assert_string_equal(json_string_value(get(root, "schema")), "zswapsim.compare");
	assert_int_equal(json_integer_value(get(root, "schema_version")), 1);
	assert_int_equal(json_integer_value(get(get(root, "method"), "rounds")), 3);
	get(root, "machine");
	get(root, "versions");
	get(root, "warnings");
	settings = get(root, "settings");
	assert_int_equal(json_array_size(settings), 3);
	assert_null(json_object_get(json_array_get(settings, 0), "measured"));
	for (unsigned s = 1; s < 3; s++) {
		rows = get(json_array_get(settings, s), "measured");
		assert_true(json_object_size(rows) >= 10);
		json_object_foreach(rows, key, row) check_row(key, row);
		assert_false(json_is_true(
			get(get(json_array_get(settings, s), "events"), "same_paths")));
	}
	rows = get(json_array_get(settings, 2), "counts_that_differ");
	row = get(rows, "compress.calls.zstd_init_cctx");
	assert_true(json_integer_value(get(row, "baseline")) > 0);
	assert_int_equal(json_integer_value(get(row, "changed")), 0);
	assert_string_equal(
		json_string_value(get(get(json_array_get(settings, 2), "profile"), "kernel")),
		"6.12");
	json_decref(root);
	cli_free(&r);
}

static void what_is_set_for_all_holds_for_all(void **state)
{
	const char *trace = small_trace(state);
	struct cli_result r = run("compare", "--json", "--rounds", "1", "--kernel", "7.2", "--set",
				  "zsmalloc.chain_size=4", "--base", "zswap.shrink_batch=3", trace,
				  "--with", "kernel=7.0,eager", "--with", "zsmalloc.chain_size=5");
	json_t *root = parse(&r), *settings = get(root, "settings");
	static const char *const expected[][3] = {
		{"7.2+changes", "4", "3"}, {"7.0+changes", "4", "1"}, {"7.2+changes", "5", "1"}};

	for (unsigned s = 0; s < 3; s++) {
		json_t *profile = get(json_array_get(settings, s), "profile");

		assert_string_equal(json_string_value(get(profile, "kernel")), expected[s][0]);
		assert_string_equal(json_string_value(get(profile, "zsmalloc.chain_size")),
				    expected[s][1]);
		assert_string_equal(json_string_value(get(profile, "zswap.shrink_batch")),
				    expected[s][2]);
	}
	json_decref(root);
	cli_free(&r);
}

static void a_modelled_device_has_its_times_apart(void **state)
{
	const char *trace = small_trace(state);
	struct cli_result r = run("compare", "--rounds", "1", "--set", "totalram=400K", "--set",
				  "swap.device=hdd", trace, "--with", "swap.device=nvme");
	json_t *root, *setting;

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "swap.device=hdd"));
	assert_non_null(strstr(r.out, "\nswap-in, measured software + modelled device"));
	assert_non_null(strstr(r.out, "\n  changed, from disk "));
	assert_non_null(strstr(r.out, "\nmodelled: baseline swap device hdd, changed nvme\n"));
	cli_free(&r);
	r = run("compare", "--json", "--rounds", "1", trace, "--with", "swap.device=nvme");
	root = parse(&r);
	setting = json_array_get(get(root, "settings"), 0);
	assert_true(json_is_null(get(setting, "modelled")));
	setting = json_array_get(get(root, "settings"), 1);
	assert_string_equal(
		json_string_value(get(get(get(setting, "modelled"), "swap_device"), "name")),
		"nvme");
	json_decref(root);
	cli_free(&r);
}

static void settings_may_differ_in_anything(void **state)
{
	const char *trace = small_trace(state);
	struct cli_result r =
		run("compare", "--json", "--rounds", "1", "--set", "totalram=64M", trace, "--with",
		    "zswap.compressor=lz4:2,totalram=32M", "--with", "policy=lru");
	json_t *root = parse(&r), *settings = get(root, "settings");
	static const char *const expected[][3] = {
		{"zstd", "64M", "kernel"}, {"lz4:2", "32M", "kernel"}, {"zstd", "64M", "lru"}};

	for (unsigned s = 0; s < 3; s++) {
		json_t *p = get(json_array_get(settings, s), "parameters");

		assert_string_equal(json_string_value(get(p, "zswap.compressor")), expected[s][0]);
		assert_string_equal(json_string_value(get(p, "totalram")), expected[s][1]);
		assert_string_equal(json_string_value(get(p, "policy")), expected[s][2]);
	}
	assert_string_equal(json_string_value(get(json_array_get(settings, 1), "compressor")),
			    "lz4");
	assert_int_equal(json_integer_value(get(json_array_get(settings, 1), "level")), 2);
	json_decref(root);
	cli_free(&r);
	r = run("compare", "--rounds", "1", trace, "--with", "zswap.compressor=lz4,eager");
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nwith 1    kernel 7.3; not as base: zswap.compressor=lz4\n"
				      "codec     compressor=lz4 level=1, by liblz4 "));
	assert_non_null(strstr(r.out, "have another length"));
	cli_free(&r);
}

static void what_a_scenario_sets_is_told_as_a_setting(void **state)
{
	static const char *const expected[][2] = {{"1G", "20"}, {"1M", "7"}, {"2M", "7"}};
	const char *trace = small_trace(state), *file = cli_path(state, "limits.ini");
	FILE *f = fopen(file, "w");
	char with[2][PATH_MAX + 32];
	struct cli_result r;
	json_t *root;

	assert_non_null(f);
	fputs("[machine]\ntotalram = 1M\n[zswap]\nmax_pool_percent = 7\n", f);
	assert_int_equal(fclose(f), 0);
	snprintf(with[0], sizeof(with[0]), "scenario=%s", file);
	snprintf(with[1], sizeof(with[1]), "scenario=%s,totalram=2M", file);
	r = run("compare", "--json", "--rounds", "1", trace, "--with", with[0], "--with", with[1]);
	root = parse(&r);
	for (unsigned s = 0; s < 3; s++) {
		json_t *p = get(json_array_get(get(root, "settings"), s), "parameters");

		assert_string_equal(json_string_value(get(p, "totalram")), expected[s][0]);
		assert_string_equal(json_string_value(get(p, "zswap.max_pool_percent")),
				    expected[s][1]);
	}
	json_decref(root);
	cli_free(&r);
	r = run("compare", "--rounds", "1", "--scenario", file, trace, "--with", "totalram=1G");
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nwith 1    kernel 7.3; not as base: totalram=1G\n"));
	cli_free(&r);
}

/* A trace of one MARK. */
static void a_trace_that_stores_nothing_is_an_expectation_not_met(void **state)
{
	const char *trace = cli_path(state, "empty.bin");
	struct trace_writer *w;
	struct trace_error err;
	struct cli_result r;
	struct trace_event ev = {.type = TRACE_MARK};

	assert_ok(trace_writer_create(trace, &sample_config, &w, &err), &err);
	assert_ok(trace_writer_mark_name(w, "nothing", &ev.arg, &err), &err);
	assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	r = run("compare", trace, "--with", "deferred");
	assert_status(&r, 3);
	assert_non_null(strstr(r.out, "warning: the trace stores nothing"));
	assert_null(strstr(r.out, "\nmeasured"));
	assert_null(strstr(r.out, "nan"));
	cli_free(&r);
}

static void bad_arguments_are_refused_in_one_line(void **state)
{
	const char *trace = small_trace(state);
	static const struct {
		const char *args[6], *word;
	} bad[] = {
		{{"--with", "deferred"}, "a trace is needed"},
		{{"TRACE"}, "--with is needed"},
		{{"TRACE", "TRACE", "--with", "eager"}, "one trace at a time"},
		{{"TRACE", "--with", "lazy"},
		 "--with: 'lazy' is neither KEY=VALUE nor one of eager"},
		{{"TRACE", "--with", "zstd.nothing=1"}, "--with: unknown key 'zstd.nothing'"},
		{{"TRACE", "--with", "eager,,once"}, "--with: a term is empty"},
		{{"TRACE", "--with", "zswap.compressor=lzo-rle"},
		 "--with: zswap.compressor=lzo-rle: "},
		{{"TRACE", "--with", "totalram=no"}, "--with: totalram=no: not a number of bytes"},
		{{"TRACE", "--with", "policy=/nonexistent.so"}, "--with: "},
		{{"TRACE", "--with", "scenario=/nonexistent"}, "--with: scenario=/nonexistent: "},
		{{"TRACE", "--with", "pool.allocator=zbud,compact.when=every:9"},
		 "--with: compact.when: only zsmalloc compacts"},
		{{"TRACE", "--base", "kernel=1.0", "--with", "eager"}, "--base: unknown kernel"},
		{{"TRACE", "--base", "eager", "--base", "once"}, "one --base at a time"},
		{{"TRACE", "--kernel", "1.0", "--with", "eager"}, "--kernel: unknown kernel"},
		{{"TRACE", "--rounds", "0", "--with", "eager"}, "--rounds '0'"},
		{{"TRACE", "--rounds", "100", "--with", "eager"}, "--rounds '100'"},
		{{"TRACE", "--seed", "x", "--with", "eager"}, "--seed 'x'"},
		{{"TRACE", "--nonsense"}, "unrecognized option"},
		{{"/nonexistent", "--with", "eager"}, "/nonexistent: cannot open: No such file"},
		{{"/dev/null", "--with", "eager"}, "/dev/null"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *args[8] = {"compare"};
		struct cli_result r;

		for (unsigned k = 0; k < 6 && bad[i].args[k]; k++)
			args[k + 1] = strcmp(bad[i].args[k], "TRACE") ? bad[i].args[k] : trace;
		r = cli_run(NULL, args);
		assert_refused(&r, bad[i].word);
		cli_free(&r);
	}
}

static void eight_times_with_is_one_too_many(void **state)
{
	struct cli_result r = run("compare", "x", "--with", "eager", "--with", "eager", "--with",
				  "eager", "--with", "eager", "--with", "eager", "--with", "eager",
				  "--with", "eager", "--with", "eager");

	assert_refused(&r, "more than 7 times --with");
	cli_free(&r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, cli_tmpdir_setup, cli_tmpdir_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_table_has_baseline_changed_and_delta),
		TEST(settings_that_never_differ_are_said_to),
		TEST(contexts_of_zstd_are_no_matter_to_another_compressor),
		TEST(json_has_every_row_with_its_interval),
		TEST(what_is_set_for_all_holds_for_all),
		TEST(settings_may_differ_in_anything),
		TEST(a_modelled_device_has_its_times_apart),
		TEST(what_a_scenario_sets_is_told_as_a_setting),
		TEST(a_trace_that_stores_nothing_is_an_expectation_not_met),
		TEST(bad_arguments_are_refused_in_one_line),
		TEST(eight_times_with_is_one_too_many),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
