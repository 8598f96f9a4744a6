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

struct timing_call {
	void (*fn)(void *arg);
	void *arg;
};

/*
 * Makes each of @nr_calls calls @nr times (1 to TIMING_MAX_CALLS), after some that are not timed,
 * in turn: what disturbs the machine for a while disturbs them all alike, so that their times can
 * be compared. 0 with timing[i] of call[i], or -ENOMEM.
 */
int timing_measure_all(const struct timing_call *call, unsigned nr_calls, unsigned nr,
		       struct timing *timing);
/* The same for one. */
int timing_measure(void (*fn)(void *arg), void *arg, unsigned nr, struct timing *timing);

/* Executes CPUID; @leaf is a uint32_t. For timing_measure_all(). */
void timing_call_cpuid(void *leaf);

/* Executions of CPUID with this leaf, subleaf 0; all 0 where there is none. */
int timing_cpuid(uint32_t leaf, unsigned nr, struct timing *timing);

#endif
