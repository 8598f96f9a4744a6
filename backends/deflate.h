/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "deflate" (crypto/deflate.c, 6.12 to 7.3), over zlib. Which driver a transform gets is decided
 * when it is made, by profile deflate.api:
 *
 * acomp (since 6.16; kernel-spec 0.1, A): per-CPU streams; walks source and destination, and each
 * request sets a stream up and goes through it, whether its sides lie in pieces or not. Results: 0;
 * -ENOSPC (no room left); -EINVAL (slen or dlen 0, any other error). A fragment of no bytes ends
 * the source. -EFAULT where the kernel would run past a list. req->dlen is left alone on error.
 *
 * scomp (to 6.15): behind the scomp adapter, with streams that are set up once. Errors, and a
 * result that does not fit: -EINVAL.
 */
#ifndef BACKENDS_DEFLATE_H
#define BACKENDS_DEFLATE_H

#include "backends/scomp.h"

extern const struct acomp_alg deflate_alg;
extern const struct scomp_alg deflate_scomp_alg;

#endif
