// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/profile.h"
#include "sim/verify_rows.h"
#include "sim/verify_zswap.h"
#include "tests/test.h"
#include "tests/text_file.h"

#define NAMES "op,page,src,stored_pages,memcg,key,value,bytes:/p,bytes:/p/a,bytes:/q\n"

/* Two pages, of 1000 and 3000 bytes. */
static const char lengths_text[] = "page_index,comp_len,kind\n0,1000,stored\n1,3000,stored\n";

static int verify(const char *text, struct verify_report *report, struct trace_error *err)
{
	struct recording_lengths lengths;
	struct verify_zswap_config config = {.compressor = "zstd", .lengths = &lengths};
	struct profile profile;
	char why[256];
	int ret;

	*err = (struct trace_error){0};
	assert_int_equal(profile_init(&profile, "7.2", why, sizeof(why)), 0);
	config.profile = &profile;
	assert_int_equal(
		recording_lengths_load(text_file("lengths.csv", lengths_text), &lengths, err), 0);
	ret = verify_zswap(text_file("zswap_some_zstd.csv", text), &config, report, err);
	recording_lengths_finish(&lengths);
	return ret;
}

static const char family[] = NAMES "mkdir,-1,-1,0,/p,,,0,-1,-1\n"
				   "mkdir,-1,-1,0,/p/a,,,0,0,-1\n"
				   "mkdir,-1,-1,0,/q,,,0,0,0\n"
				   "store,0,0,1,/p/a,,,1000,1000,0\n"
				   "store,1,1,2,/q,,,1000,1000,3000\n"
				   "set,-1,-1,2,/p,memory.zswap.max,0,1000,1000,3000\n"
				   "store,2,1,2,/p/a,,,1000,1000,3000\n"
				   "set,-1,-1,2,/p,memory.zswap.max,-1,1000,1000,3000\n"
				   "rmdir,-1,-1,2,/p/a,,,1000,-1,3000\n"
				   "store,3,1,3,/p/a,,,4000,-1,3000\n"
				   "load,0,0,2,/p/a,,,3000,-1,3000\n"
				   "mkdir,-1,-1,2,/p/a,,,3000,0,3000\n"
				   "store,4,0,3,/p/a,,,4000,1000,3000\n"
				   "set,-1,-1,3,/,max_pool_percent,0,4000,1000,3000\n"
				   /* The shrink worker leaves nothing. */
				   "store,5,0,0,/q,,,0,0,0\n";

static void memcgs_come_and_go_and_are_charged(void **state)
{
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(verify(family, &report, &err), 0);
	assert_int_equal(report.rows, 15);
	for (unsigned i = 0; i < report.nr_lines; i++)
		print_message("%s\n", report.lines[i]);
	assert_int_equal(report.differing, 0);
}

/* Whose backing is floor(bytes / 4096), by which the count is scaled. */
static void calls_of_the_shrinker_are_compared_until_statistics_may_lag(void **state)
{
	static const char text[] =
		"op,page,src,stored_pages,memcg,key,value,result,bytes:/p\n"
		"mkdir,-1,-1,0,/p,,,0,0\n"
		"store,1,1,1,/p,,,0,3000\n"
		"store,3,1,2,/p,,,0,6000\n"
		"count,-1,-1,-1,/p,,,0,-1\n" /* switched off */
		"set,-1,-1,2,/,shrinker_enabled,1,0,6000\n"
		"count,-1,-1,-1,/p,,,1,-1\n"
		"scan,-1,-1,-1,/p,nr_to_scan,2,-1,-1\n" /* both had their second chance */
		"count,-1,-1,-1,/p,,,1,-1\n"
		"scan,-1,-1,-1,/p,nr_to_scan,1,1,-1\n"
		"count,-1,-1,-1,/p,,,77,-1\n" /* not compared */
		"reclaim,-1,-1,1,/p,bytes,4096,0,3000\n"
		"count,-1,-1,-1,/p,,,7,-1\n";
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(verify(text, &report, &err), 0);
	assert_int_equal(report.rows, 11);
	assert_int_equal(report.skipped, 1);
	assert_int_equal(report.differing, 1);
	assert_string_equal(report.lines[0], "line 13: result: recorded 7, here 0");
}

