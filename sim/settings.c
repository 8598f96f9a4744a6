// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/acomp.h"
#include "sim/number.h"
#include "sim/policy_load.h"
#include "sim/scenario_file.h"
#include "sim/suggest.h"

#define MAX_TOTALRAM (1ull << 50)

struct error {
	char *text;
	size_t size;
};

struct machine_key {
	struct setting_key key;
	/* @number: of a number or size, checked. 0, or -EINVAL and *err is written. */
	int (*set)(struct settings *s, const char *value, uint64_t number, const struct error *err);
	void (*value)(const struct settings *s, char *buf, size_t size);
};

/* ---- the profile ---- */

static int set_kernel(struct settings *s, const char *value, uint64_t number,
		      const struct error *err)
{
	return profile_init(&s->profile, value, err->text, err->size);
}

static void kernel_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->profile.name);
}

static const struct profile_key *profile_key(const char *name)
{
	const struct profile_key *key;

	profile_for_each_key (key) {
		if (!strcmp(key->key, name))
			return key;
	}
	return NULL;
}

static void from_profile_key(const struct profile_key *from, struct setting_key *key)
{
	*key = (struct setting_key){
		.key = from->key,
		.kind = from->values ? SETTING_WORD : SETTING_NUMBER,
		.values = from->values,
		.min = from->min,
		.max = from->max,
		.doc = from->doc,
	};
}

/* ---- the machine, and zswap's parameters ---- */

/* As one writes it: in the largest unit that divides it. */
static void print_size(uint64_t bytes, char *buf, size_t size)
{
	static const char units[] = "\0KMGT";
	unsigned unit = 0;

	while (bytes && bytes % 1024 == 0 && units[unit + 1]) {
		bytes /= 1024;
		unit++;
	}
	snprintf(buf, size, "%" PRIu64 "%.1s", bytes, &units[unit]);
}

static int set_totalram(struct settings *s, const char *value, uint64_t number,
			const struct error *err)
{
	s->replay.totalram_pages = number / PAGE_SIZE;
	s->replay.given |= REPLAY_GIVEN_TOTALRAM;
	return 0;
}

static void totalram_value(const struct settings *s, char *buf, size_t size)
{
	print_size(s->replay.totalram_pages * PAGE_SIZE, buf, size);
}

static int set_nodes(struct settings *s, const char *value, uint64_t number,
		     const struct error *err)
{
	s->replay.nr_nodes = number;
	s->replay.given |= REPLAY_GIVEN_NODES;
	return 0;
}

static void nodes_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%u", s->replay.nr_nodes);
}

static int set_max_pool(struct settings *s, const char *value, uint64_t number,
			const struct error *err)
{
	s->replay.max_pool_percent = number;
	s->replay.given |= REPLAY_GIVEN_MAX_POOL_PERCENT;
	return 0;
}

static void max_pool_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%u", s->replay.max_pool_percent);
}

static int set_accept(struct settings *s, const char *value, uint64_t number,
		      const struct error *err)
{
	s->replay.accept_threshold_percent = number;
	s->replay.given |= REPLAY_GIVEN_ACCEPT_THRESHOLD;
	return 0;
}

static void accept_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%u", s->replay.accept_threshold_percent);
}

static int set_shrinker(struct settings *s, const char *value, uint64_t number,
			const struct error *err)
{
	s->replay.shrinker_enabled = number;
	s->replay.given |= REPLAY_GIVEN_SHRINKER;
	return 0;
}

static void shrinker_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%u", s->replay.shrinker_enabled);
}

static int set_compressor(struct settings *s, const char *value, uint64_t number,
			  const struct error *err)
{
	if (!*value) {
		snprintf(err->text, err->size, "zswap.compressor=: a name is missing");
		return -EINVAL;
	}
	s->replay.compressor = value;
	return 0;
}

static void compressor_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->replay.compressor);
}

