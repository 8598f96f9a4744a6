// SPDX-License-Identifier: GPL-2.0-or-later
/* What replays say of limits, memcgs, the swap device, and of what did not happen. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/cli.h"
#include "tests/trace_file.h"

/* 300 pages of about 2075 bytes: 160 pages of pool. */
static const char *trace;

static int setup(void **state)
{
	struct cli_result r;

	if (cli_tmpdir_setup(state))
		return -1;
	trace = cli_path(state, "half.bin");
	r = run("trace", "synth", "-o", trace, "--profile", "half", "--pages", "300");
	assert_status(&r, 0);
	cli_free(&r);
	return 0;
}

static const char *write_file(void **state, const char *name, const char *text)
{
	const char *path = cli_path(state, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return path;
}

static char *read_file(const char *path)
{
	struct stat st;
	char *text;
	FILE *f;

	assert_int_equal(stat(path, &st), 0);
	text = calloc(1, st.st_size + 1);
	f = fopen(path, "r");
	assert_true(text && f);
	assert_int_equal(fread(text, 1, st.st_size, f), st.st_size);
	fclose(f);
	return text;
}

#define EXPECT_TEXT(text, ...)                                                                     \
	do {                                                                                       \
		struct cli_result shown = run("replay", __VA_ARGS__, trace);                       \
                                                                                                   \
		assert_status(&shown, 0);                                                          \
		if (!strstr(shown.out, text)) {                                                    \
			print_error("no \"%s\" in\n%s", text, shown.out);                          \
			fail();                                                                    \
		}                                                                                  \
		cli_free(&shown);                                                                  \
	} while (0)

/* Case C24 (a): a trace of one MARK. */
static void a_trace_that_stores_nothing_is_no_success(void **state)
{
	const char *empty = cli_path(state, "empty.bin");
	struct trace_event ev = {.type = TRACE_MARK};
	struct trace_writer *w;
	struct trace_error err;
	struct cli_result r;

	assert_ok(trace_writer_create(empty, &sample_config, &w, &err), &err);
	assert_ok(trace_writer_mark_name(w, "nothing", &ev.arg, &err), &err);
	assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	r = run("replay", empty);
	assert_status(&r, 3);
	assert_non_null(strstr(r.out, "warning: the trace stores nothing"));
	assert_non_null(strstr(r.out, "ratio n/a"));
	cli_free(&r);
	r = run("versions", empty);
	assert_status(&r, 3);
	assert_null(strstr(r.out, "nan"));
	cli_free(&r);
}

/* Case C24 (b). */
static void a_device_that_saw_nothing_is_told_in_one_line(void **state)
{
	EXPECT_TEXT(
		"swap device: device writes 0 (the pool was never full; nothing was written back "
		"or refused to disk), reads 0",
		"--kernel", "7.3");
	EXPECT_TEXT("warning: device writes 0, device reads 0: no request reached the swap device",
		    "--swap", "ssd");
}

static void paths_of_writebacks_are_a_row_of_their_own(void **state)
{
	struct cli_result r =
		run("replay", "--kernel", "6.12", "--totalram", "2M", "--json", trace);
	json_t *root = json_loads(r.out, 0, NULL);
	char row[64];
	json_int_t pages = -1;

	assert_status(&r, 0);
	assert_int_equal(
		json_unpack(root, "{s:{s:{s:I}}}", "counts", "writeback", "oneshot_pages", &pages),
		0);
	assert_true(pages > 0);
	snprintf(row, sizeof(row), "\n  write back    %10lld          0          0          0\n",
		 (long long)pages);
	EXPECT_TEXT(row, "--kernel", "6.12", "--totalram", "2M");
	json_decref(root);
	cli_free(&r);
	r = run("replay", trace);
	assert_null(strstr(r.out, "\n  write back  "));
	cli_free(&r);
}

/* What is not counted is not shown as 0. */
static void counters_that_a_kernel_has_not_are_not_shown(void **state)
{
	struct cli_result r = run("replay", "--kernel", "6.12", trace);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "  zswpout "));
	assert_null(strstr(r.out, "  decompress_fail "));
	assert_null(strstr(r.out, "  stored_incompressible_pages "));
	assert_null(strstr(r.out, "  nrswpout "));
	cli_free(&r);
	EXPECT_TEXT("  decompress_fail ", "--kernel", "6.18");
	EXPECT_TEXT("  nrswpout ", "--kernel", "7.3");
}