/* 7.2 looks at one entry of each node: both are new, so that the store is refused. */
static void pages_are_on_the_list_of_their_node(void **state)
{
	static const char text[] =
		"op,page,src,stored_pages,written_back_pages,memcg,node,key,value,result,bytes:/p\n"
		"mkdir,-1,-1,0,0,/p,0,,,0,0\n"
		"store,1,1,1,0,/p,0,,,0,3000\n"
		"store,3,1,2,0,/p,1,,,0,6000\n"
		"store,5,1,3,0,/p,1,,,0,9000\n"
		"set,-1,-1,3,0,/p,0,memory.zswap.max,4096,0,9000\n"
		"store,7,1,3,0,/p,0,,,0,9000\n" /* clears one bit on each */
		"store,9,1,3,1,/p,0,,,0,9000\n" /* writes back node 0's, clears the other's */
		"set,-1,-1,3,1,/,0,shrinker_enabled,1,0,9000\n"
		"count,-1,-1,-1,-1,/p,1,,,1,-1\n"
		"count,-1,-1,-1,-1,/p,0,,,0,-1\n"
		"scan,-1,-1,-1,-1,/p,1,nr_to_scan,4,2,-1\n"
		"reclaim,-1,-1,1,3,/p,0,bytes,4096,0,3000\n";
	struct verify_report report;
	struct trace_error err;

	text_file("zswap_some_zstd.json", "[{\"step\":\"config\",\"nr_nodes\":2}]");
	assert_int_equal(verify(text, &report, &err), 0);
	for (unsigned i = 0; i < report.nr_lines; i++)
		print_message("%s\n", report.lines[i]);
	assert_int_equal(report.rows, 12);
	assert_int_equal(report.differing, 0);
	text_file("zswap_some_zstd.json", "[{\"step\":\"config\",\"nr_nodes\":0}]");
	assert_int_equal(verify(text, &report, &err), -EINVAL);
	assert_non_null(strstr(err.message, "'nr_nodes' is not a value"));
	unlink(text_path("zswap_some_zstd.json"));
}

/* Four objects of 3000 bytes share three pages in zsmalloc; in zbud each has its own. */
static void the_allocator_is_the_recordings(void **state)
{
	static const char zbud[] =
		"op,page,src,stored_pages,pool_total_size,memcg,key,value,bytes:/p\n"
		"mkdir,-1,-1,0,0,/p,,,0\n"
		"store,1,1,1,4096,/p,,,3000\n"
		"store,3,1,2,8192,/p,,,6000\n";
	struct verify_report report;
	struct trace_error err;

	text_file("zswap_some_zstd.json", "[{\"step\":\"config\",\"zpool\":\"zbud\"}]");
	assert_int_equal(verify(zbud, &report, &err), 0);
	assert_int_equal(report.rows, 3);
	assert_int_equal(report.differing, 0);
	text_file("zswap_some_zstd.json", "[{\"step\":\"config\",\"zpool\":\"zsmalloc\"}]");
	assert_int_equal(verify(zbud, &report, &err), 0);
	assert_int_equal(report.differing, 2);
	text_file("zswap_some_zstd.json", "[{\"step\":\"config\",\"zpool\":\"z3fold\"}]");
	assert_int_equal(verify(zbud, &report, &err), -EINVAL);
	assert_non_null(strstr(err.message, "allocator that is not here: z3fold"));
	unlink(text_path("zswap_some_zstd.json"));
}

static void a_memcg_with_other_bytes_is_named(void **state)
{
	struct verify_report report;
	struct trace_error err;

	assert_int_equal(verify(NAMES "mkdir,-1,-1,0,/p,,,0,-1,-1\n"
				      "store,0,0,1,/p,,,999,-1,-1\n"
				      "store,1,1,2,/p,,,4000,-1,0\n",
				&report, &err),
			 0);
	assert_int_equal(report.differing, 2);
	assert_string_equal(report.lines[0], "line 3: bytes:/p: recorded 999, here 1000");
	assert_string_equal(report.lines[1], "line 4: bytes:/q: recorded 0, here -1");
}