static int set_device(struct settings *s, const char *value, uint64_t number,
		      const struct error *err)
{
	char text[256];

	if (!swap_model_parse(value, &s->replay.swap_model, text, sizeof(text)))
		return 0;
	snprintf(err->text, err->size, "swap.device %s", text);
	return -EINVAL;
}

static void device_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->replay.swap_model.name);
}

static int set_compact(struct settings *s, const char *value, uint64_t number,
		       const struct error *err)
{
	char text[256];

	if (!compact_when_parse(value, &s->replay.compact, text, sizeof(text)))
		return 0;
	snprintf(err->text, err->size, "compact.when=%s", text);
	return -EINVAL;
}

static void compact_value(const struct settings *s, char *buf, size_t size)
{
	compact_when_print(&s->replay.compact, buf, size);
}

static int set_scenario(struct settings *s, const char *value, uint64_t number,
			const struct error *err)
{
	s->replay.scenario = strcmp(value, "none") ? value : NULL;
	return 0;
}

static void scenario_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->replay.scenario ? s->replay.scenario : "none");
}

static int set_policy(struct settings *s, const char *value, uint64_t number,
		      const struct error *err)
{
	s->replay.policy_spec = strcmp(value, POLICY_KERNEL) ? value : NULL;
	return 0;
}

static void policy_value(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s->replay.policy_spec ? s->replay.policy_spec : POLICY_KERNEL);
}

static const struct machine_key machine_keys[] = {
	{{"kernel", SETTING_WORD, NULL, 0, 0,
	  "the preset; it sets all switches of the profile, which others then change"},
	 set_kernel,
	 kernel_value},
	{{"zswap.max_pool_percent", SETTING_NUMBER, NULL, 0, 100,
	  "the pool's limit, a part of totalram; default 20"},
	 set_max_pool,
	 max_pool_value},
	{{"zswap.accept_threshold_percent", SETTING_NUMBER, NULL, 0, 100,
	  "how full of its limit the pool may be to accept again once it was full; default 90"},
	 set_accept,
	 accept_value},
	{{"zswap.shrinker_enabled", SETTING_NUMBER, NULL, 0, 1,
	  "whether memory pressure reaches zswap's shrinker; default 0"},
	 set_shrinker,
	 shrinker_value},
	{{"zswap.compressor", SETTING_TEXT, NULL, 0, 0, "NAME[:LEVEL]; default zstd"},
	 set_compressor,
	 compressor_value},
	{{"totalram", SETTING_SIZE, NULL, PAGE_SIZE, MAX_TOTALRAM,
	  "RAM of the simulated machine; default 1G"},
	 set_totalram,
	 totalram_value},
	{{"nodes", SETTING_NUMBER, NULL, 1, KERNEL_MAX_NODES, "memory nodes; default 1"},
	 set_nodes,
	 nodes_value},
	{{"swap.device", SETTING_TEXT, NULL, 0, 0,
	  "the swap device to model: none (the default), hdd, ssd, nvme, or LATENCY_US[/MBPS]"},
	 set_device,
	 device_value},
	{{"compact.when", SETTING_TEXT, NULL, 0, 0,
	  "when to compact zsmalloc: never (the default), every:EVENTS, or fragmentation:PERCENT "
	  "of "
	  "the pool's bytes in chunks without an object"},
	 set_compact,
	 compact_value},
	{{"scenario", SETTING_FILE, NULL, 0, 0,
	  "memcgs, limits and changes in mid-run from this file; none (the default): no scenario"},
	 set_scenario,
	 scenario_value},
	{{"policy", SETTING_FILE, NULL, 0, 0,
	  "who chooses what is stored and written back: kernel (the default), a built-in, or "
	  "FILE.so[:ARGS]"},
	 set_policy,
	 policy_value},
};

#define NR_MACHINE_KEYS (sizeof(machine_keys) / sizeof(*machine_keys))

/* ---- all of them ---- */

