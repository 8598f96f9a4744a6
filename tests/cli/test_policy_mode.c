// SPDX-License-Identifier: GPL-2.0-or-later
/* --mode policy, trace lengths and trace strip, as somebody types them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/cli.h"

static const char *make_trace(void **state, const char *name)
{
	const char *trace = cli_path(state, name);
	struct cli_result r = run("trace", "synth", "-o", trace, "--profile", "half", "--pages",
				  "150", "--pattern", "random", "--cpus", "3");

	assert_status(&r, 0);
	cli_free(&r);
	return trace;
}

static json_t *json_of(struct cli_result r, int status)
{
	json_t *root;

	assert_status(&r, status);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	cli_free(&r);
	return root;
}

static void assert_same_counts(json_t *a, json_t *b)
{
	assert_non_null(json_object_get(a, "counts"));
	assert_true(json_equal(json_object_get(a, "counts"), json_object_get(b, "counts")));
}

static const char *origin_of(json_t *root)
{
	json_t *lengths = json_object_get(json_object_get(root, "policy_mode"), "lengths");

	return json_string_value(json_object_get(lengths, "origin"));
}

static void both_modes_print_the_same_counts(void **state)
{
	static const char *const compressors[] = {"zstd", "lz4", "deflate"};
	const char *trace = make_trace(state, "t.bin");

	for (unsigned i = 0; i < 3; i++) {
		const char *c = compressors[i];
		json_t *measure = json_of(run("replay", "--json", "--compressor", c, "--totalram",
					      "1M", "--swap", "nvme", trace),
					  0);
		json_t *policy = json_of(run("replay", "--json", "--compressor", c, "--totalram",
					     "1M", "--swap", "nvme", "--mode", "policy", trace),
					 0);

		assert_same_counts(measure, policy);
		assert_string_equal(json_string_value(json_object_get(measure, "mode")), "measure");
		assert_true(json_is_null(json_object_get(measure, "policy_mode")));
		assert_string_equal(json_string_value(json_object_get(policy, "mode")), "policy");
		assert_string_equal(origin_of(policy), "computed");
		/* Nothing that was not measured is a number. */
		assert_true(json_is_null(json_object_get(policy, "measured")));
		assert_true(json_is_null(json_object_get(policy, "cpuid")));
		assert_true(json_is_null(
			json_object_get(json_object_get(policy, "modelled"), "swap_in")));
		json_decref(measure);
		json_decref(policy);
	}
}

static void text_says_the_mode_and_has_no_times(void **state)
{
	const char *trace = make_trace(state, "text.bin");
	struct cli_result r = run("replay", "--mode", "policy", "-j", "2", trace);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nmode      policy: "));
	assert_non_null(strstr(r.out, "\nlengths   zstd zstd.params_hint=262144 "));
	assert_non_null(strstr(r.out, "there was no such file; kept in "));
	assert_non_null(strstr(r.out, " by their ids; mismatches 0"));
	assert_null(strstr(r.out, "measured, ns"));
	assert_null(strstr(r.out, "latency"));
	assert_null(strstr(r.out, "CPUID"));
	assert_null(strstr(r.out, "wall time"));
	cli_free(&r);
	r = run("replay", "--mode", "policy", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, " pages, from\n"));
	cli_free(&r);
}

static void versions_share_lengths_and_count_as_in_measure_mode(void **state)
{
	const char *trace = make_trace(state, "v.bin");
	json_t *measure = json_of(run("versions", "--json", trace), 0);
	json_t *policy = json_of(run("versions", "--json", "--mode", "policy", trace), 0);
	json_t *kernel;
	size_t i;

	json_array_foreach(json_object_get(policy, "kernels"), i, kernel)
	{
		json_t *there = json_array_get(json_object_get(measure, "kernels"), i);

		assert_same_counts(there, kernel);
		assert_true(json_is_null(json_object_get(kernel, "measured")));
		/* Two hints; all but the first of each find them. */
		assert_string_equal(origin_of(kernel), "computed");
	}
	assert_int_equal(i, 8);
	json_decref(measure);
	json_decref(policy);
}

