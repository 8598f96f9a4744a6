// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What kernels did in the scenarios of tests/kernel: the recordings that lie there are replayed, by
 * the codec where its lengths are the kernel's, and by the lengths that the kernel had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "backends/zstd.h"
#include "sim/verify_zswap.h"
#include "tests/kernel/content.h"
#include "tests/test.h"

static const char *path_of(char *path, size_t size, const char *kernel, const char *file)
{
	const char *source = getenv("ZSWAPSIM_SOURCE");

	assert_non_null(source);
	snprintf(path, size, "%s/tests/kernel/recordings/%s/%s", source, kernel, file);
	return path;
}

static void make_pages(struct recording_pages *pages)
{
	pages->nr = CONTENT_PAGES;
	pages->data = malloc((size_t)CONTENT_PAGES * CONTENT_PAGE_SIZE);
	assert_non_null(pages->data);
	for (uint32_t i = 0; i < CONTENT_PAGES; i++)
		content_page(pages->data + (size_t)i * CONTENT_PAGE_SIZE, i);
}

struct run {
	const char *recorded;	/* by this kernel */
	const char *kernel;	/* the preset that replays it */
	const char *scenario;	/* "zswap_memcgs_zstd" */
	const char *lengths_of; /* the kernel whose lengths are taken; NULL: the codec's */
	uint64_t skipped;	/* rows */
};

static void replay(const struct run *run, struct verify_report *report)
{
	struct recording_lengths lengths = {0};
	struct recording_pages pages = {0};
	struct verify_zswap_config config = {.crypto = backends_registry(), .pages = &pages};
	struct profile profile;
	struct trace_error err = {0};
	const char *codec = strrchr(run->scenario, '_') + 1;
	char path[4096], file[128], why[256];

	assert_int_equal(profile_init(&profile, run->kernel, why, sizeof(why)), 0);
	config.profile = &profile;
	if (!run->lengths_of && !strcmp(codec, "zstd") &&
	    !zstd_library_lengths_exact(profile.zstd.library)) {
		print_message("# SKIP the libzstd in use does not have the lengths of %s\n",
			      run->kernel);
		skip();
	}
	make_pages(&pages);
	if (run->lengths_of) {
		snprintf(file, sizeof(file), "perpage_zswap_%s.csv", codec);
		path_of(path, sizeof(path), run->lengths_of, file);
		recording_lengths_load(path, &lengths, &err);
		assert_string_equal(err.message, "");
		config.lengths = &lengths;
	}
	snprintf(file, sizeof(file), "%s.csv.zst", run->scenario);
	verify_zswap(path_of(path, sizeof(path), run->recorded, file), &config, report, &err);
	assert_string_equal(err.message, "");
	recording_lengths_finish(&lengths);
	recording_pages_finish(&pages);
}

static void agrees(const struct run *run)
{
	struct verify_report report;

	replay(run, &report);
	for (unsigned i = 0; i < report.nr_lines; i++)
		print_message("%s\n", report.lines[i]);
	assert_true(report.rows > 1500);
	assert_int_equal(report.skipped, run->skipped);
	assert_int_equal(report.differing, 0);
}

#define BY_CODEC(name, kernel, scenario, skipped)                                                  \
	static void name##_as_the_kernel_did(void **state)                                         \
	{                                                                                          \
		agrees(&(struct run){kernel, kernel, scenario, NULL, skipped});                    \
	}
#define BY_LENGTHS(name, kernel, scenario, lengths_of, skipped)                                    \
	static void name##_by_recorded_lengths(void **state)                                       \
	{                                                                                          \
		agrees(&(struct run){kernel, kernel, scenario, lengths_of, skipped});              \
	}

BY_CODEC(memcgs_6_12, "6.12", "zswap_memcgs_zstd", 0)
BY_LENGTHS(memcgs_6_12, "6.12", "zswap_memcgs_zstd", "6.12", 0)
BY_LENGTHS(memcgs_6_18, "6.18", "zswap_memcgs_zstd", "7.3", 0)
BY_LENGTHS(memcgs_7_2, "7.2", "zswap_memcgs_zstd", "7.3", 0)
BY_CODEC(memcgs_7_3, "7.3", "zswap_memcgs_zstd", 0)
BY_LENGTHS(memcgs_7_3, "7.3", "zswap_memcgs_zstd", "7.3", 0)
BY_CODEC(worker_6_12, "6.12", "zswap_worker_zstd", 0)
BY_LENGTHS(worker_6_12, "6.12", "zswap_worker_zstd", "6.12", 0)
BY_CODEC(worker_7_3, "7.3", "zswap_worker_zstd", 0)
BY_LENGTHS(worker_7_3, "7.3", "zswap_worker_zstd", "7.3", 0)
BY_CODEC(hysteresis_6_12, "6.12", "zswap_hysteresis_zstd", 0)
BY_LENGTHS(hysteresis_6_12, "6.12", "zswap_hysteresis_zstd", "6.12", 0)
BY_CODEC(hysteresis_7_3, "7.3", "zswap_hysteresis_zstd", 0)
BY_LENGTHS(hysteresis_7_3, "7.3", "zswap_hysteresis_zstd", "7.3", 0)

