// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/timing.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/cpuid.h"

#define WARM_UP 8

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void nothing(void *arg)
{
}

static uint64_t time_one(void (*fn)(void *arg), void *arg)
{
	uint64_t start = now_ns();

	fn(arg);
	return now_ns() - start;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank. */
static uint64_t quantile(const uint64_t *sorted, unsigned nr, unsigned percent)
{
	return sorted[((uint64_t)nr * percent + 99) / 100 - 1];
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void summarise(uint64_t *ns, unsigned nr, uint64_t clock, struct timing *timing)
{
	qsort(ns, nr, sizeof(*ns), compare);
	timing->nr = nr;
	timing->min = less(ns[0], clock);
	timing->median = less(quantile(ns, nr, 50), clock);
	timing->p99 = less(quantile(ns, nr, 99), clock);
}

/* ns[i * @nr + round] */
static void time_in_turn(const struct timing_call *call, unsigned nr_calls, unsigned nr,
			 uint64_t *ns)
{
	for (unsigned round = 0; round < nr; round++) {
		for (unsigned i = 0; i < nr_calls; i++)
			ns[(size_t)i * nr + round] = time_one(call[i].fn, call[i].arg);
	}
}

static void warm_up(const struct timing_call *call, unsigned nr_calls)
{
	for (unsigned round = 0; round < WARM_UP; round++) {
		for (unsigned i = 0; i < nr_calls; i++)
			time_one(call[i].fn, call[i].arg);
	}
}

/* What a reading of the clock takes, ns. */
static uint64_t clock_ns(uint64_t *ns, unsigned nr)
{
	const struct timing_call empty = {nothing, NULL};

	warm_up(&empty, 1);
	time_in_turn(&empty, 1, nr, ns);
	qsort(ns, nr, sizeof(*ns), compare);
	return quantile(ns, nr, 50);
}

int timing_measure_all(const struct timing_call *call, unsigned nr_calls, unsigned nr,
		       struct timing *timing)
{
	uint64_t *ns, clock;

	assert(nr >= 1 && nr <= TIMING_MAX_CALLS);
	ns = calloc(nr_calls, nr * sizeof(*ns));
	if (!ns)
		return -ENOMEM;
	clock = clock_ns(ns, nr);
	warm_up(call, nr_calls);
	time_in_turn(call, nr_calls, nr, ns);
	for (unsigned i = 0; i < nr_calls; i++)
		summarise(ns + (size_t)i * nr, nr, clock, &timing[i]);
	free(ns);
	return 0;
}

int timing_measure(void (*fn)(void *arg), void *arg, unsigned nr, struct timing *timing)
{
	return timing_measure_all(&(struct timing_call){fn, arg}, 1, nr, timing);
}

void timing_call_cpuid(void *leaf)
{
	uint32_t regs[CPUID_NR_REGS];

	cpuid_execute(*(const uint32_t *)leaf, 0, regs);
}

int timing_cpuid(uint32_t leaf, unsigned nr, struct timing *timing)
{
	uint32_t regs[CPUID_NR_REGS];

	memset(timing, 0, sizeof(*timing));
	if (!cpuid_execute(0, 0, regs))
		return 0;
	return timing_measure(timing_call_cpuid, &leaf, nr, timing);
}
