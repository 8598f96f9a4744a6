// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/compact_when.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/number.h"

static const struct {
	const char *name;
	uint64_t max;
} kinds[] = {
	[COMPACT_EVERY] = {"every", INT64_MAX},
	[COMPACT_FRAGMENTATION] = {"fragmentation", 99},
};

int compact_when_parse(const char *text, struct compact_when *when, char *err, size_t err_size)
{
	if (!strcmp(text, "never")) {
		*when = (struct compact_when){.kind = COMPACT_NEVER};
		return 0;
	}
	for (enum compact_kind kind = COMPACT_EVERY; kind <= COMPACT_FRAGMENTATION; kind++) {
		size_t length = strlen(kinds[kind].name);
		uint64_t n;

		if (strncmp(text, kinds[kind].name, length) || text[length] != ':')
			continue;
		if (number_read_u64(text + length + 1, &n) || n < 1 || n > kinds[kind].max) {
			snprintf(err, err_size,
				 "'%s': not a number from 1 to %" PRIu64 " behind '%s:'", text,
				 kinds[kind].max, kinds[kind].name);
			return -EINVAL;
		}
		*when = (struct compact_when){.kind = kind, .n = n};
		return 0;
	}
	snprintf(err, err_size, "'%s': not never, every:N or fragmentation:PERCENT", text);
	return -EINVAL;
}

const char *compact_when_print(const struct compact_when *when, char *buf, size_t size)
{
	if (when->kind == COMPACT_NEVER)
		snprintf(buf, size, "never");
	else
		snprintf(buf, size, "%s:%" PRIu64, kinds[when->kind].name, when->n);
	return buf;
}
