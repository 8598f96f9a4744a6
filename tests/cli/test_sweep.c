// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/settings.h"
#include "tests/cli/sweep_rig.h"
#include "tests/trace_file.h"

static const char *trace;

/* Those that make a difference to 150 pages of half a page each, and one that makes none. */
static const char small[] = "; a comment\n"
			    "kernel = 6.12, 7.3\n"
			    "totalram = 1M\n"
			    "zswap.max_pool_percent = 5..20:15, 100\n"
			    "zsmalloc.chain_size = 4, 8\n";

static int setup(void **state)
{
	if (cli_tmpdir_setup(state))
		return -1;
	trace = make_trace(state, "half.bin", "150");
	return 0;
}

#define RUN(...)                                                                                   \
	do {                                                                                       \
		struct cli_result done = run("sweep", __VA_ARGS__);                                \
                                                                                                   \
		assert_status(&done, 0);                                                           \
		assert_string_equal(done.err, "");                                                 \
		cli_free(&done);                                                                   \
	} while (0)

#define REFUSED(word, ...)                                                                         \
	do {                                                                                       \
		struct cli_result refused = run("sweep", __VA_ARGS__);                             \
                                                                                                   \
		assert_refused(&refused, word);                                                    \
		cli_free(&refused);                                                                \
	} while (0)

static json_t *read_json(const char *path)
{
	json_t *root = json_load_file(path, 0, NULL);

	assert_non_null(root);
	return root;
}

/* ---- the plan ---- */

static void a_dry_run_prints_the_settings_in_their_order(void **state)
{
	const char *ini = write_file(state, "plan.ini", small);
	struct cli_result r = run("sweep", "--dry-run", ini);
	static const char first[] =
		"     1  kernel=6.12 totalram=1M zswap.max_pool_percent=5 zsmalloc.chain_size=4\n"
		"     2  kernel=6.12 totalram=1M zswap.max_pool_percent=5 zsmalloc.chain_size=8\n"
		"     3  kernel=6.12 totalram=1M zswap.max_pool_percent=20 zsmalloc.chain_size=4\n";
	static const char last[] =
		"    12  kernel=7.3 totalram=1M zswap.max_pool_percent=100 zsmalloc.chain_size=8\n"
		"12 settings\n";

	assert_status(&r, 0);
	assert_true(!strncmp(r.out, first, strlen(first)));
	assert_string_equal(r.out + r.out_size - strlen(last), last);
	cli_free(&r);
	/* The trace need not be there, nor be named. */
	r = run("sweep", "-n", "--shard", "2/5", "no-such-trace", ini);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "     2  kernel=6.12"));
	assert_null(strstr(r.out, "     3  kernel=6.12"));
	assert_non_null(strstr(r.out, "settings, shard 2 of 5 of 12\n"));
	cli_free(&r);
}

static void the_example_of_the_documentation_has_64_settings(void **state)
{
	char *ini = cli_read_source("docs/sweep.ini");
	struct cli_result r = run("sweep", "-n", write_file(state, "example.ini", ini));

	assert_status(&r, 0);
	assert_non_null(strstr(r.out,
			       "\n    64  kernel=7.3 totalram=128M zswap.max_pool_percent=40 "
			       "zswap.accept_threshold_percent=90 zsmalloc.chain_size=16\n"
			       "64 settings\n"));
	cli_free(&r);
	free(ini);
}

/* docs/sweep.md names every key that is no switch of the profile. */
static void every_key_is_documented(void **state)
{
	char *doc = cli_read_source("docs/sweep.md");
	struct setting_key key;

	for (unsigned i = 0; settings_key(i, &key); i++) {
		char name[80];

		snprintf(name, sizeof(name), "`%s`", key.key);
		if (!strstr(doc, name) &&
		    (!settings_is_profile(key.key) || !strcmp(key.key, "kernel")))
			fail_msg("%s is not in docs/sweep.md", key.key);
	}
	free(doc);
}