static const struct machine_key *machine_key(const char *name)
{
	for (size_t i = 0; i < NR_MACHINE_KEYS; i++) {
		if (!strcmp(machine_keys[i].key.key, name))
			return &machine_keys[i];
	}
	return NULL;
}

bool settings_key(unsigned i, struct setting_key *key)
{
	const struct profile_key *p = profile_keys();

	if (i < NR_MACHINE_KEYS) {
		*key = machine_keys[i].key;
		if (!strcmp(key->key, "kernel"))
			key->values = profile_presets();
		return true;
	}
	for (i -= NR_MACHINE_KEYS; i && p->key; i--)
		p++;
	if (!p->key)
		return false;
	from_profile_key(p, key);
	return true;
}

bool settings_find(const char *name, struct setting_key *key)
{
	for (unsigned i = 0; settings_key(i, key); i++) {
		if (!strcmp(key->key, name))
			return true;
	}
	return false;
}

bool settings_is_profile(const char *name)
{
	return !strcmp(name, "kernel") || profile_key(name);
}

void settings_init(struct settings *s)
{
	char none[1];

	replay_config_init(&s->replay);
	/* It is one that there is. */
	profile_init(&s->profile, PROFILE_DEFAULT, none, sizeof(none));
}

/* "max_pool_percent" is meant for "zswap.max_pool_percent", and what is misspelt for what is not.
 */
static bool may_mean(const char *typed, const char *known)
{
	const char *tail = strchr(known, '.');

	return suggest_close(typed, known) || (tail && suggest_close(typed, tail + 1));
}

static int unknown_key(const char *name, const struct error *err)
{
	struct setting_key key;
	size_t n = snprintf(err->text, err->size, "unknown key '%s'", name);
	const char *separator = "; did you mean ";
	bool any = false;

	for (unsigned i = 0; settings_key(i, &key) && n < err->size; i++) {
		if (!may_mean(name, key.key))
			continue;
		n += snprintf(err->text + n, err->size - n, "%s%s", separator, key.key);
		separator = ", ";
		any = true;
	}
	if (any && n < err->size)
		snprintf(err->text + n, err->size - n, "?");
	separator = "; known: ";
	for (unsigned i = 0; !any && settings_key(i, &key) && n < err->size; i++) {
		n += snprintf(err->text + n, err->size - n, "%s%s", separator, key.key);
		separator = " ";
	}
	return -EINVAL;
}

static int read_number(const struct setting_key *key, const char *value, uint64_t *number,
		       const struct error *err)
{
	int ret = 0;

	if (key->kind == SETTING_NUMBER)
		ret = number_read_u64(value, number);
	else if (key->kind == SETTING_SIZE)
		ret = number_read_size(value, number);
	else
		return 0;
	if (!ret && *number >= key->min && *number <= key->max)
		return 0;
	snprintf(err->text, err->size, "%s=%s: not a number%s from %" PRIu64 " to %" PRIu64 "%s",
		 key->key, value, key->kind == SETTING_SIZE ? " of bytes" : "", key->min, key->max,
		 key->kind == SETTING_SIZE ? " (with K, M, G or T if you like)" : "");
	return -EINVAL;
}

int settings_set(struct settings *s, const char *key, const char *value, char *err, size_t err_size)
{
	const struct error e = {err, err_size};
	const struct machine_key *m = machine_key(key);
	char assignment[256];
	uint64_t number = 0;
	int ret;

	if (m) {
		ret = read_number(&m->key, value, &number, &e);
		return ret ? ret : m->set(s, value, number, &e);
	}
	if (!profile_key(key))
		return unknown_key(key, &e);
	if (snprintf(assignment, sizeof(assignment), "%s=%s", key, value) >=
	    (int)sizeof(assignment)) {
		snprintf(err, err_size, "%s: the value is too long", key);
		return -EINVAL;
	}
	return profile_set(&s->profile, assignment, err, err_size);
}

