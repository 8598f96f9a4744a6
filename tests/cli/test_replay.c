// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/cli.h"

/* A trace in the test's folder; further arguments as for "trace synth". */
#define SYNTH(path, ...)                                                                           \
	do {                                                                                       \
		struct cli_result made = run("trace", "synth", "-o", path, __VA_ARGS__);           \
                                                                                                   \
		assert_status(&made, 0);                                                           \
		cli_free(&made);                                                                   \
	} while (0)

static json_t *replay_json(const char *trace, const char *kernel)
{
	struct cli_result r = run("replay", "--json", "--kernel", kernel, trace);
	json_t *root;

	assert_status(&r, 0);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	cli_free(&r);
	return root;
}

static int64_t count(const json_t *root, const char *group, const char *key)
{
	const json_t *v =
		json_object_get(json_object_get(json_object_get(root, "counts"), group), key);

	assert_true(json_is_integer(v));
	return json_integer_value(v);
}

/* Every load of a trace that stores and loads every page once came back as it was. */
static void assert_all_verified(const char *trace, const char *kernel, bool refuses_large)
{
	json_t *root = replay_json(trace, kernel);
	int64_t pages = count(root, "events", "stored_pages");

	assert_true(pages > 0);
	assert_int_equal(count(root, "events", "verified_pages"), pages);
	assert_int_equal(count(root, "events", "mismatched_pages"), 0);
	assert_int_equal(count(root, "events", "failed_load_pages"), 0);
	assert_int_equal(count(root, "pool_at_end", "pool_pages"), 0);
	assert_int_equal(count(root, "zswap", "refused_large_folios") > 0, refuses_large);
	json_decref(root);
}

static void assert_verified_by_both_kernels(const char *small, const char *large)
{
	assert_all_verified(small, "7.3", false);
	assert_all_verified(small, "6.12", false);
	assert_all_verified(large, "7.3", false);
	assert_all_verified(large, "6.12", true);
}

static void every_load_of_the_default_trace_is_verified(void **state)
{
	const char *small = cli_path(state, "synth.bin"), *large = cli_path(state, "synth64.bin");

	SYNTH(small, "--profile", "silesia");
	SYNTH(large, "--profile", "silesia", "--folio", "64K");
	assert_verified_by_both_kernels(small, large);
}

static void build(const char *trace, const char *file, const char *folio)
{
	struct cli_result r = run("trace", "build", "-o", trace, "--folio", folio, file);

	assert_status(&r, 0);
	cli_free(&r);
}

static void every_load_of_six_silesia_files_is_verified(void **state)
{
	static const char *const files[] = {"dickens", "nci", "ooffice", "osdb", "reymont", "xml"};
	const char *small = cli_path(state, "file.bin"), *large = cli_path(state, "file64.bin");
	const char *dir = getenv("ZSWAPSIM_SILESIA");
	char path[4096];

	for (unsigned i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "%s/%s.zst", dir ? dir : "", files[i]);
		if (!dir || access(path, R_OK)) {
			print_message("# SKIP the Silesia files are not here\n");
			skip();
		}
		build(small, path, "4K");
		build(large, path, "64K");
		assert_verified_by_both_kernels(small, large);
	}
}

