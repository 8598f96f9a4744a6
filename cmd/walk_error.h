/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one line about what is wrong with a request of `zswapsim walk`. */
#ifndef CMD_WALK_ERROR_H
#define CMD_WALK_ERROR_H

struct walk_error {
	char message[512];
};

/* Fills *@err, control characters replaced; returns -EINVAL. */
int walk_fail(struct walk_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
