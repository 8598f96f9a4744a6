// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/walk_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int walk_fail(struct walk_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	for (char *c = err->message; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return -EINVAL;
}
