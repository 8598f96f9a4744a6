// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of a scenario's sections, and their values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel.h"
#include "sim/number.h"
#include "sim/scenario_file_private.h"

#define MAX_TOTALRAM (1ull << 50)

/* ---- values ---- */

static uint64_t number(struct scenario_parser *p, const char *key, const char *text, uint64_t min,
		       uint64_t max)
{
	uint64_t value;

	if (number_read_u64(text, &value) || value < min || value > max) {
		fail(p, "%s = %s: not a number from %" PRIu64 " to %" PRIu64, key, text, min, max);
		return 0;
	}
	return value;
}

static uint64_t percent(struct scenario_parser *p, const char *key, const char *text)
{
	return number(p, key, text, 0, 100);
}

static uint64_t flag(struct scenario_parser *p, const char *key, const char *text)
{
	return number(p, key, text, 0, 1);
}

static uint64_t totalram(struct scenario_parser *p, const char *key, const char *text)
{
	uint64_t value;

	if (number_read_size(text, &value) || value < PAGE_SIZE || value > MAX_TOTALRAM) {
		fail(p, "%s = %s: not a number of bytes from 4K to 1024T", key, text);
		return 0;
	}
	return value;
}

static uint64_t nodes(struct scenario_parser *p, const char *key, const char *text)
{
	return number(p, key, text, 1, KERNEL_MAX_NODES);
}

static uint64_t limit(struct scenario_parser *p, const char *key, const char *text)
{
	uint64_t value;

	if (!strcmp(text, "max"))
		return TRACE_NO_LIMIT;
	if (number_read_size(text, &value) || value > INT64_MAX) {
		fail(p,
		     "%s = %s: not a number of bytes (with K, M, G or T if you like), and not max",
		     key, text);
		return 0;
	}
	return value;
}

static void set(struct scenario_parser *p, struct scenario_value *to, const char *key,
		const char *text,
		uint64_t (*parse)(struct scenario_parser *p, const char *key, const char *text))
{
	if (to->given) {
		fail(p, "%s is given a second time in this section", key);
		return;
	}
	to->given = true;
	to->value = parse(p, key, text);
}

/* ---- from ---- */

static const char *const from_names[] = {
	[SCENARIO_FROM_MEMCG] = "memcg",
	[SCENARIO_FROM_CPU] = "cpu",
	[SCENARIO_FROM_OFFSET] = "offset",
};

/* The same pages cannot be two memcgs'; rules of different kinds go by their order. */
static void check_overlap(struct scenario_parser *p, const struct scenario_from *from)
{
	for (unsigned i = 0; i + 1 < p->file->nr_from; i++) {
		const struct scenario_from *other = &p->file->from[i];

		if (other->kind == from->kind && other->swap_type == from->swap_type &&
		    other->first <= from->last && from->first <= other->last) {
			fail(p, "from = %s %" PRIu64 ": belongs to memcg %s already (line %u)",
			     from_names[from->kind],
			     from->first > other->first ? from->first : other->first,
			     p->file->memcgs[other->memcg].path, other->line);
			return;
		}
	}
}

/* One of "memcg 3", "cpu 0-3", "offset 0-9999", "offset 1:0-9999"; false if it is none. */
static bool read_from(const char *text, struct scenario_from *from)
{
	size_t len = strcspn(text, " ");
	const char *end;
	uint64_t type;
	unsigned kind;

	for (kind = 0; kind <= SCENARIO_FROM_OFFSET; kind++) {
		if (strlen(from_names[kind]) == len && !strncmp(text, from_names[kind], len))
			break;
	}
	if (kind > SCENARIO_FROM_OFFSET)
		return false;
	from->kind = kind;
	text += len + strspn(text + len, " ");
	if (kind == SCENARIO_FROM_OFFSET && strchr(text, ':')) {
		uint64_t last;

		if (number_read_range(text, &end, &type, &last) || *end != ':' || last != type ||
		    type >= TRACE_MAX_SWAP_TYPES)
			return false;
		from->swap_type = type;
		text = end + 1;
	}
	return !number_read_range(text, &end, &from->first, &from->last) && !*end;
}

static void add_from(struct scenario_parser *p, const char *value)
{
	char list[SCENARIO_MAX_LINE], *save = NULL;

	if (p->from_given) {
		fail(p, "from is given a second time in this section; a list has commas");
		return;
	}
	p->from_given = true;
	snprintf(list, sizeof(list), "%s", value);
	for (char *item = strtok_r(list, ",", &save); item && !p->ret;
	     item = strtok_r(NULL, ",", &save)) {
		struct scenario_from *from =
			scenario_append(p, &p->file->from, &p->file->nr_from, sizeof(*from));

		if (!from)
			return;
		from->memcg = p->file->nr_memcgs - 1;
		from->line = p->line;
		item += strspn(item, " ");
		while (*item && item[strlen(item) - 1] == ' ')
			item[strlen(item) - 1] = '\0';
		if (!read_from(item, from)) {
			fail(p,
			     "from = %s: not 'memcg N', 'cpu N', 'offset A-B' or 'offset "
			     "DEVICE:A-B'",
			     item);
			return;
		}
		check_overlap(p, from);
	}
}

/* ---- keys ---- */

static void unknown_key(struct scenario_parser *p, const char *key, const char *known)
{
	fail(p, "no such key '%s' in [%s]; there are %s", key, p->section, known);
}

