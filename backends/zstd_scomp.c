// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_scomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/zstd.h"
#include "backends/zstd_origin.h"
#include "backends/zstd_request.h"

struct zstd_scomp_ctx {
	zstd_cctx *cctx;
	zstd_dctx *dctx;
	void *cwksp, *dwksp;
	size_t cwksp_size, dwksp_size;
	zstd_parameters params;
	void *src_scratch, *dst_scratch;
	struct zstd_origin *origin;
};

static void scomp_exit(struct crypto_acomp *tfm)
{
	struct zstd_scomp_ctx *ctx = tfm->ctx;

	zstd_origin_destroy(ctx->origin);
	free(ctx->dst_scratch);
	free(ctx->src_scratch);
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

static int scomp_init(struct crypto_acomp *tfm)
{
	struct acomp_cost not_a_request = {0};
	struct zstd_scomp_ctx *ctx = calloc(1, sizeof(*ctx));
	struct zstd_meter m;
	int ret = -ENOMEM;

	if (!ctx)
		return -ENOMEM;
	tfm->ctx = ctx;
	ctx->params = zstd_get_params(ZSTD_DEF_LEVEL, tfm->k->profile.zstd.params_hint);
	ctx->cwksp_size = zstd_cctx_workspace_bound(&ctx->params.cParams);
	ctx->dwksp_size = zstd_dctx_workspace_bound();
	/* Zeroed: vzalloc(). */
	ctx->cwksp = calloc(1, ctx->cwksp_size);
	ctx->dwksp = calloc(1, ctx->dwksp_size);
	ctx->src_scratch = malloc(SCOMP_SCRATCH_SIZE);
	ctx->dst_scratch = malloc(SCOMP_SCRATCH_SIZE);
	if (!ctx->cwksp || !ctx->dwksp || !ctx->src_scratch || !ctx->dst_scratch)
		goto err;
	ret = create_origin(ctx, tfm->k);
	if (ret)
		goto err;
	zstd_meter_start(&m, tfm->k, &not_a_request);
	m.origin = ctx->origin;
	ctx->cctx = zstd_init_cctx(&m, ctx->cwksp, ctx->cwksp_size);
	ctx->dctx = zstd_init_dctx(&m, ctx->dwksp, ctx->dwksp_size);
	ret = -EINVAL;
	if (!ctx->cctx || !ctx->dctx)
		goto err;
	return 0;
err:
	scomp_exit(tfm);
	return ret;
}

/* scatterwalk_map_and_copy(): @nbytes between @buf and the start of @sg. */
static int copy_sg(void *buf, struct scatterlist *sg, unsigned nbytes, bool to_sg)
{
	char *p = buf;

	for (; nbytes; sg = sg_next(sg)) {
		unsigned n;

		if (!sg)
			return -EFAULT;
		n = sg->length < nbytes ? sg->length : nbytes;
		if (n && to_sg)
			memcpy(sg_virt(sg), p, n);
		else if (n)
			memcpy(p, sg_virt(sg), n);
		p += n;
		nbytes -= n;
	}
	return 0;
}

/*
 * Where a side lies in one piece, or NULL. The kernel does not look at the length of a list's only
 * entry; one that is too short is left to the copy here, which tells a short list from a good one.
 */
static void *in_place(void *virt, const struct scatterlist *sg, bool is_virt, unsigned len)
{
	if (is_virt)
		return virt;
	return sg->end && sg->length >= len ? sg_virt(sg) : NULL;
}

static int compress_linear(struct zstd_scomp_ctx *ctx, struct zstd_meter *m, const void *src,
			   unsigned slen, void *dst, unsigned dlen, size_t *produced)
{
	zstd_cctx *cctx = ctx->cctx;

	if (m->k->profile.zstd.context == ZSTD_CONTEXT_PER_REQUEST)
		cctx = zstd_init_cctx(m, ctx->cwksp, ctx->cwksp_size);
	*produced = zstd_compress_cctx(m, cctx, dst, dlen, src, slen, &ctx->params);
	return zstd_is_error(*produced) ? -EINVAL : 0;
}

static int decompress_linear(struct zstd_scomp_ctx *ctx, struct zstd_meter *m, const void *src,
			     unsigned slen, void *dst, unsigned dlen, size_t *produced)
{
	zstd_dctx *dctx = ctx->dctx;

	if (m->k->profile.zstd.context == ZSTD_CONTEXT_PER_REQUEST)
		dctx = zstd_init_dctx(m, ctx->dwksp, ctx->dwksp_size);
	*produced = zstd_decompress_dctx(m, dctx, dst, dlen, src, slen);
	return zstd_is_error(*produced) ? -EINVAL : 0;
}

/* scomp_acomp_comp_decomp(), 6.12, with a destination. */
static int run(struct acomp_req *req, bool compress)
{
	bool src_virt = req->flags & ACOMP_REQ_SRC_VIRT, dst_virt = req->flags & ACOMP_REQ_DST_VIRT;
	struct zstd_scomp_ctx *ctx = req->tfm->ctx;
	struct acomp_cost *cost = &req->cost;
	struct zstd_meter m;
	size_t produced;
	void *src, *dst;
	int ret = 0;

	if (!req->slen || req->slen > SCOMP_SCRATCH_SIZE || !req->dlen)
		return -EINVAL;
	if (req->dlen > SCOMP_SCRATCH_SIZE)
		req->dlen = SCOMP_SCRATCH_SIZE;
	src = in_place((void *)req->svirt, req->src, src_virt, req->slen);
	dst = in_place(req->dvirt, req->dst, dst_virt, req->dlen);

	zstd_meter_start(&m, req->tfm->k, cost);
	m.origin = ctx->origin;
	m.trace = req->trace;
	if (!src) {
		zstd_meter_charge(&m, &cost->copy_ns);
		src = ctx->src_scratch;
		ret = copy_sg(src, req->src, req->slen, false);
		if (ret)
			goto out;
		cost->copy_bytes += req->slen;
		acomp_trace_event(req->trace, .kind = ACOMP_EVENT_COPY, .bytes = req->slen);
	}
	cost->path = ACOMP_PATH_ONESHOT;
	ret = (compress ? compress_linear : decompress_linear)(
		ctx, &m, src, req->slen, dst ? dst : ctx->dst_scratch, req->dlen, &produced);
	if (ret)
		goto out;
	req->dlen = produced;
	if (!dst) {
		zstd_meter_charge(&m, &cost->copy_ns);
		ret = copy_sg(ctx->dst_scratch, req->dst, req->dlen, true);
		if (ret)
			goto out;
		cost->copy_bytes += req->dlen;
		acomp_trace_event(req->trace, .kind = ACOMP_EVENT_COPY, .bytes = req->dlen);
	}
out:
	zstd_meter_charge(&m, NULL);
	return ret;
}

static int scomp_compress(struct acomp_req *req)
{
	return run(req, true);
}

static int scomp_decompress(struct acomp_req *req)
{
	return run(req, false);
}

const struct acomp_alg zstd_scomp_alg = {
	.cra_name = "zstd",
	.cra_driver_name = "zstd-scomp",
	.init = scomp_init,
	.exit = scomp_exit,
	.compress = scomp_compress,
	.decompress = scomp_decompress,
	.library = zstd_library,
	.length_keys = zstd_length_keys,
	.model = ACOMP_MODEL_ZSTD,
};
