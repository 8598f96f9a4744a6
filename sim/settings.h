/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All settings of a replay under one kind of name: "KEY=VALUE". Keys are those of the profile
 * (sim/profile.h) and those of the simulated machine and of zswap's parameters. Command lines,
 * comparisons and sweeps set things here, so that a setting that is added here is known to them
 * all.
 *
 * To add a setting: a row in settings.c's table.
 */
#ifndef SIM_SETTINGS_H
#define SIM_SETTINGS_H

#include "sim/replay.h"

enum setting_kind {
	SETTING_WORD,	/* one of values[] */
	SETTING_NUMBER, /* digits, from min to max */
	SETTING_SIZE,	/* bytes from min to max, with K, M, G or T if one likes */
	SETTING_TEXT,	/* its own form, which the doc line describes */
	SETTING_FILE,	/* a file that the replay reads, or a word in place of one (settings_file())
			 */
};

struct setting_key {
	const char *key; /* "zswap.max_pool_percent" */
	enum setting_kind kind;
	const char *const *values; /* of a word; NULL-terminated */
	uint64_t min, max;	   /* of a number or size */
	const char *doc;	   /* one line: what it means */
};

/*
 * Copy it as you like. Strings that were set (the compressor, the scenario) are not copied: the
 * values given to settings_set() stay as long as the settings do.
 */
struct settings {
	struct profile profile;
	struct replay_config replay; /* its profile is filled in by settings_config() */
};

/* The defaults: PROFILE_DEFAULT and replay_config_init(). */
void settings_init(struct settings *s);

/*
 * Sets one. "kernel" replaces the whole profile, so it comes before other keys of the profile. 0,
 * or -EINVAL with one line in @err: an unknown key names those that may have been meant, or all.
 */
int settings_set(struct settings *s, const char *key, const char *value, char *err,
		 size_t err_size);
/* The same from "KEY=VALUE", which stays as long as @s does. */
int settings_assign(struct settings *s, const char *assignment, char *err, size_t err_size);

/* The value of @key in words, which settings_set() takes, into @buf; returns @buf. */
const char *settings_value(const struct settings *s, const char *key, char *buf, size_t size);

/* Whether @value of @key names a file; its path into @path. */
bool settings_file(const char *key, const char *value, char *path, size_t size);

/*
 * Whether settings that are good by themselves fit together; cheap. 0, or -EINVAL with one line in
 * @err, "KEY: cause": the key that does not fit with the others.
 */
int settings_fit(const struct settings *s, char *err, size_t err_size);
/*
 * That, and what values name: a compressor that is not there, a scenario that cannot be read, a
 * policy that cannot be loaded (-EFAULT: its code crashed, and the program had better end). 0, or a
 * negative errno with one line in @err.
 */
int settings_check(const struct settings *s, const struct crypto_registry *crypto, char *err,
		   size_t err_size);

/* What replay_run() takes; valid as long as @s is where it is. */
const struct replay_config *settings_config(struct settings *s);

/* Key @i from 0, in order of print: false if there are not so many. */
bool settings_key(unsigned i, struct setting_key *key);
bool settings_find(const char *name, struct setting_key *key);
/* Whether it is one of the profile's switches (or "kernel", which sets them all). */
bool settings_is_profile(const char *name);

#endif
