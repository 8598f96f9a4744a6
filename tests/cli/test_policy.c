// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/cli.h"
#include "tests/trace_file.h"

/* The shared object "policy_NAME.so" of the tests, with arguments; or NULL, and the test is
 * skipped. */
static const char *object(const char *name, const char *args)
{
	static char spec[4][1024];
	static unsigned turn;
	const char *dir = getenv("ZSWAPSIM_POLICIES");

	if (!dir) {
		print_message("# SKIP ZSWAPSIM_POLICIES is not set\n");
		skip();
		return "";
	}
	turn = (turn + 1) % 4;
	snprintf(spec[turn], sizeof(spec[turn]), "%s/policy_%s.so%s%s", dir, name, args ? ":" : "",
		 args ? args : "");
	return spec[turn];
}

/* 200 pages that shrink to half, touched at random: they take about 100 pages of a pool. */
static const char *make_trace(void **state)
{
	const char *trace = cli_path(state, "t.bin");
	struct cli_result r;

	if (!access(trace, F_OK))
		return trace;
	r = run("trace", "synth", "-o", trace, "--profile", "half", "--pages", "200", "--pattern",
		"random", "--events", "2000");
	assert_status(&r, 0);
	cli_free(&r);
	return trace;
}

/* A pool of 50 pages. */
#define SMALL "--totalram", "1000K"

static void the_built_ins_are_listed(void **state)
{
	static const char *const names[] = {"kernel", "second-chance", "lru",	     "fifo",
					    "clock",  "size",	       "clairvoyant"};
	struct cli_result r = run("policy", "--list");

	assert_status(&r, 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_non_null(strstr(r.out, names[i]));
	cli_free(&r);
}

static void the_table_has_both_objectives_each_with_its_bound(void **state)
{
	struct cli_result r = run("policy", SMALL, make_trace(state));
	const char *kernel;

	assert_status(&r, 0);
	assert_string_equal(r.err, "");
	assert_non_null(strstr(r.out, "objective ideal: fewest disk reads; capacity 204800 bytes"));
	kernel = strstr(r.out, "objective kernel: 7.3, a pool of up to 50 pages");
	assert_non_null(kernel);
	assert_non_null(strstr(kernel, "  the bound "));
	assert_non_null(strstr(kernel, "clairvoyant is a heuristic here"));
	cli_free(&r);
	r = run("policy", SMALL, "--objective", "ideal", make_trace(state));
	assert_status(&r, 0);
	assert_null(strstr(r.out, "objective kernel"));
	cli_free(&r);
}

static json_t *report(struct cli_result *r)
{
	json_t *root;

	assert_status(r, 0);
	root = json_loads(r->out, 0, NULL);
	assert_non_null(root);
	cli_free(r);
	return root;
}

static json_int_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("there is no number %s", key);
	return json_integer_value(value);
}

static void distances_are_from_clairvoyant_and_from_the_bound(void **state)
{
	struct cli_result r = run("policy", SMALL, "--json", "--policy", "kernel", "--policy",
				  object("example", "8"), make_trace(state));
	static const char *const objectives[] = {"ideal", "kernel"};
	json_t *root = report(&r), *row;
	size_t i;

	assert_int_equal(json_array_size(json_object_get(root, "policies")), 2);
	json_array_foreach(json_object_get(root, "policies"), i, row)
	{
		for (unsigned o = 0; o < 2; o++) {
			const json_t *it = json_object_get(row, objectives[o]);
			const json_t *best = json_object_get(json_object_get(root, "clairvoyant"),
							     objectives[o]);
			const json_t *bound =
				json_object_get(json_object_get(root, "bounds"), objectives[o]);
			json_int_t reads = number(it, "disk_read_pages");

			assert_int_equal(number(it, "above_clairvoyant_pages"),
					 reads - number(best, "disk_read_pages"));
			assert_int_equal(number(it, "above_bound_pages"),
					 reads - number(bound, "disk_read_pages"));
			assert_true(number(it, "above_bound_pages") >= 0);
			assert_true(reads > 0);
		}
	}
	json_decref(root);
}

static void a_replay_says_where_its_policy_stands(void **state)
{
	static const char *const modes[] = {"measure", "policy"};
	json_int_t reads[2];

	for (unsigned i = 0; i < 2; i++) {
		struct cli_result r = run("replay", "--mode", modes[i], SMALL, "--json", "--policy",
					  object("example", NULL), make_trace(state));
		json_t *root = report(&r);
		const json_t *policy = json_object_get(root, "policy");

		reads[i] = number(policy, "disk_read_pages");
		assert_int_equal(number(policy, "above_clairvoyant_pages"),
				 reads[i] - number(policy, "clairvoyant_disk_read_pages"));
		assert_true(number(policy, "above_bound_pages") >= 0);
		json_decref(root);
	}
	assert_int_equal(reads[0], reads[1]);
}

