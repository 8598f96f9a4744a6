// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#define ZSTD_DISABLE_DEPRECATE_WARNINGS
#include <zstd.h>

#include "sim/verify_zram.h"
#include "tests/test.h"
#include "tests/text_file.h"

static struct profile profile_of(const char *preset)
{
	struct profile profile;
	char err[256];

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	return profile;
}

/* ---- what the kernel did ---- */

struct vectors {
	struct recording_pages pages;
	struct recording_lengths lengths;
	char dir[512]; /* of one kernel */
};

static const char *vector_path(const struct vectors *v, const char *name)
{
	static char path[640];

	snprintf(path, sizeof(path), "%s/%s", v->dir, name);
	return path;
}

static void vectors_load(struct vectors *v, const char *kernel)
{
	const char *dir = getenv("ZSWAPSIM_VECTORS");
	struct trace_error err;
	int ret;

	snprintf(v->dir, sizeof(v->dir), "%s/%s", dir ? dir : ".", kernel);
	ret = recording_lengths_load(vector_path(v, "perpage_zram_zstd.csv.zst"), &v->lengths,
				     &err);
	if (ret == -ENOENT) {
		print_message("# SKIP no vectors of %s in %s\n", kernel, dir ? dir : ".");
		skip();
	}
	assert_int_equal(ret, 0);
	assert_int_equal(recording_pages_load(vector_path(v, "../pages.bin.zst"), &v->pages, &err),
			 0);
}

static void vectors_finish(struct vectors *v)
{
	recording_lengths_finish(&v->lengths);
	recording_pages_finish(&v->pages);
}

static void expect_agreement(const char *kernel, const char *name, uint64_t rows)
{
	struct profile profile = profile_of(kernel);
	struct verify_report report;
	struct trace_error err;
	struct vectors v;

	vectors_load(&v, kernel);
	/* Which pages are same-filled: by their contents, then by the file of lengths. */
	for (int contents = 1; contents >= 0; contents--) {
		struct verify_zram_config config = {.profile = &profile,
						    .pages = contents ? &v.pages : NULL,
						    .lengths = &v.lengths};

		assert_int_equal(verify_zram(vector_path(&v, name), &config, &report, &err), 0);
		for (unsigned i = 0; i < report.nr_lines; i++)
			print_message("# %s %s: %s\n", kernel, name, report.lines[i]);
		assert_int_equal(report.rows, rows);
		assert_int_equal(report.differing, 0);
	}
	vectors_finish(&v);
}

static void after_every_operation_of_6_12_perpage_the_kernels_figures(void **state)
{
	expect_agreement("6.12", "zram_perpage_zstd.csv.zst", 9382);
}

static void after_every_operation_of_6_12_random_the_kernels_figures(void **state)
{
	expect_agreement("6.12", "zram_random_zstd.csv.zst", 24009);
}

static void after_every_operation_of_7_3_perpage_the_kernels_figures(void **state)
{
	expect_agreement("7.3", "zram_perpage_zstd.csv.zst", 9382);
}

static void after_every_operation_of_7_3_random_the_kernels_figures(void **state)
{
	expect_agreement("7.3", "zram_random_zstd.csv.zst", 24009);
}

static void zspages_of_every_length_of_the_sweep_are_the_kernels(void **state)
{
	expect_agreement("6.12", "zram_sweep_zstd.csv.zst", 4096);
}

/* zram's zstd: level 3, parameters for one page. */
static int zstd_length(void *arg, const void *page, uint32_t src)
{
	char dst[2 * PAGE_SIZE];
	size_t ret;

	assert_int_equal(src, VERIFY_ZRAM_NO_SRC);
	ret = ZSTD_compress_advanced(arg, dst, sizeof(dst), page, PAGE_SIZE, NULL, 0,
				     ZSTD_getParams(3, PAGE_SIZE, 0));
	return ZSTD_isError(ret) ? -EIO : (int)ret;
}

/* Their pages are made again here, so that the codec is checked, too. */
static void lengths_of_the_sweep_are_those_of_libzstd_1_5_4(void **state)
{
	struct profile profile = profile_of("6.12");
	struct verify_zram_config config = {.profile = &profile, .length = zstd_length};
	struct verify_report report;
	struct trace_error err;
	struct vectors v;

	if (ZSTD_versionNumber() != 10504) {
		print_message("# SKIP libzstd is %s, not 1.5.4\n", ZSTD_versionString());
		skip();
	}
	vectors_load(&v, "6.12");
	config.length_arg = ZSTD_createCCtx();
	assert_non_null(config.length_arg);
	assert_int_equal(
		verify_zram(vector_path(&v, "zram_sweep_zstd.csv.zst"), &config, &report, &err), 0);
	for (unsigned i = 0; i < report.nr_lines; i++)
		print_message("# %s\n", report.lines[i]);
	assert_int_equal(report.rows, 4096);
	assert_int_equal(report.differing, 0);
	ZSTD_freeCCtx(config.length_arg);
	vectors_finish(&v);
}

