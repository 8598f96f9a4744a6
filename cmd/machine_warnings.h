/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What spoils times that are measured on this machine now. */
#ifndef CMD_MACHINE_WARNINGS_H
#define CMD_MACHINE_WARNINGS_H

#include "cmd/machine_info.h"

#define MACHINE_MAX_WARNINGS 8u

struct machine_warnings {
	unsigned nr;
	char line[MACHINE_MAX_WARNINGS][192]; /* one line each, without an end */
};

/*
 * From @info, which was read before the measurement (afterwards the load is its own), from what
 * this build is, and from /sys below @root ("" for the real one).
 */
void machine_warnings_find(struct machine_warnings *w, const struct machine_info *info,
			   const char *root);
/* One more; what does not fit is dropped. */
void machine_warnings_add(struct machine_warnings *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "warning: LINE" for each. */
void machine_warnings_print(const struct machine_warnings *w, FILE *out);
/* An array of strings. NULL when out of memory. */
json_t *machine_warnings_json(const struct machine_warnings *w);

#endif