static void every_key_is_listed_with_what_it_means(void **state)
{
	struct cli_result r = run("sweep", "--keys");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "zswap.max_pool_percent = 0 to 100\n    the pool's limit"));
	assert_non_null(strstr(r.out, "kernel = 6.8 | 6.12"));
	assert_non_null(strstr(r.out, "zsmalloc.chain_size = 4 to 16"));
	assert_non_null(strstr(r.out, "totalram = bytes, with K, M, G or T"));
	cli_free(&r);
}

static void what_is_wrong_is_one_line(void **state)
{
	const char *good = write_file(state, "good.ini", small);

	REFUSED("a trace and a sweep file are needed", NULL);
	REFUSED("a trace and a sweep file are needed", good);
	REFUSED("not 'x' too", trace, good, "x");
	REFUSED("no-such.ini: No such file", trace, "no-such.ini");
	REFUSED("no-such.bin", "no-such.bin", good);
	REFUSED("bad.ini:2: nodes=65: not a number from 1 to 64", trace,
		write_file(state, "bad.ini", "kernel = 7.3\nnodes = 1..65\n"));
	REFUSED("bad2.ini:1: unknown key 'max_pool_percent'; did you mean", trace,
		write_file(state, "bad2.ini", "max_pool_percent = 5\n"));
	REFUSED("bad3.ini:1: zswap.compressor=snappy: there is no compressor", "-n",
		write_file(state, "bad3.ini", "zswap.compressor = zstd, snappy\n"));
	REFUSED("--jobs '0'", "-j", "0", trace, good);
	REFUSED("--shard '3/2'", "--shard", "3/2", trace, good);
	REFUSED("--shard '0/2'", "--shard", "0/2", trace, good);
	REFUSED("--shard '2'", "--shard", "2", trace, good);
	REFUSED("--keys lists all of them, and takes no 'kernel'", "--keys", "kernel");
	REFUSED("--columns: unknown name 'rainbow'; known:", "--columns", "rainbow", trace, good);
	REFUSED("--columns: 'ratio' may be pool_at_peak.ratio, pool_at_end.ratio", "--columns",
		"ratio", trace, good);
	REFUSED("--columns: no column is named", "--columns", "", trace, good);
	REFUSED("the shards to be joined are needed", "--merge");
	REFUSED("--merge joins what --shard has run", "--merge", "--shard", "1/2", "x");
	REFUSED("--prepare is for all of a sweep", "--prepare", "--shard", "1/2", trace, good);
	REFUSED("--merge runs nothing: --prepare", "--prepare", "--merge", trace);
	REFUSED("unrecognized option '--nonsense'", "--nonsense");
	REFUSED("No such file", "-o", "/no/such/place/x", trace, good);
}

/* ---- results ---- */

/* The counts of a replay to which the row's settings are given as they are. */
static json_t *replay_row(const json_t *settings, const char *mode)
{
	const char *key, *args[24] = {"replay", "--json", trace, "--mode", mode};
	json_t *value, *report, *counts;
	char text[8][64];
	unsigned n = 5, i = 0;
	struct cli_result r;

	json_object_foreach((json_t *)settings, key, value)
	{
		assert_true(i < 8);
		snprintf(text[i], sizeof(text[i]), "%s=%s", key, json_string_value(value));
		args[n++] = "--set";
		args[n++] = text[i++];
	}
	r = cli_run(NULL, args);
	assert_status(&r, 0);
	report = json_loads(r.out, 0, NULL);
	cli_free(&r);
	counts = json_incref(json_object_get(report, "counts"));
	assert_non_null(counts);
	json_decref(report);
	return counts;
}

