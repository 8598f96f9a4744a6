// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/settings.h"
#include "tests/test.h"
#include "tests/text_file.h"

static char err[2048];

static struct settings defaults(void)
{
	struct settings s;

	settings_init(&s);
	return s;
}

static void set(struct settings *s, const char *assignment)
{
	if (settings_assign(s, assignment, err, sizeof(err)))
		fail_msg("'%s': %s", assignment, err);
}

static void refuse(const char *assignment, const char *word)
{
	struct settings s = defaults();

	assert_int_equal(settings_assign(&s, assignment, err, sizeof(err)), -EINVAL);
	if (!strstr(err, word))
		fail_msg("'%s': no '%s' in '%s'", assignment, word, err);
	assert_null(strchr(err, '\n'));
}

static void every_field_has_a_key(void **state)
{
	struct settings s = defaults();
	const struct replay_config *c = settings_config(&s);

	assert_string_equal(c->profile->name, PROFILE_DEFAULT);
	assert_int_equal(c->given, 0);
	set(&s, "kernel=6.12");
	set(&s, "zsmalloc.chain_size=5");
	set(&s, "zswap.max_pool_percent=7");
	set(&s, "zswap.accept_threshold_percent=66");
	set(&s, "zswap.shrinker_enabled=1");
	set(&s, "zswap.compressor=zstd");
	set(&s, "totalram=3M");
	set(&s, "nodes=2");
	set(&s, "swap.device=80/500");
	set(&s, "scenario=some/where.ini");
	c = settings_config(&s);
	assert_string_equal(c->profile->name, "6.12");
	assert_int_equal(c->profile->zsmalloc.chain_size, 5);
	assert_int_equal(c->max_pool_percent, 7);
	assert_int_equal(c->accept_threshold_percent, 66);
	assert_true(c->shrinker_enabled);
	assert_string_equal(c->compressor, "zstd");
	assert_int_equal(c->totalram_pages, 768);
	assert_int_equal(c->nr_nodes, 2);
	assert_int_equal(c->swap_model.latency_ns[SWAP_MODEL_READ], 80000);
	assert_string_equal(c->scenario, "some/where.ini");
	assert_int_equal(c->given, REPLAY_GIVEN_TOTALRAM | REPLAY_GIVEN_MAX_POOL_PERCENT |
					   REPLAY_GIVEN_ACCEPT_THRESHOLD | REPLAY_GIVEN_NODES |
					   REPLAY_GIVEN_SHRINKER);
	set(&s, "scenario=none");
	assert_null(s.replay.scenario);
}

/* What settings_value() says of a key, settings_set() takes, and it says it again. */
static void values_can_be_set_as_they_are_printed(void **state)
{
	struct setting_key key;
	unsigned nr;

	for (nr = 0; settings_key(nr, &key); nr++) {
		struct settings s = defaults();
		char value[128], again[128];

		settings_value(&s, key.key, value, sizeof(value));
		assert_true(*value);
		if (settings_set(&s, key.key, value, err, sizeof(err)))
			fail_msg("%s=%s: %s", key.key, value, err);
		assert_string_equal(settings_value(&s, key.key, again, sizeof(again)), value);
		assert_true(*key.doc);
		assert_true(settings_find(key.key, &key));
	}
	assert_true(nr > 20);
	assert_false(settings_find("zswap", &key));
}

static void the_same_size_in_other_words_has_one_value(void **state)
{
	static const char *const same[] = {"totalram=1G", "totalram=1024M", "totalram=1048576K",
					   "totalram=1073741824"};
	struct settings s = defaults();
	char value[64];

	for (unsigned i = 0; i < sizeof(same) / sizeof(*same); i++) {
		set(&s, "totalram=4K");
		set(&s, same[i]);
		assert_string_equal(settings_value(&s, "totalram", value, sizeof(value)), "1G");
	}
}

static void the_preset_replaces_switches_and_keeps_the_machine(void **state)
{
	struct settings s = defaults();

	set(&s, "zsmalloc.chain_size=5");
	set(&s, "totalram=8M");
	set(&s, "kernel=7.2");
	assert_int_equal(s.profile.zsmalloc.chain_size, 8);
	assert_int_equal(s.replay.totalram_pages, 2048);
	assert_true(settings_is_profile("kernel"));
	assert_true(settings_is_profile("zsmalloc.chain_size"));
	assert_false(settings_is_profile("totalram"));
	assert_false(settings_is_profile("zswap.max_pool_percent"));
}

static void what_is_wrong_is_said_in_one_line(void **state)
{
	refuse("nonsense", "not KEY=VALUE");
	refuse("kernel=5.4", "unknown kernel '5.4'; known: 6.8");
	refuse("zswap.max_pool_percent=101",
	       "zswap.max_pool_percent=101: not a number from 0 to 100");
	refuse("zswap.max_pool_percent=", "not a number");
	refuse("zswap.accept_threshold_percent=-1", "not a number");
	refuse("zswap.shrinker_enabled=2", "not a number from 0 to 1");
	refuse("zswap.compressor=", "a name is missing");
	refuse("totalram=1", "not a number of bytes from 4096");
	refuse("totalram=1Q", "not a number of bytes");
	refuse("nodes=0", "not a number from 1 to 64");
	refuse("swap.device=tape", "no such swap device");
	refuse("zsmalloc.chain_size=17", "not a number from 4 to 16");
	refuse("zsmalloc.read=maybe", "the values are copy sg");
}

static void a_key_that_is_nearly_right_is_suggested(void **state)
{
	refuse("max_pool_percent=5", "did you mean zswap.max_pool_percent?");
	refuse("zswap.max_pool_prcent=5", "did you mean zswap.max_pool_percent?");
	refuse("chain_size=5", "did you mean zsmalloc.chain_size?");
	refuse("kernal=7.3", "did you mean kernel?");
	refuse("colour=red", "unknown key 'colour'; known: kernel ");
	assert_non_null(strstr(err, "memcg.dead_folios"));
}

static void what_a_value_names_is_looked_for(void **state)
{
	const struct crypto_registry *crypto = backends_registry();
	struct settings s = defaults();

	assert_int_equal(settings_check(&s, crypto, err, sizeof(err)), 0);
	s.replay.scenario = text_file("good.ini", "[zswap]\nmax_pool_percent = 1\n");
	assert_int_equal(settings_check(&s, crypto, err, sizeof(err)), 0);
	s.replay.scenario = text_file("bad.ini", "[zswap]\nmax_pool_percent = 101\n");
	assert_int_equal(settings_check(&s, crypto, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "bad.ini:2: max_pool_percent = 101"));
	s.replay.scenario = text_path("absent.ini");
	assert_int_equal(settings_check(&s, crypto, err, sizeof(err)), -ENOENT);
	s = defaults();
	s.replay.compressor = "snappy";
	assert_int_equal(settings_check(&s, crypto, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "zswap.compressor=snappy: there is no compressor"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_has_a_key),
		cmocka_unit_test(values_can_be_set_as_they_are_printed),
		cmocka_unit_test(the_same_size_in_other_words_has_one_value),
		cmocka_unit_test(the_preset_replaces_switches_and_keeps_the_machine),
		cmocka_unit_test(what_is_wrong_is_said_in_one_line),
		cmocka_unit_test(a_key_that_is_nearly_right_is_suggested),
		cmocka_unit_test(what_a_value_names_is_looked_for),
	};

	return cmocka_run_group_tests_name("settings", tests, text_dir_create, text_dir_remove);
}