static void lengths_can_be_made_ahead_of_time(void **state)
{
	const char *trace = make_trace(state, "ahead.bin");
	struct cli_result r =
		run("trace", "lengths", "--compressor", "zstd,lz4", "--kernels", "6.12,7.3", trace);
	json_t *root;

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "zstd zstd.params_hint=0 "));
	assert_non_null(strstr(r.out, "zstd zstd.params_hint=262144 "));
	assert_non_null(strstr(r.out, ".lz4.lengths\n"));
	assert_null(strstr(r.out, "were there"));
	cli_free(&r);
	r = run("trace", "lengths", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "were there"));
	assert_null(strstr(r.out, "thread"));
	cli_free(&r);
	root = json_of(run("replay", "--json", "--mode", "policy", "--compressor", "lz4", trace),
		       0);
	assert_string_equal(origin_of(root), "file");
	json_decref(root);
}

static void a_file_that_cannot_be_kept_is_told_and_is_no_error(void **state)
{
	char name[241];
	const char *trace;
	struct cli_result r;

	/* Its own name is as long as names may be, nearly. */
	memset(name, 'x', sizeof(name) - 1);
	name[240] = '\0';
	trace = make_trace(state, name);
	r = run("replay", "--mode", "policy", trace);
	assert_status(&r, 0);
	assert_one_line(r.err);
	assert_non_null(strstr(r.err, "zswapsim replay: the lengths are not kept: "));
	assert_non_null(strstr(r.out, "not kept)"));
	cli_free(&r);
	r = run("trace", "lengths", "--kernels", "7.3", trace);
	assert_status(&r, 2);
	cli_free(&r);
	/* Nor is one that is not wanted. */
	r = run("replay", "--mode", "policy", "--no-lengths-file", trace);
	assert_status(&r, 0);
	assert_string_equal(r.err, "");
	cli_free(&r);
}

static void a_stripped_trace_gives_the_same_counts_and_has_no_contents(void **state)
{
	const char *trace = make_trace(state, "whole.bin"), *out = cli_path(state, "free.bin");
	struct cli_result r =
		run("trace", "strip", "--compressor", "zstd,lzo,deflate", "-o", out, trace);
	static const char *const kernels[] = {"6.12", "7.3"};
	struct stat st;

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "150 pages"));
	cli_free(&r);
	assert_int_equal(stat(out, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	r = run("trace", "check", out);
	assert_status(&r, 0);
	cli_free(&r);
	r = run("trace", "info", out);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "(withheld)"));
	assert_non_null(strstr(r.out, "lengths by lzo "));
	cli_free(&r);
	for (unsigned i = 0; i < 6; i++) {
		const char *c = (const char *const[]){"zstd", "lzo", "deflate"}[i / 2];
		const char *kernel = kernels[i % 2];
		json_t *measure = json_of(run("replay", "--json", "--kernel", kernel,
					      "--compressor", c, "--totalram", "1M", trace),
					  0);
		json_t *policy = json_of(run("replay", "--json", "--kernel", kernel, "--mode",
					     "policy", "--compressor", c, "--totalram", "1M", out),
					 0);

		assert_same_counts(measure, policy);
		assert_string_equal(origin_of(policy), "trace");
		assert_true(json_is_null(json_object_get(policy, "lengths_exact")));
		json_decref(measure);
		json_decref(policy);
	}
}