/* Over zbud: the recording says so. Its pages, and what does not fit into one. */
BY_CODEC(zbud_6_12, "6.12", "zswap_hysteresis_zbud_zstd", 0)
BY_LENGTHS(zbud_6_12, "6.12", "zswap_hysteresis_zbud_zstd", "6.12", 0)
BY_CODEC(paths_over_zbud_6_12, "6.12", "zswap_paths_zbud_zstd", 0)

/* Counts that rest on statistics which may lag behind are skipped. */
BY_CODEC(pressure_6_12, "6.12", "zswap_pressure_zstd", 3419)
BY_LENGTHS(pressure_6_12, "6.12", "zswap_pressure_zstd", "6.12", 3419)
BY_CODEC(pressure_7_3, "7.3", "zswap_pressure_zstd", 3419)
BY_LENGTHS(pressure_7_3, "7.3", "zswap_pressure_zstd", "7.3", 3419)

BY_CODEC(nodes_6_12, "6.12", "zswap_nodes_zstd", 861)
BY_LENGTHS(nodes_6_12, "6.12", "zswap_nodes_zstd", "6.12", 861)
BY_CODEC(nodes_7_3, "7.3", "zswap_nodes_zstd", 861)
BY_LENGTHS(nodes_7_3, "7.3", "zswap_nodes_zstd", "7.3", 861)

/*
 * Which calls each request makes of other codecs, what scomp copies, and what becomes of pages that
 * do not fit.
 */
#define CODEC(name, kernel, codec)                                                                 \
	BY_CODEC(name, kernel, "zswap_paths_" codec, 0)                                            \
	static void name##_without_writeback(void **state)                                         \
	{                                                                                          \
		agrees(&(struct run){kernel, kernel, "zswap_nowb_" codec, NULL, 0});               \
	}

CODEC(deflate_6_12, "6.12", "deflate")
CODEC(deflate_7_3, "7.3", "deflate")
CODEC(lzo_6_12, "6.12", "lzo")
CODEC(lzo_7_3, "7.3", "lzo")

static void lz4_and_lz4hc_by_recorded_lengths(void **state)
{
	static const char *const kernels[] = {"6.12", "7.3"};

	for (unsigned i = 0; i < 2; i++) {
		agrees(&(struct run){kernels[i], kernels[i], "zswap_paths_lz4", kernels[i], 0});
		agrees(&(struct run){kernels[i], kernels[i], "zswap_nowb_lz4", kernels[i], 0});
		agrees(&(struct run){kernels[i], kernels[i], "zswap_paths_lz4hc", kernels[i], 0});
	}
}

static void deflate_and_lzo_by_recorded_lengths(void **state)
{
	static const char *const kernels[] = {"6.12", "7.3"};

	for (unsigned i = 0; i < 2; i++) {
		agrees(&(struct run){kernels[i], kernels[i], "zswap_paths_deflate", kernels[i], 0});
		agrees(&(struct run){kernels[i], kernels[i], "zswap_nowb_deflate", kernels[i], 0});
		agrees(&(struct run){kernels[i], kernels[i], "zswap_paths_lzo", kernels[i], 0});
		agrees(&(struct run){kernels[i], kernels[i], "zswap_nowb_lzo", kernels[i], 0});
	}
}

/*
 * 64 times the page 11051: the eighth object of a zspage is one byte longer than what is left of
 * its page, and all that this byte has is the end of the stream.
 */
