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

/* ---- for the report of one replay ---- */

/* Lines that begin with two spaces. */
#define POLICY_HEURISTIC                                                                           \
	"  clairvoyant is a heuristic here: a pool is made of pages, which writing back single "   \
	"objects\n  seldom frees, and what a memcg may have or write back is not its to choose\n"

#define POLICY_DISTANCE_BYTES 64
/* "+120 (+3.4 %)", of @reads to @from; into @buf, returns @buf. */
const char *policy_distance(uint64_t reads, uint64_t from, char buf[POLICY_DISTANCE_BYTES]);
json_t *policy_bound_json(const struct bound_result *bound, uint64_t capacity);

#endif
