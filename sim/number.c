// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads digits; *end is what follows them. */
static int read_digits(const char *text, uint64_t *value, const char **end)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &stop, 10);
	*end = stop;
	return -errno;
}

int number_read_u64(const char *text, uint64_t *value)
{
	const char *end;
	int ret = read_digits(text, value, &end);

	return ret ? ret : *end ? -EINVAL : 0;
}

int number_read_size(const char *text, uint64_t *value)
{
	static const char suffixes[] = "KMGT";
	const char *suffix, *end;
	uint64_t unit = 1;
	int ret = read_digits(text, value, &end);

	if (ret)
		return ret;
	if (*end) {
		suffix = strchr(suffixes, *end);
		if (!suffix || end[1])
			return -EINVAL;
		unit <<= 10 * (suffix - suffixes + 1);
	}
	return __builtin_mul_overflow(*value, unit, value) ? -ERANGE : 0;
}

int number_read_range(const char *text, const char **end, uint64_t *first, uint64_t *last)
{
	int ret = read_digits(text, first, end);

	*last = *first;
	if (!ret && **end == '-')
		ret = read_digits(*end + 1, last, end);
	return ret ? ret : *last < *first ? -EINVAL : 0;
}