static void a_limit_that_was_set_and_never_met_is_warned_of(void **state)
{
	const char *scenario = write_file(state, "never.ini", "[memcg /a]\nzswap.max = 1G\n");
	struct cli_result r;

	EXPECT_TEXT(
		"warning: the pool's limit of 51200 pages was set, and never reached: the pool had "
		"160 pages at most",
		"--totalram", "1000M");
	EXPECT_TEXT("warning: the pool's limit of 131072 pages was set", "--max-pool-percent",
		    "50");
	EXPECT_TEXT("warning: zswap.max of memcg 1 /a was set to 1073741824, and never reached",
		    "--scenario", scenario);
	r = run("replay", trace);
	assert_null(strstr(r.out, "never reached"));
	cli_free(&r);
	/* 20 % of 512 pages: full. */
	r = run("replay", "--totalram", "2M", trace);
	assert_null(strstr(r.out, "never reached"));
	assert_non_null(strstr(r.out, "that zswap had written back (refaults)"));
	cli_free(&r);
}

static void modelled_device_time_is_in_a_table_of_its_own(void **state)
{
	EXPECT_TEXT(
		"modelled: swap device 80/500, reading 80 us a request + 500 MB/s, writing 80 us a "
		"request + 500 MB/s; no queue\n"
		"swap-in, measured software + modelled device, ns\n",
		"--swap", "80/500", "--totalram", "2M");
	EXPECT_TEXT("latency, measured, ns", "--swap", "80/500", "--totalram", "2M");
}

static void memcgs_of_a_scenario_are_reported(void **state)
{
	const char *scenario = write_file(state, "memcgs.ini",
					  "[memcg /a/b]\nfrom = offset 0-149\nzswap.max = 100K\n"
					  "[memcg /c]\nfrom = offset 150-299\n"
					  "[at mark load]\nmemcg /a/b zswap.max = max\n");
	struct cli_result r = run("replay", "--kernel", "7.2", "--scenario", scenario, trace);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "scenario: "));
	assert_non_null(strstr(r.out, "before event 301: memcg /a/b zswap.max = max"));
	assert_non_null(strstr(r.out, "memcgs at the end"));
	assert_non_null(strstr(r.out, "\n  /a/b "));
	assert_non_null(strstr(r.out, "memcg_limit "));
	cli_free(&r);
}

static void an_expectation_that_is_not_met_is_status_3(void **state)
{
	struct cli_result r =
		run("replay", "--expect", "stores=300,written_back=0,refused<=0", trace);

	assert_status(&r, 0);
	assert_string_equal(r.err, "");
	cli_free(&r);
	r = run("replay", "--expect", "stores>0", "--expect", "written_back>0", trace);
	assert_status(&r, 3);
	assert_string_equal(r.err,
			    "zswapsim replay: expected kernel.written_back_pages > 0, but it is "
			    "0\n");
	/* The report is printed all the same. */
	assert_non_null(strstr(r.out, "wall time"));
	cli_free(&r);
	r = run("replay", "--json", "--expect", "loads>300", trace);
	assert_status(&r, 3);
	assert_non_null(strstr(r.out, "\"met\": false"));
	cli_free(&r);
}

