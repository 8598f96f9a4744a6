/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel compressed each page to (perpage_*.csv), against what a codec here makes of it: the
 * measured share of pages whose length is the kernel's to the byte.
 */
#ifndef SIM_VERIFY_LENGTHS_H
#define SIM_VERIFY_LENGTHS_H

#include "sim/acomp.h"
#include "traces/recording.h"

struct verify_lengths_config {
	const struct profile *profile;
	const struct crypto_registry *crypto;
	const char *compressor; /* NULL: what the file's name says */
	const struct recording_pages *pages;
	/* As zram: a buffer of two pages, and what is too long for a class is kept as it is. */
	bool zram;
};

struct verify_lengths_result {
	char compressor[ACOMP_MAX_NAME];
	const char *library;
	uint32_t stored;	      /* pages that the kernel stored compressed */
	uint32_t equal;		      /* of these: of the same length here */
	int shortest, longest;	      /* bytes: the most that one is shorter and longer here; 0 */
	uint64_t kernel_bytes, bytes; /* of all that both stored */
	uint32_t refused;	      /* pages that the kernel could not compress, or kept raw */
	uint32_t wrong; /* pages that one of the two stored compressed, and the other did not */
};

/* 0; or a negative errno and a line in *err: -EINVAL, of the files; -ENOMEM. */
int verify_lengths(const char *path, const struct verify_lengths_config *config,
		   struct verify_lengths_result *result, struct trace_error *err);

#endif
