// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/text_file.h"
#include "traces/scenario.h"

static void the_file_name_has_driver_kind_and_algorithm(void **state)
{
	struct scenario_name name;

	assert_int_equal(scenario_name("a_b/zram_perpage_zstd.csv.zst", &name), 0);
	assert_string_equal(name.driver, "zram");
	assert_string_equal(name.kind, "perpage");
	assert_string_equal(name.algo, "zstd");
	assert_int_equal(scenario_name("zswap_limit_lzo-rle_again.csv", &name), 0);
	assert_string_equal(name.kind, "limit");
	assert_string_equal(name.algo, "lzo-rle");
	assert_int_equal(scenario_name("zram.csv", &name), -EINVAL);
	assert_int_equal(scenario_name("zram_perpage.csv", &name), -EINVAL);
	assert_int_equal(scenario_name("", &name), -EINVAL);
	assert_int_equal(scenario_name("zram__zstd.csv", &name), -EINVAL);
	assert_int_equal(scenario_name("a_b_cccccccccccccccccccccccccccccccccccccc.csv", &name),
			 -EINVAL);
}

static int64_t setting(const char *recording, const char *key)
{
	struct trace_error err;
	json_t *settings;
	int64_t v;

	assert_int_equal(scenario_settings(recording, &settings, &err), 0);
	v = settings ? json_integer_value(json_object_get(settings, key)) : -1;
	json_decref(settings);
	return v;
}

static void settings_are_found_beside_the_recording_or_above(void **state)
{
	const char *recording = text_path("sub/zswap_limit_zstd.csv.zst");

	text_file("sub/other.json", "{}");
	assert_int_equal(setting(recording, "max_pool_percent"), -1);
	text_file("scenarios.json",
		  "{\"about\": \"\", \"zswap_limit\": {\"max_pool_percent\": 1}}");
	assert_int_equal(setting(recording, "max_pool_percent"), 1);
	/* The nearer one does not have it: the one above is asked. */
	text_file("sub/scenarios.json", "{\"zswap_other\": {\"max_pool_percent\": 3}}");
	assert_int_equal(setting(recording, "max_pool_percent"), 1);
	text_file("sub/scenarios.json", "{\"zswap_limit\": {\"max_pool_percent\": 2}}");
	assert_int_equal(setting(recording, "max_pool_percent"), 2);
}

static void a_path_without_a_folder_is_looked_for_here(void **state)
{
	char *before = get_current_dir_name();

	text_file("here/scenarios.json", "{\"zram_random\": {\"x\": 5}}");
	assert_int_equal(chdir(text_path("here")), 0);
	assert_int_equal(setting("zram_random_zstd.csv", "x"), 5);
	assert_int_equal(chdir(before), 0);
	free(before);
}

static void steps_are_those_of_the_json_beside(void **state)
{
	struct trace_error err;
	json_t *steps;

	text_file("zswap_limit_zstd.json",
		  "[{\"step\": \"config\", \"max_pages\": 7}, {\"step\": \"done\", \"rows\": 3}]");
	assert_int_equal(scenario_steps(text_path("zswap_limit_zstd.csv.zst"), &steps, &err), 0);
	assert_int_equal(
		json_integer_value(json_object_get(scenario_step(steps, "config"), "max_pages")),
		7);
	assert_null(scenario_step(steps, "absent"));
	json_decref(steps);
	assert_int_equal(scenario_steps(text_path("zswap_limit_zstd.csv"), &steps, &err), 0);
	assert_non_null(steps);
	json_decref(steps);
	assert_int_equal(scenario_steps(text_path("zswap_other_zstd.csv"), &steps, &err), 0);
	assert_null(steps);
	assert_null(scenario_step(steps, "config"));
}

static void a_recording_with_fewer_rows_than_its_json_says_is_cut_off(void **state)
{
	const char *recording = text_path("zram_rows_zstd.csv");
	struct trace_error err;

	assert_int_equal(scenario_check_rows(recording, 4, &err), 0);
	text_file("zram_rows_zstd.json", "[{\"step\": \"done\"}]");
	assert_int_equal(scenario_check_rows(recording, 4, &err), 0);
	text_file("zram_rows_zstd.json", "[{\"step\": \"done\", \"rows\": 4}]");
	assert_int_equal(scenario_check_rows(recording, 4, &err), 0);
	assert_int_equal(scenario_check_rows(recording, 3, &err), -EINVAL);
	assert_non_null(strstr(err.message, "has 3 rows, the JSON beside it says 4"));
}

static void json_that_is_not_what_it_should_be_is_an_error_with_its_path(void **state)
{
	static const char *const bad_steps[] = {"{}", "[1]", "[{}", "", "[{},\"a\"]"};
	static const char *const bad_settings[] = {"[]", "{\"zram_x\": 1}", "{", ""};
	struct trace_error err;
	json_t *json;

	for (int i = 0; i < 5; i++) {
		text_file("bad/zram_x_zstd.json", bad_steps[i]);
		assert_int_equal(scenario_steps(text_path("bad/zram_x_zstd.csv"), &json, &err),
				 -EINVAL);
		assert_non_null(strstr(err.message, "bad/zram_x_zstd.json: "));
		assert_null(json);
	}
	for (int i = 0; i < 4; i++) {
		text_file("bad/scenarios.json", bad_settings[i]);
		assert_int_equal(scenario_settings(text_path("bad/zram_x_zstd.csv"), &json, &err),
				 -EINVAL);
		assert_non_null(strstr(err.message, "bad/scenarios.json: "));
		assert_null(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_name_has_driver_kind_and_algorithm),
		cmocka_unit_test(settings_are_found_beside_the_recording_or_above),
		cmocka_unit_test(a_path_without_a_folder_is_looked_for_here),
		cmocka_unit_test(steps_are_those_of_the_json_beside),
		cmocka_unit_test(a_recording_with_fewer_rows_than_its_json_says_is_cut_off),
		cmocka_unit_test(json_that_is_not_what_it_should_be_is_an_error_with_its_path),
	};

	return cmocka_run_group_tests_name("scenario", tests, text_dir_create, text_dir_remove);
}
