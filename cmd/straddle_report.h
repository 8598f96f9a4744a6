/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of 'zswapsim straddle'. JSON: NULL when out of memory. */
#ifndef CMD_STRADDLE_REPORT_H
#define CMD_STRADDLE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "cmd/machine_info.h"
#include "sim/straddle.h"

struct straddle_report {
	const char *command, *trace_path;
	const struct trace_info *trace;
	const struct machine_info *machine;
	const struct straddle_config *config;
	const struct straddle_result *result;
};

void straddle_report_text(FILE *out, const struct straddle_report *report);
json_t *straddle_report_json(const struct straddle_report *report);

#endif