static void a_replay_in_words_says_that_clairvoyant_is_a_heuristic(void **state)
{
	struct cli_result r = run("replay", SMALL, "--policy", "size", make_trace(state));

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "policy      size: "));
	assert_non_null(strstr(r.out, "which no policy can beat"));
	assert_non_null(strstr(r.out, "clairvoyant is a heuristic here"));
	cli_free(&r);
	r = run("replay", SMALL, make_trace(state));
	assert_status(&r, 0);
	assert_null(strstr(r.out, "clairvoyant"));
	cli_free(&r);
}

static void the_kernels_own_policy_changes_no_count(void **state)
{
	struct cli_result a = run("replay", SMALL, "--json", make_trace(state));
	struct cli_result b =
		run("replay", SMALL, "--json", "--policy", "kernel", make_trace(state));
	json_t *plain = report(&a), *named = report(&b);

	assert_true(json_equal(json_object_get(plain, "counts"), json_object_get(named, "counts")));
	json_decref(plain);
	json_decref(named);
}

/* It has no choice, and so one compressor; its pages are that one's. */
static void the_kernels_own_policy_stores_by_the_first_compressor(void **state)
{
	struct cli_result r = run("replay", "--mode", "policy", SMALL, "--json", "--policy",
				  "kernel", "--policy-codec", "lz4", make_trace(state));
	json_t *root = report(&r);
	json_t *kernel = json_object_get(json_object_get(root, "counts"), "kernel");
	json_t *codecs = json_object_get(json_object_get(root, "policy"), "codecs");

	assert_int_equal(json_array_size(codecs), 1);
	assert_true(number(kernel, "zswpout") > 0);
	assert_int_equal(number(json_array_get(codecs, 0), "stored_pages"),
			 number(kernel, "zswpout"));
	json_decref(root);
}

/* What a choice of the policy leads to is each compressor's own. */
static void calls_are_told_by_compressor(void **state)
{
	const char *policy = object("chooser", NULL), *trace = make_trace(state);
	struct cli_result r =
		run("replay", SMALL, "--compressor", "lzo", "--policy", policy, "--policy-codec",
		    "lz4", "--policy-codec", "zstd", "--set", "zstd.cpuid=static", trace);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\ncalls of lzo\n  lzo1x_1_compress_safe "));
	assert_non_null(strstr(r.out, "\ncalls of lz4\n  none\n"));
	assert_non_null(strstr(r.out, "\ncalls of zstd\n  zstd_init_cctx "));
	assert_non_null(strstr(r.out, "\n          lz4: liblz4 "));
	assert_null(strstr(r.out, "does not matter"));
	assert_null(strstr(r.out, "do not matter"));
	assert_null(strstr(r.out, "(null)"));
	cli_free(&r);
	r = run("replay", SMALL, "--compressor", "lzo", "--policy", policy, "--policy-codec", "lz4",
		"--expect",
		"compress.calls.lzo1x_1_compress_safe>0,compress.calls.LZ4_compress_default>0",
		"--json", trace);
	assert_status(&r, 0);
	cli_free(&r);
}

static void a_setting_is_the_same_by_its_option_and_by_set(void **state)
{
	const char *trace = make_trace(state);
	struct cli_result a = run("policy", "--kernel", "6.12", SMALL, "--json", trace);
	struct cli_result b =
		run("policy", "--set", "kernel=6.12", "--set", "totalram=1000K", "--json", trace);
	json_t *option = report(&a), *set = report(&b);

	assert_non_null(json_object_get(set, "policies"));
	assert_true(
		json_equal(json_object_get(option, "profile"), json_object_get(set, "profile")));
	assert_true(
		json_equal(json_object_get(option, "policies"), json_object_get(set, "policies")));
	json_decref(option);
	json_decref(set);
}

/*
 * Slot 0 is stored, then many others that are never loaded, then slot 0 is loaded twice: from the
 * disk, where the kernel has put it by then. Clairvoyant has kept it, and nothing is left of it
 * after the first load.
 */
static const char *trace_that_stops_clairvoyant(void **state)
{
	const char *path = cli_path(state, "stops.bin");
	struct trace_event ev = {.type = TRACE_STORE};
	static uint8_t page[4096];
	struct trace_writer *w;
	struct trace_error err;
	uint32_t id;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	/* Half of it does not shrink. */
	for (size_t i = 0; i < sizeof(page) / 2; i++)
		page[i] = (uint8_t)(i * i * 2654435761u >> 13);
	assert_ok(trace_writer_page(w, page, &id, &err), &err);
	for (ev.offset = 0; ev.offset < 300; ev.offset++)
		assert_ok(trace_writer_event(w, &ev, &id, &err), &err);
	ev = (struct trace_event){.type = TRACE_LOAD};
	for (unsigned i = 0; i < 2; i++)
		assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	return path;
}

