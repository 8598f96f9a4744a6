// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed lengths, to the byte: those that real kernels recorded for the pages of the vectors,
 * and those of pages that the project makes itself.
 *
 * The second kind is compared with a table, one column for each library whose frames are a
 * kernel's: 1.5.4 (6.12's) and 1.5.7 (7.3's). To make a column anew, build against that library and
 * run `test_zstd_lengths --print`; tests/fetch-libzstd.sh fetches the one that the system does not
 * have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"
#include "traces/recording.h"

#define PAGE	 4096u
#define HUGE_LEN 3625u /* zs_huge_class_size: from here on zram keeps the page as it is */

/* ---- pages that kernels have compressed ---- */

struct run {
	const char *preset;
	const char *hint;
	const char *lengths; /* file of the recording */
	bool zram;
	unsigned nr_stored;
};

static const struct run zswap_6_12 = {"6.12", "zstd.params_hint=0",
				      "6.12/perpage_zswap_zstd.csv.zst", false, 3549};
static const struct run zram_6_12 = {"6.12", "zstd.params_hint=4096",
				     "6.12/perpage_zram_zstd.csv.zst", true, 3317};
static const struct run zswap_7_3 = {"7.3", "zstd.params_hint=262144",
				     "7.3/perpage_zswap_zstd.csv.zst", false, 3552};
/* zram has no driver of its own here: the linear one makes the calls that zram makes. */
static const struct run zram_7_3 = {"6.12", "zstd.params_hint=4096",
				    "7.3/perpage_zram_zstd.csv.zst", true, 3317};

/* Skips the test if the file is absent. */
static const char *vector_path(const char *name)
{
	const char *dir = getenv("ZSWAPSIM_VECTORS");
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "", name);
	if (!dir || access(path, R_OK)) {
		print_message("# SKIP %s: there is no such file in $ZSWAPSIM_VECTORS\n", name);
		skip();
	}
	return path;
}

static void check_page(struct rig *rig, const struct run *run, unsigned index, const uint8_t *page,
		       unsigned kind, unsigned expected, bool exact)
{
	/* zram's buffer has two pages: there, a page is too long but never refused. */
	unsigned len = run->zram ? 2 * PAGE : PAGE;
	static uint8_t out[2 * PAGE];
	int ret;

	if (kind == RECORDING_KIND_SAME) {
		assert_memory_equal(page, page + 8, PAGE - 8);
		return;
	}
	ret = rig_compress_flat(rig, page, PAGE, out, &len);
	if (kind == RECORDING_KIND_STORED) {
		if (ret || (len != expected && exact))
			fail_msg("page %u: %d, %u bytes, the kernel's %u", index, ret, len,
				 expected);
		return;
	}
	if (run->zram ? ret || (len < HUGE_LEN && exact) : ret != -EINVAL)
		fail_msg("page %u: %d, %u bytes, the kernel did not store it", index, ret, len);
}

static void check_run(const struct run *run, bool exact)
{
	struct recording_lengths lengths;
	struct recording_pages pages;
	unsigned nr_stored = 0;
	struct trace_error err;
	struct rig *rig;

	vector_path(run->lengths);
	assert_int_equal(recording_pages_load(vector_path("pages.bin.zst"), &pages, &err), 0);
	assert_int_equal(recording_lengths_load(vector_path(run->lengths), &lengths, &err), 0);
	assert_int_equal(pages.nr, 4096);
	assert_int_equal(lengths.nr, pages.nr);
	rig = rig_create(run->preset, run->hint, NULL);
	for (unsigned i = 0; i < pages.nr; i++) {
		assert_int_not_equal(lengths.kind[i], RECORDING_KIND_NONE);
		nr_stored += lengths.kind[i] == RECORDING_KIND_STORED;
		check_page(rig, run, i, pages.data + (size_t)i * PAGE, lengths.kind[i],
			   lengths.length[i], exact);
	}
	assert_int_equal(nr_stored, run->nr_stored);
	rig_destroy(rig);
	recording_lengths_finish(&lengths);
	recording_pages_finish(&pages);
}

static void check_lengths(const struct run *run, unsigned library)
{
	if (!zstd_library_lengths_exact(library)) {
		print_message("# SKIP lengths of libzstd %s are not those of the kernel's %s\n",
			      zstd_library_version(),
			      library == ZSTD_LIBRARY_1_5_2 ? "1.5.2" : "1.5.7");
		skip();
	}
	check_run(run, true);
}

static void zswap_of_6_12_stored_every_page_in_the_same_length(void **state)
{
	check_lengths(&zswap_6_12, ZSTD_LIBRARY_1_5_2);
}

static void zram_of_6_12_stored_every_page_in_the_same_length(void **state)
{
	check_lengths(&zram_6_12, ZSTD_LIBRARY_1_5_2);
}

static void zswap_of_7_3_stored_every_page_in_the_same_length(void **state)
{
	check_lengths(&zswap_7_3, ZSTD_LIBRARY_1_5_7);
}

static void zram_of_7_3_stored_every_page_in_the_same_length(void **state)
{
	check_lengths(&zram_7_3, ZSTD_LIBRARY_1_5_7);
}

