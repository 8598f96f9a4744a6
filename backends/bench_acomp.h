/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of the benchmark that patch letters to linux-crypto use: rounds of some thousand requests
 * over the same data, of which the mean is kept; all rounds of compression, then all of
 * decompression. The variants take turns in each round, in an order that changes from round to
 * round and from run to run.
 */
#ifndef BACKENDS_BENCH_ACOMP_H
#define BACKENDS_BENCH_ACOMP_H

#include "backends/zstd_caller.h"

#define BENCH_ACOMP_MAX_VARIANTS   8u
#define BENCH_ACOMP_MAX_ROUNDS	   1000u
#define BENCH_ACOMP_MAX_OPERATIONS 100000000u

struct bench_acomp_config {
	const struct profile *profile; /* [nr_variants] */
	unsigned nr_variants;
	const struct zstd_caller_info *caller;
	const struct crypto_registry *crypto;
	const char *compressor; /* NULL: zstd, all that callers but zswap have */
	const void *data;
	unsigned size;	       /* bytes of data; of a request */
	unsigned rounds;       /* of each side */
	unsigned operations;   /* requests a round */
	unsigned run;	       /* its number, from 0: where the order of the variants begins */
	kernel_clock_fn clock; /* ns */
	void *clock_arg;
};

struct bench_acomp_variant {
	bool does[ZSTD_NR_SIDES];
	int ret[ZSTD_NR_SIDES]; /* of every request: 0, or what a page that does not shrink ends
				   with */
	unsigned frame_bytes;	/* 0: the data does not shrink */
	struct acomp_cost cost[ZSTD_NR_SIDES]; /* of one request; its times are 0 */
	double *ns[ZSTD_NR_SIDES]; /* [rounds]: mean of a request; NULL if it does not do this */
};

struct bench_acomp_times {
	unsigned nr_variants, rounds;
	struct bench_acomp_variant variant[BENCH_ACOMP_MAX_VARIANTS];
};

/*
 * 0; or a negative errno and one line in @err: what zstd_caller_create() fails with, -EINVAL (a
 * limit above), -EIO (a request ended otherwise than the first). bench_acomp_times_finish() after
 * 0.
 */
int bench_acomp_run(const struct bench_acomp_config *config, struct bench_acomp_times *times,
		    char *err, size_t err_size);
void bench_acomp_times_finish(struct bench_acomp_times *times);

/* Contexts that a request with this cost initialises. */
unsigned bench_acomp_initialisations(const struct acomp_cost *cost);

#endif
