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
/* In a workspace of the driver's size. 0 or -ENOMEM. */
int zstd_init_time(const struct zstd_init *init, unsigned nr, struct timing *timing);
/* The same for restoring a context from a template, as without CPUID; also -ENOTSUP, -EINVAL. */
int zstd_restore_time(enum zstd_side side, unsigned nr, struct timing *timing);

#endif
