// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/sweep_list.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/number.h"

/*
 * Digits and a unit at @text: 1, and *end is behind them. 0: there are none. -ERANGE.
 */
static int read_bound(const char *text, uint64_t *value, int *size, const char **end)
{
	size_t digits = strspn(text, "0123456789"), len = digits;
	char number[32];

	if (!digits)
		return 0;
	if (text[len] && strchr("KMGT", text[len])) {
		len++;
		*size = 1;
	}
	*end = text + len;
	if (len >= sizeof(number))
		return -ERANGE;
	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	return number_read_size(number, value) ? -ERANGE : 1;
}

static int fail(const char *item, const char *cause, char *err, size_t err_size)
{
	snprintf(err, err_size, "%s: %s", item, cause);
	return -EINVAL;
}

/* ":STEP", "*FACTOR" or nothing. 1: so it is; 0: something else. */
static int read_step(const char *text, struct sweep_range *range)
{
	char kind = *text;
	uint64_t value;
	int unit = 0, ret;

	range->step = 1;
	if (!kind)
		return 1;
	if (kind != ':' && kind != '*')
		return 0;
	ret = read_bound(text + 1, &value, &unit, &text);
	if (ret <= 0 || *text || (kind == '*' && unit))
		return ret < 0 ? ret : 0;
	range->sizes |= unit;
	range->step = kind == ':' ? value : 0;
	range->factor = kind == '*' ? value : 0;
	return 1;
}

static uint64_t count(const struct sweep_range *range)
{
	uint64_t nr = 1;

	if (range->step)
		return (range->last - range->first) / range->step + 1;
	for (uint64_t v = range->first; v <= range->last / range->factor; v *= range->factor)
		nr++;
	return nr;
}

int sweep_range_read(const char *item, struct sweep_range *range, char *err, size_t err_size)
{
	const char *dots = strstr(item, ".."), *first = dots, *end;
	int geometric, ret;

	memset(range, 0, sizeof(*range));
	if (!dots)
		return 0;
	while (first > item && first[-1] != ':')
		first--;
	if (first - item >= (ptrdiff_t)sizeof(range->prefix))
		return 0;
	memcpy(range->prefix, item, first - item);
	ret = read_bound(first, &range->first, &range->sizes, &end);
	if (!ret || end != dots)
		return 0;
	if (ret > 0)
		ret = read_bound(dots + 2, &range->last, &range->sizes, &end);
	if (ret > 0)
		ret = read_step(end, range);
	if (ret < 0)
		return fail(item, "a number is too large", err, err_size);
	if (!ret)
		return fail(item, "not a range A..B, A..B:STEP or A..B*FACTOR", err, err_size);
	geometric = !range->step && range->factor;
	if (range->first > range->last)
		return fail(item, "the range ends before it begins", err, err_size);
	if (!geometric && !range->step)
		return fail(item, "the step is 0 or the factor less than 2", err, err_size);
	if (geometric && (range->factor < 2 || !range->first))
		return fail(item, "a factor is 2 or more, and the first value not 0", err,
			    err_size);
	range->nr = count(range);
	return 1;
}

void sweep_range_value(const struct sweep_range *range, uint64_t i, char *buf)
{
	static const char units[] = "\0KMGT";
	uint64_t value = range->first;
	unsigned unit = 0;

	if (range->step)
		value += i * range->step;
	for (; !range->step && i; i--)
		value *= range->factor;
	while (range->sizes && value && value % 1024 == 0 && unit < 4) {
		value /= 1024;
		unit++;
	}
	snprintf(buf, SWEEP_MAX_VALUE, "%s%" PRIu64 "%.1s", range->prefix, value, &units[unit]);
}