static void another_chain_size_differs(void **state)
{
	struct profile profile = profile_of("7.3");
	struct verify_zram_config config = {.profile = &profile};
	struct verify_report report;
	struct trace_error err;
	struct vectors v;

	vectors_load(&v, "7.3");
	config.lengths = &v.lengths;
	profile.zsmalloc.chain_size = 4;
	assert_int_equal(
		verify_zram(vector_path(&v, "zram_random_zstd.csv.zst"), &config, &report, &err),
		0);
	assert_true(report.differing > 20000);
	vectors_finish(&v);
}

/* ---- small recordings of our own, always there ---- */

/* A codec: as many bytes as the page has that are not 0. */
static int nonzero_bytes(void *arg, const void *page, uint32_t src)
{
	const uint8_t *p = page;
	int n = 0;

	for (unsigned i = 0; i < PAGE_SIZE; i++)
		n += p[i] != 0;
	return n;
}

#define OPS_NAMES                                                                                  \
	"seq,op,slot,src,orig_data_size,compr_data_size,mem_used_total,mem_used_max,same_pages,"   \
	"pages_compacted,huge_pages,huge_pages_since,zspages,handles\n"
/* Pages of 1000, 3000, 0 and 3700 bytes: class 1024 has 4 in a page, 3024 4 in 3 pages. */
#define OPS_ROWS                                                                                   \
	"0,write,0,0,4096,1000,4096,4096,0,0,0,0,1,1\n"                                            \
	"1,write,1,1,8192,4000,16384,16384,0,0,0,0,2,2\n"                                          \
	"2,write,2,2,12288,4000,16384,16384,1,0,0,0,2,2\n"                                         \
	"3,write,3,3,16384,8096,20480,20480,1,0,1,1,3,3\n"                                         \
	"4,write,0,1,16384,10096,16384,20480,1,0,1,1,2,3\n"                                        \
	"5,discard,3,-1,12288,6000,12288,20480,1,0,0,1,1,2\n"                                      \
	"6,compact,-1,-1,12288,6000,12288,20480,1,0,0,1,1,2\n"                                     \
	"7,discard_all,-1,-1,0,0,0,20480,0,0,0,1,0,0\n"
#define LENGTHS "page_index,comp_len,kind\n0,1000,comp\n1,3000,comp\n2,0,same\n3,3700,comp\n"

static struct recording_pages small_pages(void)
{
	static uint8_t data[4][PAGE_SIZE];
	static const unsigned lengths[4] = {1000, 3000, 0, 3700};

	for (int i = 0; i < 4; i++) {
		memset(data[i], 0, PAGE_SIZE);
		memset(data[i] + PAGE_SIZE - lengths[i], i + 1, lengths[i]);
	}
	return (struct recording_pages){.data = data[0], .nr = 4};
}

static int verify_text(const char *text, struct verify_zram_config *config,
		       struct verify_report *report, struct trace_error *err)
{
	struct profile profile = profile_of("7.3");

	config->profile = &profile;
	return verify_zram(text_file("zram_ops_test.csv", text), config, report, err);
}

static void a_small_recording_agrees_by_codec_and_by_lengths(void **state)
{
	struct recording_pages pages = small_pages();
	struct recording_lengths lengths;
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(recording_lengths_load(text_file("l.csv", LENGTHS), &lengths, &err), 0);
	for (int i = 0; i < 3; i++) {
		struct verify_zram_config config = {
			.pages = i != 1 ? &pages : NULL,
			.lengths = i != 0 ? &lengths : NULL,
			.length = i == 0 ? nonzero_bytes : NULL,
		};

		assert_int_equal(verify_text(OPS_NAMES OPS_ROWS, &config, &report, &err), 0);
		assert_int_equal(report.rows, 8);
		assert_int_equal(report.differing, 0);
	}
	recording_lengths_finish(&lengths);
}

static void a_changed_figure_is_found_in_its_row_and_column(void **state)
{
	struct recording_pages pages = small_pages();
	struct verify_zram_config config = {.pages = &pages, .length = nonzero_bytes};
	struct verify_report report;
	struct trace_error err;
	char text[] = OPS_NAMES OPS_ROWS;

	memcpy(strstr(text, "16384,20480,1,0,1,1,2,3"), "20480", 5);
	assert_int_equal(verify_text(text, &config, &report, &err), 0);
	assert_int_equal(report.differing, 1);
	assert_string_equal(report.lines[0], "line 6: mem_used_total: recorded 20480, here 16384");
}