static void each_row_has_the_counts_of_a_replay_with_its_settings(void **state)
{
	const char *ini = write_file(state, "rows.ini",
				     "zswap.compressor = lz4, zstd:1, zstd\n"
				     "kernel = 6.12, 7.3\n"
				     "totalram = 1M\n"
				     "zswap.max_pool_percent = 20, 100\n");
	const char *base = cli_path(state, "rows");
	json_t *root, *rows, *row;
	size_t i;

	RUN("-o", base, trace, ini);
	root = read_json(cli_path(state, "rows.json"));
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "zswapsim.sweep");
	rows = json_object_get(root, "rows");
	assert_int_equal(json_array_size(rows), 12);
	json_array_foreach(rows, i, row)
	{
		static const char *const modes[] = {"policy", "measure"};

		assert_int_equal(json_integer_value(json_object_get(row, "row")), i + 1);
		for (unsigned m = 0; m < 2; m++) {
			json_t *counts = replay_row(json_object_get(row, "settings"), modes[m]);

			if (!json_equal(counts, json_object_get(row, "counts")))
				fail_msg("row %zu is not what replay counts", i + 1);
			json_decref(counts);
		}
	}
	json_decref(root);
}

/* Fields of line @line of a CSV without quotes. */
static unsigned split(char *text, unsigned line, char **fields, unsigned max)
{
	unsigned n = 0;

	while (line--)
		text = strchr(text, '\n') + 1;
	*strchr(text, '\n') = '\0';
	while (text && n < max) {
		fields[n++] = text;
		text = strchr(text, ',');
		if (text)
			*text++ = '\0';
	}
	return n;
}

static const json_t *at_path(const json_t *node, const char *path)
{
	while (node && *path) {
		size_t len = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		node = json_object_get(node, key);
		path += len + (path[len] == '.');
	}
	return node;
}

static void the_csv_has_every_count_of_every_row(void **state)
{
	const char *ini = write_file(state, "csv.ini", small), *base = cli_path(state, "csv");
	const char *path = cli_path(state, "csv.csv");
	char *names_text, *values_text, *names[400], *values[400];
	unsigned nr, compared = 0;
	json_t *root;

	RUN("-o", base, "-j", "2", trace, ini);
	root = read_json(cli_path(state, "csv.json"));
	names_text = read_file(path);
	nr = split(names_text, 0, names, 400);
	assert_true(nr > 100);
	for (unsigned row = 0; row < 12; row++) {
		const json_t *value = json_array_get(json_object_get(root, "rows"), row);

		values_text = read_file(path);
		assert_int_equal(split(values_text, row + 1, values, 400), nr);
		assert_int_equal(atoi(values[0]), row + 1);
		assert_string_equal(names[1], "kernel");
		assert_string_equal(values[1], row < 6 ? "6.12" : "7.3");
		for (unsigned i = 5; i < nr; i++) {
			const json_t *count = at_path(json_object_get(value, "counts"), names[i]);

			if (json_is_integer(count)) {
				assert_int_equal(atoll(values[i]), json_integer_value(count));
				compared++;
			} else if (!json_is_real(count)) {
				assert_string_equal(values[i], "");
			}
		}
		free(values_text);
	}
	assert_true(compared > 1000);
	free(names_text);
	json_decref(root);
}

static void the_table_has_the_columns_that_are_asked_for(void **state)
{
	const char *ini = write_file(state, "table.ini", small), *base = cli_path(state, "table");
	struct cli_result r =
		run("sweep", "-o", base, "--columns", "refaults, kernel.zswpout", trace, ini);

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "fixed     totalram=1M\n"));
	assert_non_null(strstr(r.out, "settings  12\n"));
	assert_non_null(strstr(r.out,
			       "   row  kernel  zswap.max_pool_percent  zsmalloc.chain_size  "
			       "refaults  kernel.zswpout\n"));
	assert_non_null(strstr(r.out, "\n     1    6.12                       5"));
	cli_free(&r);
	/* A count of a setting's name is not headed as that is. */
	r = run("sweep", "-o", base, "--columns", "policy", trace, ini);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "  refused_pages.policy\n"));
	cli_free(&r);
	/* All rows are there: other columns cost nothing. */
	r = run("sweep", "-o", base, "--columns", "disk_reads", "--progress", trace, ini);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "zsmalloc.chain_size  disk_reads\n"));
	assert_non_null(strstr(r.err, "zswapsim sweep: 12 of 12 settings\n"));
	assert_null(strstr(r.err, "0 of"));
	cli_free(&r);
}