static void deflate_reads_an_end_that_lies_in_a_page_of_its_own(void **state)
{
	struct verify_zswap_config config = {.crypto = backends_registry()};
	struct recording_pages pages = {.nr = 64};
	struct verify_report report;
	struct trace_error err = {0};
	struct profile profile;
	char path[4096], why[256];

	assert_int_equal(profile_init(&profile, "7.3", why, sizeof(why)), 0);
	pages.data = malloc((size_t)pages.nr * CONTENT_PAGE_SIZE);
	assert_non_null(pages.data);
	for (uint32_t i = 0; i < pages.nr; i++)
		content_page(pages.data + (size_t)i * CONTENT_PAGE_SIZE, 11051);
	config.profile = &profile;
	config.pages = &pages;
	verify_zswap(path_of(path, sizeof(path), "7.3", "zswap_paths_deflate_end.csv.zst"), &config,
		     &report, &err);
	assert_string_equal(err.message, "");
	assert_int_equal(report.rows, 448);
	assert_int_equal(report.differing, 0);
	recording_pages_finish(&pages);
}

/* That the recordings tell kernels apart, and so could have differed. */
static void a_kernel_does_not_do_what_another_did(void **state)
{
	static const struct run runs[] = {
		{"6.18", "7.2", "zswap_memcgs_zstd", "7.3", 0},
		{"7.2", "6.18", "zswap_memcgs_zstd", "7.3", 0},
		{"7.3", "7.2", "zswap_worker_zstd", "7.3", 0},
		{"6.12", "7.3", "zswap_hysteresis_zstd", "6.12", 0},
		{"7.3", "7.2", "zswap_nodes_zstd", "7.3", 0},
		{"6.12", "7.3", "zswap_paths_deflate", NULL, 0},
		{"7.3", "6.12", "zswap_paths_deflate", NULL, 0},
		{"7.3", "6.12", "zswap_paths_lzo", NULL, 0},
	};

	for (unsigned i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct verify_report report;

		replay(&runs[i], &report);
		assert_true(report.differing > 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memcgs_6_12_as_the_kernel_did),
		cmocka_unit_test(memcgs_6_12_by_recorded_lengths),
		cmocka_unit_test(memcgs_6_18_by_recorded_lengths),
		cmocka_unit_test(memcgs_7_2_by_recorded_lengths),
		cmocka_unit_test(memcgs_7_3_as_the_kernel_did),
		cmocka_unit_test(memcgs_7_3_by_recorded_lengths),
		cmocka_unit_test(worker_6_12_as_the_kernel_did),
		cmocka_unit_test(worker_6_12_by_recorded_lengths),
		cmocka_unit_test(worker_7_3_as_the_kernel_did),
		cmocka_unit_test(worker_7_3_by_recorded_lengths),
		cmocka_unit_test(hysteresis_6_12_as_the_kernel_did),
		cmocka_unit_test(hysteresis_6_12_by_recorded_lengths),
		cmocka_unit_test(hysteresis_7_3_as_the_kernel_did),
		cmocka_unit_test(hysteresis_7_3_by_recorded_lengths),
		cmocka_unit_test(zbud_6_12_as_the_kernel_did),
		cmocka_unit_test(zbud_6_12_by_recorded_lengths),
		cmocka_unit_test(paths_over_zbud_6_12_as_the_kernel_did),
		cmocka_unit_test(pressure_6_12_as_the_kernel_did),
		cmocka_unit_test(pressure_6_12_by_recorded_lengths),
		cmocka_unit_test(pressure_7_3_as_the_kernel_did),
		cmocka_unit_test(pressure_7_3_by_recorded_lengths),
		cmocka_unit_test(nodes_6_12_as_the_kernel_did),
		cmocka_unit_test(nodes_6_12_by_recorded_lengths),
		cmocka_unit_test(nodes_7_3_as_the_kernel_did),
		cmocka_unit_test(nodes_7_3_by_recorded_lengths),
		cmocka_unit_test(deflate_6_12_as_the_kernel_did),
		cmocka_unit_test(deflate_6_12_without_writeback),
		cmocka_unit_test(deflate_7_3_as_the_kernel_did),
		cmocka_unit_test(deflate_7_3_without_writeback),
		cmocka_unit_test(lzo_6_12_as_the_kernel_did),
		cmocka_unit_test(lzo_6_12_without_writeback),
		cmocka_unit_test(lzo_7_3_as_the_kernel_did),
		cmocka_unit_test(lzo_7_3_without_writeback),
		cmocka_unit_test(lz4_and_lz4hc_by_recorded_lengths),
		cmocka_unit_test(deflate_and_lzo_by_recorded_lengths),
		cmocka_unit_test(deflate_reads_an_end_that_lies_in_a_page_of_its_own),
		cmocka_unit_test(a_kernel_does_not_do_what_another_did),
	};

	return cmocka_run_group_tests_name("kernel_recordings", tests, NULL, NULL);
}