static void columns_that_are_absent_or_minus_one_are_not_compared(void **state)
{
	struct recording_pages pages = small_pages();
	struct verify_zram_config config = {.pages = &pages, .length = nonzero_bytes};
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(verify_text("mem_used_total,zspages,src,slot,op\n4096,-1,0,0,write\n",
				     &config, &report, &err),
			 0);
	assert_int_equal(report.rows, 1);
	assert_int_equal(report.differing, 0);
}

static void what_a_recording_needs_and_has_not_is_said(void **state)
{
	struct recording_pages pages = small_pages();
	struct recording_lengths lengths;
	struct verify_report report;
	struct trace_error err;
	const struct {
		const char *text, *cause;
		bool pages, codec, lengths;
	} bad[] = {
		{OPS_NAMES OPS_ROWS, "needs the pages and a codec, or their lengths", true, false,
		 false},
		{OPS_NAMES OPS_ROWS, "needs the pages and a codec", false, true, false},
		{"op,slot,src\n", "no column 'mem_used_total'", true, true, false},
		{"k_random_bytes,n_written,mem_used_total\n", "needs a codec", false, false, true},
		{"op,page,src\n", "is no recording of zram (zswap operations)", true, true, false},
		{"a,b\n", "is no recording of zram (unknown)", true, true, false},
		{"op,slot,src,mem_used_total\nwrite,0,4,0\n",
		 "line 2: column src: 4 is not within 0 to 3", true, true, false},
		{"op,slot,src,mem_used_total\nwrite,0,4,0\n",
		 "line 2: column src: the lengths do not have this page", false, false, true},
		{"op,slot,src,mem_used_total\nwrite,-1,0,0\n", "line 2: column slot: -1 is not",
		 true, true, false},
		{"op,slot,src,mem_used_total\ndiscard,99999999,0,0\n", "column slot: 99999999",
		 true, true, false},
		{"op,slot,src,mem_used_total\nerase,0,0,0\n",
		 "line 2: column op: unknown operation", true, true, false},
		{"op,slot,src,mem_used_total\nwrite,0,0,many\n",
		 "line 2: column mem_used_total: 'many' is no number", true, true, false},
		{"op,slot,src,mem_used_total\nwrite,0,0\n", "line 2: has 3 fields", true, true,
		 false},
		{"k_random_bytes,comp_len,huge,pages_per_zspage,objs_per_zspage,zspages_at_first\n"
		 "1,0,0,1,1,1\n",
		 "line 2: column comp_len: not within 1 to 4096", false, false, false},
		{"k_random_bytes,n_written,mem_used_total\n40,2,4096\n40,1,4096\n",
		 "line 3: column n_written: 1 is not within 2", false, true, false},
	};

	assert_int_equal(recording_lengths_load(text_file("l.csv", LENGTHS), &lengths, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct verify_zram_config config = {
			.pages = bad[i].pages ? &pages : NULL,
			.lengths = bad[i].lengths ? &lengths : NULL,
			.length = bad[i].codec ? nonzero_bytes : NULL,
		};

		assert_int_equal(verify_text(bad[i].text, &config, &report, &err), -EINVAL);
		if (!strstr(err.message, bad[i].cause))
			fail_msg("'%s' says '%s'", bad[i].cause, err.message);
	}
	recording_lengths_finish(&lengths);
}

static void lengths_that_contradict_the_contents_are_an_error(void **state)
{
	struct recording_pages pages = small_pages();
	struct recording_lengths lengths;
	struct verify_zram_config config = {.pages = &pages, .lengths = &lengths};
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(
		recording_lengths_load(text_file("l.csv", "page_index,comp_len,kind\n0,0,same\n"),
				       &lengths, &err),
		0);
	assert_int_equal(verify_text(OPS_NAMES OPS_ROWS, &config, &report, &err), -EINVAL);
	assert_non_null(strstr(err.message, "same-filled by the lengths"));
	recording_lengths_finish(&lengths);
}

static void a_recording_shorter_than_its_json_says_is_cut_off(void **state)
{
	struct recording_pages pages = small_pages();
	struct verify_zram_config config = {.pages = &pages, .length = nonzero_bytes};
	struct verify_report report;
	struct trace_error err;

	text_file("zram_ops_test.json", "[{\"step\": \"done\", \"rows\": 9}]");
	assert_int_equal(verify_text(OPS_NAMES OPS_ROWS, &config, &report, &err), -EINVAL);
	assert_non_null(strstr(err.message, "has 8 rows, the JSON beside it says 9"));
	text_file("zram_ops_test.json", "[{\"step\": \"done\", \"rows\": 8}]");
	assert_int_equal(verify_text(OPS_NAMES OPS_ROWS, &config, &report, &err), 0);
	remove(text_path("zram_ops_test.json"));
}

/* Any damage: an answer or one line, never more (the sanitizers watch). */
static void a_damaged_recording_is_an_error_or_a_difference(void **state)
{
	static const char alphabet[] = "0123456789,,,\n\n-wdx\0 \xff";
	struct recording_pages pages = small_pages();
	struct verify_zram_config config = {.pages = &pages, .length = nonzero_bytes};
	unsigned refused = 0, differing = 0;
	struct verify_report report;
	struct trace_error err;

	srand(3);
	for (unsigned i = 0; i < 600; i++) {
		char text[] = OPS_NAMES OPS_ROWS;
		struct profile profile = profile_of("7.3");
		size_t size = sizeof(text) - 1;
		int ret;

		for (int n = 1 + rand() % 3; n; n--)
			text[rand() % size] = alphabet[rand() % (sizeof(alphabet) - 1)];
		if (rand() % 2)
			size = rand() % (size + 1);
		config.profile = &profile;
		ret = verify_zram(bytes_file("zram_ops_test.csv", text, size), &config, &report,
				  &err);
		if (ret) {
			assert_non_null(strstr(err.message, "zram_ops_test.csv: "));
			assert_null(strchr(err.message, '\n'));
		}
		refused += ret != 0;
		differing += !ret && report.differing;
	}
	assert_true(refused > 100 && differing > 5);
}

static void the_sweep_is_checked_row_by_row(void **state)
{
	struct verify_zram_config config = {0};
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(
		verify_text("k_random_bytes,comp_len,huge,pages_per_zspage,objs_per_zspage,"
			    "zspages_at_first\n"
			    "1,20,0,1,128,1\n2,3624,0,8,9,1\n3,4096,1,1,,1\n4,4096,1,1,1,-1\n"
			    "5,3624,0,8,8,1\n6,2041,0,1,2,1\n",
			    &config, &report, &err),
		0);
	assert_int_equal(report.rows, 6);
	assert_int_equal(report.differing, 2);
	assert_string_equal(report.lines[0], "line 6: objs_per_zspage: recorded 8, here 9");
	assert_string_equal(report.lines[1], "line 7: pages_per_zspage: recorded 1, here 8");
}

/*
 * Pages of k random bytes compress to about k + 20 bytes, in any version of zstd. Where all of a
 * group land in one class, its figures follow from the class alone.
 */
static void pages_of_the_fixed_form_are_made_again(void **state)
{
	struct verify_zram_config config = {.length = zstd_length};
	struct verify_report report;
	struct trace_error err;

	config.length_arg = ZSTD_createCCtx();
	assert_non_null(config.length_arg);
	assert_int_equal(
		verify_text("k_random_bytes,n_written,orig_data_size,mem_used_total,huge_pages,"
			    "zspages\n"
			    /* class 2176, then 3632: 2041-2168 and 3577-3624 bytes */
			    "2100,10,40960,32768,0,1\n2100,100,409600,229376,0,7\n"
			    "3577,10,40960,65536,0,2\n3577,1000,4096000,3670016,0,112\n"
			    "4096,500,2048000,2048000,500,500\n",
			    &config, &report, &err),
		0);
	for (unsigned i = 0; i < report.nr_lines; i++)
		print_message("# %s\n", report.lines[i]);
	assert_int_equal(report.rows, 5);
	assert_int_equal(report.differing, 0);
	ZSTD_freeCCtx(config.length_arg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_every_operation_of_6_12_perpage_the_kernels_figures),
		cmocka_unit_test(after_every_operation_of_6_12_random_the_kernels_figures),
		cmocka_unit_test(after_every_operation_of_7_3_perpage_the_kernels_figures),
		cmocka_unit_test(after_every_operation_of_7_3_random_the_kernels_figures),
		cmocka_unit_test(zspages_of_every_length_of_the_sweep_are_the_kernels),
		cmocka_unit_test(lengths_of_the_sweep_are_those_of_libzstd_1_5_4),
		cmocka_unit_test(another_chain_size_differs),
		cmocka_unit_test(a_small_recording_agrees_by_codec_and_by_lengths),
		cmocka_unit_test(a_changed_figure_is_found_in_its_row_and_column),
		cmocka_unit_test(columns_that_are_absent_or_minus_one_are_not_compared),
		cmocka_unit_test(what_a_recording_needs_and_has_not_is_said),
		cmocka_unit_test(lengths_that_contradict_the_contents_are_an_error),
		cmocka_unit_test(a_recording_shorter_than_its_json_says_is_cut_off),
		cmocka_unit_test(a_damaged_recording_is_an_error_or_a_difference),
		cmocka_unit_test(the_sweep_is_checked_row_by_row),
		cmocka_unit_test(pages_of_the_fixed_form_are_made_again),
	};

	return cmocka_run_group_tests_name("verify_zram", tests, text_dir_create, text_dir_remove);
}
