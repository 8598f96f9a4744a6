// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void verify_init(struct verify_report *report)
{
	memset(report, 0, sizeof(*report));
}

void verify_row(struct verify_report *report)
{
	report->rows++;
}

void verify_compare(struct verify_report *report, uint64_t line, const char *column,
		    int64_t recorded, int64_t here)
{
	if (recorded == here)
		return;
	if (report->last_differing != line)
		report->differing++;
	report->last_differing = line;
	if (!report->first_differing)
		report->first_differing = line;
	if (report->nr_lines == VERIFY_MAX_LINES)
		return;
	snprintf(report->lines[report->nr_lines++], VERIFY_LINE_SIZE,
		 "line %" PRIu64 ": %s: recorded %" PRId64 ", here %" PRId64, line, column,
		 recorded, here);
}
