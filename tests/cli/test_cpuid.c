// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"

static json_t *cpuid_json(const char *option, const char *value, const char *more)
{
	struct cli_result r = run("cpuid", "--json", "--calls", "100", option, value, more);
	json_t *root;

	assert_status(&r, 0);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	cli_free(&r);
	return root;
}

static int64_t number(const json_t *o, const char *a, const char *b)
{
	const json_t *v = json_object_get(b ? json_object_get(o, a) : o, b ? b : a);

	assert_true(json_is_integer(v));
	return json_integer_value(v);
}

/* Under a debugger there are no counts, and the reason is in the document. */
static void skip_if_not_counted(json_t *root)
{
	if (json_is_true(json_object_get(root, "counted")))
		return;
	print_message("# SKIP %s\n", json_string_value(json_object_get(root, "reason")));
	json_decref(root);
	skip();
}

static void check_timing(const json_t *t)
{
	assert_int_equal(number(t, "calls", NULL), 100);
	assert_true(number(t, "min_ns", NULL) <= number(t, "median_ns", NULL));
	assert_true(number(t, "median_ns", NULL) <= number(t, "p99_ns", NULL));
}

static void json_has_counts_and_times_of_each_initialisation(void **state)
{
	json_t *root = cpuid_json(NULL, NULL, NULL), *init, *list;
	size_t i;

	skip_if_not_counted(root);
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "zswapsim-cpuid");
	assert_int_equal(number(root, "schema_version", NULL), 1);
	check_timing(json_object_get(json_object_get(root, "cpuid"), "leaf_0"));
	check_timing(json_object_get(json_object_get(root, "cpuid"), "leaf_7"));
	list = json_object_get(root, "initialisations");
	assert_int_equal(json_array_size(list), 4);
	json_array_foreach(list, i, init)
	{
		const json_t *counted = json_object_get(init, "counted");
		const json_t *executed = json_object_get(counted, "executed");

		assert_int_equal(number(counted, "cpuids", NULL), json_array_size(executed));
		assert_true(number(counted, "steps", NULL) > number(counted, "cpuids", NULL));
		assert_int_equal(number(json_array_get(executed, 0), "leaf", NULL), 0);
		check_timing(json_object_get(init, "measured"));
		check_timing(json_object_get(init, "without_cpuid"));
	}
	json_decref(root);
}

static void check_requests(const char *option, const char *value, const int expected[3])
{
	static const char *const keys[] = {"store", "load", "load_over_two_pages"};
	json_t *root = cpuid_json(option, value, NULL), *requests;

	skip_if_not_counted(root);
	requests = json_object_get(root, "requests");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(number(requests, keys[i], "cpuids_computed"), expected[i]);
	json_decref(root);
}

static void requests_are_those_of_the_profile(void **state)
{
	check_requests("--kernel", "7.3", (const int[]){4, 4, 2});
	check_requests("--kernel", "7.4", (const int[]){2, 2, 2});
	check_requests("--kernel", "6.12", (const int[]){0, 0, 0});
	check_requests("--set", "zstd.cpuid=static", (const int[]){0, 0, 0});
	check_requests("--set", "zstd.cpuid=once", (const int[]){0, 0, 0});
}

static void a_synthetic_cpu_shows_that_the_sides_disagree(void **state)
{
	json_t *root = cpuid_json("--cpu", "bmi1=0,bmi2=1,maxleaf=7", NULL), *bmi2;
	struct cli_result r;

	skip_if_not_counted(root);
	bmi2 = json_object_get(root, "bmi2");
	assert_true(json_is_true(json_object_get(bmi2, "compress")));
	assert_true(json_is_false(json_object_get(bmi2, "decompress")));
	json_decref(root);
	r = run("cpuid", "--calls", "100", "--cpu", "bmi1=0,bmi2=1,maxleaf=7");
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "the two sides disagree"));
	cli_free(&r);
}

static void a_cpu_without_leaf_7_is_asked_less(void **state)
{
	json_t *root = cpuid_json("--cpu", "maxleaf=6", NULL), *init;
	size_t i;

	skip_if_not_counted(root);
	json_array_foreach(json_object_get(root, "initialisations"), i, init)
		assert_int_equal(number(init, "counted", "cpuids"), 1);
	json_decref(root);
}

static void text_says_what_it_means_for_a_load(void **state)
{
	struct cli_result r = run("cpuid", "--calls", "100", NULL);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "ZSTD_initStaticDCtx"));
	if (!strstr(r.out, "not counted: "))
		assert_non_null(strstr(r.out, "a zswap load of kernel 7.3 spends about"));
	cli_free(&r);
	r = run("cpuid", "--calls", "100", "--set", "zstd.cpuid=static");
	assert_status(&r, 0);
	if (!strstr(r.out, "not counted: "))
		assert_non_null(strstr(r.out, "kernel 7.3+changes executes no CPUID"));
	cli_free(&r);
}

static void bad_arguments_are_one_line(void **state)
{
	struct cli_result r = run("cpuid", "--cpu", "bmi9=1");

	assert_refused(&r, "zswapsim cpuid: --cpu: 'bmi9=1'");
	cli_free(&r);
	r = run("cpuid", "--cpu", "bmi2=yes");
	assert_refused(&r, "'bmi2=yes': not a number from 0 to 1");
	cli_free(&r);
	r = run("cpuid", "--calls", "0");
	assert_refused(&r, "--calls '0'");
	cli_free(&r);
	r = run("cpuid", "--set", "zstd.cpuid=never");
	assert_refused(&r, "zstd.cpuid=never: the values are probe skip once static");
	cli_free(&r);
	r = run("cpuid", "trace.bin");
	assert_refused(&r, "unexpected argument 'trace.bin'");
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_counts_and_times_of_each_initialisation),
		cmocka_unit_test(requests_are_those_of_the_profile),
		cmocka_unit_test(a_synthetic_cpu_shows_that_the_sides_disagree),
		cmocka_unit_test(a_cpu_without_leaf_7_is_asked_less),
		cmocka_unit_test(text_says_what_it_means_for_a_load),
		cmocka_unit_test(bad_arguments_are_one_line),
	};

	return cmocka_run_group_tests_name("cli_cpuid", tests, NULL, NULL);
}
