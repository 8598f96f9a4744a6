// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/variant.h"
#include "tests/test.h"

static char err[1024];

static struct profile parse(const struct options_kernel *common, const char *text, char separator)
{
	struct profile p;

	if (variant_parse(common, text, separator, &p, err, sizeof(err)))
		fail_msg("'%s': %s", text, err);
	return p;
}

static void refuse(const char *text, const char *word)
{
	const struct options_kernel none = {0};
	struct profile p;

	assert_int_equal(variant_parse(&none, text, '+', &p, err, sizeof(err)), -EINVAL);
	if (!strstr(err, word))
		fail_msg("'%s': no '%s' in '%s'", text, word, err);
	assert_null(strchr(err, '\n'));
}

static void no_terms_are_the_profile_as_it_is(void **state)
{
	struct options_kernel common = {0};
	struct profile p = parse(&common, "", ',');

	assert_string_equal(p.name, PROFILE_DEFAULT);
	assert_false(p.changed);
	common = (struct options_kernel){
		.name = "6.12", .sets = {"zswap.shrink_batch=7"}, .nr_sets = 1};
	p = parse(&common, "", ',');
	assert_string_equal(p.name, "6.12");
	assert_int_equal(p.zswap.shrink_batch, 7);
}

static void short_names_are_settings(void **state)
{
	const struct options_kernel none = {0};
	struct profile p = parse(&none, "deferred+once", '+');

	assert_int_equal(p.zstd.stream_init, ZSTD_STREAM_INIT_DEFERRED);
	assert_int_equal(p.zstd.cpuid, ZSTD_CPUID_ONCE);
	assert_int_equal(parse(&none, "eager", '+').zstd.stream_init, ZSTD_STREAM_INIT_EAGER);
	assert_int_equal(parse(&none, "probe", '+').zstd.cpuid, ZSTD_CPUID_PROBE);
	assert_int_equal(parse(&none, "skip", '+').zstd.cpuid, ZSTD_CPUID_SKIP);
	assert_int_equal(parse(&none, "static", '+').zstd.cpuid, ZSTD_CPUID_STATIC);
	assert_int_equal(parse(&none, "context-once", '+').zstd.context, ZSTD_CONTEXT_ONCE);
	assert_int_equal(parse(&none, "no-bmi2", '+').zstd.bmi2, 0);
	p = parse(&none, "zsmalloc.read=copy,deferred", ',');
	assert_int_equal(p.zsmalloc.read, ZS_READ_COPY);
	assert_int_equal(p.zstd.stream_init, ZSTD_STREAM_INIT_DEFERRED);
}

/* The preset first, then what holds for all, then the variant's own: whatever the order. */
static void a_kernel_comes_before_all_other_settings(void **state)
{
	const struct options_kernel common = {
		.name = "6.12",
		.sets = {"zswap.shrink_batch=7", "zstd.params_hint=1"},
		.nr_sets = 2};
	struct profile p = parse(&common, "zswap.shrink_batch=9,kernel=7.2", ',');

	assert_string_equal(p.name, "7.2");
	assert_int_equal(p.zsmalloc.read, ZS_READ_SG);
	assert_int_equal(p.zswap.shrink_batch, 9);
	assert_int_equal(p.zstd.params_hint, 1);
}

static void what_is_no_setting_is_refused(void **state)
{
	refuse("lazy", "'lazy' is neither KEY=VALUE nor one of eager, deferred");
	refuse("eager+lazy", "lazy");
	refuse("zstd.stream_init=lazy", "the values are eager deferred");
	refuse("zstd.nothing=1", "unknown key 'zstd.nothing'");
	refuse("kernel=5.0", "unknown kernel '5.0'");
	refuse("kernel=", "unknown kernel ''");
	refuse("+eager", "empty");
	refuse("eager+", "empty");
	refuse("eager++once", "empty");
	refuse("=", "unknown key ''");
}

static void a_term_of_any_length_is_refused_in_one_line(void **state)
{
	char *text = malloc(100000);

	memset(text, 'x', 99999);
	text[99999] = '\0';
	refuse(text, "too long");
	free(text);
}

static void any_setting_of_a_replay_may_be_a_term(void **state)
{
	const struct options_kernel common = {
		.name = "7.2", .sets = {"zsmalloc.chain_size=4"}, .nr_sets = 1};
	char words[] = "zswap.compressor=lz4:3,kernel=6.12,totalram=64M,policy=lru,eager";
	struct settings s;

	settings_init(&s);
	s.replay.nr_nodes = 2;
	if (variant_parse_settings(&common, words, ',', &s, err, sizeof(err)))
		fail_msg("%s", err);
	assert_string_equal(s.replay.compressor, "lz4:3");
	assert_string_equal(s.replay.policy_spec, "lru");
	assert_int_equal(s.replay.totalram_pages, (64 << 20) / PAGE_SIZE);
	assert_int_equal(s.replay.nr_nodes, 2);
	assert_string_equal(s.profile.name, "6.12");
	assert_int_equal(s.profile.zsmalloc.chain_size, 4);
}

static void a_setting_that_is_none_is_refused(void **state)
{
	const struct options_kernel none = {0};
	static const struct {
		const char *words, *cause;
	} bad[] = {
		{"totalram=lots", "totalram=lots: not a number of bytes"},
		{"compressor=lz4", "did you mean zswap.compressor"},
		{"totalram", "'totalram' is neither KEY=VALUE nor one of"},
		{"kernel=1,kernel=7.3", "unknown kernel '1'"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char words[64];
		struct settings s;

		settings_init(&s);
		snprintf(words, sizeof(words), "%s", bad[i].words);
		assert_int_equal(variant_parse_settings(&none, words, ',', &s, err, sizeof(err)),
				 -EINVAL);
		if (!strstr(err, bad[i].cause))
			fail_msg("%s: %s", bad[i].words, err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_terms_are_the_profile_as_it_is),
		cmocka_unit_test(short_names_are_settings),
		cmocka_unit_test(a_kernel_comes_before_all_other_settings),
		cmocka_unit_test(what_is_no_setting_is_refused),
		cmocka_unit_test(a_term_of_any_length_is_refused_in_one_line),
		cmocka_unit_test(any_setting_of_a_replay_may_be_a_term),
		cmocka_unit_test(a_setting_that_is_none_is_refused),
	};

	return cmocka_run_group_tests_name("variant", tests, NULL, NULL);
}