int settings_assign(struct settings *s, const char *assignment, char *err, size_t err_size)
{
	const char *eq = strchr(assignment, '=');
	char key[64];

	if (!eq) {
		snprintf(err, err_size, "'%s' is not KEY=VALUE", assignment);
		return -EINVAL;
	}
	/* What does not fit is longer than any key, and so unknown. */
	snprintf(key, sizeof(key), "%.*s", (int)(eq - assignment), assignment);
	return settings_set(s, key, eq + 1, err, err_size);
}

const char *settings_value(const struct settings *s, const char *key, char *buf, size_t size)
{
	const struct machine_key *m = machine_key(key);
	const struct profile_key *p = profile_key(key);

	buf[0] = '\0';
	if (m)
		m->value(s, buf, size);
	else if (p)
		profile_value(&s->profile, p, buf, size);
	return buf;
}

static int check_compressor(const struct settings *s, const struct crypto_registry *crypto,
			    const struct error *err)
{
	const struct kernel_config config = {.profile = &s->profile, .no_contents = true};
	struct crypto_acomp *tfm = NULL;
	struct acomp_spec spec;
	struct kernel *k;
	char why[512];
	int ret;

	if (crypto_parse_acomp(crypto, s->replay.compressor, &spec, why, sizeof(why))) {
		snprintf(err->text, err->size, "zswap.compressor=%s: %s", s->replay.compressor,
			 why);
		return -EINVAL;
	}
	ret = kernel_create(&config, &k);
	if (ret) {
		snprintf(err->text, err->size, "%s", strerror(-ret));
		return ret;
	}
	crypto_init(k, crypto);
	ret = crypto_alloc_acomp(k, s->replay.compressor, &tfm);
	crypto_free_acomp(tfm);
	crypto_exit(k);
	kernel_destroy(k);
	if (ret)
		snprintf(err->text, err->size, "zswap.compressor=%s: %s", s->replay.compressor,
			 strerror(-ret));
	return ret;
}

static int check_scenario(const char *path, const struct error *err)
{
	struct scenario_file *file = NULL;
	struct trace_error cause;
	int ret = scenario_file_read(path, &file, &cause);

	if (ret)
		snprintf(err->text, err->size, "scenario=%s: %s", path, cause.message);
	scenario_file_free(file);
	return ret;
}

static int check_policy(const struct settings *s, const struct error *err)
{
	struct policy *policy;
	char cause[512];
	int ret = policy_load(s->replay.policy_spec, s->replay.policy_limit_ms, &policy, cause,
			      sizeof(cause));

	if (ret)
		snprintf(err->text, err->size, "%s", cause);
	else
		policy_unload(policy);
	return ret;
}

bool settings_file(const char *key, const char *value, char *path, size_t size)
{
	if (!strcmp(key, "policy"))
		return policy_is_file(value, path, size);
	snprintf(path, size, "%s", value);
	return strcmp(value, "none");
}

int settings_fit(const struct settings *s, char *err, size_t err_size)
{
	if (s->replay.compact.kind == COMPACT_NEVER ||
	    s->profile.pool.allocator == POOL_ALLOCATOR_ZSMALLOC)
		return 0;
	snprintf(err, err_size, "compact.when: only zsmalloc compacts, not %s",
		 zpool_types()[s->profile.pool.allocator]);
	return -EINVAL;
}

int settings_check(const struct settings *s, const struct crypto_registry *crypto, char *err,
		   size_t err_size)
{
	const struct error e = {err, err_size};
	int ret = settings_fit(s, err, err_size);

	if (!ret)
		ret = check_compressor(s, crypto, &e);
	if (!ret && s->replay.scenario)
		ret = check_scenario(s->replay.scenario, &e);
	if (!ret && s->replay.policy_spec)
		ret = check_policy(s, &e);
	return ret;
}

const struct replay_config *settings_config(struct settings *s)
{
	s->replay.profile = &s->profile;
	return &s->replay;
}