static void the_pool_over_time_is_a_csv_file(void **state)
{
	const char *csv = cli_path(state, "t.csv");
	struct cli_result r = run("replay", "--csv", csv, "--interval", "100", trace);
	char *text, *doc, *save = NULL, *line;
	unsigned lines = 0;
	struct stat st;

	assert_status(&r, 0);
	cli_free(&r);
	assert_int_equal(stat(csv, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	text = read_file(csv);
	/* 903 events: nine lines, and the last event's. */
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	assert_int_equal(lines, 11);
	assert_non_null(strstr(text, "\n99,"));
	assert_non_null(strstr(text, "\n899,"));
	assert_non_null(strstr(text, "\n902,8990000,0,0,"));

	/* Every column is documented, in this order. */
	doc = cli_read_source("docs/timeline.md");
	line = strstr(doc, "| `event`");
	for (char *column = strtok_r(strtok(text, "\n"), ",", &save); column;
	     column = strtok_r(NULL, ",", &save)) {
		char row[64];

		snprintf(row, sizeof(row), "| `%s` |", column);
		assert_non_null(line);
		assert_int_equal(strncmp(line, row, strlen(row)), 0);
		line = strchr(line, '\n') + 1;
	}
	assert_int_not_equal(strncmp(line, "| `", 3), 0);
	free(doc);
	free(text);
}

static void the_gnuplot_script_names_columns_that_there_are(void **state)
{
	const char *csv = cli_path(state, "columns.csv");
	struct cli_result r = run("replay", "--csv", csv, trace);
	char *script = cli_read_source("docs/timeline.gp"), *text;
	unsigned nr = 0;

	assert_status(&r, 0);
	cli_free(&r);
	text = read_file(csv);
	*strchr(text, '\n') = ',';
	for (const char *s = script; (s = strstr(s, "column(\"")); nr++) {
		char name[64];

		s += strlen("column(\"");
		snprintf(name, sizeof(name), "%.*s,", (int)strcspn(s, "\""), s);
		if (!strstr(text, name)) {
			print_error("no column %s\n", name);
			fail();
		}
	}
	assert_true(nr > 10);
	free(script);
	free(text);
}

static void a_timeline_that_cannot_be_written_is_an_error(void **state)
{
	const char *csv = cli_path(state, "kept.csv");
	struct cli_result r = run("replay", "--csv", "/nonexistent/t.csv", trace);

	assert_refused(&r,
		       "/nonexistent/t.csv: cannot create a file in its directory: No such file");
	cli_free(&r);
	r = run("replay", "--csv", csv, "--scenario", "/nonexistent/s.ini", trace);
	assert_refused(&r, "/nonexistent/s.ini: No such file");
	cli_free(&r);
	assert_int_not_equal(access(csv, F_OK), 0);
	r = run("replay", "--csv", trace, trace);
	assert_refused(&r, "is the trace");
	cli_free(&r);
}

static void bad_settings_are_refused_in_one_line(void **state)
{
	const char *percent = write_file(state, "percent.ini", "[zswap]\nmax_pool_percent = 101\n");
	const char *memcg = write_file(state, "memcg.ini", "[at 5]\nmemcg /x zswap.max = 1\n");
	const char *below = write_file(state, "below.ini", "[memcg /x]\nzswap.max = -4096\n");
	struct cli_result r;

#define REFUSED(word, ...)                                                                         \
	r = run("replay", __VA_ARGS__, trace);                                                     \
	assert_refused(&r, word);                                                                  \
	cli_free(&r)

	REFUSED("percent.ini:2: max_pool_percent = 101", "--scenario", percent);
	REFUSED("memcg.ini:2: memcg /x is unknown", "--scenario", memcg);
	REFUSED("below.ini:2: zswap.max = -4096", "--scenario", below);
	REFUSED("--swap: swap.device 'tape': no such swap device", "--swap", "tape");
	REFUSED("--interval", "--interval", "0", "--csv", "x");
	REFUSED("--interval is for --csv", "--interval", "5");
	REFUSED("known: written_back, refaults", "--expect", "nonsense>0");
	REFUSED("is no expectation", "--expect", "stores");
	r = run("versions", "--scenario", percent, trace);
	assert_refused(&r, "percent.ini:2: max_pool_percent = 101");
	cli_free(&r);
}

static void the_example_scenario_runs_on_the_default_trace(void **state)
{
	const char *silesia = cli_path(state, "silesia.bin");
	const char *source = getenv("ZSWAPSIM_SOURCE");
	struct cli_result r = run("trace", "synth", "-o", silesia);
	char path[4096];

	assert_status(&r, 0);
	cli_free(&r);
	snprintf(path, sizeof(path), "%s/docs/scenario.ini", source);
	r = run("replay", "--kernel", "6.12", "--scenario", path, "--expect",
		"limit_hits>0,memcg_limit>0,written_back>0,refaults>0,mismatches=0", silesia);
	assert_status(&r, 0);
	assert_null(strstr(r.out, "never reached"));
	cli_free(&r);
}

/* Columns are as wide as the longest time, which nobody knows. */
static void assert_columns(const char *text, const char *line, const char *const *columns)
{
	const char *at = strstr(text, line);

	assert_non_null(at);
	at += strlen(line);
	for (; *columns; columns++) {
		at += strspn(at, " ");
		assert_memory_equal(at, *columns, strlen(*columns));
		at += strlen(*columns);
		assert_true(*at == ' ' || *at == '\n');
	}
	assert_int_equal(*at, '\n');
}

static void versions_are_side_by_side(void **state)
{
	const char *burst = cli_path(state, "burst.bin");
	struct cli_result r = run("trace", "synth", "-o", burst, "--profile", "half", "--pages",
				  "1000", "--pattern", "burst");
	json_t *root, *kernels;
	int64_t disk_reads[2];

	assert_status(&r, 0);
	cli_free(&r);
	r = run("versions", "--totalram", "2M", "--swap", "nvme", trace);
	assert_status(&r, 0);
	assert_columns(
		r.out, "\nkernel  ",
		(const char *[]){"6.8", "6.12", "6.17", "6.18", "7.0", "7.2", "7.3", "7.4", NULL});
	assert_non_null(strstr(r.out, "\n  zswpwb (written back) "));
	assert_non_null(strstr(r.out, "\n  disk reads "));
	assert_non_null(strstr(r.out, "time, measured"));
	assert_non_null(strstr(r.out, "swap-in, measured + modelled device"));
	assert_non_null(strstr(r.out, "warning (6.8): zswap.shrinker=protected is modelled"));
	cli_free(&r);

	r = run("versions", "--json", "--kernels", "6.8,6.12", "--shrinker", burst);
	assert_status(&r, 0);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	cli_free(&r);
	kernels = json_object_get(root, "kernels");
	assert_int_equal(json_array_size(kernels), 2);
	for (unsigned i = 0; i < 2; i++) {
		const json_t *counts = json_object_get(json_array_get(kernels, i), "counts");

		disk_reads[i] = json_integer_value(
			json_object_get(json_object_get(counts, "swap"), "read_pages"));
		assert_true(json_integer_value(json_object_get(json_object_get(counts, "events"),
							       "pressures")) > 0);
	}
	/* docs/experiments.md: what second chance is for. */
	assert_true(disk_reads[0] > disk_reads[1]);
	json_decref(root);
	r = run("versions", "--kernels", "6.12,5.4", trace);
	assert_refused(&r, "unknown kernel '5.4'");
	cli_free(&r);
	r = run("versions", "--set", "zstd.level=3", trace);
	assert_refused(&r, "--set: unknown key");
	cli_free(&r);
	r = run("versions");
	assert_refused(&r, "a trace is needed");
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_that_stores_nothing_is_no_success),
		cmocka_unit_test(a_device_that_saw_nothing_is_told_in_one_line),
		cmocka_unit_test(paths_of_writebacks_are_a_row_of_their_own),
		cmocka_unit_test(counters_that_a_kernel_has_not_are_not_shown),
		cmocka_unit_test(a_limit_that_was_set_and_never_met_is_warned_of),
		cmocka_unit_test(modelled_device_time_is_in_a_table_of_its_own),
		cmocka_unit_test(memcgs_of_a_scenario_are_reported),
		cmocka_unit_test(an_expectation_that_is_not_met_is_status_3),
		cmocka_unit_test(the_pool_over_time_is_a_csv_file),
		cmocka_unit_test(the_gnuplot_script_names_columns_that_there_are),
		cmocka_unit_test(a_timeline_that_cannot_be_written_is_an_error),
		cmocka_unit_test(bad_settings_are_refused_in_one_line),
		cmocka_unit_test(the_example_scenario_runs_on_the_default_trace),
		cmocka_unit_test(versions_are_side_by_side),
	};

	return cmocka_run_group_tests_name("cli_replay_swap", tests, setup, cli_tmpdir_teardown);
}