static void a_reference_that_stops_is_not_known_and_no_error(void **state)
{
	const char *trace = trace_that_stops_clairvoyant(state);
	struct cli_result r = run("replay", SMALL, "--policy", "lru", trace);
	json_t *root, *policy;

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\n  clairvoyant is not known, its replay stopped: "));
	assert_non_null(strstr(r.out, "\n  the bound "));
	cli_free(&r);
	r = run("replay", SMALL, "--json", "--policy", "lru", trace);
	root = report(&r);
	policy = json_object_get(root, "policy");
	assert_true(json_is_null(json_object_get(policy, "clairvoyant_disk_read_pages")));
	assert_true(json_is_string(json_object_get(policy, "clairvoyant_stopped")));
	assert_true(json_is_integer(json_object_get(policy, "above_bound_pages")));
	json_decref(root);
	r = run("policy", SMALL, "--policy", "lru", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\n  clairvoyant stopped: "));
	assert_non_null(strstr(r.out, "no copy is left"));
	cli_free(&r);
	/* It was asked for. */
	r = run("policy", SMALL, "--policy", "lru", "--policy", "clairvoyant", trace);
	assert_status(&r, 1);
	cli_free(&r);
}

/* With room for all, no policy has a copy for the second load. */
static void if_every_replay_stops_there_is_no_bound(void **state)
{
	struct cli_result r = run("policy", trace_that_stops_clairvoyant(state));

	assert_status(&r, 1);
	assert_non_null(strstr(r.out, "the bound is not known: no replay came to its end"));
	cli_free(&r);
	r = run("policy", "--json", trace_that_stops_clairvoyant(state));
	assert_status(&r, 1);
	assert_non_null(strstr(r.out, "\"kernel_stopped\": \""));
	cli_free(&r);
}

static void a_trace_without_contents_will_do(void **state)
{
	const char *stripped = cli_path(state, "stripped.bin");
	struct cli_result r = run("trace", "strip", "-o", stripped, make_trace(state));
	json_t *whole, *lengths;

	assert_status(&r, 0);
	cli_free(&r);
	r = run("policy", SMALL, "--json", make_trace(state));
	whole = report(&r);
	r = run("policy", SMALL, "--json", stripped);
	lengths = report(&r);
	assert_true(json_equal(json_object_get(whole, "policies"),
			       json_object_get(lengths, "policies")));
	assert_true(
		json_equal(json_object_get(whole, "bounds"), json_object_get(lengths, "bounds")));
	json_decref(whole);
	json_decref(lengths);
}

static void what_is_no_policy_is_refused_in_one_line(void **state)
{
	const struct {
		const char *spec, *word;
	} bad[] = {
		{object("bad_version", NULL), "it is made for version 2 of the interface"},
		{object("bad_no_symbol", NULL), "it has no symbol 'zswapsim_policy'"},
		{object("bad_constructor", NULL), "as it is loaded: crashed: SIGSEGV"},
		{"./no such.so", "cannot be loaded"},
		{"lru\n", "there is none of that name"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cli_result r = run("policy", "--policy", bad[i].spec, make_trace(state));

		assert_refused(&r, bad[i].word);
		cli_free(&r);
		r = run("replay", "--policy", bad[i].spec, make_trace(state));
		assert_refused(&r, bad[i].word);
		cli_free(&r);
	}
}

static void a_policy_that_fails_ends_the_run_and_names_the_event(void **state)
{
	static const struct {
		const char *args, *word;
	} bad[] = {
		{"segv,victim,1", "victim(): crashed: SIGSEGV at address"},
		{"abort,stored,20", "stored(): crashed: SIGABRT"},
		{"deep,victim,2", "victim(): crashed: SIGSEGV"},
		{"loop,loaded,3", "loaded(): did not return"},
		{"garbage,victim,1", "there was never such an entry"},
		{"twice,nowhere", "that entry"},
		{"exit,stored,4", "stored(): called exit()"},
		{"segv,destroy", "destroy(): crashed: SIGSEGV"},
		{"loop,destroy", "destroy(): did not return"},
		{"exit,destroy", "destroy(): called exit()"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *spec = object("bad", bad[i].args);
		struct cli_result r = run("policy", "--policy", spec, "--policy-timeout", "1",
					  "--objective", "ideal", SMALL, make_trace(state));

		/* What is stored is given up again and again, which is in order here. */
		if (strncmp(bad[i].args, "twice", 5))
			assert_refused(&r, bad[i].word);
		cli_free(&r);
		r = run("replay", "--mode", "policy", "--policy", spec, "--policy-timeout", "1",
			SMALL, make_trace(state));
		assert_refused(&r, bad[i].word);
		if (strncmp(bad[i].args, "exit", 4))
			assert_non_null(strstr(r.err, ": event "));
		cli_free(&r);
	}
}

/* Its code stays until the program ends. */
static void a_destructor_that_crashes_is_told_at_the_end(void **state)
{
	const char *spec = object("bad_destructor", NULL);
	struct cli_result r = run("replay", SMALL, "--policy", spec, make_trace(state));

	assert_status(&r, 2);
	assert_non_null(strstr(r.err, "bad_destructor.so: as it is unloaded: crashed: SIGSEGV\n"));
	assert_ptr_equal(strchr(r.err, '\n'), strrchr(r.err, '\n'));
	/* What was asked for is there. */
	assert_non_null(strstr(r.out, "\nwall time "));
	cli_free(&r);
}

/* C++ registers destructors of static objects with atexit(): they run before all of ours. */
static void a_crash_in_what_runs_at_exit_is_told_behind_the_report(void **state)
{
	const char *spec = object("bad", "segv,atexit");
	struct cli_result r = run("replay", SMALL, "--policy", spec, make_trace(state));

	assert_status(&r, 2);
	assert_non_null(strstr(r.err, "bad.so:segv,atexit: as it is unloaded: crashed: SIGSEGV\n"));
	assert_one_line(r.err);
	/* What was asked for is there. */
	assert_non_null(strstr(r.out, "\nwall time "));
	cli_free(&r);
}

static void what_create_says_of_its_failure_is_one_line(void **state)
{
	const char *spec = object("bad", "lines,create");
	struct cli_result r = run("policy", "--policy", spec, make_trace(state));

	assert_refused(&r, "create(): it has?no ?[1mwish?to");
	cli_free(&r);
	r = run("replay", "--policy", spec, make_trace(state));
	assert_refused(&r, "create(): it has?no ?[1mwish?to");
	cli_free(&r);
}

static void bad_arguments_are_refused_in_one_line(void **state)
{
	const char *trace = make_trace(state);
	struct cli_result r = run("policy");

	assert_refused(&r, "a trace is needed");
	cli_free(&r);
	r = run("policy", "--policy-codec", "lz4", "--policy-codec", "lz4", trace);
	assert_refused(&r, "--policy-codec lz4 is given twice");
	cli_free(&r);
	r = run("policy", "--set", "policy=lru", trace);
	assert_refused(&r, "--set policy=lru: --policy names those to be run");
	cli_free(&r);
	r = run("policy", "--objective", "best", trace);
	assert_refused(&r, "it is ideal, kernel or both");
	cli_free(&r);
	r = run("policy", "--capacity", "0", trace);
	assert_refused(&r, "--capacity");
	cli_free(&r);
	r = run("policy", "--policy", "lru", "--policy", "lru", trace);
	assert_refused(&r, "is given twice");
	cli_free(&r);
	r = run("replay", "--policy", "lru", "--policy", "fifo", trace);
	assert_refused(&r, "one --policy at a time");
	cli_free(&r);
	r = run("replay", "--policy-codec", "lz4", trace);
	assert_refused(&r, "--policy-codec is for a --policy");
	cli_free(&r);
	r = run("replay", "--mode", "policy", "--set", "policy=lru", "--policy-codec", "lz4",
		trace);
	assert_status(&r, 0);
	cli_free(&r);
	r = run("policy", "/dev/null");
	assert_refused(&r, "/dev/null");
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_ins_are_listed),
		cmocka_unit_test(the_table_has_both_objectives_each_with_its_bound),
		cmocka_unit_test(distances_are_from_clairvoyant_and_from_the_bound),
		cmocka_unit_test(a_replay_says_where_its_policy_stands),
		cmocka_unit_test(a_replay_in_words_says_that_clairvoyant_is_a_heuristic),
		cmocka_unit_test(the_kernels_own_policy_changes_no_count),
		cmocka_unit_test(the_kernels_own_policy_stores_by_the_first_compressor),
		cmocka_unit_test(calls_are_told_by_compressor),
		cmocka_unit_test(a_setting_is_the_same_by_its_option_and_by_set),
		cmocka_unit_test(a_reference_that_stops_is_not_known_and_no_error),
		cmocka_unit_test(if_every_replay_stops_there_is_no_bound),
		cmocka_unit_test(a_trace_without_contents_will_do),
		cmocka_unit_test(what_is_no_policy_is_refused_in_one_line),
		cmocka_unit_test(a_policy_that_fails_ends_the_run_and_names_the_event),
		cmocka_unit_test(a_destructor_that_crashes_is_told_at_the_end),
		cmocka_unit_test(a_crash_in_what_runs_at_exit_is_told_behind_the_report),
		cmocka_unit_test(what_create_says_of_its_failure_is_one_line),
		cmocka_unit_test(bad_arguments_are_refused_in_one_line),
	};

	return cmocka_run_group_tests_name("cli_policy", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
