/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of a replay: as text for people, and as one JSON document (docs/report-json.md) for
 * programs. Measured times only; whatever is modelled is labelled so.
 */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/machine_info.h"
#include "cmd/report_cpuid.h"
#include "sim/lengths.h"
#include "sim/profile.h"
#include "sim/replay.h"
#include "traces/reader.h"

struct expectations;
struct policy_standing;

#define REPORT_SCHEMA	      "zswapsim.replay"
#define REPORT_SCHEMA_VERSION 1

struct report {
	const char *command;	/* the whole command line */
	const char *compressor; /* "NAME[:LEVEL]"; NULL: zstd */
	const struct profile *profile;
	const struct trace_info *trace;
	const char *trace_path;
	const char *scenario; /* path; NULL: none */
	bool all_classes;     /* text: every size class, not only the ten with most pages */
	const struct machine_info *machine;
	const struct replay_result *result;
	const struct lengths *lengths;	      /* NULL: measure mode */
	uint64_t replay_ns;		      /* of policy mode: what the whole replay took */
	const struct report_cpuid *cpuid;     /* NULL in policy mode */
	const struct expectations *expect;    /* NULL: none */
	const struct policy_standing *policy; /* NULL: none was named */
};

void report_text(FILE *out, const struct report *report);
/* NULL when out of memory. */
json_t *report_json(const struct report *report);
/*
 * The report's "counts", which are the same in every run. Their names are what expectations are
 * about: @result may be all 0.
 */
json_t *report_counts_json(const struct replay_result *result, const struct profile *profile,
			   const char *compressor);
/* "modelled" of any run. */
json_t *report_modelled_json(const struct replay_result *result);
/* "modelled" and "measured" of the report: what is measured is JSON null in policy mode. */
json_t *report_modelled_of_json(const struct report *report);
json_t *report_measured_json(const struct report *report);
json_t *report_lengths_exact_json(const struct report *report);
json_t *report_warnings_json(const struct report *report);

/* ---- what both forms are made from ---- */

/* In a sentence, whether the lengths are those of the chosen kernel. */
const char *report_length_verdict(const struct report *report, char *buf, size_t size);
/* What a reader should be warned of, one line each; returns how many, at most @max. */
#define REPORT_MAX_WARNINGS 16
unsigned report_warnings(const struct report *report, char lines[][256], unsigned max);
/* Whether any of its compressors is zstd, so that zstd.* of the profile matters. */
bool report_has_zstd(const struct report *report);

#endif
