// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/cli/walk_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "tests/test.h"

enum { OOPS = -1 };

/* Where one side is: flat is the position in all of its bytes, one after the other. */
struct cursor {
	const struct model_side *side;
	unsigned entry, in_entry, flat, left;
};

static int next(struct cursor *c)
{
	unsigned n;

	if (!c->left)
		return 0;
	if (c->side->linear)
		return c->left;
	if (c->in_entry >= c->side->lengths[c->entry]) {
		c->entry++;
		c->in_entry = 0;
		if (c->entry == c->side->nr)
			return OOPS;
	}
	n = c->side->lengths[c->entry] - c->in_entry;
	n = n < c->left ? n : c->left;
	return n < 4096 ? n : 4096;
}

static void done(struct cursor *c, unsigned n)
{
	c->in_entry += n;
	c->flat += n;
	c->left -= n;
}

struct model {
	const struct model_request *rq;
	struct model_result *res;
	struct cursor src, dst;
	ZSTD_CCtx *cctx;
	ZSTD_DCtx *dctx;
	unsigned total;
};

static int next_src(struct model *m)
{
	int n = next(&m->src);

	if (!n && m->src.left) {
		m->res->src_zero = true;
		m->res->src_zero_first = !m->src.flat;
	}
	return n;
}

static int next_dst(struct model *m)
{
	int n = next(&m->dst);

	m->res->dst_zero |= !n && m->dst.left;
	m->res->dst_full |= !n && !m->dst.left;
	return n;
}

static bool is_whole(const struct model *m, int src, int dst)
{
	return dst == (int)m->rq->dlen && src == (int)m->rq->slen;
}

static int oops(struct model *m)
{
	m->res->oops = true;
	return -EFAULT;
}

static void set_parameters(ZSTD_CCtx *cctx)
{
	ZSTD_compressionParameters c = ZSTD_getParams(3, 262144, 0).cParams;

	ZSTD_CCtx_setParameter(cctx, ZSTD_c_windowLog, c.windowLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_hashLog, c.hashLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_chainLog, c.chainLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_searchLog, c.searchLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_minMatch, c.minMatch);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_strategy, c.strategy);
}

static int compress_one(struct model *m)
{
	size_t n;

	m->res->inits++;
	m->res->path = MODEL_ONESHOT;
	n = ZSTD_compress2(m->cctx, m->res->output, m->rq->dlen, m->rq->bytes, m->rq->slen);
	if (ZSTD_isError(n))
		return -EINVAL;
	m->total = n;
	return 0;
}

static size_t stream(struct model *m, ZSTD_outBuffer *out, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	ZSTD_inBuffer none = {NULL, 0, 0};

	return ZSTD_compressStream2(m->cctx, out, in ? in : &none, how);
}

static int compress(struct model *m)
{
	bool begun = !m->rq->deferred, more = true;
	ZSTD_outBuffer out;
	size_t before;

	m->res->inits += begun;
	while (more) {
		int dst = next_dst(m);

		if (dst <= 0)
			return dst ? oops(m) : -ENOSPC;
		out = (ZSTD_outBuffer){m->res->output + m->dst.flat, dst, 0};
		while (more && out.pos < out.size) {
			ZSTD_inBuffer in;
			int src = next_src(m);

			if (src < 0)
				return oops(m);
			if (is_whole(m, src, dst))
				return compress_one(m);
			m->res->inits += !begun;
			begun = true;
			m->res->path = MODEL_STREAM;
			if (!src) {
				more = false;
				continue;
			}
			in = (ZSTD_inBuffer){m->rq->bytes + m->src.flat, src, 0};
			if (ZSTD_isError(stream(m, &out, &in, ZSTD_e_continue)) ||
			    ZSTD_isError(stream(m, &out, NULL, ZSTD_e_flush)))
				return -EIO;
			done(&m->src, in.pos);
		}
		m->total += out.pos;
		done(&m->dst, dst);
	}
	before = out.pos;
	if (ZSTD_isError(stream(m, &out, NULL, ZSTD_e_end)))
		return -EIO;
	m->total += out.pos - before;
	return 0;
}

static int decompress_one(struct model *m)
{
	size_t n;

	m->res->inits++;
	m->res->path = MODEL_ONESHOT;
	n = ZSTD_decompressDCtx(m->dctx, m->res->output, m->rq->dlen, m->rq->bytes, m->rq->slen);
	if (ZSTD_isError(n))
		return -EINVAL;
	m->total = n;
	return 0;
}

static int decompress(struct model *m)
{
	bool begun = !m->rq->deferred;
	int src;

	m->res->inits += begun;
	while ((src = next_src(m)) > 0) {
		ZSTD_inBuffer in = {m->rq->bytes + m->src.flat, src, 0};

		while (in.pos < in.size) {
			int dst = next_dst(m);
			ZSTD_outBuffer out;
			size_t hint;

			if (dst < 0)
				return oops(m);
			if (is_whole(m, src, dst))
				return decompress_one(m);
			if (!dst)
				return -ENOSPC;
			m->res->inits += !begun;
			begun = true;
			m->res->path = MODEL_STREAM;
			out = (ZSTD_outBuffer){m->res->output + m->dst.flat, dst, 0};
			hint = ZSTD_decompressStream(m->dctx, &out, &in);
			if (ZSTD_isError(hint))
				return -EIO;
			m->res->within_frame = hint;
			m->total += out.pos;
			done(&m->dst, out.pos);
		}
		done(&m->src, src);
	}
	return src < 0 ? oops(m) : 0;
}

/* B.1: it is the limit of a decoder's window. */
static size_t workspace_size(void)
{
	size_t c = ZSTD_estimateCStreamSize_usingCParams(ZSTD_getParams(3, 262144, 0).cParams);
	size_t d = ZSTD_estimateDStreamSize(262144);

	return c > d ? c : d;
}

void model_run(const struct model_request *rq, struct model_result *res)
{
	struct model m = {.rq = rq, .res = res};
	void *workspace;

	memset(res, 0, sizeof(*res));
	assert_true(rq->slen <= MODEL_MAX_BYTES && rq->dlen <= MODEL_MAX_BYTES);
	m.src = (struct cursor){.side = &rq->src, .left = rq->slen};
	m.dst = (struct cursor){.side = &rq->dst, .left = rq->dlen};
	m.cctx = ZSTD_createCCtx();
	workspace = malloc(workspace_size());
	m.dctx = ZSTD_initStaticDCtx(workspace, workspace_size());
	assert_true(m.cctx && m.dctx);
	set_parameters(m.cctx);
	if (!rq->slen || !rq->dlen)
		res->ret = -EINVAL;
	else
		res->ret = rq->compress ? compress(&m) : decompress(&m);
	res->dlen = res->ret ? 0 : m.total;
	free(workspace);
	ZSTD_freeCCtx(m.cctx);
}
