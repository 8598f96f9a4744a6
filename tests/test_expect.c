// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/expect.h"
#include "cmd/report.h"
#include "tests/test.h"

static json_t *counts;
static struct expectations e;

/* The counts of a replay of nothing, with some numbers put in. */
static int setup(void **state)
{
	struct replay_result *result = calloc(1, sizeof(*result));
	struct profile profile = {0};

	if (!result)
		return -1;
	result->counts.stores = 5;
	result->zswap.written_back_pages = 0;
	result->pool_peak.pages = 3;
	result->stored_at_peak = 7;
	result->rejected[ZSWAP_REJECT_POOL_LIMIT] = 9;
	counts = report_counts_json(result, &profile, NULL);
	free(result);
	return counts ? 0 : -1;
}

static int teardown(void **state)
{
	json_decref(counts);
	return 0;
}

static int parse(const char *text)
{
	char *err = NULL;
	int ret;

	memset(&e, 0, sizeof(e));
	ret = expect_parse(&e, text, counts, &err);
	if (ret)
		print_error("%s: %s\n", text, err);
	free(err);
	return ret;
}

static unsigned unmet(const char *text)
{
	FILE *out = fopen("/dev/null", "w");
	unsigned nr;

	assert_int_equal(parse(text), 0);
	assert_non_null(out);
	nr = expect_report(&e, counts, "test", out);
	fclose(out);
	return nr;
}

static void every_operator_compares(void **state)
{
	static const struct {
		const char *text;
		unsigned unmet;
	} cases[] = {
		{"stores>4", 0},
		{"stores>5", 1},
		{"stores>=5", 0},
		{"stores>=6", 1},
		{"stores<6", 0},
		{"stores<5", 1},
		{"stores<=5", 0},
		{"stores<=4", 1},
		{"stores=5", 0},
		{"stores=4", 1},
		{"stores==5", 0},
		{"stores==6", 1},
		{"stores!=4", 0},
		{"stores!=5", 1},
		{"stores>4.5", 0},
		{"stores<4.5", 1},
		{"stores > 0", 0},
		{" stores>0 , loads = 0 ", 0},
		{"stores>9,loads>0,written_back>0", 3},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (unmet(cases[i].text) != cases[i].unmet) {
			print_error("%s\n", cases[i].text);
			fail();
		}
	}
}

static void a_name_is_a_path_its_end_or_a_short_one(void **state)
{
	assert_int_equal(parse("kernel.written_back_pages>0,written_back_pages>0,written_back>0"),
			 0);
	assert_int_equal(e.nr, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(e.list[i].path, "kernel.written_back_pages");
	assert_int_equal(parse("refused>0,refused_pages.all>0,compress.calls.zstd_init_cctx=0"), 0);
	assert_string_equal(e.list[0].path, "refused_pages.all");
	assert_string_equal(e.list[2].path, "compress.calls.zstd_init_cctx");
	assert_int_equal(unmet("refused=9,pool_limit=9"), 0);
}

/* Short names go by the names of the report, and must not point nowhere. */
static void every_short_name_is_a_count(void **state)
{
	static const char *const names[] = {"written_back",   "refaults",    "refused",
					    "limit_hits",     "disk_writes", "disk_reads",
					    "streamed_loads", "mismatches"};
	char text[64];

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(text, sizeof(text), "%s>=0", names[i]);
		assert_int_equal(unmet(text), 0);
	}
}

static void what_is_not_there_meets_nothing(void **state)
{
	assert_int_equal(unmet("pool_at_end.ratio>=0"), 1);
	assert_int_equal(unmet("nrswpout<1"), 1);
	assert_int_equal(unmet("pool_at_peak.ratio>2.3,pool_at_peak.ratio<2.4"), 0);
}

static void what_is_unmet_is_told_with_the_value_that_it_has(void **state)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(parse("stores>=6,stores>0,pool_at_end.ratio>1.5"), 0);
	assert_int_equal(expect_report(&e, counts, "zswapsim replay", out), 2);
	fclose(out);
	assert_string_equal(text,
			    "zswapsim replay: expected events.stores >= 6, but it is 5\n"
			    "zswapsim replay: expected pool_at_end.ratio > 1.5, but it is n/a\n");
	free(text);
}

static void what_is_no_expectation_is_refused_in_one_line(void **state)
{
	static const struct {
		const char *text, *cause;
	} bad[] = {
		{"", "is no expectation"},
		{"stores", "is no expectation"},
		{"stores>0,", "is no expectation"},
		{"stores!5", "is no expectation"},
		{">0", "begins with a name"},
		{"stores>", "'' is not a number"},
		{"stores>x", "'x' is not a number"},
		{"stores>-1", "'-1' is not a number"},
		{"stores>1e3", "is not a number"},
		{"stores>0x1", "is not a number"},
		{"stores>1.2.3", "is not a number"},
		{"stores=>1", "is not a number"},
		{"nonsense>0", "unknown name 'nonsense'; known: written_back, refaults"},
		{"memcgs>0", "unknown name 'memcgs'"},
		{"events>0,kernel>0", "unknown name 'kernel'"},
		{"stored_pages>0",
		 "'stored_pages' may be events.stored_pages, kernel.stored_pages, "
		 "pool_at_peak.stored_pages, pool_at_end.stored_pages"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *err = NULL;

		memset(&e, 0, sizeof(e));
		assert_int_equal(expect_parse(&e, bad[i].text, counts, &err), -EINVAL);
		if (!strstr(err, bad[i].cause) || strchr(err, '\n')) {
			print_error("%s: \"%s\", not \"%s\"\n", bad[i].text, err, bad[i].cause);
			fail();
		}
		free(err);
	}
}

static void there_is_room_for_some_expectations_and_no_more(void **state)
{
	char text[EXPECT_MAX * 10 + 20] = "", *err = NULL;

	for (unsigned i = 0; i < EXPECT_MAX; i++)
		strcat(text, i ? ",stores>0" : "stores>0");
	assert_int_equal(unmet(text), 0);
	assert_int_equal(e.nr, EXPECT_MAX);
	assert_int_equal(expect_parse(&e, "loads>0", counts, &err), -EINVAL);
	assert_non_null(strstr(err, "more than 64"));
	free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operator_compares),
		cmocka_unit_test(a_name_is_a_path_its_end_or_a_short_one),
		cmocka_unit_test(every_short_name_is_a_count),
		cmocka_unit_test(what_is_not_there_meets_nothing),
		cmocka_unit_test(what_is_unmet_is_told_with_the_value_that_it_has),
		cmocka_unit_test(what_is_no_expectation_is_refused_in_one_line),
		cmocka_unit_test(there_is_room_for_some_expectations_and_no_more),
	};

	return cmocka_run_group_tests_name("expect", tests, setup, teardown);
}
