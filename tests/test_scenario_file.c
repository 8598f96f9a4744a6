// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario_file.h"
#include "tests/test.h"
#include "tests/text_file.h"

static struct trace_error err;

static struct scenario_file *read_text(const char *text)
{
	struct scenario_file *file = NULL;
	int ret = scenario_file_read(text_file("s.ini", text), &file, &err);

	if (ret)
		print_error("%s\n", err.message);
	assert_int_equal(ret, 0);
	return file;
}

static void every_section_and_key_is_read(void **state)
{
	struct scenario_file *f = read_text("; a comment\n"
					    "# another\n"
					    "[machine]\n"
					    "totalram = 2G\n"
					    "nodes = 2\n"
					    "\n"
					    "[zswap]\n"
					    "max_pool_percent = 0\n"
					    "accept_threshold_percent=100\n"
					    "  shrinker_enabled = 1 ; behind it\n"
					    "[memcg /a]\n"
					    "zswap.max = 64M\n"
					    "from = memcg 3, cpu 0-1,offset 1:0-9999\n"
					    "[memcg /a/b]\n"
					    "zswap.max = max\n"
					    "zswap.writeback = 0\n"
					    "[at 500]\n"
					    "max_pool_percent = 2\n"
					    "memcg /a zswap.max = 0\n"
					    "memcg /a/b = offline\n"
					    "[at mark load phase]\n"
					    "memcg /a zswap.writeback = 1\n"
					    "accept_threshold_percent = 5\n"
					    "shrinker_enabled = 0");

	assert_int_equal(f->totalram.value, 2ull << 30);
	assert_int_equal(f->nodes.value, 2);
	assert_true(f->max_pool_percent.given);
	assert_int_equal(f->max_pool_percent.value, 0);
	assert_int_equal(f->accept_threshold_percent.value, 100);
	assert_int_equal(f->shrinker_enabled.value, 1);

	assert_int_equal(f->nr_memcgs, 2);
	assert_string_equal(f->memcgs[0].path, "/a");
	assert_int_equal(f->memcgs[0].zswap_max.value, 64 << 20);
	assert_false(f->memcgs[0].zswap_writeback.given);
	assert_int_equal(f->memcgs[0].line, 11);
	assert_string_equal(f->memcgs[1].path, "/a/b");
	assert_true(f->memcgs[1].zswap_max.value == TRACE_NO_LIMIT);
	assert_true(f->memcgs[1].zswap_writeback.given);

	assert_int_equal(f->nr_from, 3);
	assert_int_equal(f->from[0].kind, SCENARIO_FROM_MEMCG);
	assert_int_equal(f->from[0].first, 3);
	assert_int_equal(f->from[1].kind, SCENARIO_FROM_CPU);
	assert_int_equal(f->from[1].last, 1);
	assert_int_equal(f->from[2].kind, SCENARIO_FROM_OFFSET);
	assert_int_equal(f->from[2].swap_type, 1);
	assert_int_equal(f->from[2].last, 9999);
	assert_int_equal(f->from[2].memcg, 0);

	assert_int_equal(f->nr_points, 2);
	assert_null(f->points[0].mark);
	assert_int_equal(f->points[0].event, 500);
	assert_string_equal(f->points[1].mark, "load phase");
	assert_int_equal(f->nr_changes, 6);
	assert_int_equal(f->changes[1].what, SCENARIO_MEMCG_ZSWAP_MAX);
	assert_string_equal(f->changes[1].path, "/a");
	assert_int_equal(f->changes[2].what, SCENARIO_MEMCG_OFFLINE);
	assert_string_equal(f->changes[2].path, "/a/b");
	assert_int_equal(f->changes[3].what, SCENARIO_MEMCG_ZSWAP_WRITEBACK);
	assert_int_equal(f->changes[5].what, SCENARIO_SHRINKER_ENABLED);
	assert_int_equal(f->changes[5].point, 1);
	assert_int_equal(f->changes[5].line, 24);
	scenario_file_free(f);
}

/* inih keeps 49 characters of a section's name. */
static void a_memcgs_path_may_be_long(void **state)
{
	char text[400], path[151] = "/";
	struct scenario_file *f;

	memset(path + 1, 'x', sizeof(path) - 2);
	path[sizeof(path) - 1] = '\0';
	snprintf(text, sizeof(text),
		 "\xef\xbb\xbf[memcg %s]\nfrom = memcg 0\n[memcg %.100s]\nfrom = cpu 0\n", path,
		 path);
	f = read_text(text);
	assert_int_equal(f->nr_memcgs, 2);
	assert_string_equal(f->memcgs[0].path, path);
	assert_int_equal(strlen(f->memcgs[1].path), 100);
	scenario_file_free(f);
}