static void machine_key(struct scenario_parser *p, const char *key, const char *value)
{
	if (!strcmp(key, "totalram"))
		set(p, &p->file->totalram, key, value, totalram);
	else if (!strcmp(key, "nodes"))
		set(p, &p->file->nodes, key, value, nodes);
	else
		unknown_key(p, key, "totalram and nodes");
}

static void zswap_key(struct scenario_parser *p, const char *key, const char *value)
{
	if (!strcmp(key, "max_pool_percent"))
		set(p, &p->file->max_pool_percent, key, value, percent);
	else if (!strcmp(key, "accept_threshold_percent"))
		set(p, &p->file->accept_threshold_percent, key, value, percent);
	else if (!strcmp(key, "shrinker_enabled"))
		set(p, &p->file->shrinker_enabled, key, value, flag);
	else
		unknown_key(p, key,
			    "max_pool_percent, accept_threshold_percent and shrinker_enabled");
}

static bool is_root(const char *path)
{
	return !path[1];
}

static void memcg_key(struct scenario_parser *p, const char *key, const char *value)
{
	struct scenario_memcg *m = &p->file->memcgs[p->file->nr_memcgs - 1];

	if (!strcmp(key, "zswap.max") && is_root(m->path))
		fail(p, "zswap.max: the root memcg has no limit");
	else if (!strcmp(key, "zswap.max"))
		set(p, &m->zswap_max, key, value, limit);
	else if (!strcmp(key, "zswap.writeback"))
		set(p, &m->zswap_writeback, key, value, flag);
	else if (!strcmp(key, "from"))
		add_from(p, value);
	else
		unknown_key(p, key, "zswap.max, zswap.writeback and from");
}

/* What a key of [at ...] changes; its path, if it is of a memcg, is cut out of @key. */
static bool change_of(char *key, const char **path, enum scenario_what *what)
{
	static const struct {
		const char *name;
		enum scenario_what what;
	} keys[] = {
		{"max_pool_percent", SCENARIO_MAX_POOL_PERCENT},
		{"accept_threshold_percent", SCENARIO_ACCEPT_THRESHOLD_PERCENT},
		{"shrinker_enabled", SCENARIO_SHRINKER_ENABLED},
	};
	char *name;

	*path = NULL;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!strcmp(key, keys[i].name)) {
			*what = keys[i].what;
			return true;
		}
	}
	if (strncmp(key, "memcg ", 6))
		return false;
	*path = key + 6;
	name = strchr(*path, ' ');
	if (!name) {
		*what = SCENARIO_MEMCG_OFFLINE;
		return true;
	}
	*name = '\0';
	name += 1 + strspn(name + 1, " ");
	*what = !strcmp(name, "zswap.max") ? SCENARIO_MEMCG_ZSWAP_MAX
					   : SCENARIO_MEMCG_ZSWAP_WRITEBACK;
	return !strcmp(name, "zswap.max") || !strcmp(name, "zswap.writeback");
}

static uint64_t change_value(struct scenario_parser *p, enum scenario_what what, const char *key,
			     const char *value)
{
	switch (what) {
	case SCENARIO_MAX_POOL_PERCENT:
	case SCENARIO_ACCEPT_THRESHOLD_PERCENT:
		return percent(p, key, value);
	case SCENARIO_SHRINKER_ENABLED:
	case SCENARIO_MEMCG_ZSWAP_WRITEBACK:
		return flag(p, key, value);
	case SCENARIO_MEMCG_ZSWAP_MAX:
		return limit(p, key, value);
	case SCENARIO_MEMCG_OFFLINE:
		if (strcmp(value, "offline"))
			fail(p, "%s = %s: the only thing that becomes of a memcg is 'offline'", key,
			     value);
	}
	return 0;
}

static void at_key(struct scenario_parser *p, const char *key, const char *value)
{
	struct scenario_change *c;
	char cut[SCENARIO_MAX_LINE];
	const char *path;
	enum scenario_what what;

	snprintf(cut, sizeof(cut), "%s", key);
	if (!change_of(cut, &path, &what)) {
		unknown_key(p, key,
			    "max_pool_percent, accept_threshold_percent, shrinker_enabled, "
			    "'memcg /PATH zswap.max', 'memcg /PATH zswap.writeback' and "
			    "'memcg /PATH = offline'");
		return;
	}
	if (path && !scenario_path_is_good(path))
		fail(p, "%s: '%s' is no path of a memcg, such as /a or /a/b", key, path);
	else if (path && is_root(path) && what != SCENARIO_MEMCG_ZSWAP_WRITEBACK)
		fail(p, "%s: the root memcg has no limit and no end", key);
	for (unsigned i = 0; i < p->file->nr_changes; i++) {
		c = &p->file->changes[i];
		if (c->point + 1 == p->file->nr_points && c->what == what &&
		    (!path || !strcmp(path, c->path)))
			fail(p, "%s is given a second time in this section", key);
	}
	if (p->ret)
		return;
	c = scenario_append(p, &p->file->changes, &p->file->nr_changes, sizeof(*c));
	if (!c)
		return;
	c->what = what;
	c->point = p->file->nr_points - 1;
	c->line = p->line;
	c->path = path ? scenario_copy(p, path) : NULL;
	c->value = change_value(p, what, key, value);
}

void scenario_key(struct scenario_parser *p, const char *key, const char *value)
{
	switch (p->kind) {
	case MACHINE:
		machine_key(p, key, value);
		break;
	case ZSWAP:
		zswap_key(p, key, value);
		break;
	case MEMCG:
		memcg_key(p, key, value);
		break;
	case AT:
		at_key(p, key, value);
		break;
	case NO_SECTION:
		break;
	}
}
