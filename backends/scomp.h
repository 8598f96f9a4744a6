/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Algorithms that take linear buffers only, behind acomp requests (crypto/scompress.c; kernel-spec
 * A.7): lz4, lz4hc, lzo; zstd to 6.16, deflate to 6.15. They never stream. What lies in pieces is
 * made linear, which copy_ns and copy_bytes of the cost record count.
 *
 * Profile scomp.adapter:
 *
 * copies (to 6.15): a side that is virtual, or a list of one entry, is used in place; any other
 * goes through a scratch buffer of 128 KiB. The kernel has a context per request and a scratch per
 * CPU; here both belong to the transform, of which zswap has one for each CPU. Results: 0; -EINVAL
 * (slen 0 or above 131072, dlen 0); -ENOSPC (more was produced than there is room for); what the
 * algorithm returns. At most 131072 of dlen are used.
 *
 * streams (since 6.16): contexts are per-CPU streams, and so is a scratch of one page, for the
 * source alone (here it lies in the stream's context). Results: 0; -EINVAL (slen or dlen 0, no
 * buffer); -ENOSYS (the destination's first entry is shorter than dlen); what the algorithm
 * returns.
 *
 * -EFAULT where the kernel would run past a list or its scratch. On an error req->dlen is as the
 * algorithm left it, which none of these changes then.
 */
#ifndef BACKENDS_SCOMP_H
#define BACKENDS_SCOMP_H

#include "backends/meter.h"

#define SCOMP_SCRATCH_SIZE 131072u /* bytes, of adapter copies */

/* struct scomp_alg (include/crypto/internal/scompress.h). */
struct scomp_alg {
	struct acomp_alg base; /* with SCOMP_OPS */
	int (*alloc_ctx)(struct kernel *k, int level, void **ctx);
	void (*free_ctx)(void *ctx);
	/*
	 * *@dlen: room in bytes; what was produced, and left alone on error. The time is charged,
	 * and the calls are counted, by @m. 0 or a negative errno.
	 */
	int (*compress)(void *ctx, struct meter *m, const void *src, unsigned slen, void *dst,
			unsigned *dlen);
	int (*decompress)(void *ctx, struct meter *m, const void *src, unsigned slen, void *dst,
			  unsigned *dlen);
};

/* The functions of scomp_alg.base. */
#define SCOMP_OPS                                                                                  \
	.init = scomp_init, .exit = scomp_exit, .compress = scomp_compress,                        \
	.decompress = scomp_decompress, .alloc_ctx = scomp_alloc_stream,                           \
	.free_ctx = scomp_free_stream

int scomp_init(struct crypto_acomp *tfm);
void scomp_exit(struct crypto_acomp *tfm);
int scomp_compress(struct acomp_req *req);
int scomp_decompress(struct acomp_req *req);
int scomp_alloc_stream(struct kernel *k, const struct acomp_alg *alg, int level, void **stream);
void scomp_free_stream(void *stream);

#endif
