/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program is made of: its own version, the libraries that it runs with, its compiler. */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

#include <jansson.h>
#include <stdio.h>

/* "zswapsim 0.1.0" */
#define VERSION_MAKER "zswapsim " ZSWAPSIM_VERSION

struct version_part {
	const char *name; /* "libzstd" */
	char version[64]; /* of the library that is loaded now: "1.5.4" */
};

#define VERSION_NR_PARTS 11

/* zswapsim comes first. */
void version_get(struct version_part parts[VERSION_NR_PARTS]);

/* One line a part. */
void version_print(FILE *out);
/* An object of part: version. NULL when out of memory. */
json_t *version_json(void);

/* Why times measured by this build mean little ("built with a sanitizer"), or NULL. */
const char *version_slow_build(void);

#endif
