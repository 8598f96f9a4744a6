// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/deflate.h"

#include <errno.h>

#include "backends/deflate_stream.h"

/* A request under way. */
struct request {
	struct acomp_req *req;
	struct deflate_stream *stream;
	struct acomp_walk walk;
	struct meter meter;
};

/* 0 at the end of the source, or on an entry without bytes. */
static unsigned next_src(struct request *r)
{
	unsigned len = acomp_walk_next_src(&r->walk);

	r->stream->z.next_in = len ? r->walk.src_addr : NULL;
	r->stream->z.avail_in = len;
	if (len && len != r->req->slen && r->walk.slen == r->req->slen)
		r->req->cost.reason |= ACOMP_STREAM_SRC;
	return len;
}

static unsigned next_dst(struct request *r)
{
	unsigned len = acomp_walk_next_dst(&r->walk);

	r->stream->z.next_out = r->walk.dst_addr;
	r->stream->z.avail_out = len;
	if (len && len != r->req->dlen && r->walk.dlen == r->req->dlen)
		r->req->cost.reason |= ACOMP_STREAM_DST;
	return len;
}

static int compress_loop(struct request *r)
{
	z_stream *z = &r->stream->z;
	unsigned src_len, dst_len;
	bool is_last;
	int ret;

	if (zlib_deflateInit2(r->stream, &r->meter) != Z_OK)
		return -EINVAL;
	do {
		dst_len = next_dst(r);
		if (!dst_len)
			return r->walk.fault ? r->walk.fault : -ENOSPC;
		do {
			src_len = next_src(r);
			if (r->walk.fault)
				return r->walk.fault;
			is_last = !src_len || r->walk.slen == src_len;
			ret = zlib_deflate(r->stream, &r->meter, is_last ? Z_FINISH : Z_NO_FLUSH);
			if (src_len)
				acomp_walk_done_src(&r->walk, src_len - z->avail_in);
		} while (ret == Z_OK && z->avail_out);
		acomp_walk_done_dst(&r->walk, dst_len);
	} while (ret == Z_OK);
	return ret == Z_STREAM_END ? 0 : -EINVAL;
}

/*
 * When there is no room left, the decoder is called once more: the end of the stream may be all
 * that is left of it.
 */
static int decompress_loop(struct request *r)
{
	z_stream *z = &r->stream->z;
	unsigned src_len, dst_len;
	int ret = Z_OK;

	if (zlib_inflateInit2(r->stream, &r->meter) != Z_OK)
		return -EINVAL;
	do {
		src_len = next_src(r);
		if (r->walk.fault)
			return r->walk.fault;
		do {
			dst_len = next_dst(r);
			if (r->walk.fault)
				return r->walk.fault;
			ret = zlib_inflate(r->stream, &r->meter, Z_NO_FLUSH);
			if (dst_len)
				acomp_walk_done_dst(&r->walk, dst_len - z->avail_out);
			else if (ret != Z_STREAM_END)
				return -ENOSPC;
		} while (ret == Z_OK && z->avail_in);
		if (src_len)
			acomp_walk_done_src(&r->walk, src_len);
	} while (ret == Z_OK);
	return ret == Z_STREAM_END ? 0 : -EINVAL;
}

static int run(struct acomp_req *req, int (*loop)(struct request *r))
{
	struct request r = {.req = req};
	int ret;

	r.stream = crypto_acomp_lock_stream_bh(req->tfm);
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_LOCK);
	meter_start(&r.meter, req->tfm->k, &req->cost);
	r.meter.trace = req->trace;
	ret = acomp_walk_virt(&r.walk, req);
	if (!ret) {
		req->cost.path = ACOMP_PATH_STREAM;
		ret = loop(&r);
	}
	meter_charge(&r.meter, NULL);
	if (!ret)
		req->dlen = r.stream->z.total_out;
	crypto_acomp_unlock_stream_bh(req->tfm);
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_UNLOCK);
	return ret;
}

static int deflate_compress(struct acomp_req *req)
{
	return run(req, compress_loop);
}

static int deflate_decompress(struct acomp_req *req)
{
	return run(req, decompress_loop);
}

static int deflate_init(struct crypto_acomp *tfm)
{
	if (tfm->k->profile.deflate.api == DEFLATE_API_SCOMP) {
		tfm->alg = &deflate_scomp_alg.base;
		return tfm->alg->init(tfm);
	}
	return crypto_acomp_alloc_streams(tfm);
}

static int alloc_ctx(struct kernel *k, const struct acomp_alg *alg, int level, void **out)
{
	struct deflate_stream *stream;
	int ret = deflate_stream_create(level, &stream);

	if (!ret)
		*out = stream;
	return ret;
}

static void free_ctx(void *ctx)
{
	deflate_stream_destroy(ctx);
}

const struct acomp_alg deflate_alg = {
	.cra_name = "deflate",
	.cra_driver_name = "deflate-generic",
	.model = ACOMP_MODEL_DEFLATE,
	.library = deflate_library,
	.lengths_exact = deflate_lengths_exact,
	.levels = deflate_levels,
	.call_names = deflate_call_names,
	.length_keys = deflate_length_keys,
	.init = deflate_init,
	.compress = deflate_compress,
	.decompress = deflate_decompress,
	.alloc_ctx = alloc_ctx,
	.free_ctx = free_ctx,
};
