// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"

#define MAX_PRESETS 16
#define VALUE_SIZE  32

struct presets {
	struct profile profiles[MAX_PRESETS];
	unsigned nr;
};

static void get_presets(struct presets *presets)
{
	const char *const *name = profile_presets();
	char err[256];

	for (presets->nr = 0; name[presets->nr] && presets->nr < MAX_PRESETS; presets->nr++) {
		if (profile_init(&presets->profiles[presets->nr], name[presets->nr], err,
				 sizeof(err)))
			abort();
	}
}

static int longer(int width, const char *text)
{
	int len = strlen(text);

	return len > width ? len : width;
}

static void print_table(const struct presets *presets)
{
	const struct profile_key *key;
	int key_width = 0, width[MAX_PRESETS];
	char value[VALUE_SIZE];

	for (unsigned i = 0; i < presets->nr; i++)
		width[i] = longer(0, presets->profiles[i].name);
	profile_for_each_key (key) {
		key_width = longer(key_width, key->key);
		for (unsigned i = 0; i < presets->nr; i++)
			width[i] = longer(width[i], profile_value(&presets->profiles[i], key, value,
								  sizeof(value)));
	}
	printf("%-*s", key_width, "kernel");
	for (unsigned i = 0; i < presets->nr; i++)
		printf("  %-*s", i + 1 < presets->nr ? width[i] : 0, presets->profiles[i].name);
	putchar('\n');
	profile_for_each_key (key) {
		printf("%-*s", key_width, key->key);
		for (unsigned i = 0; i < presets->nr; i++)
			printf("  %-*s", i + 1 < presets->nr ? width[i] : 0,
			       profile_value(&presets->profiles[i], key, value, sizeof(value)));
		putchar('\n');
	}
}

static void print_meanings(void)
{
	const struct profile_key *key;

	profile_for_each_key (key) {
		printf("\n%s = ", key->key);
		if (key->values) {
			for (unsigned i = 0; key->values[i]; i++)
				printf("%s%s", i ? " | " : "", key->values[i]);
		} else {
			printf("%u to %u", key->min, key->max);
		}
		printf("\n    %s (%s)\n", key->doc, key->since);
	}
	printf("\nThe default is %s. '--kernel NAME' chooses a preset, '--set KEY=VALUE' changes a "
	       "switch of it.\n",
	       PROFILE_DEFAULT);
}

static json_t *value_to_json(const struct profile *p, const struct profile_key *key)
{
	char value[VALUE_SIZE];

	profile_value(p, key, value, sizeof(value));
	return key->values ? json_string(value) : json_integer(atoi(value));
}

static json_t *key_to_json(const struct profile_key *key)
{
	json_t *root = json_pack("{s:s, s:s, s:s}", "key", key->key, "meaning", key->doc, "since",
				 key->since);

	if (key->values) {
		json_t *values = json_array();

		for (unsigned i = 0; key->values[i]; i++)
			json_array_append_new(values, json_string(key->values[i]));
		json_object_set_new(root, "values", values);
	} else {
		json_object_set_new(root, "min", json_integer(key->min));
		json_object_set_new(root, "max", json_integer(key->max));
	}
	return root;
}

static json_t *to_json(const struct presets *presets)
{
	json_t *kernels = json_object(), *switches = json_array();
	const struct profile_key *key;

	for (unsigned i = 0; i < presets->nr; i++) {
		json_t *values = json_object();

		profile_for_each_key (key)
			json_object_set_new(values, key->key,
					    value_to_json(&presets->profiles[i], key));
		json_object_set_new(kernels, presets->profiles[i].name, values);
	}
	profile_for_each_key (key)
		json_array_append_new(switches, key_to_json(key));
	return json_pack("{s:s, s:i, s:s, s:o, s:o}", "schema", "zswapsim-profiles",
			 "schema_version", 1, "default", PROFILE_DEFAULT, "kernels", kernels,
			 "switches", switches);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	switch (key) {
	case 'j':
		*json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_profiles(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', NULL, 0, "Print one JSON document", 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Prints the kernel presets side by side, and what each switch means.\v"
		       "Examples:\n"
		       "  zswapsim profiles\n"
		       "  zswapsim profiles --json | jq '.kernels[\"7.3\"]'\n",
	};
	struct presets presets;
	bool json = false;
	int ret = options_parse(&argp, argc, argv, &json);

	if (ret)
		return ret;
	get_presets(&presets);
	if (json) {
		output_json(to_json(&presets));
		return STATUS_OK;
	}
	print_table(&presets);
	print_meanings();
	return STATUS_OK;
}
