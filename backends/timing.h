/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a short call takes, many times over. */
#ifndef BACKENDS_TIMING_H
#define BACKENDS_TIMING_H

#include <stdint.h>

#define TIMING_MAX_CALLS 100000u

/* ns a call, by CLOCK_MONOTONIC; what reading the clock takes is taken off. */
struct timing {
	unsigned nr; /* calls */
	uint64_t min, median, p99;
};

/*
 * Calls @fn(@arg) @nr times (1 to TIMING_MAX_CALLS), after some calls that are not timed. 0 or
 * -ENOMEM.
 */
int timing_measure(void (*fn)(void *arg), void *arg, unsigned nr, struct timing *timing);

/* Executions of CPUID with this leaf, subleaf 0; all 0 where there is none. */
int timing_cpuid(uint32_t leaf, unsigned nr, struct timing *timing);

#endif
