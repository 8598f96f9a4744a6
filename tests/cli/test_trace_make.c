// SPDX-License-Identifier: GPL-2.0-or-later
/* trace build and trace synth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/cli.h"
#include "tests/trace_file.h"

/* A file of @size bytes, text-like and noise. */
static const char *input(void **state, const char *name, size_t size)
{
	const char *path = cli_path(state, name);
	struct bytes b = {.data = malloc(size + TRACE_PAGE_SIZE), .size = size};

	assert_non_null(b.data);
	for (size_t done = 0; done < size; done += TRACE_PAGE_SIZE)
		sample_page(done / TRACE_PAGE_SIZE, b.data + done);
	bytes_write(&b, path);
	free(b.data);
	return path;
}

static void expect_same(const char *a, const char *b, bool same)
{
	struct bytes x = bytes_read(a), y = bytes_read(b);

	assert_int_equal(x.size == y.size && !memcmp(x.data, y.data, x.size), same);
	free(x.data);
	free(y.data);
}

static void build_says_in_one_line_what_it_made(void **state)
{
	const char *in = input(state, "in", 5 * 4096 + 1), *out = cli_path(state, "out.bin");
	struct cli_result r = run("trace", "build", "-o", out, in, in, NULL);
	char line[1024];
	struct stat st;

	assert_status(&r, 0);
	assert_int_equal(r.err_size, 0);
	assert_one_line(r.out);
	assert_int_equal(stat(out, &st), 0);
	snprintf(line, sizeof(line), "%s: 12 pages, 6 distinct, 39 events, %lld bytes (seed 1)\n",
		 out, (long long)st.st_size);
	assert_string_equal(r.out, line);
	cli_free(&r);
	r = run("trace", "info", out, NULL);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "in and 1 more"));
	assert_non_null(strstr(r.out, "zswapsim trace build --pattern madvise --folio 4K --cpus 1 "
				      "--seed 1 "));
	cli_free(&r);
}

static void the_same_arguments_give_the_same_bytes_wherever_they_go(void **state)
{
	static const char *const patterns[] = {"madvise", "random", "zipf:0.9", "loop", "burst:64"};
	const char *in = input(state, "in", 40 * 4096);
	const char *a = cli_path(state, "a.bin"), *b = cli_path(state, "b.bin");

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct cli_result r = run("trace", "build", "--pattern", patterns[i], "--folio",
					  "16K", "--cpus", "3", "-o", a, in, NULL);

		assert_status(&r, 0);
		cli_free(&r);
		r = run("trace", "build", "--pattern", patterns[i], "--folio", "16K", "--cpus", "3",
			"-o", b, in, NULL);
		assert_status(&r, 0);
		cli_free(&r);
		expect_same(a, b, true);
		r = run("trace", "build", "--pattern", patterns[i], "--folio", "16K", "--cpus", "3",
			"--seed", "2", "-o", b, in, NULL);
		assert_status(&r, 0);
		assert_non_null(strstr(r.out, "(seed 2)"));
		cli_free(&r);
		expect_same(a, b, false);
	}
}

/* Replay would find a load without a copy, and any page that is not what was stored. */
static void what_is_made_replays_without_a_mismatch(void **state)
{
	static const char *const patterns[] = {"madvise", "random", "zipf:1", "loop", "burst"};
	static const char *const folios[] = {"4K", "64K", "2M"};
	const char *in = input(state, "in", 530 * 4096), *out = cli_path(state, "out.bin");

	for (size_t p = 0; p < sizeof(patterns) / sizeof(*patterns); p++) {
		for (size_t f = 0; f < 3; f++) {
			struct cli_result r =
				run("trace", "build", "--pattern", patterns[p], "--folio",
				    folios[f], "--cpus", "2", "-o", out, in, NULL);

			assert_status(&r, 0);
			cli_free(&r);
			r = run("replay", out, NULL);
			assert_status(&r, 0);
			cli_free(&r);
		}
	}
}

static void the_recorded_command_has_the_numbers_as_they_were_typed(void **state)
{
	static const char *const typed[] = {"zipf:0.6", "zipf:1", "zipf:1.25",
					    "zipf:0.1234567890123"};
	const char *out = cli_path(state, "zipf.bin");

	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		struct cli_result r = run("trace", "synth", "--profile", "half", "--pages", "20",
					  "--events", "20", "--pattern", typed[i], "-o", out);
		char option[64];

		assert_status(&r, 0);
		cli_free(&r);
		snprintf(option, sizeof(option), "--pattern %s ", typed[i]);
		r = run("trace", "info", out);
		assert_non_null(strstr(r.out, option));
		cli_free(&r);
	}
}

static void events_are_as_many_as_asked_for(void **state)
{
	const char *in = input(state, "in", 10 * 4096), *out = cli_path(state, "out.bin");
	struct cli_result r = run("trace", "build", "--pattern", "zipf:1.2", "--events", "1234",
				  "-o", out, in, NULL);

	assert_status(&r, 0);
	/* And the mark. */
	assert_non_null(strstr(r.out, " 1235 events"));
	cli_free(&r);
	r = run("trace", "build", "--pattern", "loop", "-o", out, in, NULL);
	assert_non_null(strstr(r.out, " 41 events"));
	cli_free(&r);
}

static void synth_says_at_what_grain_its_pages_are_compressible(void **state)
{
	const char *out = cli_path(state, "out.bin");
	struct cli_result r =
		run("trace", "synth", "--profile", "half", "--pages", "300", "-o", out, NULL);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "300 pages, 300 distinct, 903 events"));
	assert_non_null(strstr(r.out, "grain: half of each page"));
	cli_free(&r);
	r = run("trace", "synth", "--profile", "random-or-zero", "--pages", "300", "-o", out, NULL);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "300 pages, 151 distinct, 903 events"));
	assert_non_null(strstr(r.out, "grain: whole pages"));
	cli_free(&r);
	r = run("trace", "info", out, NULL);
	assert_non_null(strstr(r.out, "--profile random-or-zero --pages 300"));
	cli_free(&r);
}

