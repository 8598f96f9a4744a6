/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "zstd" as it was to 6.16 (crypto/zstd.c and crypto/scompress.c, 6.12; kernel-spec A.7, B.1):
 * linear buffers, always one shot, in contexts that are built once. A side that is virtual, or a
 * list of one entry, is used in place; any other goes through a scratch buffer of 128 KiB, which
 * copy_ns and copy_bytes of the cost record count.
 *
 * 6.12 has a context per request and a scratch per CPU; here both belong to the transform, of which
 * zswap has one for each CPU.
 *
 * Results: 0; -EINVAL (slen 0 or above 131072, dlen 0, any codec error); -EFAULT where the kernel
 * would run past a scatterlist. req->dlen is the capacity, at most 131072 of it are used, and on
 * error it is left as it is.
 */
#ifndef BACKENDS_ZSTD_SCOMP_H
#define BACKENDS_ZSTD_SCOMP_H

#include "sim/acomp.h"

#define SCOMP_SCRATCH_SIZE 131072u /* bytes */

extern const struct acomp_alg zstd_scomp_alg;

#endif
