/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How everything here reports an error: one line in a struct trace_error, and a negative errno. */
#ifndef TRACES_ERROR_H
#define TRACES_ERROR_H

#include "traces/format.h"

#define TRACE_NO_OFFSET UINT64_MAX

/*
 * Fills *err (which may be NULL) with "FILE: offset N: cause" and returns @ret. A path that leaves
 * no room for the cause loses its beginning; control characters become '?'.
 */
__attribute__((format(printf, 5, 6))) int trace_fail(struct trace_error *err, const char *path,
						     uint64_t offset, int ret, const char *fmt,
						     ...);

/* Makes '?' of what would break the line, or be an order to a terminal. */
void trace_printable(char *text);

#endif
