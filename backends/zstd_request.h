/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the loops of the zstd acomp driver share (crypto/zstd.c, 6.17 to 7.3; kernel-spec B.1, B.2):
 * the context of a stream, the state of a request, and the helpers that begin a stream or do a
 * request in one shot.
 */
#ifndef BACKENDS_ZSTD_REQUEST_H
#define BACKENDS_ZSTD_REQUEST_H

#include "backends/zstd.h"
#include "backends/zstd_context.h"

#define ZSTD_MAX_SIZE (1u << 18) /* bytes: window, and what the decoder is sized for */

/*
 * One per CPU. As in the kernel a single workspace serves compression and decompression, one-shot
 * and stream, each over what the last one left. With profile zstd.context=once there is a second
 * workspace behind it, and the contexts built in the two are kept.
 */
struct zstd_ctx {
	zstd_cctx *cctx; /* kept contexts, or NULL: built by every request */
	zstd_dctx *dctx;
	size_t wksp_size; /* bytes */
	zstd_parameters params;
	uint8_t wksp[] __attribute__((aligned(8)));
};

struct zstd_origin;

/*
 * -EINVAL if the library refuses the parameters, -ENOTSUP if the profile's policies (zstd.cpuid,
 * zstd.bmi2) cannot be had here; a line in @err.
 */
int zstd_ctx_create(struct kernel *k, int level, struct zstd_ctx **out, char *err, size_t err_size);
void zstd_ctx_destroy(struct zstd_ctx *ctx);

/* Of its contexts; NULL: the library builds them. */
struct zstd_origin *zstd_ctx_origin(const struct zstd_ctx *ctx);

/* The same for struct acomp_alg. */
int zstd_alloc_ctx(struct kernel *k, const struct acomp_alg *alg, int level, void **out);
void zstd_free_ctx(void *ctx);

/* A request under way. */
struct zstd_request {
	struct acomp_req *req;
	struct zstd_ctx *ctx;
	struct zstd_meter meter;
	struct acomp_walk walk;
};

/* Says in the cost record that the request streams, and which side is the reason. */
static inline void zstd_request_streams(struct zstd_request *r, unsigned src_len, unsigned dst_len)
{
	struct acomp_cost *cost = &r->req->cost;

	if (cost->path != ACOMP_PATH_NONE)
		return;
	cost->path = ACOMP_PATH_STREAM;
	if (src_len == r->req->slen)
		cost->reason = ACOMP_STREAM_DST;
	else if (dst_len == r->req->dlen)
		cost->reason = ACOMP_STREAM_SRC;
	else
		cost->reason = ACOMP_STREAM_BOTH;
}

/* Whether a stream context is begun when the request turns out to stream, and not before. */
static inline bool zstd_stream_is_deferred(const struct zstd_request *r)
{
	return r->meter.base.k->profile.zstd.stream_init == ZSTD_STREAM_INIT_DEFERRED;
}

/* A stream context, built or made ready; NULL on error. */
zstd_cstream *zstd_begin_cstream(struct zstd_request *r);
zstd_dstream *zstd_begin_dstream(struct zstd_request *r);

/* From and to the current fragments of the walk, whole. 0 with bytes produced in *@total, -EINVAL.
 */
int zstd_compress_one(struct zstd_request *r, unsigned *total);
int zstd_decompress_one(struct zstd_request *r, unsigned *total);

#endif
