/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a comparison: as text, in the layout of patch letters, and as JSON
 * (docs/compare-json.md). All of it is measured.
 */
#ifndef CMD_COMPARE_REPORT_H
#define CMD_COMPARE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "cmd/machine_info.h"
#include "cmd/machine_warnings.h"
#include "sim/compare.h"
#include "sim/settings.h"

#define COMPARE_SCHEMA	       "zswapsim.compare"
#define COMPARE_SCHEMA_VERSION 1

struct compare_report {
	const char *command;
	const char *trace_path;
	const struct trace_info *trace;
	const char *text[COMPARE_MAX_SETTINGS]; /* the settings as they were typed; "" for none */
	const struct settings *settings;	/* [nr_settings] */
	const struct compare_config *config;
	const struct compare_result *result;
	const struct machine_info *machine;
	const struct machine_warnings *warnings;
};

void compare_report_text(FILE *out, const struct compare_report *report);
/* NULL when out of memory. */
json_t *compare_report_json(const struct compare_report *report);

/* ---- what both are made from ---- */

struct compare_count {
	char name[64]; /* "decompress.calls.zstd_init_dctx": the path below "counts" in a replay's
			  report */
	int64_t base, changed;
};

/*
 * Calls @fn for each setting, in order of print, that @s has otherwise than the baseline:
 * whatever it came from. Left out is "kernel", which stands for many.
 */
typedef void (*compare_difference_fn)(void *arg, const char *key, const char *value);
void compare_differences(const struct compare_report *report, unsigned s, compare_difference_fn fn,
			 void *arg);

/*
 * The counts in which setting @s differs from the baseline; returns how many. One that only one of
 * them has, as the calls of a codec of its own, is none.
 */
#define COMPARE_MAX_COUNTS 256u
unsigned compare_counts(const struct compare_report *report, unsigned s,
			struct compare_count out[COMPARE_MAX_COUNTS]);

/*
 * In a sentence, whether events went otherwise than under the baseline. Into @buf, returns @buf.
 */
const char *compare_verdict(const struct compare_report *report, unsigned s, char *buf,
			    size_t size);

#endif
