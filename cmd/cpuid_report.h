/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 'zswapsim cpuid' has found out, and the two forms in which it says so. */
#ifndef CMD_CPUID_REPORT_H
#define CMD_CPUID_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "backends/cpuid_census.h"
#include "backends/timing.h"
#include "backends/zstd_inits.h"
#include "cmd/machine_info.h"

/* The requests of zswap, by the path that they take. */
enum cpuid_request {
	CPUID_STORE,	/* a page */
	CPUID_LOAD,	/* of an object within one page of its zspage */
	CPUID_LOAD_TWO, /* of one over two pages */
	CPUID_NR_REQUESTS,
};

struct cpuid_request_report {
	uint64_t inits;		    /* contexts that it builds */
	uint64_t cpuids;	    /* computed: those, times what one executes */
	struct cpuid_count stepped; /* of a whole one, with --step */
};

struct cpuid_report {
	const char *cpu; /* of --cpu, NULL: this processor */
	const struct profile *profile;
	struct machine_info machine;
	bool counted; /* otherwise no counts, and census.reason */
	struct zstd_init_times times;
	struct cpuid_count init[ZSTD_NR_INITS];
	bool flags_known; /* with --cpu: whether contexts say BMI2 */
	bool flag[ZSTD_NR_SIDES];
	struct cpuid_census census;
	struct cpuid_request_report request[CPUID_NR_REQUESTS];
	bool stepped;
};

/* Steps through one whole request of each kind; 0, or a negative errno and a line in @err. */
int cpuid_step_requests(struct cpuid_report *report, char *err, size_t err_size);

void cpuid_report_print(const struct cpuid_report *report, FILE *out);
/* NULL when out of memory. */
json_t *cpuid_report_json(const struct cpuid_report *report);

#endif
