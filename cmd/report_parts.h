/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reports of several commands have in common. JSON: NULL when out of memory. */
#ifndef CMD_REPORT_PARTS_H
#define CMD_REPORT_PARTS_H

#include <jansson.h>
#include <stdio.h>

#include "sim/settings.h"
#include "traces/reader.h"

/* "trace     PATH: TITLE, ..." and its hash: two lines. */
void report_trace_text(FILE *out, const char *path, const struct trace_info *trace);
json_t *report_trace_json(const char *path, const struct trace_info *trace);

/* "KEY=VALUE ..." over some lines of 98 columns, indented by two; ends with a newline. */
void report_profile_text(FILE *out, const struct profile *profile);
/* The same of all settings that are none of the profile's. */
void report_parameters_text(FILE *out, const struct settings *settings);
/* "KEY=VALUE, ..." of what differs from @base; "" if nothing does. Into @buf, returns @buf. */
const char *report_profile_differences(const struct profile *base, const struct profile *profile,
				       char *buf, size_t size);
json_t *report_profile_json(const struct profile *profile);

#endif
