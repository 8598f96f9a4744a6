// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "tests/test.h"
#include "tests/text_file.h"
#include "traces/recording.h"

static enum recording_form form_of(const char *names)
{
	enum recording_form form;
	struct trace_error err;
	struct csv *csv;

	assert_int_equal(csv_open(text_file("t.csv", names), &csv, &err), 0);
	form = recording_form(csv);
	csv_close(csv);
	return form;
}

static void the_columns_tell_the_form(void **state)
{
	assert_int_equal(form_of("seq,op,slot,src,mem_used_total\n"), RECORDING_ZRAM_OPS);
	assert_int_equal(form_of("k_random_bytes,comp_len,huge\n"), RECORDING_ZRAM_SWEEP);
	assert_int_equal(form_of("k_random_bytes,n_written\n"), RECORDING_ZRAM_FIXED);
	assert_int_equal(form_of("seq,op,page,src,stored_pages\n"), RECORDING_ZSWAP_OPS);
	assert_int_equal(form_of("block,type,swapped_ptes,seq,op,page,src\n"),
			 RECORDING_ZSWAP_FOLIO64);
	assert_int_equal(form_of("page_index,comp_len,kind,zspages\n"), RECORDING_PERPAGE);
	assert_int_equal(form_of("op,comp_len,kind\n"), RECORDING_UNKNOWN);
	assert_string_equal(recording_form_name(RECORDING_ZRAM_SWEEP), "zram sweep");
}

static void pages_are_loaded_whole_packed_or_not(void **state)
{
	static uint8_t data[3 * TRACE_PAGE_SIZE];
	static const char *const names[] = {"pages.bin", "pages.bin.zst"};
	struct recording_pages pages;
	struct trace_error err;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = i / 7;
	/* Like a zstd frame, which it is not. */
	memcpy(data, "\x28\xb5\x2f\xfd", 4);
	for (int i = 0; i < 2; i++) {
		const char *path = bytes_file(names[i], data, sizeof(data));

		assert_int_equal(recording_pages_load(path, &pages, &err), 0);
		assert_int_equal(pages.nr, 3);
		assert_memory_equal(pages.data, data, sizeof(data));
		recording_pages_finish(&pages);
	}
}

static void a_file_of_no_whole_pages_is_refused(void **state)
{
	static const uint8_t data[2 * TRACE_PAGE_SIZE];
	struct recording_pages pages;
	struct trace_error err;

	assert_int_equal(recording_pages_load(bytes_file("p", data, 4097), &pages, &err), -EINVAL);
	assert_non_null(strstr(err.message, "offset 4097: ends within a page"));
	assert_int_equal(recording_pages_load(bytes_file("p", data, 0), &pages, &err), -EINVAL);
	assert_non_null(strstr(err.message, "is empty"));
	assert_int_equal(recording_pages_load(text_path("absent"), &pages, &err), -ENOENT);
	assert_null(pages.data);
}

static void lengths_are_found_by_page_in_any_order(void **state)
{
	struct recording_lengths l;
	struct trace_error err;
	const char *path = text_file("l.csv.zst", "kind,x,page_index,comp_len\n"
						  "comp,,2,100\nhuge,,0,4096\nsame,,1,0\n"
						  "stored,,9000,8192\nraw,,4,4096\nzero,,5,0\n"
						  "poor,,6,0\nfail,,7,0\n");

	assert_int_equal(recording_lengths_load(path, &l, &err), 0);
	assert_int_equal(l.nr, 9001);
	assert_int_equal(l.kind[2], RECORDING_KIND_STORED);
	assert_int_equal(l.length[2], 100);
	assert_int_equal(l.kind[0], RECORDING_KIND_RAW);
	assert_int_equal(l.length[0], 4096);
	assert_int_equal(l.kind[1], RECORDING_KIND_SAME);
	assert_int_equal(l.kind[3], RECORDING_KIND_NONE);
	assert_int_equal(l.length[9000], 8192);
	assert_int_equal(l.kind[4], RECORDING_KIND_RAW);
	assert_int_equal(l.kind[5], RECORDING_KIND_SAME);
	assert_int_equal(l.kind[6], RECORDING_KIND_POOR);
	assert_int_equal(l.kind[7], RECORDING_KIND_FAIL);
	recording_lengths_finish(&l);
}

static void lengths_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		const char *text, *cause;
	} bad[] = {
		{"page_index,kind\n", "no column 'comp_len'"},
		{"page_index,comp_len,kind\n0,1,odd\n", "line 2: column kind: unknown kind"},
		{"page_index,comp_len,kind\n-1,1,comp\n", "line 2: column page_index: -1 is not"},
		{"page_index,comp_len,kind\n999999999999,1,comp\n", "column page_index"},
		{"page_index,comp_len,kind\n0,0,comp\n", "column comp_len: 0 is not within 1"},
		{"page_index,comp_len,kind\n0,8193,stored\n", "column comp_len: 8193 is not"},
		{"page_index,comp_len,kind\n0,x,same\n", "line 2: column comp_len: 'x'"},
		{"page_index,comp_len,kind\n0,1,comp\n0,1,comp\n", "line 3: column page_index: "
								   "this page is there twice"},
	};
	struct recording_lengths l;
	struct trace_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(recording_lengths_load(text_file("l.csv", bad[i].text), &l, &err),
				 -EINVAL);
		assert_non_null(strstr(err.message, bad[i].cause));
		assert_null(l.length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_columns_tell_the_form),
		cmocka_unit_test(pages_are_loaded_whole_packed_or_not),
		cmocka_unit_test(a_file_of_no_whole_pages_is_refused),
		cmocka_unit_test(lengths_are_found_by_page_in_any_order),
		cmocka_unit_test(lengths_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests_name("recording", tests, text_dir_create, text_dir_remove);
}
