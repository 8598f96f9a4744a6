// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/cli/cli.h"

/* Few of everything: what is tested is what is said, not how fast it was. */
#define FEW "--runs=2", "--rounds=2", "--operations=20"

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

/* From the head of the table on: every line is measured or modelled. */
static unsigned count_rows(const char *out)
{
	const char *line = strstr(out, "\nns a request ");
	unsigned nr = 0;

	assert_non_null(line);
	for (line = strchr(line + 1, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		assert_true(!strncmp(line, "measured  ", 10) || !strncmp(line, "modelled  ", 10));
		nr++;
	}
	return nr;
}

static void the_table_has_both_sides_of_each_pair(void **state)
{
	struct cli_result r =
		run("bench", "acomp", FEW, "--variants", "eager,deferred,once,deferred+once");

	assert_status(&r, 0);
	assert_int_equal(count_rows(r.out), 8);
	assert_non_null(strstr(r.out, "\nmeasured  compress   eager -> deferred "));
	assert_non_null(strstr(r.out, "\nmeasured  decompress eager -> deferred+once "));
	/* On top of what is there by itself, too. */
	assert_non_null(strstr(r.out, "\nmeasured  decompress deferred -> deferred+once "));
	assert_non_null(strstr(r.out, "2 rounds of 20 requests"));
	assert_non_null(strstr(r.out, "hypervisor: "));
	assert_int_equal(r.err_size, 0);
	cli_free(&r);
}

static void check_side(json_t *side, unsigned initialisations)
{
	json_t *runs = get(side, "rounds_ns"), *rounds;
	size_t i;

	assert_int_equal(json_integer_value(get(side, "initialisations")), initialisations);
	assert_int_equal(json_array_size(runs), 2);
	json_array_foreach(runs, i, rounds)
	{
		assert_int_equal(json_array_size(rounds), 2);
		assert_true(json_real_value(json_array_get(rounds, 0)) > 0);
		assert_true(json_real_value(json_array_get(rounds, 1)) > 0);
	}
}

static void json_has_every_round_of_every_run(void **state)
{
	struct cli_result r = run("bench", "acomp", FEW, "--json");
	json_t *root = parse(&r), *variants = get(root, "variants"), *difference;
	static const char *const sides[] = {"compress", "decompress"};

	assert_string_equal(json_string_value(get(root, "schema")), "zswapsim.bench-acomp");
	assert_int_equal(json_integer_value(get(get(root, "method"), "runs")), 2);
	assert_int_equal(json_array_size(variants), 2);
	for (unsigned i = 0; i < 2; i++) {
		check_side(get(json_array_get(variants, 0), sides[i]), 2);
		check_side(get(json_array_get(variants, 1), sides[i]), 1);
	}
	assert_int_equal(json_array_size(get(root, "differences")), 1);
	difference = json_array_get(get(root, "differences"), 0);
	assert_string_equal(json_string_value(get(difference, "baseline")), "eager");
	for (unsigned i = 0; i < 2; i++) {
		json_t *d = get(get(difference, "measured"), sides[i]);
		double base = json_real_value(get(d, "baseline_ns"));

		assert_true(base > 0);
		/* Numbers are printed with 12 digits. */
		assert_true(fabs(json_real_value(get(d, "patched_ns")) - base -
				 json_real_value(get(d, "delta_ns"))) < 1e-6 * base);
		assert_int_equal(json_array_size(get(d, "percent_interval")), 2);
	}
	json_decref(root);
	cli_free(&r);
}

/* Where CPUIDs cannot be counted there is no model, and it is said why. */
static void models_stand_apart_from_what_is_measured(void **state)
{
	struct cli_result r = run("bench", "acomp", FEW, "--machine", "bare-metal", "--machine",
				  "kvm-guest", "--clock", "wall");
	const char *measured, *modelled;

	assert_status(&r, 0);
	measured = strstr(r.out, "\nmeasured  compress   eager -> deferred ");
	modelled = strstr(r.out, "\nmodelled  compress   eager -> deferred on bare-metal ");
	assert_non_null(measured);
	if (strstr(r.out, "not counted, so that nothing is modelled")) {
		assert_null(modelled);
		assert_int_equal(count_rows(r.out), 2);
	} else {
		assert_int_equal(count_rows(r.out), 6);
		assert_true(measured < modelled);
		assert_non_null(strstr(r.out, "\nmodelled  decompress eager -> deferred on "
					      "kvm-guest "));
		assert_non_null(strstr(r.out, "\nmodel     kvm-guest: "));
		assert_non_null(strstr(r.out, ", 4 CPUIDs\n"));
	}
	cli_free(&r);
}

static double median_priced(json_t *side, double more)
{
	double sorted[4];
	json_t *runs = get(side, "rounds_ns");

	for (unsigned i = 0; i < 4; i++) {
		double ns = more +
			    json_number_value(json_array_get(json_array_get(runs, i / 2), i % 2));
		unsigned at = i;

		ns = ns > 0 ? ns : 0;
		for (; at && sorted[at - 1] > ns; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = ns;
	}
	return (sorted[1] + sorted[2]) / 2;
}

/* Each CPUID in a time is taken for another price; what is left is the same. */
static void a_model_changes_times_by_their_cpuids(void **state)
{
	struct cli_result r = run("bench", "acomp", FEW, "--json", "--machine", "nested-vm");
	json_t *root = parse(&r), *cpuid = get(root, "cpuid"), *d, *variants;
	double here = json_number_value(get(cpuid, "cpuid_ns")), there;
	static const char *const names[] = {"baseline_ns", "patched_ns"};

	if (json_is_false(get(cpuid, "counted"))) {
		json_decref(root);
		cli_free(&r);
		print_message("# SKIP CPUIDs cannot be counted here\n");
		skip();
	}
	/* Eager and deferred say nothing of CPUID alone. */
	assert_true(json_is_null(get(cpuid, "in_place_ns_computed")));
	there = json_number_value(get(json_array_get(get(root, "machines"), 0), "cpuid_ns"));
	variants = get(root, "variants");
	d = get(get(get(json_array_get(get(root, "differences"), 0), "modelled"), "nested-vm"),
		"decompress");
	for (unsigned v = 0; v < 2; v++) {
		json_t *side = get(json_array_get(variants, v), "decompress");
		json_int_t cpuids = json_integer_value(get(side, "cpuids_computed"));

		assert_int_equal(cpuids, v ? 2 : 4);
		assert_true(fabs(json_number_value(get(d, names[v])) -
				 median_priced(side, cpuids * (there - here))) < 0.01);
	}
	json_decref(root);
	cli_free(&r);
}

/* 4 CPUIDs a request and side, all of which "once" saves. */
static void what_a_cpuid_takes_in_place_comes_from_variants_without(void **state)
{
	struct cli_result r = run("bench", "acomp", FEW, "--json", "--variants", "eager,once");
	json_t *root = parse(&r), *d = get(json_array_get(get(root, "differences"), 0), "measured");
	json_t *in_place = get(get(root, "cpuid"), "in_place_ns_computed");
	double saved = -(json_number_value(get(get(d, "compress"), "delta_ns")) +
			 json_number_value(get(get(d, "decompress"), "delta_ns")));

	if (json_is_true(get(get(root, "cpuid"), "counted")) && saved > 0)
		assert_true(fabs(json_number_value(in_place) - saved / 8) < 0.01);
	else
		assert_true(json_is_null(in_place));
	json_decref(root);
	cli_free(&r);
}

static void one_run_has_figures_and_no_interval(void **state)
{
	struct cli_result r = run("bench", "acomp", "--runs=1", "--rounds=1", "--operations=5");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "[n/a]"));
	assert_non_null(strstr(r.out, "warning: one run: there are no intervals"));
	assert_null(strstr(r.out, "nan"));
	cli_free(&r);
}

