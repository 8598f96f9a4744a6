/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of several policies over one trace, as text and as JSON. */
#ifndef CMD_POLICY_REPORT_H
#define CMD_POLICY_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/policy_table.h"
#include "traces/reader.h"

#define POLICY_SCHEMA	      "zswapsim.policy"
#define POLICY_SCHEMA_VERSION 1

struct policy_report {
	const char *command;
	const char *trace_path;
	const struct trace_info *trace;
	const struct policy_table_config *config;
	const struct policy_table *table;
};

void policy_report_text(FILE *out, const struct policy_report *report);
json_t *policy_report_json(const struct policy_report *report); /* NULL when out of memory */

/* How far a policy of a replay stands from the best: for the report of the replay. */
struct policy_standing {
	const char *policy;
	const struct policy_table *table; /* of clairvoyant and the bound */
	uint64_t disk_reads;		  /* of the replay */
};

void policy_standing_text(FILE *out, const struct policy_standing *standing);
json_t *policy_standing_json(const struct policy_standing *standing);

#endif
