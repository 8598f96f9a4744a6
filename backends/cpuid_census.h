/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many CPUIDs each of the kernel's context initialisations executes under a profile, counted
 * once by stepping through it. Whoever has the number of initialisations of a run multiplies: that
 * is a computed figure, and is to be called one.
 */
#ifndef BACKENDS_CPUID_CENSUS_H
#define BACKENDS_CPUID_CENSUS_H

#include "backends/cpuid.h"
#include "sim/acomp.h"

struct cpuid_census_kind {
	/* The first of its side (compress, decompress) in a machine, and any later one. */
	struct cpuid_count first, later;
};

struct cpuid_census {
	bool counted;				       /* otherwise all counts are 0, and */
	char reason[CPUID_REASON_SIZE];		       /* why there are none */
	struct cpuid_census_kind kind[ACOMP_NR_CALLS]; /* of the four initialisations */
	/* ns, median of leaves 0 and 7, measured here; 0: there is no CPUID */
	double cpuid_ns;
};

/*
 * 0, also where nothing can be counted; -ENOMEM, or an error of zstd_check_profile() with a line in
 * census->reason. Takes some 10 ms.
 */
int cpuid_census_take(struct cpuid_census *census, const struct profile *profile);

/*
 * What these calls came to, all since the machine was made. The contexts that a machine builds when
 * it is made, outside of requests, are not in it.
 */
struct cpuid_census_sum {
	uint64_t inits, cpuids;
};
struct cpuid_census_sum cpuid_census_compress(const struct cpuid_census *census,
					      const uint64_t calls[ACOMP_NR_CALLS]);
struct cpuid_census_sum cpuid_census_decompress(const struct cpuid_census *census,
						const uint64_t calls[ACOMP_NR_CALLS]);

#endif
