// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/counts.h"

static const char *const op_names[] = {
	[EXPECT_LESS] = "<",	   [EXPECT_LESS_EQUAL] = "<=",	  [EXPECT_EQUAL] = "==",
	[EXPECT_NOT_EQUAL] = "!=", [EXPECT_GREATER_EQUAL] = ">=", [EXPECT_GREATER] = ">",
};

/* ---- parsing ---- */

struct parser {
	const json_t *counts;
	FILE *err;
};

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
	ret = *name ? counts_resolve(p->counts, name, e->path, p->err) : -EINVAL;
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
		const json_t *actual = counts_find(counts, x->path);

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
		json_t *actual = (json_t *)counts_find(counts, x->path);
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
