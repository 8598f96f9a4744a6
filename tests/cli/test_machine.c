// SPDX-License-Identifier: GPL-2.0-or-later
/* What a replay says of CPUIDs, and what a machine model makes of its times. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"

#define NR_PAGES 200

static const char *make_trace(void **state)
{
	const char *path = cli_path(state, "half.bin");
	struct cli_result r =
		run("trace", "synth", "--profile", "half", "--pages", "200", "-o", path);

	assert_status(&r, 0);
	cli_free(&r);
	return path;
}

static json_t *replay(const char *trace, const char *set, const char *machine, const char *machines)
{
	struct cli_result r = run("replay", trace, "--json", "--set", set, "--machine", machine,
				  machines ? "--machines" : NULL, machines);
	json_t *root;

	assert_status(&r, 0);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	cli_free(&r);
	return root;
}

static double number(const json_t *root, const char *a, const char *b, const char *c)
{
	const json_t *v = json_object_get(root, a);

	v = json_object_get(v, b);
	if (c)
		v = json_object_get(v, c);
	if (!json_is_number(v))
		fail_msg("%s.%s.%s is no number", a, b, c ? c : "");
	return json_number_value(v);
}

static void skip_if_not_counted(json_t *root)
{
	json_t *cpuid = json_object_get(root, "cpuid");

	if (json_is_true(json_object_get(cpuid, "counted")))
		return;
	print_message("# SKIP %s\n", json_string_value(json_object_get(cpuid, "reason")));
	json_decref(root);
	skip();
}

static double nr_calls(const json_t *root, const char *side, const char *call)
{
	const json_t *o = json_object_get(json_object_get(root, "counts"), side);

	return json_number_value(json_object_get(json_object_get(o, "calls"), call));
}

static double measured_total(const json_t *root, const char *dir)
{
	const json_t *split = json_object_get(json_object_get(root, "measured"), "split");

	return json_number_value(json_object_get(json_object_get(split, dir), "total_ns"));
}

static void cpuids_are_twice_the_contexts_that_were_initialised(void **state)
{
	json_t *root = replay(make_trace(state), "zstd.cpuid=probe", "this", NULL);
	double stored, loaded;

	skip_if_not_counted(root);
	stored = nr_calls(root, "compress", "zstd_init_cctx") +
		 nr_calls(root, "compress", "zstd_init_cstream");
	loaded = nr_calls(root, "decompress", "zstd_init_dctx") +
		 nr_calls(root, "decompress", "zstd_init_dstream");
	assert_true(stored == 2 * NR_PAGES && loaded >= NR_PAGES);
	assert_true(number(root, "cpuid", "store", "contexts") == stored);
	assert_true(number(root, "cpuid", "store", "cpuids_computed") == 2 * stored);
	assert_true(number(root, "cpuid", "load", "contexts") == loaded);
	assert_true(number(root, "cpuid", "load", "cpuids_computed") == 2 * loaded);
	assert_true(number(root, "cpuid", "writeback", "contexts") == 0);
	/* On this machine nothing changes. */
	assert_true(number(root, "modelled_machine", "store", "measured_ns") ==
		    number(root, "modelled_machine", "store", "modelled_ns"));
	json_decref(root);
}

static void the_policies_ask_once_or_never(void **state)
{
	static const struct {
		const char *set;
		double expected;
	} rows[] = {{"zstd.cpuid=once", 2}, {"zstd.cpuid=static", 0}, {"zstd.cpuid=skip", 0}};
	const char *trace = make_trace(state);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_t *root = replay(trace, rows[i].set, "this", NULL);

		skip_if_not_counted(root);
		assert_true(number(root, "cpuid", "store", "contexts") == 2 * NR_PAGES);
		assert_true(number(root, "cpuid", "store", "cpuids_computed") == rows[i].expected);
		assert_true(number(root, "cpuid", "load", "cpuids_computed") == rows[i].expected);
		json_decref(root);
	}
}

static void a_modelled_time_has_each_cpuid_at_the_models_price(void **state)
{
	const char *trace = make_trace(state), *ini = cli_path(state, "machines.ini");
	FILE *file = fopen(ini, "w");
	double here, ns, n;
	json_t *root;

	fprintf(file, "[slow]\ncpuid_ns = 50000\nsource = made up\n");
	fclose(file);
	root = replay(trace, "zstd.cpuid=probe", "slow", ini);
	skip_if_not_counted(root);
	here = number(root, "cpuid", "cpuid_ns", NULL);
	n = number(root, "cpuid", "load", "cpuids_computed");
	ns = number(root, "modelled_machine", "load", "measured_ns");
	assert_true(n > 0 && here > 0 && here < 50000);
	assert_true(fabs(number(root, "modelled_machine", "load", "modelled_ns") -
			 (ns + n * (50000 - here))) < 1);
	/* What was measured stays what it is, in its own place. */
	assert_true(measured_total(root, "load") == ns);
	json_decref(root);
}

static void text_labels_what_is_modelled(void **state)
{
	const char *trace = make_trace(state);
	struct cli_result r = run("replay", trace, "--machine", "kvm-guest");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "CPUID instructions"));
	if (!strstr(r.out, "not counted")) {
		assert_non_null(strstr(r.out, "modelled on kvm-guest, ns a page"));
		assert_non_null(strstr(r.out, "modelled, not measured: each CPUID at 629 ns"));
	}
	cli_free(&r);
	r = run("replay", trace, NULL);
	assert_status(&r, 0);
	assert_null(strstr(r.out, "modelled"));
	cli_free(&r);
}

static void a_bad_machine_is_one_line(void **state)
{
	const char *trace = make_trace(state), *ini = cli_path(state, "bad.ini");
	FILE *file = fopen(ini, "w");
	struct cli_result r;

	fprintf(file, "[slow]\ncpuid_ns = much\n");
	fclose(file);
	r = run("replay", trace, "--machine", "xen");
	assert_refused(&r, "zswapsim replay: --machine: unknown machine 'xen'; known: this");
	cli_free(&r);
	r = run("replay", trace, "--machines", ini);
	assert_refused(&r, "bad.ini:2: [slow]: cpuid_ns is not a number");
	cli_free(&r);
	r = run("replay", trace, "--machines", cli_path(state, "none.ini"));
	assert_refused(&r, "none.ini: No such file or directory");
	cli_free(&r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cli_tmpdir_setup, cli_tmpdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cpuids_are_twice_the_contexts_that_were_initialised),
		TEST(the_policies_ask_once_or_never),
		TEST(a_modelled_time_has_each_cpuid_at_the_models_price),
		TEST(text_labels_what_is_modelled),
		TEST(a_bad_machine_is_one_line),
	};

	return cmocka_run_group_tests_name("cli_machine", tests, NULL, NULL);
}