static void an_empty_file_says_nothing(void **state)
{
	struct scenario_file *f = read_text("\n; nothing\n");

	assert_int_equal(f->nr_memcgs + f->nr_points + f->nr_changes + f->nr_from, 0);
	assert_false(f->totalram.given);
	scenario_file_free(f);
}

static void whatever_is_wrong_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *cause;
		unsigned line;
	} bad[] = {
		{"max_pool_percent = 1\n", "in no section", 1},
		{"[nonsense]\nx = 1\n", "no such section [nonsense]", 1},
		{"[memcg]\nzswap.max = 1\n", "no such section [memcg]", 1},
		{"[zswap]\n\nmax_pool = 1\n", "no such key 'max_pool' in [zswap]", 3},
		{"[machine]\nram = 1G\n", "no such key 'ram' in [machine]", 2},
		{"[memcg /a]\nzswap.min = 1\n", "no such key 'zswap.min'", 2},
		{"[at 1]\nzswap.max = 1\n", "no such key 'zswap.max' in [at 1]", 2},
		{"[at 1]\nmemcg /a zswap.low = 1\n", "no such key 'memcg /a zswap.low'", 2},
		{"[zswap]\nmax_pool_percent = 101\n", "not a number from 0 to 100", 2},
		{"[zswap]\nmax_pool_percent = -1\n", "not a number from 0 to 100", 2},
		{"[zswap]\nmax_pool_percent = 20%\n", "not a number from 0 to 100", 2},
		{"[zswap]\naccept_threshold_percent = 101\n", "not a number from 0 to 100", 2},
		{"[zswap]\nshrinker_enabled = yes\n", "not a number from 0 to 1", 2},
		{"[zswap]\nmax_pool_percent =\n", "not a number from 0 to 100", 2},
		{"[at 1]\naccept_threshold_percent = 200\n", "not a number from 0 to 100", 2},
		{"[machine]\ntotalram = 100\n", "not a number of bytes from 4K", 2},
		{"[machine]\nnodes = 65\n", "not a number from 1 to 64", 2},
		{"[machine]\nnodes = 0\n", "not a number from 1 to 64", 2},
		{"[memcg /a]\nzswap.max = -1\n", "not a number of bytes", 2},
		{"[memcg /a]\nzswap.max = 1X\n", "not a number of bytes", 2},
		{"[memcg /a]\nzswap.max = 16777216T\n", "not a number of bytes", 2},
		{"[memcg /a]\nzswap.writeback = 2\n", "not a number from 0 to 1", 2},
		{"[at 1]\nmemcg /a zswap.max = -5\n", "not a number of bytes", 2},
		{"[memcg a]\nzswap.max = 1\n", "'a' is no path of a memcg", 1},
		{"[memcg /a/]\nzswap.max = 1\n", "'/a/' is no path", 1},
		{"[memcg /a//b]\nzswap.max = 1\n", "is no path", 1},
		{"[memcg /a/../b]\nzswap.max = 1\n", "is no path", 1},
		{"[memcg /a b]\nzswap.max = 1\n", "is no path", 1},
		{"[memcg /]\nzswap.max = 1\n", "the root memcg has no limit", 2},
		{"[at 1]\nmemcg / = offline\n", "the root memcg has no limit and no end", 2},
		{"[at 1]\nmemcg /a = online\n", "the only thing that becomes of a memcg", 2},
		{"[zswap]\nmax_pool_percent = 1\nmax_pool_percent = 1\n", "a second time", 3},
		{"[memcg /a]\nzswap.max = 1\nzswap.max = 1\n", "a second time", 3},
		{"[memcg /a]\nfrom = cpu 0\nfrom = cpu 1\n", "a second time", 3},
		{"[at 1]\nmemcg /a zswap.max = 1\nmemcg /a zswap.max = 2\n", "a second time", 3},
		{"[at 1]\nmax_pool_percent = 1\nmax_pool_percent = 2\n", "a second time", 3},
		{"[zswap]\nmax_pool_percent = 1\n[zswap]\nshrinker_enabled = 1\n",
		 "[zswap] is there already, in line 1", 3},
		{"[memcg /a]\nzswap.max = 1\n[memcg /a]\nzswap.max = 1\n",
		 "[memcg /a] is there already, in line 1", 3},
		{"[at 5]\nmax_pool_percent = 1\n[at 5]\nshrinker_enabled = 1\n",
		 "[at 5] is there already", 3},
		{"[at mark x]\nmax_pool_percent = 1\n[at mark x]\nshrinker_enabled = 1\n",
		 "[at mark x] is there already", 3},
		{"[at soon]\nmax_pool_percent = 1\n", "neither the number of an event", 1},
		{"[at -1]\nmax_pool_percent = 1\n", "neither the number of an event", 1},
		{"[at mark ]\nmax_pool_percent = 1\n", "neither the number of an event", 1},
		{"[memcg /a]\nfrom = slot 1\n", "from = slot 1: not 'memcg N'", 2},
		{"[memcg /a]\nfrom = cpu 2-1\n", "not 'memcg N'", 2},
		{"[memcg /a]\nfrom = cpu -1\n", "not 'memcg N'", 2},
		{"[memcg /a]\nfrom = offset 32:0-1\n", "not 'memcg N'", 2},
		{"[memcg /a]\nfrom = offset 0:0:1\n", "not 'memcg N'", 2},
		{"[memcg /a]\nfrom = cpu 1:1\n", "not 'memcg N'", 2},
		{"[memcg /a]\nfrom = cpu 0-3\n[memcg /b]\nfrom = cpu 3\n",
		 "from = cpu 3: belongs to memcg /a already (line 2)", 4},
		{"[memcg /a]\nfrom = offset 0-9, offset 5-6\n", "from = offset 5: belongs to", 2},
		{"[memcg /a]\n[memcg /b]\nzswap.max = 1\n", "[memcg /a] says nothing", 1},
		{"[zswap]\nmax_pool_percent = 1\n[memcg /a]\n", "[memcg /a] says nothing", 3},
		{"[zswap]\nmax_pool_percent\n", "neither a [SECTION] nor KEY = VALUE", 2},
		{"[zswap\nmax_pool_percent = 1\n", "neither a [SECTION] nor KEY = VALUE", 1},
		{"[zswap] max_pool_percent = 1\nshrinker_enabled = 1\n",
		 "follows the section's ']'", 1},
		{"[\x1b[31m]\na = b\n", "no such section [?[31m]", 1},
		{"[machine]\nnodes = 1\r2\n", "nodes = 1?2: not a number", 2},
		{"[zswap]\nmax_pool_percent: 1\n", "':' before the '='", 2},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *path = text_file("bad.ini", bad[i].text);
		struct scenario_file *file;
		char place[600];

		snprintf(place, sizeof(place), "%s:%u: ", path, bad[i].line);
		assert_int_equal(scenario_file_read(path, &file, &err), -EINVAL);
		if (strncmp(err.message, place, strlen(place)) ||
		    !strstr(err.message, bad[i].cause) || strchr(err.message, '\n')) {
			print_error("case %u: \"%s\"\n  not \"%s...%s\"\n", i, err.message, place,
				    bad[i].cause);
			fail();
		}
	}
}

static void a_line_that_is_too_long_is_refused(void **state)
{
	struct scenario_file *file;
	char text[600];

	snprintf(text, sizeof(text), "[zswap]\n;%0300d\n", 1);
	assert_int_equal(scenario_file_read(text_file("long.ini", text), &file, &err), -EINVAL);
	assert_non_null(strstr(err.message, ":2: the line is longer than 197 characters"));
}

static void what_cannot_be_read_is_no_scenario(void **state)
{
	struct scenario_file *file;

	assert_int_equal(scenario_file_read(text_path("none.ini"), &file, &err), -ENOENT);
	assert_non_null(strstr(err.message, "none.ini: No such file"));
	assert_int_equal(scenario_file_read("/", &file, &err), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_section_and_key_is_read),
		cmocka_unit_test(a_memcgs_path_may_be_long),
		cmocka_unit_test(an_empty_file_says_nothing),
		cmocka_unit_test(whatever_is_wrong_is_told_with_its_line),
		cmocka_unit_test(a_line_that_is_too_long_is_refused),
		cmocka_unit_test(what_cannot_be_read_is_no_scenario),
	};

	return cmocka_run_group_tests_name("scenario_file", tests, text_dir_create,
					   text_dir_remove);
}
