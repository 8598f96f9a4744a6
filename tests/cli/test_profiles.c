// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sim/profile.h"
#include "tests/cli/cli.h"

static void the_table_has_every_preset_and_every_switch(void **state)
{
	struct cli_result r = run("profiles", NULL);
	const struct profile_key *key;

	assert_status(&r, 0);
	for (const char *const *name = profile_presets(); *name; name++)
		assert_non_null(strstr(r.out, *name));
	profile_for_each_key (key) {
		assert_non_null(strstr(r.out, key->key));
		assert_non_null(strstr(r.out, key->doc));
		assert_non_null(strstr(r.out, key->since));
	}
	cli_free(&r);
}

static void json_has_the_value_of_every_switch_of_every_preset(void **state)
{
	struct cli_result r = run("profiles", "--json", NULL);
	json_t *root = json_loads(r.out, 0, NULL), *kernels;
	const struct profile_key *key;

	assert_status(&r, 0);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema_version")), 1);
	kernels = json_object_get(root, "kernels");
	for (const char *const *name = profile_presets(); *name; name++) {
		json_t *kernel = json_object_get(kernels, *name);
		char expected[64], err[256];
		struct profile p;

		assert_int_equal(profile_init(&p, *name, err, sizeof(err)), 0);
		profile_for_each_key (key) {
			json_t *value = json_object_get(kernel, key->key);

			profile_value(&p, key, expected, sizeof(expected));
			if (key->values)
				assert_string_equal(json_string_value(value), expected);
			else
				assert_int_equal(json_integer_value(value), atoi(expected));
		}
	}
	json_decref(root);
	cli_free(&r);
}

static void the_document_shows_what_the_program_prints(void **state)
{
	struct cli_result r = run("profiles", NULL);
	char *document = cli_read_source("docs/profiles.md");

	assert_status(&r, 0);
	if (!strstr(document, r.out))
		fail_msg("docs/profiles.md is not what 'zswapsim profiles' prints; see "
			 "scripts/update-docs.sh");
	free(document);
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_has_every_preset_and_every_switch),
		cmocka_unit_test(json_has_the_value_of_every_switch_of_every_preset),
		cmocka_unit_test(the_document_shows_what_the_program_prints),
	};

	return cmocka_run_group_tests_name("profiles", tests, NULL, NULL);
}
