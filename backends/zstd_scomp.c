// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_scomp.h"

#include <errno.h>
#include <stdlib.h>

#include "backends/zstd.h"
#include "backends/zstd_context.h"
#include "backends/zstd_origin.h"

struct zstd_scomp_ctx {
	zstd_cctx *cctx;
	zstd_dctx *dctx;
	void *cwksp, *dwksp;
	size_t cwksp_size, dwksp_size;
	zstd_parameters params;
	struct zstd_origin *origin;
};

static void free_ctx(void *arg)
{
	struct zstd_scomp_ctx *ctx = arg;

	zstd_origin_destroy(ctx->origin);
	free(ctx->dwksp);
	free(ctx->cwksp);
	free(ctx);
}

static int create_origin(struct zstd_scomp_ctx *ctx, struct kernel *k)
{
	const struct zstd_workspace workspaces[ZSTD_NR_SIDES] = {
		[ZSTD_SIDE_COMPRESS] = {ctx->cwksp, ctx->cwksp_size},
		[ZSTD_SIDE_DECOMPRESS] = {ctx->dwksp, ctx->dwksp_size},
	};
	char err[256];

	return zstd_origin_create(k, &ctx->params, workspaces, &ctx->origin, err, sizeof(err));
}

static int alloc_ctx(struct kernel *k, int level, void **out)
{
	struct acomp_cost not_a_request = {0};
	struct zstd_scomp_ctx *ctx = calloc(1, sizeof(*ctx));
	struct zstd_meter m;
	int ret = -ENOMEM;

	if (!ctx)
		return -ENOMEM;
	ctx->params = zstd_get_params(level, k->profile.zstd.params_hint);
	ctx->cwksp_size = zstd_cctx_workspace_bound(&ctx->params.cParams);
	ctx->dwksp_size = zstd_dctx_workspace_bound();
	/* Zeroed: vzalloc(). */
	ctx->cwksp = calloc(1, ctx->cwksp_size);
	ctx->dwksp = calloc(1, ctx->dwksp_size);
	if (!ctx->cwksp || !ctx->dwksp)
		goto err;
	ret = create_origin(ctx, k);
	if (ret)
		goto err;
	zstd_meter_start(&m, k, &not_a_request);
	m.origin = ctx->origin;
	ctx->cctx = zstd_init_cctx(&m, ctx->cwksp, ctx->cwksp_size);
	ctx->dctx = zstd_init_dctx(&m, ctx->dwksp, ctx->dwksp_size);
	ret = -EINVAL;
	if (!ctx->cctx || !ctx->dctx)
		goto err;
	*out = ctx;
	return 0;
err:
	free_ctx(ctx);
	return ret;
}

static bool builds_contexts(const struct zstd_meter *m)
{
	return m->base.k->profile.zstd.context == ZSTD_CONTEXT_PER_REQUEST;
}

/* The adapter's meter goes on where ours ends. */
static int end(struct zstd_meter *m, struct meter *adapters, size_t produced, unsigned *dlen)
{
	*adapters = m->base;
	if (zstd_is_error(produced))
		return -EINVAL;
	*dlen = produced;
	return 0;
}

static int scompress(void *arg, struct meter *adapters, const void *src, unsigned slen, void *dst,
		     unsigned *dlen)
{
	struct zstd_scomp_ctx *ctx = arg;
	struct zstd_meter m = {*adapters, ctx->origin};
	zstd_cctx *cctx = ctx->cctx;

	if (builds_contexts(&m))
		cctx = zstd_init_cctx(&m, ctx->cwksp, ctx->cwksp_size);
	return end(&m, adapters, zstd_compress_cctx(&m, cctx, dst, *dlen, src, slen, &ctx->params),
		   dlen);
}

static int sdecompress(void *arg, struct meter *adapters, const void *src, unsigned slen, void *dst,
		       unsigned *dlen)
{
	struct zstd_scomp_ctx *ctx = arg;
	struct zstd_meter m = {*adapters, ctx->origin};
	zstd_dctx *dctx = ctx->dctx;

	if (builds_contexts(&m))
		dctx = zstd_init_dctx(&m, ctx->dwksp, ctx->dwksp_size);
	return end(&m, adapters, zstd_decompress_dctx(&m, dctx, dst, *dlen, src, slen), dlen);
}

const struct scomp_alg zstd_scomp_alg = {
	.base = {.cra_name = "zstd",
		 .cra_driver_name = "zstd-scomp",
		 .model = ACOMP_MODEL_ZSTD,
		 .library = zstd_library,
		 .lengths_exact = zstd_lengths_exact,
		 .levels = zstd_levels,
		 .call_names = acomp_call_names,
		 .length_keys = zstd_length_keys,
		 SCOMP_OPS},
	.alloc_ctx = alloc_ctx,
	.free_ctx = free_ctx,
	.compress = scompress,
	.decompress = sdecompress,
};
