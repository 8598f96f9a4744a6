// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PATH_SHOWN 160u

void trace_printable(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

int trace_fail(struct trace_error *err, const char *path, uint64_t offset, int ret, const char *fmt,
	       ...)
{
	size_t len = strlen(path), size = sizeof(err->message);
	int used;
	va_list args;

	if (!err)
		return ret;
	err->offset = offset;
	if (len > MAX_PATH_SHOWN)
		used = snprintf(err->message, size, "...%s: ", path + len - MAX_PATH_SHOWN);
	else
		used = snprintf(err->message, size, "%s: ", path);
	if (offset != TRACE_NO_OFFSET)
		used += snprintf(err->message + used, size - used, "offset %" PRIu64 ": ", offset);
	va_start(args, fmt);
	vsnprintf(err->message + used, size - used, fmt, args);
	va_end(args);
	trace_printable(err->message);
	return ret;
}
