/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a scenario is read: what sections and lines share with keys and values. */
#ifndef SIM_SCENARIO_FILE_PRIVATE_H
#define SIM_SCENARIO_FILE_PRIVATE_H

#include <stdio.h>

#include "sim/scenario_file.h"

#define SCENARIO_MAX_LINE 200 /* inih's own, with its end */

enum scenario_section { NO_SECTION, MACHINE, ZSWAP, MEMCG, AT };

/*
 * The file as inih reads it, line by line. inih keeps 49 characters of a section's name and tells
 * no line numbers: both are kept here.
 */
struct scenario_parser {
	FILE *in;
	unsigned line;
	struct scenario_file *file;
	struct trace_error *err;
	int ret; /* the first error; the rest of the file is passed over */

	char section[SCENARIO_MAX_LINE];
	unsigned section_line;
	bool section_empty;
	enum scenario_section kind;
	unsigned seen_machine, seen_zswap; /* their lines */
	unsigned kind_line;		   /* the section line that kind belongs to */
	bool from_given;		   /* in this section */
};

/* Notes the first error, at @line or at the line at hand. */
void scenario_fail_at(struct scenario_parser *p, unsigned line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define fail(p, ...) scenario_fail_at(p, (p)->line, __VA_ARGS__)

/* Room for one more of @size bytes in an array, zeroed; NULL, and an error, if there is none. */
void *scenario_append(struct scenario_parser *p, void *array, unsigned *nr, size_t size);
char *scenario_copy(struct scenario_parser *p, const char *text);
bool scenario_path_is_good(const char *path);

/* scenario_keys.c: KEY = VALUE of the section at hand. */
void scenario_key(struct scenario_parser *p, const char *key, const char *value);

#endif
