/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears under its name only when it is complete. All errors: a negative errno and a
 * line in *err.
 */
#ifndef TRACES_TARGET_H
#define TRACES_TARGET_H

#include "traces/format.h"

struct target {
	const char *shown; /* the path as the user gave it; for messages */
	char *path;	   /* where links lead to */
	char *dir;
	char *temp_name; /* NULL while the file has no name */
	int fd;
};

/* Opens a file beside @path, which may exist only as a regular file. @path is copied. */
int target_open(struct target *target, const char *path, struct trace_error *err);
/* Syncs the file and puts it in place of what was there. */
int target_publish(struct target *target, struct trace_error *err);
/* Frees everything; a file that was not published is gone. */
void target_close(struct target *target);

#endif
