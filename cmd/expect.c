// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
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

static const char *const op_names[] = {
	[EXPECT_LESS] = "<",	   [EXPECT_LESS_EQUAL] = "<=",	  [EXPECT_EQUAL] = "==",
	[EXPECT_NOT_EQUAL] = "!=", [EXPECT_GREATER_EQUAL] = ">=", [EXPECT_GREATER] = ">",
};

/* ---- names ---- */

typedef void (*visit_fn)(void *arg, const char *path);

/* Every number of the counts, or null in its place; lists have no names. */
static void walk(const json_t *node, const char *prefix, visit_fn visit, void *arg)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)node, key, value)
	{
		char path[96];

		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(value))
			walk(value, path, visit, arg);
		else if (json_is_number(value) || json_is_null(value))
			visit(arg, path);
	}
}

static const json_t *find(const json_t *counts, const char *path)
{
	while (counts && *path) {
		size_t len = strcspn(path, ".");
		char key[96];

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		counts = json_object_get(counts, key);
		path += len + (path[len] == '.');
	}
	return counts;
}

struct search {
	const char *name;
	char found[96]; /* the last */
	unsigned nr;
	FILE *out; /* their names, or those of all */
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

/* ---- parsing ---- */

struct parser {
	const json_t *counts;
	FILE *err;
};

static int bad_name(const struct parser *p, const char *name, unsigned matches)
{
	struct search s = {.name = name, .out = p->err};

	if (matches) {
		fprintf(p->err, "'%s' may be ", name);
		walk(p->counts, "", match, &s);
		return -EINVAL;
	}
	fprintf(p->err, "unknown name '%s'; known:", name);
	for (size_t i = 0; i < NR_SHORT_NAMES; i++)
		fprintf(p->err, "%s %s", i ? "," : "", short_names[i].name);
	walk(p->counts, "", list, p->err);
	return -EINVAL;
}

static int resolve(const struct parser *p, const char *name, struct expectation *e)
{
	struct search s = {.name = name};

	for (size_t i = 0; i < NR_SHORT_NAMES; i++) {
		if (!strcmp(name, short_names[i].name)) {
			snprintf(e->path, sizeof(e->path), "%s", short_names[i].path);
			return 0;
		}
	}
	walk(p->counts, "", match, &s);
	if (s.nr != 1)
		return bad_name(p, name, s.nr);
	memcpy(e->path, s.found, sizeof(e->path));
	return 0;
}

static int read_op(const char **text, enum expect_op *op)
{
	unsigned longest = 0;

	for (unsigned i = 0; i < sizeof(op_names) / sizeof(*op_names); i++) {
		size_t len = strlen(op_names[i]);

		if (len > longest && !strncmp(*text, op_names[i], len)) {
			*op = i;
			longest = len;
		}
	}
	if (!longest && **text == '=') {
		*op = EXPECT_EQUAL;
		longest = 1;
	}
	*text += longest;
	return longest ? 0 : -EINVAL;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " ");
	for (len = strlen(text); len && text[len - 1] == ' '; len--)
		;
	text[len] = '\0';
	return text;
}

/* One term, which is written to. */
static int parse_term(const struct parser *p, char *term, struct expectation *e)
{
	size_t len = strcspn(term, "<>=!");
	const char *rest = term + len;
	char *name, *end;
	int ret;

	if (read_op(&rest, &e->op)) {
		fprintf(p->err,
			"'%s' is no expectation, such as stores>0 (with >, >=, <, <=, = or !=)",
			term);
		return -EINVAL;
	}
	rest += strspn(rest, " ");
	e->value = strtod(rest, &end);
	/* What strtod() takes beside decimal numbers is nothing that a count can be. */
	if (!isdigit((unsigned char)*rest) || end != rest + strspn(rest, "0123456789.") || *end) {
		fprintf(p->err, "'%s': '%s' is not a number", term, rest);
		return -EINVAL;
	}
	term[len] = '\0';
	name = trim(term);
	ret = *name ? resolve(p, name, e) : -EINVAL;
	if (!*name)
		fprintf(p->err, "an expectation begins with a name, such as stores>0");
	return ret;
}

static int parse_list(const struct parser *p, struct expectations *e, char *text)
{
	char *next;

	for (char *term = text; term; term = next) {
		int ret;

		next = strchr(term, ',');
		if (next)
			*next++ = '\0';
		if (e->nr == EXPECT_MAX) {
			fprintf(p->err, "more than %u expectations", EXPECT_MAX);
			return -EINVAL;
		}
		ret = parse_term(p, trim(term), &e->list[e->nr]);
		if (ret)
			return ret;
		e->nr++;
	}
	return 0;
}

int expect_parse(struct expectations *e, const char *text, const json_t *counts, char **err)
{
	struct parser p = {.counts = counts};
	char *copy = strdup(text);
	size_t size;
	int ret = -ENOMEM;

	*err = NULL;
	p.err = open_memstream(err, &size);
	if (copy && p.err)
		ret = parse_list(&p, e, copy);
	if (p.err)
		fclose(p.err);
	free(copy);
	if (ret != -EINVAL) {
		free(*err);
		*err = NULL;
	}
	return ret;
}

/* ---- what came out ---- */

static bool is_met(const struct expectation *e, const json_t *actual)
{
	double value;

	if (!json_is_number(actual))
		return false;
	value = json_number_value(actual);
	switch (e->op) {
	case EXPECT_LESS:
		return value < e->value;
	case EXPECT_LESS_EQUAL:
		return value <= e->value;
	case EXPECT_EQUAL:
		return value == e->value;
	case EXPECT_NOT_EQUAL:
		return value != e->value;
	case EXPECT_GREATER_EQUAL:
		return value >= e->value;
	case EXPECT_GREATER:
		return value > e->value;
	}
	return false;
}

unsigned expect_report(const struct expectations *e, const json_t *counts, const char *prefix,
		       FILE *out)
{
	unsigned unmet = 0;

	for (unsigned i = 0; i < e->nr; i++) {
		const struct expectation *x = &e->list[i];
		const json_t *actual = find(counts, x->path);

		if (is_met(x, actual))
			continue;
		unmet++;
		fprintf(out, "%s: expected %s %s %.15g, but it is ", prefix, x->path,
			op_names[x->op], x->value);
		if (json_is_number(actual))
			fprintf(out, "%.15g\n", json_number_value(actual));
		else
			fprintf(out, "n/a\n");
	}
	return unmet;
}

json_t *expect_json(const struct expectations *e, const json_t *counts)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < e->nr; i++) {
		const struct expectation *x = &e->list[i];
		json_t *actual = (json_t *)find(counts, x->path);
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(x->path));
		json_object_set_new(o, "operator", json_string(op_names[x->op]));
		json_object_set_new(o, "value", json_real(x->value));
		json_object_set(o, "actual", actual ? actual : json_null());
		json_object_set_new(o, "met", json_boolean(is_met(x, actual)));
		json_array_append_new(a, o);
	}
	return a;
}
