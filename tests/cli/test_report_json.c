// SPDX-License-Identifier: GPL-2.0-or-later
/* docs/report-json.md against what the program prints: every key is there, here and there. */
#include <ctype.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cli.h"

#define MAX_KEYS 400

struct key {
	char pattern[128]; /* "measured.calls.*.p50_ns" */
	char type[32];	   /* "integer or null" */
	bool seen;
};

struct keys {
	struct key list[MAX_KEYS];
	unsigned nr;
};

/* Those of each document, and what several keys are made of. */
static struct keys replay, versions, policy, latency, paths, usage, refused, bound, chosen;

static struct keys *keys_of_heading(const char *heading, struct keys *at)
{
	static const struct {
		const char *heading;
		struct keys *keys;
	} all[] = {
		{"## zswapsim replay", &replay}, {"## zswapsim versions", &versions},
		{"### latency", &latency},	 {"### paths", &paths},
		{"### usage", &usage},		 {"### refused", &refused},
		{"## zswapsim policy", &policy}, {"### bound", &bound},
		{"### chosen", &chosen},
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!strcmp(heading, all[i].heading))
			return all[i].keys;
	}
	return at;
}

/* "measured.calls.CALL" matches whatever stands for CALL. */
static void add(struct keys *keys, const char *prefix, const char *name, const char *type)
{
	struct key *key = &keys->list[keys->nr++];
	char *to = key->pattern;

	assert_true(keys->nr <= MAX_KEYS);
	to += snprintf(to, 64, "%s%s", prefix, *prefix ? "." : "");
	for (const char *s = name; *s;) {
		if (s[0] == '[' && s[1] == ']') {
			to += sprintf(to, "@");
			s += 2;
		} else if (isupper((unsigned char)*s)) {
			*to++ = '*';
			s += strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
	snprintf(key->type, sizeof(key->type), "%s", type);
	key->seen = false;
}

static const struct keys *parts_of(const char *type)
{
	return !strcmp(type, "latency")	  ? &latency
	       : !strcmp(type, "paths")	  ? &paths
	       : !strcmp(type, "usage")	  ? &usage
	       : !strcmp(type, "refused") ? &refused
	       : !strcmp(type, "bound")	  ? &bound
	       : !strcmp(type, "chosen")  ? &chosen
					  : NULL;
}

/* The parts stand at the end of the document: keys are put together when all of it was read. */
static void put_together(struct keys *keys)
{
	static struct keys whole;

	whole.nr = 0;
	for (unsigned i = 0; i < keys->nr; i++) {
		const struct key *key = &keys->list[i];
		const struct keys *parts = parts_of(key->type);

		for (unsigned p = 0; parts && p < parts->nr; p++) {
			add(&whole, "", "x", parts->list[p].type);
			snprintf(whole.list[whole.nr - 1].pattern, 128, "%.63s.%.63s", key->pattern,
				 parts->list[p].pattern);
		}
		if (!parts)
			whole.list[whole.nr++] = *key;
	}
	*keys = whole;
}

static void read_document(void)
{
	char *text = cli_read_source("docs/report-json.md"), *save = NULL;
	struct keys *at = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[128], type[32];

		if (*line == '#')
			at = keys_of_heading(line, at);
		if (sscanf(line, "| `%127[^`]` | %31[^|]", name, type) != 2)
			continue;
		assert_non_null(at);
		type[strcspn(type, "|")] = '\0';
		while (*type && type[strlen(type) - 1] == ' ')
			type[strlen(type) - 1] = '\0';
		add(at, "", name, type);
	}
	free(text);
	put_together(&replay);
	put_together(&versions);
	put_together(&policy);
	assert_true(replay.nr > 150);
}

static const char *type_of(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return "string";
	case JSON_INTEGER:
		return "integer";
	case JSON_REAL:
		return "real";
	case JSON_TRUE:
	case JSON_FALSE:
		return "boolean";
	case JSON_NULL:
		return "null";
	default:
		return "?";
	}
}

static void meet(struct keys *keys, const char *path, const json_t *value)
{
	bool found = false;

	for (unsigned i = 0; i < keys->nr; i++) {
		struct key *key = &keys->list[i];

		/* Names before patterns: a key may be both. */
		if (fnmatch(key->pattern, path, 0) || (found && strchr(key->pattern, '*')))
			continue;
		if (!strstr(key->type, type_of(value))) {
			print_error("%s is %s, documented as %s\n", path, type_of(value),
				    key->type);
			fail();
		}
		key->seen = true;
		found = true;
	}
	if (!found) {
		print_error("not documented: %s\n", path);
		fail();
	}
}

static void walk(struct keys *keys, const json_t *node, const char *path)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_array(node)) {
		json_array_foreach(node, i, value)
		{
			char below[256];

			snprintf(below, sizeof(below), "%s@", path);
			walk(keys, value, below);
		}
	} else if (json_is_object(node)) {
		json_object_foreach((json_t *)node, key, value)
		{
			char below[256];

			snprintf(below, sizeof(below), "%s%s%s", path, *path ? "." : "", key);
			walk(keys, value, below);
		}
	} else if (strcmp(path, "modelled")) {
		meet(keys, path, node);
	}
}

