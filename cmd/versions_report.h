/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trace under several kernels, side by side: as a table for people, and as one JSON document
 * (docs/report-json.md) for programs.
 */
#ifndef CMD_VERSIONS_REPORT_H
#define CMD_VERSIONS_REPORT_H

#include "cmd/report.h"

#define VERSIONS_SCHEMA		"zswapsim.versions"
#define VERSIONS_SCHEMA_VERSION 1
#define VERSIONS_MAX		16u

struct versions_report {
	const char *command, *compressor;
	const struct trace_info *trace;
	const char *trace_path, *scenario;
	const struct machine_info *machine;
	unsigned nr;			     /* kernels, oldest first */
	const struct profile *profile;	     /* [nr] */
	struct replay_result *const *result; /* [nr] */
	struct lengths *const *lengths;	     /* [nr]; NULL in measure mode */
	const uint64_t *replay_ns;	     /* [nr], of policy mode */
};

void versions_report_text(FILE *out, const struct versions_report *v);
/* NULL when out of memory. */
json_t *versions_report_json(const struct versions_report *v);

#endif