static void callers_have_their_own_sizes_and_contexts(void **state)
{
	static const struct {
		const char *caller;
		unsigned bytes;
		int compress, decompress; /* initialisations; -1: does not */
	} expected[] = {{"zswap", 4096, 2, 2},	  {"squashfs", 131072, -1, 1},
			{"erofs", 131072, -1, 1}, {"btrfs", 131072, 1, 1},
			{"f2fs", 16384, 1, 1},	  {"zram", 4096, 0, 0}};

	for (unsigned i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct cli_result r =
			run("bench", "acomp", "--json", "--runs=2", "--rounds=2", "--operations=1",
			    "--caller", expected[i].caller, "--variants", "probe,once");
		json_t *root = parse(&r), *variant = json_array_get(get(root, "variants"), 0);

		assert_int_equal(json_integer_value(get(root, "request_bytes")), expected[i].bytes);
		assert_string_equal(json_string_value(get(root, "caller")), expected[i].caller);
		if (expected[i].compress < 0)
			assert_true(json_is_null(get(variant, "compress")));
		else
			check_side(get(variant, "compress"), expected[i].compress);
		check_side(get(variant, "decompress"), expected[i].decompress);
		json_decref(root);
		cli_free(&r);
	}
}

static void what_does_not_shrink_is_said_to(void **state)
{
	struct cli_result r = run("bench", "acomp", FEW, "--page", "random");

	assert_status(&r, 0);
	assert_int_equal(count_rows(r.out), 1);
	assert_non_null(strstr(r.out, "random: does not shrink"));
	cli_free(&r);
}

