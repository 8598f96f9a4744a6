/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways in which libzstd makes a context in a caller's workspace, one for each of the kernel's
 * (kernel-spec C): what each executes, and how long it takes.
 */
#ifndef BACKENDS_ZSTD_INITS_H
#define BACKENDS_ZSTD_INITS_H

#include "backends/timing.h"
#include "backends/zstd_origin.h"

#define ZSTD_NR_INITS 4

struct zstd_init {
	enum acomp_call call; /* of the kernel's function that it is called by */
	const char *name;     /* "ZSTD_initStaticCCtx" */
	enum zstd_side side;
};

extern const struct zstd_init zstd_inits[ZSTD_NR_INITS];

/* Steps through one; 0 or an error as cpuid_count_call() or -ENOMEM. @cpu may be NULL. */
int zstd_init_count(const struct zstd_init *init, const struct cpuid_cpu *cpu,
		    struct cpuid_count *count);

struct zstd_init_times {
	struct timing leaf_0, leaf_7; /* a CPUID; all 0 where there is none */
	struct timing init[ZSTD_NR_INITS];
	struct timing restored[ZSTD_NR_SIDES]; /* from a template, as without CPUID */
};

/*
 * Times all of these @nr times, in turn, in a workspace of the driver's size. 0; or, with a line in
 * @err, -ENOMEM, or an error of zstd_template_create().
 */
int zstd_inits_time(unsigned nr, struct zstd_init_times *times, char *err, size_t err_size);

#endif