static json_t *parse(struct cli_result *r)
{
	json_t *root;

	assert_status(r, 0);
	root = json_loads(r->out, 0, NULL);
	assert_non_null(root);
	cli_free(r);
	return root;
}

/* Where CPUID instructions cannot be counted, there is nothing to say of them. */
static bool may_be_absent(const char *pattern, bool counted)
{
	return !counted && (!strncmp(pattern, "cpuid.*", 7) || !strncmp(pattern, "modelled_m", 10));
}

static void assert_all_seen(const struct keys *keys, bool counted)
{
	for (unsigned i = 0; i < keys->nr; i++) {
		if (!keys->list[i].seen && !may_be_absent(keys->list[i].pattern, counted)) {
			print_error("documented, but never printed: %s\n", keys->list[i].pattern);
			fail();
		}
	}
}

static void write_scenario(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "[memcg /a]\nfrom = offset 0-49\nzswap.max = 64K\n"
		   "[at 150]\nmax_pool_percent = 5\n");
	assert_int_equal(fclose(f), 0);
}

static void every_key_is_documented_and_every_documented_key_is_printed(void **state)
{
	const char *trace = cli_path(state, "t.bin"), *scenario = cli_path(state, "s.ini");
	struct cli_result r;
	bool counted;
	json_t *root;

	write_scenario(scenario);
	r = run("trace", "synth", "-o", trace, "--profile", "half", "--pages", "100");
	assert_status(&r, 0);
	cli_free(&r);
	r = run("replay", "--json", "--machine", "kvm-guest", trace);
	root = parse(&r);
	assert_true(json_is_null(json_object_get(root, "modelled")));
	walk(&replay, root, "");
	json_decref(root);
	r = run("replay", "--json", "--machine", "kvm-guest", "--scenario", scenario, "--swap",
		"nvme", "--totalram", "1M", "--expect", "stores>0", trace);
	root = parse(&r);
	walk(&replay, root, "");
	json_decref(root);
	r = run("replay", "--json", "--mode", "policy", "--swap", "nvme", trace);
	root = parse(&r);
	walk(&replay, root, "");
	json_decref(root);
	r = run("replay", "--json", "--machine", "kvm-guest", "--kernel", "6.12", trace);
	root = parse(&r);
	walk(&replay, root, "");
	json_decref(root);
	r = run("replay", "--json", "--policy", "lru", trace);
	root = parse(&r);
	walk(&replay, root, "");
	counted = json_is_true(json_object_get(json_object_get(root, "cpuid"), "counted"));
	json_decref(root);
	assert_all_seen(&replay, counted);
}

static void the_document_of_versions_is_that_of_replays(void **state)
{
	static const char *const parts[] = {"policy_mode", "lengths_exact", "profile",	"settings",
					    "warnings",	   "counts",	    "measured", "modelled"};
	const char *trace = cli_path(state, "v.bin");
	struct cli_result r =
		run("trace", "synth", "-o", trace, "--profile", "half", "--pages", "50");
	json_t *root, *kernel;
	size_t i;

	assert_status(&r, 0);
	cli_free(&r);
	r = run("versions", "--json", "--swap", "80", trace);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "kernels"), i, kernel)
	{
		for (unsigned p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
			const json_t *part = json_object_get(kernel, parts[p]);

			assert_non_null(part);
			walk(&replay, part, parts[p]);
			json_object_del(kernel, parts[p]);
		}
	}
	assert_int_equal(i, 8);
	walk(&replay, json_object_get(root, "versions"), "versions");
	walk(&replay, json_object_get(root, "machine"), "machine");
	walk(&replay, json_object_get(root, "trace"), "trace");
	json_object_del(root, "versions");
	json_object_del(root, "machine");
	json_object_del(root, "trace");
	walk(&versions, root, "");
	assert_all_seen(&versions, true);
	json_decref(root);
}

static void the_document_of_policy_is_that_of_both_objectives(void **state)
{
	static const char *const objectives[] = {"both", "ideal", "kernel"};
	const char *trace = cli_path(state, "p.bin");
	struct cli_result r =
		run("trace", "synth", "-o", trace, "--profile", "half", "--pages", "50");

	assert_status(&r, 0);
	cli_free(&r);
	for (unsigned i = 0; i < 3; i++) {
		json_t *root;

		r = run("policy", "--json", "--objective", objectives[i], "--policy", "kernel",
			"--policy", "size", "--policy-codec", "lz4", "--totalram", "500K", trace);
		root = parse(&r);
		walk(&replay, json_object_get(root, "versions"), "versions");
		json_object_del(root, "versions");
		walk(&replay, json_object_get(root, "trace"), "trace");
		walk(&replay, json_object_get(root, "profile"), "profile");
		json_object_del(root, "trace");
		json_object_del(root, "profile");
		walk(&policy, root, "");
		json_decref(root);
	}
	assert_all_seen(&policy, true);
}

static int setup(void **state)
{
	read_document();
	return cli_tmpdir_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_documented_and_every_documented_key_is_printed),
		cmocka_unit_test(the_document_of_versions_is_that_of_replays),
		cmocka_unit_test(the_document_of_policy_is_that_of_both_objectives),
	};

	return cmocka_run_group_tests_name("cli_report_json", tests, setup, cli_tmpdir_teardown);
}