static void modelled_times_are_the_devices_alone(void **state)
{
	const char *ini = write_file(state, "dev.ini",
				     "totalram = 1M\nzswap.max_pool_percent = 10\n"
				     "swap.device = none, 80, 160\n");
	const char *base = cli_path(state, "dev");
	json_t *root, *rows;
	json_int_t ns;

	RUN("-o", base, trace, ini);
	root = read_json(cli_path(state, "dev.json"));
	rows = json_object_get(root, "rows");
	assert_true(json_is_null(at_path(json_array_get(rows, 0), "modelled")));
	ns = json_integer_value(at_path(json_array_get(rows, 1), "modelled.device_read_ns"));
	assert_int_equal(ns, 80000 * json_integer_value(at_path(json_array_get(rows, 1),
								"counts.swap.read_requests")));
	assert_true(ns > 0);
	assert_int_equal(
		json_integer_value(at_path(json_array_get(rows, 2), "modelled.device_read_ns")),
		2 * ns);
	assert_null(at_path(json_array_get(rows, 1), "modelled.swap_in"));
	json_decref(root);
}

static void nobody_else_can_read_what_comes_out(void **state)
{
	static const char *const names[] = {"mode.csv", "mode.json", "mode.journal"};
	const char *ini = write_file(state, "mode.ini", "zswap.max_pool_percent = 1, 2\n");
	mode_t mask = umask(0);

	RUN("-o", cli_path(state, "mode"), trace, ini);
	umask(mask);
	for (unsigned i = 0; i < 3; i++) {
		struct stat st;

		assert_int_equal(stat(cli_path(state, names[i]), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
}

static void outputs_do_not_depend_on_the_number_of_threads(void **state)
{
	static const char *const jobs[] = {"1", "2", "7"};
	const char *ini = write_file(state, "jobs.ini", small);

	for (unsigned i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "jobs%s", jobs[i]);
		RUN("-j", jobs[i], "-o", cli_path(state, name), trace, ini);
	}
	for (unsigned i = 1; i < 3; i++) {
		char csv[16], json[16];

		snprintf(csv, sizeof(csv), "jobs%s.csv", jobs[i]);
		snprintf(json, sizeof(json), "jobs%s.json", jobs[i]);
		assert_same_files(cli_path(state, "jobs1.csv"), cli_path(state, csv));
		assert_same_files(cli_path(state, "jobs1.json"), cli_path(state, json));
	}
}

/* ---- traces that are not as one would like ---- */

/* A store of one page and @loads loads of it; content-free if @compressor is not NULL. */
static const char *write_trace(void **state, const char *name, unsigned loads,
			       const char *compressor)
{
	const char *path = cli_path(state, name);
	struct trace_writer_config config = sample_config;
	struct trace_event store = {.type = TRACE_STORE}, load = {.type = TRACE_LOAD};
	const uint16_t length = 1000;
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_writer *w;
	struct trace_error err;
	uint32_t id;

	if (compressor) {
		config.compressors = &compressor;
		config.nr_compressors = 1;
	}
	assert_ok(trace_writer_create(path, &config, &w, &err), &err);
	sample_page(3, page);
	if (compressor)
		assert_ok(trace_writer_lengths(w, &length, &id, &err), &err);
	else
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
	assert_ok(trace_writer_event(w, &store, &id, &err), &err);
	while (loads--)
		assert_ok(trace_writer_event(w, &load, NULL, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	return path;
}

static void a_trace_that_stops_a_replay_fails_the_sweep_at_its_end(void **state)
{
	/* Of a page that is loaded twice no copy is left, unless it is on the disk. */
	const char *twice = write_trace(state, "twice.bin", 2, NULL);
	const char *ini = write_file(state, "twice.ini", "zswap.max_pool_percent = 0, 20, 30\n");
	struct cli_result r = run("sweep", "-o", cli_path(state, "twice"), twice, ini);
	json_t *root, *rows;
	char *csv;

	assert_status(&r, 1);
	assert_one_line(r.err);
	assert_non_null(strstr(r.err, "replays that stopped: 2; the first, setting 2: "));
	assert_non_null(strstr(r.err, "no copy is left"));
	assert_non_null(strstr(r.out, "\n     3                      30               -"));
	cli_free(&r);
	root = read_json(cli_path(state, "twice.json"));
	rows = json_object_get(root, "rows");
	assert_non_null(json_object_get(json_array_get(rows, 0), "counts"));
	assert_null(json_object_get(json_array_get(rows, 0), "error"));
	assert_null(json_object_get(json_array_get(rows, 1), "counts"));
	assert_non_null(json_object_get(json_array_get(rows, 1), "error"));
	json_decref(root);
	csv = read_file(cli_path(state, "twice.csv"));
	assert_non_null(strstr(csv, "\n2,20,,,,"));
	assert_non_null(strstr(csv, "no copy is left"));
	free(csv);
}

static void a_content_free_trace_has_lengths_of_some_codecs_only(void **state)
{
	const char *lean = write_trace(state, "lean.bin", 1, "zstd");
	const char *ini = write_file(state, "lean.ini", "zsmalloc.chain_size = 4, 5\n");
	const char *other = write_trace(state, "lean2.bin", 1, "other 1.0");
	json_t *root;

	RUN("-o", cli_path(state, "lean"), lean, ini);
	root = read_json(cli_path(state, "lean.json"));
	assert_int_equal(
		json_integer_value(at_path(json_array_get(json_object_get(root, "rows"), 1),
					   "counts.pool_at_peak.payload_bytes")),
		1000);
	json_decref(root);
	REFUSED("without lengths by 'zstd'", "-o", cli_path(state, "lean2"), other, ini);
	assert_int_equal(access(cli_path(state, "lean2.journal"), F_OK), -1);
}

static void a_trace_without_a_store_exercises_nothing(void **state)
{
	const char *path = cli_path(state, "none.bin");
	const char *ini = write_file(state, "none.ini", "nodes = 1, 2\n");
	struct trace_writer *w;
	struct trace_error err;
	struct cli_result r;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	r = run("sweep", "-o", cli_path(state, "none"), path, ini);
	assert_status(&r, 3);
	cli_free(&r);
}

static void inputs_are_never_written_over(void **state)
{
	const char *ini = write_file(state, "over.csv", "nodes = 1, 2\n");
	const char *journal = write_file(state, "over2.journal", "nodes = 1, 2\n");

	REFUSED("over.csv is one of the inputs", "-o", cli_path(state, "over"), trace, ini);
	REFUSED("over2.journal is one of the inputs", "-o", cli_path(state, "over2"), trace,
		journal);
	/* What is no journal is nobody's to write to. */
	REFUSED("over2.journal: is no journal of a sweep", "-o", cli_path(state, "over2"), trace,
		ini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dry_run_prints_the_settings_in_their_order),
		cmocka_unit_test(the_example_of_the_documentation_has_64_settings),
		cmocka_unit_test(every_key_is_documented),
		cmocka_unit_test(every_key_is_listed_with_what_it_means),
		cmocka_unit_test(what_is_wrong_is_one_line),
		cmocka_unit_test(each_row_has_the_counts_of_a_replay_with_its_settings),
		cmocka_unit_test(the_csv_has_every_count_of_every_row),
		cmocka_unit_test(the_table_has_the_columns_that_are_asked_for),
		cmocka_unit_test(modelled_times_are_the_devices_alone),
		cmocka_unit_test(nobody_else_can_read_what_comes_out),
		cmocka_unit_test(outputs_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(a_trace_that_stops_a_replay_fails_the_sweep_at_its_end),
		cmocka_unit_test(a_content_free_trace_has_lengths_of_some_codecs_only),
		cmocka_unit_test(a_trace_without_a_store_exercises_nothing),
		cmocka_unit_test(inputs_are_never_written_over),
	};

	return cmocka_run_group_tests_name("cli_sweep", tests, setup, cli_tmpdir_teardown);
}
