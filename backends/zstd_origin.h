/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the contexts of one pair of workspaces come to be, by profile zstd.cpuid and zstd.bmi2
 * (kernel-spec F.3). libzstd, unmodified, executes two CPUIDs whenever it builds one.
 *
 *	probe	built by the library
 *	skip	restored from a template of contexts for a CPU without BMI2
 *	once	the first of each side is built, the others are restored
 *	static	restored; both sides take BMI2 alone for BMI2, as cpu_feature_enabled() would
 *
 * zstd.bmi2=off: the contexts of a CPU without BMI2, asked as the policy says.
 *
 * Where the processor has no CPUID there is nothing to be saved, and all contexts are built.
 */
#ifndef BACKENDS_ZSTD_ORIGIN_H
#define BACKENDS_ZSTD_ORIGIN_H

#include "backends/cpuid.h"
#include "backends/zstd_template.h"

struct zstd_workspace {
	void *start;
	size_t size; /* bytes */
};

struct zstd_origin;

/*
 * The @workspaces of the sides, which may be one and the same, are the origin's as long as it
 * lives: templates are of an address. @k must outlive it. Their contents are lost. 0, with NULL in
 * *out if contexts are just built; or, with a line in @err: -ENOTSUP (this library, or this
 * machine, does not allow the policy), -EINVAL, -ENOMEM.
 */
int zstd_origin_create(struct kernel *k, const zstd_parameters *params,
		       const struct zstd_workspace *workspaces, struct zstd_origin **out, char *err,
		       size_t err_size);
void zstd_origin_destroy(struct zstd_origin *o); /* accepts NULL */

/* Whether the next context of this side will be built by the library. */
bool zstd_origin_builds(const struct zstd_origin *o, enum zstd_side side);
/* A context in the side's workspace, over whatever is there. NULL if the library refuses. */
void *zstd_origin_context(struct zstd_origin *o, enum zstd_side side);

/*
 * What the flag of a context says that libzstd builds on @cpu (NULL: this processor): 1 or 0,
 * whether code for BMI2 is run; -ENOTSUP, with a line in @err, if that cannot be told. Slow.
 */
int zstd_origin_bmi2(enum zstd_side side, const struct cpuid_cpu *cpu, char *err, size_t err_size);

/* ZSTD_initStaticCCtx() or DCtx(), as a zstd_build_fn; @arg is a enum zstd_side. */
void *zstd_build(void *side, void *workspace, size_t size);

#endif
