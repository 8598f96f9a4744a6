/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run is expected to have exercised: "stores>0,written_back>0", so that one that did not is
 * no success. Names are those of the report's counts: the whole path of a key
 * ("kernel.written_back_pages"), its last part if no other key ends so, or one of a few short
 * names.
 */
#ifndef CMD_EXPECT_H
#define CMD_EXPECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define EXPECT_MAX 64u

enum expect_op {
	EXPECT_LESS,
	EXPECT_LESS_EQUAL,
	EXPECT_EQUAL,
	EXPECT_NOT_EQUAL,
	EXPECT_GREATER_EQUAL,
	EXPECT_GREATER
};

struct expectation {
	char path[96]; /* "kernel.written_back_pages" */
	enum expect_op op;
	double value;
};

struct expectations {
	struct expectation list[EXPECT_MAX];
	unsigned nr;
};

/*
 * Adds the expectations of @text, which is a list with commas. @counts: any report's counts, for
 * the names. 0, or -EINVAL with one line in *err (to be freed): a name that is not known lists the
 * known ones. -ENOMEM, with *err NULL.
 */
int expect_parse(struct expectations *e, const char *text, const json_t *counts, char **err);

/* Prints a line "PREFIX: ..." for each that @counts do not meet; returns how many. */
unsigned expect_report(const struct expectations *e, const json_t *counts, const char *prefix,
		       FILE *out);
/* An array of them with what came out. NULL when out of memory. */
json_t *expect_json(const struct expectations *e, const json_t *counts);

#endif
