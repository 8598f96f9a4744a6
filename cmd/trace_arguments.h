/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that read one trace have in common. */
#ifndef CMD_TRACE_ARGUMENTS_H
#define CMD_TRACE_ARGUMENTS_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>

#include "traces/reader.h"

struct trace_arguments {
	const char *path; /* of the one trace; NULL until the parser has seen it */
	bool json;
};

/* --json and the argument TRACE, for a child of a command's argp; its input is the struct. */
extern const struct argp trace_arguments_argp;

/* "max", or the bytes. */
#define LIMIT_SIZE 24
const char *limit_text(uint64_t limit, char buf[static LIMIT_SIZE]);
/* The bytes, or null for max. */
json_t *limit_json(uint64_t limit);

#endif