static void bad_rows_are_refused_by_line(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"op,page,src,memcg,key,value\n", "column memcg: no column 'bytes:PATH'"},
		{"op,page,src,memcg,key,bytes:/p\n", "value"},
		{"op,page,src,memcg,key,value,bytes:/p/a,bytes:/p\n", "its parent has no column"},
		{"op,page,src,memcg,key,value,bytes:p\n", "is not the path of a memcg"},
		{"op,page,src,memcg,key,value,bytes:/\n", "is not the path of a memcg"},
		{"op,page,src,stored_pages\nmkdir,-1,-1,0\n", "line 2: an operation on a memcg"},
		{NAMES "mkdir,-1,-1,0,/x,,,0,0,0\n", "line 2: column memcg: no such memcg"},
		{NAMES "mkdir,-1,-1,0,/,,,0,0,0\n", "line 2: column memcg: no such memcg"},
		{NAMES "store,0,0,0,,,,0,0,0\n", "line 2: column memcg: no such memcg"},
		{NAMES "mkdir,-1,-1,0,/p/a,,,0,0,0\n", "line 2: the memcg is not there"},
		{NAMES "rmdir,-1,-1,0,/p,,,0,0,0\n", "line 2: the memcg is not there"},
		{NAMES "store,0,0,0,/p,,,0,0,0\n", "line 2: the memcg is not there"},
		{NAMES "mkdir,-1,-1,0,/p,,,0,0,0\nmkdir,-1,-1,0,/p,,,0,0,0\n",
		 "line 3: the memcg is there already"},
		{NAMES "mkdir,-1,-1,0,/p,,,0,0,0\nmkdir,-1,-1,0,/p/a,,,0,0,0\n"
		       "rmdir,-1,-1,0,/p,,,0,0,0\n",
		 "line 4: the memcg has children"},
		{NAMES "set,-1,-1,0,/p,memory.max,1,0,0,0\n", "line 2: column key: unknown"},
		{NAMES "set,-1,-1,0,/p,max_pool_percent,1,0,0,0\n", "is not one of a memcg"},
		{NAMES "set,-1,-1,0,/,memory.zswap.max,1,0,0,0\n", "is one of a memcg"},
		{NAMES "set,-1,-1,0,/,max_pool_percent,101,0,0,0\n", "line 2: column value"},
		{NAMES "set,-1,-1,0,/p,memory.zswap.writeback,2,0,0,0\n", "line 2: column value"},
		{NAMES "set,-1,-1,0,/p,memory.zswap.max,-2,0,0,0\n", "line 2: column value"},
		{NAMES "set,-1,-1,0,/p,memory.zswap.max,0,0,0,0\n", "the memcg is not there"},
		{NAMES "store,0,0,0,/,,,x,0,0\n", "line 2: column bytes:/p"},
		{NAMES "count,-1,-1,0,/p,,,0,0,0\n", "line 2: a call of the shrinker, without"},
		{"op,page,src,memcg,node,key,value,bytes:/p\nmkdir,-1,-1,/p,1,,,0\n",
		 "line 2: there is no such node"},
		{"op,page,src,memcg,node,key,value,bytes:/p\nmkdir,-1,-1,/p,-1,,,0\n",
		 "line 2: column node"},
		{"op,page,src,stored_pages\nscan,-1,-1,0\n", "line 2: an operation on a memcg"},
		{"op,page,src,memcg,key,value,result,bytes:/p\nscan,-1,-1,/p,,-1,0,0\n",
		 "line 2: column value"},
		{"op,page,src,memcg,key,value,result,bytes:/p\ncount,-1,-1,/p,,,0,0\n",
		 "line 2: the memcg is not there"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct verify_report report;
		struct trace_error err;

		assert_int_equal(verify(bad[i].text, &report, &err), -EINVAL);
		if (!strstr(err.message, bad[i].message))
			fail_msg("'%s' does not say '%s'", err.message, bad[i].message);
	}
}

static void too_many_memcgs_are_refused(void **state)
{
	char text[1024] = "op,page,src,memcg,key,value";
	struct verify_report report;
	struct trace_error err;

	for (unsigned i = 0; i <= VERIFY_MAX_MEMCGS; i++)
		sprintf(text + strlen(text), ",bytes:/m%u", i);
	strcat(text, "\n");
	assert_int_equal(verify(text, &report, &err), -EINVAL);
	assert_non_null(strstr(err.message, "column bytes:/m16: too many memcgs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memcgs_come_and_go_and_are_charged),
		cmocka_unit_test(calls_of_the_shrinker_are_compared_until_statistics_may_lag),
		cmocka_unit_test(pages_are_on_the_list_of_their_node),
		cmocka_unit_test(the_allocator_is_the_recordings),
		cmocka_unit_test(a_memcg_with_other_bytes_is_named),
		cmocka_unit_test(bad_rows_are_refused_by_line),
		cmocka_unit_test(too_many_memcgs_are_refused),
	};

	return cmocka_run_group_tests_name("verify_memcgs", tests, text_dir_create,
					   text_dir_remove);
}