static void pages_come_from_traces_and_files(void **state)
{
	const char *trace = cli_path(state, "half.bin"), *empty = cli_path(state, "empty");
	char name[4096];
	struct cli_result r =
		run("trace", "synth", "-o", trace, "--profile", "half", "--pages", "3");

	assert_status(&r, 0);
	cli_free(&r);
	snprintf(name, sizeof(name), "%s#2", trace);
	r = run("bench", "acomp", FEW, "--page", name);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "half.bin#2: 20"));
	cli_free(&r);
	/* A trace is a file, too. */
	r = run("bench", "acomp", FEW, "--page", trace);
	assert_status(&r, 0);
	cli_free(&r);
	snprintf(name, sizeof(name), "%s#3", trace);
	r = run("bench", "acomp", FEW, "--page", name);
	assert_refused(&r, "there is no page 3");
	cli_free(&r);
	fclose(fopen(empty, "w"));
	r = run("bench", "acomp", FEW, "--page", empty);
	assert_refused(&r, "empty: the file is empty");
	cli_free(&r);
}

static void bad_arguments_are_refused_in_one_line(void **state)
{
	static const struct {
		const char *args[4], *word;
	} bad[] = {
		{{"--variants", "eager"}, "a baseline and something to compare"},
		{{"--variants", "eager,"}, "one of them is empty"},
		{{"--variants", "eager,lazy"}, "'lazy' is neither KEY=VALUE nor one of"},
		{{"--variants", "eager,deferred+"}, "a term is empty"},
		{{"--variants", "eager,eager,eager,eager,eager,eager,eager,eager,eager"},
		 "more than 8"},
		{{"--caller", "ext4"}, "--caller 'ext4': known are zswap"},
		{{"--size", "8K"}, "zswap has requests of 4096 to 4096 bytes"},
		{{"--size", "5000", "--caller", "erofs"}, "multiples of 4096"},
		{{"--page", "/nonexistent"}, "/nonexistent: No such file"},
		{{"--page", "/nonexistent#1"}, "/nonexistent: cannot open: No such file"},
		{{"--pin", "1023"}, "may not run on that CPU"},
		{{"--pin", "x"}, "--pin 'x'"},
		{{"--runs", "0"}, "--runs '0'"},
		{{"--clock", "sun"}, "--clock 'sun': cpu or wall"},
		{{"--machine", "moon"}, "--machine: "},
		{{"--machines", "/nonexistent"}, "--machines: "},
		{{"--rounds", "x"}, "--rounds 'x'"},
		{{"--operations", "0"}, "--operations '0'"},
		{{"--seed", "-1"}, "--seed '-1'"},
		{{"--one-run", "1"}, "for the program's own use"},
		{{"--kernel", "1.0"}, "--kernel: unknown kernel"},
		{{"--nonsense"}, "unrecognized option"},
		{{"more"}, "unexpected argument 'more'"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *args[8] = {"bench", "acomp"};
		struct cli_result r;

		for (unsigned k = 0; k < 4; k++)
			args[k + 2] = bad[i].args[k];
		r = cli_run(NULL, args);
		assert_refused(&r, bad[i].word);
		cli_free(&r);
	}
}

static void a_half_named_command_is_refused(void **state)
{
	struct cli_result r = run("bench", NULL);

	assert_refused(&r, "bench");
	cli_free(&r);
}

static void sizes_for_tests_are_not_in_the_help(void **state)
{
	struct cli_result r = run("bench", "acomp", "--help");

	assert_status(&r, 0);
	assert_null(strstr(r.out, "--operations"));
	assert_null(strstr(r.out, "--one-run"));
	assert_non_null(strstr(r.out, "--quick"));
	cli_free(&r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, cli_tmpdir_setup, cli_tmpdir_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_table_has_both_sides_of_each_pair),
		TEST(json_has_every_round_of_every_run),
		TEST(models_stand_apart_from_what_is_measured),
		TEST(a_model_changes_times_by_their_cpuids),
		TEST(what_a_cpuid_takes_in_place_comes_from_variants_without),
		TEST(one_run_has_figures_and_no_interval),
		TEST(callers_have_their_own_sizes_and_contexts),
		TEST(what_does_not_shrink_is_said_to),
		TEST(pages_come_from_traces_and_files),
		TEST(bad_arguments_are_refused_in_one_line),
		TEST(a_half_named_command_is_refused),
		TEST(sizes_for_tests_are_not_in_the_help),
	};

	return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
