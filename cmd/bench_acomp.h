/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of "bench acomp" alone: what was asked for, what its runs gave, and the two forms of the report.
 */
#ifndef CMD_BENCH_ACOMP_H
#define CMD_BENCH_ACOMP_H

#include <jansson.h>
#include <stdio.h>

#include "backends/bench_acomp.h"
#include "backends/cpuid_census.h"
#include "cmd/machine_info.h"
#include "cmd/machine_options.h"
#include "cmd/machine_warnings.h"
#include "cmd/options.h"
#include "sim/bench_stats.h"

#define BENCH_ACOMP_SCHEMA	   "zswapsim.bench-acomp"
#define BENCH_ACOMP_SCHEMA_VERSION 1

#define BENCH_ACOMP_MAX_RUNS 1000u

struct bench_acomp_arguments {
	struct options_kernel kernel;
	struct machine_options machine;
	unsigned nr_variants;
	char *text[BENCH_ACOMP_MAX_VARIANTS]; /* as typed */
	struct profile profile[BENCH_ACOMP_MAX_VARIANTS];
	const struct zstd_caller_info *caller;
	const char *compressor; /* of zswap's requests; NULL: zstd */
	unsigned size;		/* bytes of a request */
	const char *page;
	uint8_t *data; /* of the page */
	unsigned runs, rounds, operations;
	unsigned cpu;
	bool wall; /* times by the wall clock, not the CPU time of the run */
	bool quick, json;
	struct bootstrap_config bootstrap;
};

/* Of all runs. */
struct bench_acomp_side {
	bool does;
	int ret;
	uint64_t calls[ACOMP_NR_CALLS]; /* of one request */
	double *ns;			/* [runs][rounds] */
};

struct bench_acomp_result {
	struct {
		unsigned frame_bytes;
		struct bench_acomp_side side[ZSTD_NR_SIDES];
		struct cpuid_census census; /* taken before the runs */
	} variant[BENCH_ACOMP_MAX_VARIANTS];
	uint64_t interruptions; /* involuntary context switches within rounds */
	uint64_t wall_ns;
};

struct bench_acomp_report {
	const char *command;
	const struct bench_acomp_arguments *arguments;
	const struct bench_acomp_result *result;
	const struct machine_info *machine;
	const struct machine_warnings *warnings;
};

/* ---- runs (bench_acomp_runs.c) ---- */

/* In a process of its own: does run @run and prints what it gave on stdout. An exit status. */
int bench_acomp_one_run(const struct bench_acomp_arguments *a, unsigned run);
/*
 * All runs, one after the other, each a fresh process of the command line @argv. With --quick,
 * a->operations is chosen by a trial run first. 0, or -1: a line was printed on stderr.
 */
int bench_acomp_all_runs(struct bench_acomp_arguments *a, int argc, char **argv,
			 struct bench_acomp_result *result);
void bench_acomp_result_finish(struct bench_acomp_result *result);

/* ---- the report ---- */

/* Which variant is compared with which: the first with each other, and A with A+B if both are
 * there. */
struct bench_acomp_pair {
	unsigned base, changed;
};
#define BENCH_ACOMP_MAX_PAIRS (BENCH_ACOMP_MAX_VARIANTS * BENCH_ACOMP_MAX_VARIANTS)
unsigned bench_acomp_pairs(const struct bench_acomp_arguments *a,
			   struct bench_acomp_pair pairs[BENCH_ACOMP_MAX_PAIRS]);
/*
 * What was measured of a pair, or, with a @model, what that machine would make of it. -EINVAL if
 * one of the two does not do this, -ENOTSUP if CPUIDs could not be counted, -ENOMEM.
 */
int bench_acomp_difference(const struct bench_acomp_report *report,
			   const struct bench_acomp_pair *pair, enum zstd_side side,
			   const struct machine_model *model, struct bench_difference *out);
/*
 * ns that a CPUID takes within these requests, from two variants that differ in nothing but how
 * often contexts ask (zstd.cpuid=once or static), whose numbers are in *@pair. Without such a pair:
 * what one takes by itself, and pair->base is pair->changed.
 */
double bench_acomp_cpuid_ns(const struct bench_acomp_report *report, struct bench_acomp_pair *pair);
/* Of one request; CPUIDs are computed: what an initialisation executes, times their number. */
unsigned bench_acomp_nr_initialisations(const struct bench_acomp_arguments *a,
					const struct bench_acomp_side *side);
unsigned bench_acomp_nr_cpuids(const struct bench_acomp_side *side,
			       const struct cpuid_census *census);

void bench_acomp_text(FILE *out, const struct bench_acomp_report *report);
json_t *bench_acomp_json(const struct bench_acomp_report *report);

#endif
