// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/counts.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name, *path;
} short_names[] = {
	{"written_back", "kernel.written_back_pages"},
	{"refaults", "events.in_disk_written_back_pages"},
	{"refused", "refused_pages.all"},
	{"limit_hits", "kernel.pool_limit_hit"},
	{"disk_writes", "swap.written_pages"},
	{"disk_reads", "swap.read_pages"},
	{"streamed_loads", "decompress.streamed_pages"},
	{"mismatches", "events.mismatched_pages"},
};

#define NR_SHORT_NAMES (sizeof(short_names) / sizeof(*short_names))

static void walk(const json_t *node, const char *prefix, counts_visit_fn visit, void *arg)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)node, key, value)
	{
		char path[COUNTS_PATH_BYTES];

		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(value))
			walk(value, path, visit, arg);
		else if (json_is_number(value) || json_is_null(value))
			visit(arg, path);
	}
}

void counts_walk(const json_t *counts, counts_visit_fn visit, void *arg)
{
	walk(counts, "", visit, arg);
}

const json_t *counts_find(const json_t *counts, const char *path)
{
	while (counts && *path) {
		size_t len = strcspn(path, ".");
		char key[COUNTS_PATH_BYTES];

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		counts = json_object_get(counts, key);
		path += len + (path[len] == '.');
	}
	return counts;
}

struct search {
	const char *name;
	char found[COUNTS_PATH_BYTES]; /* the last */
	unsigned nr;
	FILE *out; /* their names */
};

static void match(void *arg, const char *path)
{
	struct search *s = arg;
	size_t name = strlen(s->name), len = strlen(path);

	if (strcmp(path, s->name) &&
	    (len <= name || path[len - name - 1] != '.' || strcmp(path + len - name, s->name)))
		return;
	snprintf(s->found, sizeof(s->found), "%s", path);
	if (s->out)
		fprintf(s->out, "%s%s", s->nr ? ", " : "", path);
	s->nr++;
}

static void list(void *arg, const char *path)
{
	fprintf(arg, ", %s", path);
}

static int bad_name(const json_t *counts, const char *name, unsigned matches, FILE *err)
{
	struct search s = {.name = name, .out = err};

	if (matches) {
		fprintf(err, "'%s' may be ", name);
		walk(counts, "", match, &s);
		return -EINVAL;
	}
	fprintf(err, "unknown name '%s'; known:", name);
	for (size_t i = 0; i < NR_SHORT_NAMES; i++)
		fprintf(err, "%s %s", i ? "," : "", short_names[i].name);
	walk(counts, "", list, err);
	return -EINVAL;
}

int counts_resolve(const json_t *counts, const char *name, char *path, FILE *err)
{
	struct search s = {.name = name};

	for (size_t i = 0; i < NR_SHORT_NAMES; i++) {
		if (!strcmp(name, short_names[i].name)) {
			snprintf(path, COUNTS_PATH_BYTES, "%s", short_names[i].path);
			return 0;
		}
	}
	walk(counts, "", match, &s);
	if (s.nr != 1)
		return bad_name(counts, name, s.nr, err);
	memcpy(path, s.found, COUNTS_PATH_BYTES);
	return 0;
}
