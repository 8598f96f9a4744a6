// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed lengths, to the byte: those that real kernels recorded for the pages of the vectors,
 * and those of pages that the project makes itself.
 *
 * The second kind is compared with a table, one column for each library whose frames are a kernel's:
 * 1.5.4 (6.12's) and 1.5.7 (7.3's). To make a column anew, build against that library and run
 * `test_lengths --print`; tests/fetch-libzstd.sh fetches the one that the system does not have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zst_file.h"
#include "tests/zstd_rig.h"

#define VECTORS	 "ZSWAPSIM_VECTORS"
#define PAGE	 4096u
#define HUGE_LEN 3625u /* zs_huge_class_size: from here on zram keeps the page as it is */

/* ---- pages that kernels have compressed ---- */

struct recording {
	const char *preset;
	const char *hint;
	const char *csv;
	unsigned kind_column;
	unsigned capacity;
	unsigned accepted; /* rows whose length is recorded */
};

static const struct recording zswap_6_12 = {
	"6.12", "zstd.params_hint=0", "6.12/perpage_zswap_zstd.csv.zst", 2, PAGE, 3549};
static const struct recording zram_6_12 = {
	"6.12", "zstd.params_hint=4096", "6.12/perpage_zram_zstd.csv.zst", 5, 2 * PAGE, 3317};
static const struct recording zswap_7_3 = {
	"7.3", "zstd.params_hint=262144", "7.3/perpage_zswap_zstd.csv.zst", 2, PAGE, 3552};
/* zram has no driver of its own here: the linear one makes the calls that zram makes. */
static const struct recording zram_7_3 = {
	"6.12", "zstd.params_hint=4096", "7.3/perpage_zram_zstd.csv.zst", 5, 2 * PAGE, 3317};

enum row_kind { ROW_ACCEPTED, ROW_REFUSED, ROW_HUGE, ROW_NOT_COMPRESSED };

static enum row_kind row_kind(const char *kind)
{
	if (!strcmp(kind, "stored") || !strcmp(kind, "comp"))
		return ROW_ACCEPTED;
	if (!strcmp(kind, "fail") || !strcmp(kind, "raw"))
		return ROW_REFUSED;
	if (!strcmp(kind, "huge"))
		return ROW_HUGE;
	if (!strcmp(kind, "zero") || !strcmp(kind, "same"))
		return ROW_NOT_COMPRESSED;
	fail_msg("unknown kind '%s'", kind);
	return 0;
}

/* Whether every word of the page is the first one, as zswap's and zram's tests have it. */
static bool is_same_filled(const char *page)
{
	return !memcmp(page, page + 8, PAGE - 8);
}

static void check_row(struct rig *rig, unsigned capacity, unsigned index, const char *page,
		      enum row_kind kind, unsigned expected, bool exact)
{
	static char out[2 * PAGE];
	unsigned len = capacity;
	int ret;

	if (kind == ROW_NOT_COMPRESSED) {
		assert_true(is_same_filled(page));
		return;
	}
	ret = rig_compress_flat(rig, page, PAGE, out, &len);
	if (kind == ROW_REFUSED) {
		if (ret != -EINVAL)
			fail_msg("page %u: %d, the kernel refused it", index, ret);
		return;
	}
	if (ret)
		fail_msg("page %u: %d, the kernel took it", index, ret);
	if (kind == ROW_HUGE && len < HUGE_LEN && exact)
		fail_msg("page %u: %u bytes, the kernel found it huge", index, len);
	if (kind == ROW_ACCEPTED && len != expected && exact)
		fail_msg("page %u: %u bytes, the kernel's %u", index, len, expected);
}

static void check_recording(const struct recording *r, bool exact)
{
	struct rig *rig = rig_create(r->preset, r->hint, NULL);
	unsigned nr = 0, accepted = 0;
	size_t pages_size, csv_size;
	char *pages, *csv, *line, *fields[6];

	pages = zst_file_read(VECTORS, "pages.bin.zst", &pages_size);
	csv = zst_file_read(VECTORS, r->csv, &csv_size);
	line = csv;
	assert_true(csv_next(&line, fields, 1));
	while (csv_next(&line, fields, r->kind_column + 1)) {
		enum row_kind kind = row_kind(fields[r->kind_column]);

		assert_int_equal(atoi(fields[0]), nr);
		assert_true((nr + 1) * (size_t)PAGE <= pages_size);
		check_row(rig, r->capacity, nr, pages + nr * (size_t)PAGE, kind, atoi(fields[1]),
			  exact);
		accepted += kind == ROW_ACCEPTED;
		nr++;
	}
	assert_int_equal(nr, 4096);
	assert_int_equal(accepted, r->accepted);
	free(csv);
	free(pages);
	rig_destroy(rig);
}

static void check_lengths(const struct recording *r, unsigned library)
{
	if (!zstd_library_lengths_exact(library)) {
		print_message("# SKIP lengths of libzstd %s are not those of the kernel's %s\n",
			      zstd_library_version(),
			      library == ZSTD_LIBRARY_1_5_2 ? "1.5.2" : "1.5.7");
		skip();
	}
	check_recording(r, true);
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
	check_recording(&zswap_6_12, false);
	check_recording(&zswap_7_3, false);
}

/* ---- pages that the project makes ---- */

#define SEEDS	 8
#define NR_PAGES (GEN_NR_KINDS * SEEDS)

/* How a page is compressed; 0 bytes: refused. */
enum way {
	WAY_HINT_0,    /* 6.12's zswap, one shot */
	WAY_ONE_SHOT,  /* the acomp driver; zram's frames are the same */
	WAY_STREAM,    /* the acomp driver, in two fragments of 2048 */
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

/* A table that could not tell one library, or one set of parameters, from another is no evidence. */
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
	return cmocka_run_group_tests_name("lengths", tests, NULL, NULL);
}
