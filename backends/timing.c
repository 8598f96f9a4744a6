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

static void time_all(void (*fn)(void *arg), void *arg, uint64_t *ns, unsigned nr)
{
	for (unsigned i = 0; i < WARM_UP; i++)
		time_one(fn, arg);
	for (unsigned i = 0; i < nr; i++)
		ns[i] = time_one(fn, arg);
	qsort(ns, nr, sizeof(*ns), compare);
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

int timing_measure(void (*fn)(void *arg), void *arg, unsigned nr, struct timing *timing)
{
	uint64_t *ns, clock;

	assert(nr >= 1 && nr <= TIMING_MAX_CALLS);
	ns = malloc(nr * sizeof(*ns));
	if (!ns)
		return -ENOMEM;
	time_all(nothing, NULL, ns, nr);
	clock = quantile(ns, nr, 50);
	time_all(fn, arg, ns, nr);
	timing->nr = nr;
	timing->min = less(ns[0], clock);
	timing->median = less(quantile(ns, nr, 50), clock);
	timing->p99 = less(quantile(ns, nr, 99), clock);
	free(ns);
	return 0;
}

static void ask(void *arg)
{
	uint32_t regs[CPUID_NR_REGS];

	cpuid_execute(*(const uint32_t *)arg, 0, regs);
}

int timing_cpuid(uint32_t leaf, unsigned nr, struct timing *timing)
{
	uint32_t regs[CPUID_NR_REGS];

	memset(timing, 0, sizeof(*timing));
	if (!cpuid_execute(0, 0, regs))
		return 0;
	return timing_measure(ask, &leaf, nr, timing);
}
