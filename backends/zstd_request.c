// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_request.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/zstd_origin.h"

/* kvmalloc() gives whole pages at this size, so a workspace begins 64 bytes into a page. */
_Static_assert(sizeof(struct zstd_ctx) == 64 || sizeof(void *) != 8, "header of the workspace");

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* In the page before a struct zstd_ctx, which is laid out as the kernel's. */
struct ctx_home {
	struct zstd_origin *origin;
	uint8_t unused[PAGE_SIZE - sizeof(struct zstd_origin *)];
	struct zstd_ctx ctx;
};

static struct ctx_home *home_of(const struct zstd_ctx *ctx)
{
	return (struct ctx_home *)((char *)ctx - offsetof(struct ctx_home, ctx));
}

struct zstd_origin *zstd_ctx_origin(const struct zstd_ctx *ctx)
{
	return home_of(ctx)->origin;
}

/* With contexts that are kept, compression and decompression have a workspace each. */
static void *decompress_workspace(struct zstd_ctx *ctx, bool keep)
{
	return ctx->wksp + (keep ? round_up(ctx->wksp_size, 64) : 0);
}

static int keep_contexts(struct zstd_ctx *ctx, struct kernel *k, char *err, size_t err_size)
{
	struct acomp_cost not_a_request = {0};
	struct zstd_meter m;

	zstd_meter_start(&m, k, &not_a_request);
	m.origin = zstd_ctx_origin(ctx);
	ctx->cctx = zstd_init_cctx(&m, ctx->wksp, ctx->wksp_size);
	ctx->dctx = zstd_init_dctx(&m, decompress_workspace(ctx, true), ctx->wksp_size);
	if (ctx->cctx && ctx->dctx)
		return 0;
	snprintf(err, err_size, "libzstd builds no context in its own bound of %zu bytes",
		 ctx->wksp_size);
	return -EINVAL;
}

/* @home's context is filled in, except for what @k's profile says of contexts. */
static int apply_profile(struct ctx_home *home, struct kernel *k, bool keep, char *err,
			 size_t err_size)
{
	struct zstd_ctx *ctx = &home->ctx;
	const struct zstd_workspace workspaces[ZSTD_NR_SIDES] = {
		[ZSTD_SIDE_COMPRESS] = {ctx->wksp, ctx->wksp_size},
		[ZSTD_SIDE_DECOMPRESS] = {decompress_workspace(ctx, keep), ctx->wksp_size},
	};
	int ret = zstd_origin_create(k, &ctx->params, workspaces, &home->origin, err, err_size);

	return ret || !keep ? ret : keep_contexts(ctx, k, err, err_size);
}

int zstd_ctx_create(struct kernel *k, int level, struct zstd_ctx **out, char *err, size_t err_size)
{
	bool keep = k->profile.zstd.context == ZSTD_CONTEXT_ONCE;
	zstd_parameters params = zstd_get_params(level, k->profile.zstd.params_hint);
	size_t size = zstd_cstream_workspace_bound(&params.cParams);
	size_t dsize = zstd_dstream_workspace_bound(ZSTD_MAX_SIZE);
	struct ctx_home *home;
	int ret;

	if (size < dsize)
		size = dsize;
	if (!size || zstd_is_error(size)) {
		snprintf(err, err_size, "libzstd knows no workspace for these parameters");
		return -EINVAL;
	}
	/* Not zeroed, as in the kernel. */
	home = aligned_alloc(PAGE_SIZE,
			     round_up(sizeof(*home) + round_up(size, 64) * (1 + keep), PAGE_SIZE));
	if (!home) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	home->origin = NULL;
	home->ctx.cctx = NULL;
	home->ctx.dctx = NULL;
	home->ctx.wksp_size = size;
	home->ctx.params = params;
	ret = apply_profile(home, k, keep, err, err_size);
	if (ret) {
		zstd_ctx_destroy(&home->ctx);
		return ret;
	}
	*out = &home->ctx;
	return 0;
}

void zstd_ctx_destroy(struct zstd_ctx *ctx)
{
	zstd_origin_destroy(zstd_ctx_origin(ctx));
	free(home_of(ctx));
}

int zstd_alloc_ctx(struct kernel *k, const struct acomp_alg *alg, int level, void **out)
{
	struct zstd_ctx *ctx;
	char err[256];
	int ret = zstd_ctx_create(k, level, &ctx, err, sizeof(err));

	if (!ret)
		*out = ctx;
	return ret;
}

void zstd_free_ctx(void *ctx)
{
	zstd_ctx_destroy(ctx);
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
