/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "lz4" (crypto/lz4.c, 6.12 to 7.3), over liblz4, behind the scomp adapter. The level is the
 * acceleration, 1 in the kernel. Errors: -EINVAL.
 */
#ifndef BACKENDS_LZ4_H
#define BACKENDS_LZ4_H

#include "backends/scomp.h"

extern const struct scomp_alg lz4_alg;

/* Of the liblz4 in use: "liblz4 1.9.4". */
const char *lz4_library(void);
/* No: see docs/fidelity.md for the share. For lz4 and lz4hc. */
bool lz4_lengths_exact(const struct profile *p);
/* A block, as the kernel's LZ4_decompress_safe(): for lz4 and lz4hc. */
int lz4_decompress_block(void *ctx, struct meter *m, const void *src, unsigned slen, void *dst,
			 unsigned *dlen);

#endif
