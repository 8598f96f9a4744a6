// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_request.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* kvmalloc() gives whole pages at this size, so a workspace begins 64 bytes into a page. */
_Static_assert(sizeof(struct zstd_ctx) == 64 || sizeof(void *) != 8, "header of the workspace");

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static int keep_contexts(struct zstd_ctx *ctx, struct kernel *k, void *dwksp)
{
	struct acomp_cost not_a_request = {0};
	struct zstd_meter m;

	zstd_meter_start(&m, k, &not_a_request);
	ctx->cctx = zstd_init_cctx(&m, ctx->wksp, ctx->wksp_size);
	ctx->dctx = zstd_init_dctx(&m, dwksp, ctx->wksp_size);
	return ctx->cctx && ctx->dctx ? 0 : -EINVAL;
}

int zstd_alloc_ctx(struct kernel *k, void **out)
{
	bool keep = k->profile.zstd.context == ZSTD_CONTEXT_ONCE;
	zstd_parameters params = zstd_get_params(ZSTD_DEF_LEVEL, k->profile.zstd.params_hint);
	size_t size = zstd_cstream_workspace_bound(&params.cParams);
	size_t dsize = zstd_dstream_workspace_bound(ZSTD_MAX_SIZE);
	struct zstd_ctx *ctx;
	int ret;

	if (size < dsize)
		size = dsize;
	if (!size || zstd_is_error(size))
		return -EINVAL;
	/* Not zeroed, as in the kernel. */
	ctx = aligned_alloc(PAGE_SIZE,
			    round_up(sizeof(*ctx) + round_up(size, 64) * (1 + keep), PAGE_SIZE));
	if (!ctx)
		return -ENOMEM;
	ctx->cctx = NULL;
	ctx->dctx = NULL;
	ctx->wksp_size = size;
	ctx->params = params;
	if (keep) {
		ret = keep_contexts(ctx, k, ctx->wksp + round_up(size, 64));
		if (ret) {
			free(ctx);
			return ret;
		}
	}
	*out = ctx;
	return 0;
}

void zstd_free_ctx(void *ctx)
{
	free(ctx);
}

zstd_cstream *zstd_begin_cstream(struct zstd_request *r)
{
	struct zstd_ctx *ctx = r->ctx;

	if (ctx->cctx)
		return zstd_restart_cstream(&r->meter, ctx->cctx, &ctx->params, 0);
	return zstd_init_cstream(&r->meter, &ctx->params, 0, ctx->wksp, ctx->wksp_size);
}

zstd_dstream *zstd_begin_dstream(struct zstd_request *r)
{
	struct zstd_ctx *ctx = r->ctx;

	if (ctx->dctx)
		return zstd_restart_dstream(&r->meter, ctx->dctx);
	return zstd_init_dstream(&r->meter, ZSTD_MAX_SIZE, ctx->wksp, ctx->wksp_size);
}

int zstd_compress_one(struct zstd_request *r, unsigned *total)
{
	struct zstd_ctx *ctx = r->ctx;
	zstd_cctx *cctx = ctx->cctx;
	size_t ret;

	if (!cctx)
		cctx = zstd_init_cctx(&r->meter, ctx->wksp, ctx->wksp_size);
	if (!cctx)
		return -EINVAL;
	r->req->cost.path = ACOMP_PATH_ONESHOT;
	ret = zstd_compress_cctx(&r->meter, cctx, r->walk.dst_addr, r->req->dlen, r->walk.src_addr,
				 r->req->slen, &ctx->params);
	if (zstd_is_error(ret))
		return -EINVAL;
	*total = ret;
	return 0;
}

int zstd_decompress_one(struct zstd_request *r, unsigned *total)
{
	struct zstd_ctx *ctx = r->ctx;
	zstd_dctx *dctx = ctx->dctx;
	size_t ret;

	if (!dctx)
		dctx = zstd_init_dctx(&r->meter, ctx->wksp, ctx->wksp_size);
	if (!dctx)
		return -EINVAL;
	r->req->cost.path = ACOMP_PATH_ONESHOT;
	ret = zstd_decompress_dctx(&r->meter, dctx, r->walk.dst_addr, r->req->dlen,
				   r->walk.src_addr, r->req->slen);
	if (zstd_is_error(ret))
		return -EINVAL;
	*total = ret;
	return 0;
}