static void a_content_free_trace_says_what_it_cannot_do(void **state)
{
	const char *trace = make_trace(state, "w.bin"), *out = cli_path(state, "f.bin");
	struct cli_result r = run("trace", "strip", "--kernels", "6.12", "-o", out, trace);

	assert_status(&r, 0);
	cli_free(&r);
	r = run("replay", out);
	assert_refused(&r, "no page contents: there is nothing to compress or to verify in measure "
			   "mode; policy mode replays it");
	cli_free(&r);
	r = run("replay", "--mode", "policy", "--compressor", "lz4", out);
	assert_refused(&r, "without lengths by 'lz4'; it has those by 'zstd zstd.params_hint=0 ");
	cli_free(&r);
	r = run("replay", "--mode", "policy", "--compressor", "842", out);
	assert_refused(&r, "without lengths by '842'");
	cli_free(&r);
	/* Of other parameters: it goes on, and warns. */
	r = run("replay", "--mode", "policy", out);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "warning: the trace's lengths are by 'zstd "
				      "zstd.params_hint=0 "));
	cli_free(&r);
	r = run("trace", "strip", "-o", cli_path(state, "again.bin"), out);
	assert_refused(&r, "content-free already");
	cli_free(&r);
	r = run("trace", "lengths", out);
	assert_refused(&r, "has its lengths already");
	cli_free(&r);
}

static void a_trace_is_not_stripped_onto_itself(void **state)
{
	const char *trace = make_trace(state, "self.bin"), *link = cli_path(state, "link.bin");
	struct cli_result r = run("trace", "strip", "-o", trace, trace);

	assert_refused(&r, "is the trace itself");
	cli_free(&r);
	assert_int_equal(symlink(trace, link), 0);
	r = run("trace", "strip", "-o", link, trace);
	assert_refused(&r, "is the trace itself");
	cli_free(&r);
	r = run("trace", "check", trace);
	assert_status(&r, 0);
	cli_free(&r);
}

static void what_does_not_fit_together_is_refused(void **state)
{
	const char *trace = make_trace(state, "u.bin");
	const struct {
		const char *args[6];
		const char *word;
	} rows[] = {
		{{"replay", "--mode", "fast", trace}, "there are measure and policy"},
		{{"replay", "-j", "2", trace}, "-j is for --mode policy"},
		{{"replay", "--no-lengths-file", trace}, "is for --mode policy"},
		{{"replay", "--mode", "policy", "-j", "0", trace}, "-j"},
		{{"replay", "--mode", "policy", "--machine=kvm-guest", trace}, "models times"},
		{{"replay", "--compressor", "842", trace}, "'842' is not to be had"},
		{{"replay", "--mode", "policy", "--compressor=842", trace},
		 "'842' is not to be had"},
		{{"versions", "--compressor", "842", trace}, "'842' is not to be had"},
		{{"versions", "--mode", "quick", trace}, "there are measure and policy"},
		{{"compare", "--mode", "policy", trace, "--with=deferred"},
		 "a comparison is of times"},
		{{"compare", "--compressor", "842", trace, "--with=deferred"}, "not to be had"},
		{{"trace", "lengths", "--compressor", "zstd,", trace}, "there is no compressor ''"},
		{{"trace", "lengths", "--kernels", "7.3,9.9", trace}, "--kernels"},
		{{"trace", "lengths"}, "a trace is needed"},
		{{"trace", "strip", trace}, "-o TRACE is needed"},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *args[7] = {NULL};
		struct cli_result r;

		memcpy(args, rows[i].args, sizeof(rows[i].args));
		r = cli_run(NULL, args);
		assert_refused(&r, rows[i].word);
		cli_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_modes_print_the_same_counts),
		cmocka_unit_test(text_says_the_mode_and_has_no_times),
		cmocka_unit_test(versions_share_lengths_and_count_as_in_measure_mode),
		cmocka_unit_test(lengths_can_be_made_ahead_of_time),
		cmocka_unit_test(a_file_that_cannot_be_kept_is_told_and_is_no_error),
		cmocka_unit_test(a_stripped_trace_gives_the_same_counts_and_has_no_contents),
		cmocka_unit_test(a_content_free_trace_says_what_it_cannot_do),
		cmocka_unit_test(a_trace_is_not_stripped_onto_itself),
		cmocka_unit_test(what_does_not_fit_together_is_refused),
	};

	return cmocka_run_group_tests_name("cli_policy_mode", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
