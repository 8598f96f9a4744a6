/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of 'zswapsim allocators'. JSON: NULL when out of memory. */
#ifndef CMD_ALLOCATORS_REPORT_H
#define CMD_ALLOCATORS_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/allocator_table.h"

struct allocators_report {
	const char *command, *trace_path;
	const struct trace_info *trace;
	const struct allocator_table_config *config;
	const struct allocator_table *table;
};

void allocators_report_text(FILE *out, const struct allocators_report *report);
json_t *allocators_report_json(const struct allocators_report *report);

#endif
