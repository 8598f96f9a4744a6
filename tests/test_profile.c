// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/profile.h"
#include "tests/test.h"

static void every_preset_is_known_by_its_name(void **state)
{
	char err[256], title[32];
	struct profile p;

	for (const char *const *name = profile_presets(); *name; name++) {
		assert_int_equal(profile_init(&p, *name, err, sizeof(err)), 0);
		assert_string_equal(profile_title(&p, title, sizeof(title)), *name);
	}
}

static void an_unknown_kernel_lists_the_known_ones(void **state)
{
	char err[256];
	struct profile p;

	assert_int_equal(profile_init(&p, "5.4", err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "5.4"));
	assert_non_null(strstr(err, " 7.3"));
}

static void a_key_is_set_by_name_and_marks_the_profile_as_changed(void **state)
{
	char err[1024], title[32];
	struct profile p;

	assert_int_equal(profile_init(&p, "7.3", err, sizeof(err)), 0);
	assert_int_equal(profile_set(&p, "zstd.stream_init=eager", err, sizeof(err)), 0);
	assert_string_equal(profile_title(&p, title, sizeof(title)), "7.3");
	assert_int_equal(profile_set(&p, "zstd.stream_init=deferred", err, sizeof(err)), 0);
	assert_int_equal(p.zstd.stream_init, ZSTD_STREAM_INIT_DEFERRED);
	assert_int_equal(profile_set(&p, "zsmalloc.chain_size=16", err, sizeof(err)), 0);
	assert_int_equal(p.zsmalloc.chain_size, 16);
	assert_string_equal(profile_title(&p, title, sizeof(title)), "7.3+changes");
}

static void an_unknown_key_lists_every_known_one(void **state)
{
	const struct profile_key *key;
	char err[2048];
	struct profile p;

	assert_int_equal(profile_init(&p, "7.3", err, sizeof(err)), 0);
	assert_int_equal(profile_set(&p, "zstd.nonsense=1", err, sizeof(err)), -EINVAL);
	profile_for_each_key (key)
		assert_non_null(strstr(err, key->key));
}

static void bad_values_are_refused_and_change_nothing(void **state)
{
	static const char *const bad[] = {
		"zsmalloc.chain_size=3",
		"zsmalloc.chain_size=17",
		"zsmalloc.chain_size=8x",
		"zsmalloc.chain_size=-8",
		"zsmalloc.chain_size=",
		"zstd.api=bcomp",
		"zstd.api",
		"=",
		"",
	};
	struct profile p, q;
	char err[1024];

	assert_int_equal(profile_init(&p, "7.3", err, sizeof(err)), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		q = p;
		assert_int_equal(profile_set(&q, bad[i], err, sizeof(err)), -EINVAL);
		assert_memory_equal(&p, &q, sizeof(p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset_is_known_by_its_name),
		cmocka_unit_test(an_unknown_kernel_lists_the_known_ones),
		cmocka_unit_test(a_key_is_set_by_name_and_marks_the_profile_as_changed),
		cmocka_unit_test(an_unknown_key_lists_every_known_one),
		cmocka_unit_test(bad_values_are_refused_and_change_nothing),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
