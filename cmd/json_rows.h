/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One JSON document whose last member is an array, too long to be held in memory: what comes before
 * it and each element are jansson's, one element a line.
 */
#ifndef CMD_JSON_ROWS_H
#define CMD_JSON_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct json_rows {
	FILE *out;
	bool any;
};

/* @head: an object with a member or more, without @name. 0 or -ENOMEM; that @out fails is seen
 * there. */
int json_rows_begin(struct json_rows *j, FILE *out, const json_t *head, const char *name);
int json_rows_add(struct json_rows *j, const json_t *row);
void json_rows_end(struct json_rows *j);

#endif
