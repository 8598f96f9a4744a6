/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a replay's report that is about CPUID: how many were executed, which is computed
 * (what one initialisation was counted to execute, times the number of initialisations), what they
 * cost, and what the times would be on a machine of another price, which is modelled.
 */
#ifndef CMD_REPORT_CPUID_H
#define CMD_REPORT_CPUID_H

#include <jansson.h>
#include <stdio.h>

#include "backends/cpuid_census.h"
#include "backends/machine.h"
#include "sim/replay.h"

struct report_cpuid {
	struct cpuid_census census;
	const struct machine_model *model; /* NULL: none */
	const char *compressor;		   /* the first; NULL: the default */
};

void report_cpuid_text(FILE *out, const struct report_cpuid *c, const struct replay_result *x);
/* Adds "cpuid" and, with a model, "modelled_machine" to @report. */
void report_cpuid_json(json_t *report, const struct report_cpuid *c, const struct replay_result *x);

#endif
