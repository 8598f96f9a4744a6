// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recordings of real kernels, operation by operation; absent ones are skipped. Without the
 * kernel's own zstd the lengths come from the recordings too, and the codec is still what loads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "backends/zstd.h"
#include "sim/verify_zswap.h"
#include "tests/test.h"

struct recording {
	const char *kernel, *name;
	uint64_t rows, skipped; /* at the least, and exactly */
};

static struct verify_report report;

static void skip_for(const char *what, const char *why)
{
	print_message("# SKIP %s: %s\n", what, why);
	skip();
}

/* Replays $ZSWAPSIM_VECTORS/KERNEL/NAME; by the codec, or by recorded lengths. */
static void verify(const struct recording *r, bool by_lengths)
{
	const char *dir = getenv("ZSWAPSIM_VECTORS");
	struct recording_lengths lengths = {0};
	struct recording_pages pages = {0};
	struct verify_zswap_config config = {.crypto = backends_registry(), .pages = &pages};
	struct profile profile;
	struct trace_error err = {0};
	char path[4096], text[256];

	if (!dir)
		skip_for(r->name, "ZSWAPSIM_VECTORS is not set");
	snprintf(path, sizeof(path), "%s/%s/%s.csv.zst", dir, r->kernel, r->name);
	if (access(path, R_OK))
		skip_for(r->name, "the recording is not here");
	assert_int_equal(profile_init(&profile, r->kernel, text, sizeof(text)), 0);
	config.profile = &profile;
	if (!by_lengths && !zstd_library_lengths_exact(profile.zstd.library))
		skip_for(r->name, "the libzstd in use does not have this kernel's lengths");
	snprintf(path, sizeof(path), "%s/pages.bin.zst", dir);
	assert_int_equal(recording_pages_load(path, &pages, &err), 0);
	if (by_lengths) {
		snprintf(path, sizeof(path), "%s/%s/perpage_zswap_zstd.csv.zst", dir, r->kernel);
		assert_int_equal(recording_lengths_load(path, &lengths, &err), 0);
		config.lengths = &lengths;
	}
	snprintf(path, sizeof(path), "%s/%s/%s.csv.zst", dir, r->kernel, r->name);
	verify_zswap(path, &config, &report, &err);
	assert_string_equal(err.message, "");
	recording_lengths_finish(&lengths);
	recording_pages_finish(&pages);
	for (unsigned i = 0; i < report.nr_lines; i++)
		print_message("%s\n", report.lines[i]);
	assert_true(report.rows >= r->rows);
	assert_int_equal(report.skipped, r->skipped);
	assert_int_equal(report.differing, 0);
}

#define RECORDING(id, k, n, nr, in_flight)                                                         \
	static void id##_as_the_kernel_did(void **state)                                           \
	{                                                                                          \
		verify(&(struct recording){k, n, nr, in_flight}, false);                           \
	}                                                                                          \
	static void id##_by_recorded_lengths(void **state)                                         \
	{                                                                                          \
		verify(&(struct recording){k, n, nr, in_flight}, true);                            \
	}

RECORDING(paths_6_12, "6.12", "zswap_paths_zstd", 28672, 0)
RECORDING(perpage_6_12, "6.12", "zswap_perpage_zstd", 9832, 0)
RECORDING(limit_6_12, "6.12", "zswap_limit_zstd", 14045, 5)
RECORDING(memcgmax_6_12, "6.12", "zswap_memcgmax_zstd", 9363, 0)
RECORDING(nowb_6_12, "6.12", "zswap_nowb_zstd", 12288, 0)
RECORDING(folio64_6_12, "6.12", "zswap_folio64_zstd", 2632, 0)
RECORDING(memmax_6_12, "6.12", "zswap_memmax_zstd", 320, 0)
RECORDING(shrinker_6_12, "6.12", "zswap_shrinker_zstd", 320, 0)
RECORDING(paths_7_3, "7.3", "zswap_paths_zstd", 28672, 0)
RECORDING(perpage_7_3, "7.3", "zswap_perpage_zstd", 9832, 0)
RECORDING(limit_7_3, "7.3", "zswap_limit_zstd", 14045, 9)
RECORDING(memcgmax_7_3, "7.3", "zswap_memcgmax_zstd", 9363, 0)
RECORDING(nowb_7_3, "7.3", "zswap_nowb_zstd", 12288, 0)
RECORDING(folio64_7_3, "7.3", "zswap_folio64_zstd", 2632, 0)

#define BOTH(id)                                                                                   \
	cmocka_unit_test(id##_as_the_kernel_did), cmocka_unit_test(id##_by_recorded_lengths)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(paths_6_12), BOTH(perpage_6_12), BOTH(limit_6_12),	 BOTH(memcgmax_6_12),
		BOTH(nowb_6_12),  BOTH(folio64_6_12), BOTH(memmax_6_12), BOTH(shrinker_6_12),
		BOTH(paths_7_3),  BOTH(perpage_7_3),  BOTH(limit_7_3),	 BOTH(memcgmax_7_3),
		BOTH(nowb_7_3),	  BOTH(folio64_7_3),
	};

	return cmocka_run_group_tests_name("verify_zswap", tests, NULL, NULL);
}
