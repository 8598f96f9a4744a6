/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The observer of a walker's request: what it sees becomes steps, under the names that kernel-spec
 * B.3 to B.5 give to the states of the released driver, and facts.
 */
#ifndef BACKENDS_WALKER_LOG_H
#define BACKENDS_WALKER_LOG_H

#include "backends/cpuid_census.h"
#include "backends/walker.h"
#include "sim/acomp_trace.h"

struct walker_log {
	struct acomp_trace trace; /* for the request */
	/* By the user. */
	bool compress;
	bool released;			     /* the driver is the one whose states have names */
	const struct scatterlist *src, *dst; /* NULL: linear */
	const struct cpuid_census *census;

	struct walker_step *steps;
	unsigned nr, room;
	struct walker_facts facts;
	bool oops;
	bool failed; /* out of memory: steps are missing */

	/* Where the driver is. */
	bool walked; /* a fragment was asked for */
	bool source_ended;
	const char *after; /* name of the steps that end a one-shot or a failed init; NULL */
};

/* Before each request; what the user sets stays. */
void walker_log_start(struct walker_log *log);
void walker_log_finish(struct walker_log *log);

#endif