static void counts_are_the_same_to_the_byte_in_every_run(void **state)
{
	const char *trace = cli_path(state, "zipf.bin");
	char *text[2];

	SYNTH(trace, "--profile", "half", "--pages", "400", "--pattern", "zipf:0.9", "--events",
	      "3000", "--cpus", "3");
	for (unsigned i = 0; i < 2; i++) {
		json_t *root = replay_json(trace, "7.3");

		text[i] = json_dumps(json_object_get(root, "counts"), JSON_INDENT(1));
		json_decref(root);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

/* Case C23: the same "half compressible", two different pools. */
static void the_grain_of_compressibility_decides_the_pool(void **state)
{
	const char *half = cli_path(state, "half.bin"), *mixed = cli_path(state, "mixed.bin");
	json_t *root;

	SYNTH(half, "--profile", "half", "--pages", "300");
	SYNTH(mixed, "--profile", "random-or-zero", "--pages", "300");
	root = replay_json(half, "7.3");
	assert_int_equal(count(root, "pool_at_peak", "pool_pages"), 160);
	json_decref(root);
	root = replay_json(mixed, "7.3");
	assert_int_equal(count(root, "kernel", "swpout_zero"), 150);
	assert_int_equal(count(root, "pool_at_peak", "pool_pages"), 150);
	json_decref(root);
	root = replay_json(mixed, "6.12");
	assert_int_equal(count(root, "kernel", "reject_compress_fail"), 150);
	assert_int_equal(count(root, "pool_at_peak", "pool_pages"), 0);
	assert_int_equal(count(root, "kernel", "pswpout"), 150);
	json_decref(root);
}

/* Case C24. */
static void a_trace_without_a_store_in_zswap_has_no_ratio(void **state)
{
	const char *trace = cli_path(state, "none.bin");
	struct cli_result r;
	json_t *root;

	SYNTH(trace, "--profile", "random-or-zero", "--pages", "10");
	r = run("replay", "--kernel", "6.12", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "warning: nothing was stored in zswap"));
	assert_non_null(strstr(r.out, "ratio n/a"));
	cli_free(&r);
	root = replay_json(trace, "6.12");
	assert_true(json_is_null(json_object_get(
		json_object_get(json_object_get(root, "counts"), "pool_at_peak"), "ratio")));
	json_decref(root);
}

static void the_size_classes_are_those_of_the_pool_at_its_peak(void **state)
{
	static const char *const ram[] = {"256K", "2M", "1G"};
	const char *trace = cli_path(state, "churn.bin");

	SYNTH(trace, "--profile", "half", "--pages", "300", "--pattern", "zipf:0.8", "--events",
	      "3000");
	for (unsigned i = 0; i < 3; i++) {
		struct cli_result r = run("replay", "--json", "--totalram", ram[i], trace);
		json_t *root = json_loads(r.out, 0, NULL), *peak, *class;
		int64_t objects = 0, pages = 0, payload = 0;
		size_t at;

		assert_status(&r, 0);
		peak = json_object_get(json_object_get(root, "counts"), "pool_at_peak");
		json_array_foreach(json_object_get(peak, "classes"), at, class)
		{
			objects += json_integer_value(json_object_get(class, "obj_used"));
			pages += json_integer_value(json_object_get(class, "pages_used"));
			payload += json_integer_value(json_object_get(class, "payload_bytes"));
		}
		assert_true(pages > 0);
		assert_int_equal(pages, count(root, "pool_at_peak", "pool_pages"));
		assert_int_equal(objects, count(root, "pool_at_peak", "objects"));
		assert_int_equal(payload, count(root, "pool_at_peak", "payload_bytes"));
		json_decref(root);
		cli_free(&r);
	}
}

static void the_report_names_what_it_ran(void **state)
{
	const char *trace = cli_path(state, "small.bin");
	struct cli_result r;

	SYNTH(trace, "--profile", "half", "--pages", "50", "--seed", "77");
	r = run("replay", "--set", "zstd.stream_init=deferred", "--totalram", "2G", trace);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "--set zstd.stream_init=deferred --totalram 2G"));
	assert_non_null(strstr(r.out, "seed 77"));
	assert_non_null(strstr(r.out, "kernel 7.3+changes"));
	assert_non_null(strstr(r.out, "zstd.stream_init=deferred"));
	assert_non_null(strstr(r.out, "totalram_pages=524288"));
	assert_non_null(strstr(r.out, "hypervisor"));
	assert_non_null(strstr(r.out, "libzstd"));
	cli_free(&r);
}

static void bad_arguments_are_refused_in_one_line(void **state)
{
	struct cli_result r;

#define REFUSED(word, ...)                                                                         \
	r = run("replay", __VA_ARGS__);                                                            \
	assert_refused(&r, word);                                                                  \
	cli_free(&r)

	REFUSED("trace", "--json");
	REFUSED("no-such-file", "no-such-file");
	REFUSED("directory", "/");
	REFUSED("max-pool-percent", "--max-pool-percent", "101", "x");
	REFUSED("max-pool-percent", "--max-pool-percent", "-1", "x");
	REFUSED("totalram", "--totalram", "many", "x");
	REFUSED("kernel", "--kernel", "5.4", "x");
	REFUSED("known", "--set", "zstd.level=3", "x");
	REFUSED("chain_size", "--set", "zsmalloc.chain_size=99", "x");
	REFUSED("one trace", "x", "y");
	REFUSED("--nonsense", "--nonsense");
}

static void a_report_that_cannot_be_written_is_an_error(void **state)
{
	const char *trace = cli_path(state, "small2.bin");
	struct cli_result r;

	SYNTH(trace, "--profile", "half", "--pages", "50");
	r = run_to("/dev/full", "replay", trace);
	assert_status(&r, 2);
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_of_the_default_trace_is_verified),
		cmocka_unit_test(every_load_of_six_silesia_files_is_verified),
		cmocka_unit_test(counts_are_the_same_to_the_byte_in_every_run),
		cmocka_unit_test(the_grain_of_compressibility_decides_the_pool),
		cmocka_unit_test(a_trace_without_a_store_in_zswap_has_no_ratio),
		cmocka_unit_test(the_size_classes_are_those_of_the_pool_at_its_peak),
		cmocka_unit_test(the_report_names_what_it_ran),
		cmocka_unit_test(bad_arguments_are_refused_in_one_line),
		cmocka_unit_test(a_report_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests_name("cli_replay", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