static void the_default_trace_is_silesia_and_says_which_nine_files(void **state)
{
	const char *a = cli_path(state, "a.bin"), *b = cli_path(state, "b.bin");
	struct cli_result r = run("trace", "synth", "-o", a, NULL);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "27342 pages, 27323 distinct, 82029 events"));
	assert_non_null(strstr(r.out, "nine of the twelve"));
	cli_free(&r);
	r = run("trace", "synth", "--profile", "silesia", "--seed", "1", "-o", b, NULL);
	assert_status(&r, 0);
	cli_free(&r);
	expect_same(a, b, true);
	r = run("trace", "info", a, NULL);
	assert_non_null(strstr(r.out, "silesia (synthetic)"));
	cli_free(&r);
	r = run("trace", "synth", "--help", NULL);
	assert_non_null(strstr(r.out, "not mozilla, sao and webster"));
	cli_free(&r);
}

static void bad_usage_is_one_line_and_no_trace(void **state)
{
	const char *in = input(state, "in", 4096), *out = cli_path(state, "out.bin");
	static const struct {
		const char *option, *value, *says;
	} bad[] = {
		{"--pattern", "lru", "madvise, random, zipf:A, loop and burst[:N]"},
		{"--pattern", "burst:", "not a number from 1"},
		{"--pattern", "burst:0", "not a number from 1"},
		{"--pattern", "burst:2147483648", "not a number from 1"},
		{"--pattern", "burst:12x", "not a number from 1"},
		{"--pattern", "bursts", "no such pattern"},
		{"--pattern", "zipf", "no such pattern"},
		{"--pattern", "zipf:", "above 0"},
		{"--pattern", "zipf:0", "above 0"},
		{"--pattern", "zipf:-1", "above 0"},
		{"--pattern", "zipf:nan", "above 0"},
		{"--pattern", "zipf:inf", "above 0"},
		{"--pattern", "zipf:1x", "above 0"},
		{"--folio", "8K", "64K"},
		{"--folio", "4M", "2M"},
		{"--folio", "5000", "4K"},
		{"--folio", "", "4K"},
		{"--cpus", "0", "from 1 to 1024"},
		{"--cpus", "1025", "from 1 to 1024"},
		{"--events", "0", "from 1"},
		{"--events", "10", "madvise"},
		{"--seed", "-1", "--seed"},
		{"--seed", "9223372036854775808", "--seed"},
		{"--nonsense", "1", "nonsense"},
	};
	struct cli_result r;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		r = run("trace", "build", bad[i].option, bad[i].value, "-o", out, in, NULL);
		assert_refused(&r, bad[i].says);
		cli_free(&r);
		/* Both commands have these of the same parser. */
		if (i % 5)
			continue;
		r = run("trace", "synth", bad[i].option, bad[i].value, "-o", out, NULL);
		assert_refused(&r, bad[i].says);
		cli_free(&r);
	}
	r = run("trace", "build", in, NULL);
	assert_refused(&r, "-o TRACE");
	cli_free(&r);
	r = run("trace", "build", "-o", out, NULL);
	assert_refused(&r, "FILE, DIR or ARCHIVE");
	cli_free(&r);
	r = run("trace", "synth", "-o", out, "extra", NULL);
	assert_refused(&r, "extra");
	cli_free(&r);
	r = run("trace", "synth", "--profile", "mozilla", "-o", out, NULL);
	assert_refused(&r, "random-or-zero");
	cli_free(&r);
	r = run("trace", "synth", "--pages", "5", "-o", out, NULL);
	assert_refused(&r, "rounds");
	cli_free(&r);
	assert_int_equal(access(out, F_OK), -1);
}

static void bad_input_is_named_and_leaves_nothing(void **state)
{
	const char *out = cli_path(state, "out.bin"), *dir = cli_path(state, "dir");
	const char *missing = cli_path(state, "missing"), *in = input(state, "in", 4096);
	struct cli_result r = run("trace", "build", "-o", out, in, missing, NULL);

	assert_refused(&r, "missing");
	cli_free(&r);
	r = run("trace", "build", "-o", in, in, NULL);
	assert_refused(&r, "one of the inputs");
	cli_free(&r);
	assert_int_equal(mkdir(dir, 0700), 0);
	r = run("trace", "build", "-o", out, dir, NULL);
	assert_refused(&r, "not one byte");
	cli_free(&r);
	r = run("trace", "build", "-o", dir, in, NULL);
	assert_refused(&r, "directory");
	cli_free(&r);
	r = run("trace", "build", "-o", cli_path(state, "no/such/dir.bin"), in, NULL);
	assert_refused(&r, "no/such/dir.bin");
	cli_free(&r);
	assert_int_equal(access(out, F_OK), -1);
}

#define test(f) cmocka_unit_test_setup_teardown(f, cli_tmpdir_setup, cli_tmpdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(build_says_in_one_line_what_it_made),
		test(the_same_arguments_give_the_same_bytes_wherever_they_go),
		test(what_is_made_replays_without_a_mismatch),
		test(the_recorded_command_has_the_numbers_as_they_were_typed),
		test(events_are_as_many_as_asked_for),
		test(synth_says_at_what_grain_its_pages_are_compressible),
		test(the_default_trace_is_silesia_and_says_which_nine_files),
		test(bad_usage_is_one_line_and_no_trace),
		test(bad_input_is_named_and_leaves_nothing),
	};

	return cmocka_run_group_tests_name("cli_trace_make", tests, NULL, NULL);
}