static void which_pages_are_refused_does_not_depend_on_the_library(void **state)
{
	check_run(&zswap_6_12, false);
	check_run(&zswap_7_3, false);
}

/* ---- pages that the project makes ---- */

#define SEEDS	 8
#define NR_PAGES (GEN_NR_KINDS * SEEDS)

/* How a page is compressed; 0 bytes: refused. */
enum way {
	WAY_HINT_0,   /* 6.12's zswap, one shot */
	WAY_ONE_SHOT, /* the acomp driver; zram's frames are the same */
	WAY_STREAM,   /* the acomp driver, in two fragments of 2048 */
	NR_WAYS,
};

struct lengths {
	const char *version;
	uint16_t len[NR_PAGES][NR_WAYS];
};

static const struct lengths recorded[] = {
#include "tests/lengths_table.h"
};

static void measure(uint16_t len[NR_PAGES][NR_WAYS])
{
	struct rig *old = rig_create("6.12", NULL), *new = rig_create("7.3", NULL);
	static uint8_t page[PAGE], out[2 * PAGE];

	for (unsigned i = 0; i < NR_PAGES; i++) {
		unsigned n = PAGE;
		struct side src, dst;

		gen_fill(i / SEEDS, i % SEEDS, page, PAGE);
		rig_compress_flat(old, page, PAGE, out, &n);
		/* The linear driver leaves the capacity there when it fails. */
		len[i][WAY_HINT_0] = n == PAGE ? 0 : n;
		n = PAGE;
		rig_compress_flat(new, page, PAGE, out, &n);
		len[i][WAY_ONE_SHOT] = n;
		side_lengths(&src, new, page, PAGE / 2, PAGE / 2);
		side_lengths(&dst, new, NULL, PAGE);
		rig_compress(new, &src, &dst);
		len[i][WAY_STREAM] = new->req.dlen;
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(new);
	rig_destroy(old);
}

static const struct lengths *recorded_here(void)
{
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
		if (!strcmp(recorded[i].version, zstd_library_version()))
			return &recorded[i];
	}
	return NULL;
}

static void pages_of_our_own_have_the_lengths_recorded_for_this_library(void **state)
{
	const struct lengths *expected = recorded_here();
	uint16_t len[NR_PAGES][NR_WAYS];

	if (!expected) {
		print_message("# SKIP no lengths are recorded for libzstd %s\n",
			      zstd_library_version());
		skip();
	}
	measure(len);
	for (unsigned i = 0; i < NR_PAGES; i++) {
		for (unsigned way = 0; way < NR_WAYS; way++) {
			if (len[i][way] != expected->len[i][way])
				fail_msg("kind %u seed %u way %u: %u bytes, recorded %u", i / SEEDS,
					 i % SEEDS, way, len[i][way], expected->len[i][way]);
		}
	}
}

/* A table that could not tell one library, or one set of parameters, from another is no evidence.
 */
static void the_recorded_lengths_tell_libraries_and_hints_apart(void **state)
{
	const struct lengths *a = &recorded[0], *b = &recorded[1];
	unsigned libraries = 0, hints = 0, streams = 0, refused = 0;

	for (unsigned i = 0; i < NR_PAGES; i++) {
		libraries += a->len[i][WAY_ONE_SHOT] != b->len[i][WAY_ONE_SHOT];
		hints += a->len[i][WAY_HINT_0] != a->len[i][WAY_ONE_SHOT];
		streams += a->len[i][WAY_STREAM] != a->len[i][WAY_ONE_SHOT];
		refused += !a->len[i][WAY_ONE_SHOT];
		assert_true(a->len[i][WAY_ONE_SHOT] <= 4039);
	}
	assert_in_range(libraries, 4, NR_PAGES);
	assert_in_range(hints, 8, NR_PAGES);
	assert_in_range(streams, 32, NR_PAGES);
	assert_in_range(refused, 1, NR_PAGES / 4);
}

static void print_lengths(void)
{
	uint16_t len[NR_PAGES][NR_WAYS];

	measure(len);
	printf("\t{\n\t\t\"%s\",\n\t\t{\n", zstd_library_version());
	for (unsigned i = 0; i < NR_PAGES; i++)
		printf("%s{%u, %u, %u},%s", i % 4 ? " " : "\t\t\t", len[i][WAY_HINT_0],
		       len[i][WAY_ONE_SHOT], len[i][WAY_STREAM], i % 4 == 3 ? "\n" : "");
	printf("\t\t},\n\t},\n");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zswap_of_6_12_stored_every_page_in_the_same_length),
		cmocka_unit_test(zram_of_6_12_stored_every_page_in_the_same_length),
		cmocka_unit_test(zswap_of_7_3_stored_every_page_in_the_same_length),
		cmocka_unit_test(zram_of_7_3_stored_every_page_in_the_same_length),
		cmocka_unit_test(which_pages_are_refused_does_not_depend_on_the_library),
		cmocka_unit_test(pages_of_our_own_have_the_lengths_recorded_for_this_library),
		cmocka_unit_test(the_recorded_lengths_tell_libraries_and_hints_apart),
	};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		print_lengths();
		return 0;
	}
	return cmocka_run_group_tests_name("zstd_lengths", tests, NULL, NULL);
}
