// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The labels C0 to C12 and D0 to D9 are the steps of kernel-spec B.3 and B.4, C5a and D6a those of
 * B.5. What looks like a mistake in these loops is one of the kernel's.
 */
#include "backends/zstd.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "backends/zstd_drain.h"
#include "backends/zstd_request.h"
#include "backends/zstd_scomp.h"

/* C7 and C8. @src_len bytes of source are pushed through; how many were taken is in *@used. */
static int compress_fragment(struct zstd_request *r, zstd_cstream *cstream, unsigned src_len,
			     zstd_out_buffer *out, unsigned *used)
{
	zstd_in_buffer in = {.src = r->walk.src_addr, .size = src_len};

	if (zstd_is_error(zstd_compress_stream(&r->meter, cstream, out, &in)))
		return -EIO;
	/* How much there is left to flush is not looked at. */
	if (zstd_is_error(zstd_flush_stream(&r->meter, cstream, out)))
		return -EIO;
	*used = in.pos;
	return 0;
}

/* C2 to C11. */
static int compress_loop(struct zstd_request *r, unsigned *total)
{
	bool deferred = zstd_stream_is_deferred(r), more = true;
	struct acomp_walk *walk = &r->walk;
	zstd_cstream *cstream = NULL;
	unsigned dst_len, src_len, used;
	zstd_out_buffer out;
	size_t pos;
	int ret;

	if (!deferred) {
		cstream = zstd_begin_cstream(r); /* C2 */
		if (!cstream)
			return -EINVAL;
	}
	do {
		dst_len = acomp_walk_next_dst(walk); /* C3 */
		if (!dst_len)
			return walk->fault ? walk->fault : -ENOSPC;
		out = (zstd_out_buffer){.dst = walk->dst_addr, .size = dst_len};
		do {
			src_len = acomp_walk_next_src(walk); /* C4 */
			if (walk->fault)
				return walk->fault;
			if (dst_len == r->req->dlen && src_len == r->req->slen) { /* C5 */
				ret = zstd_compress_one(r, total);
				acomp_walk_done_src(walk, src_len);
				acomp_walk_done_dst(walk, dst_len);
				return ret;
			}
			if (!cstream) {
				cstream = zstd_begin_cstream(r); /* C5a */
				if (!cstream) {
					acomp_walk_done_src(walk, 0);
					acomp_walk_done_dst(walk, 0);
					return -EINVAL;
				}
			}
			zstd_request_streams(r, src_len, dst_len);
			if (!src_len) { /* C6 */
				more = false;
				break;
			}
			ret = compress_fragment(r, cstream, src_len, &out, &used);
			if (ret)
				return ret;
			acomp_walk_done_src(walk, used); /* C9 */
		} while (out.pos != dst_len);
		*total += out.pos; /* C10 */
		acomp_walk_done_dst(walk, dst_len);
	} while (more);

	pos = out.pos; /* C11: once, and bytes left to flush are not looked at */
	if (zstd_is_error(zstd_end_stream(&r->meter, cstream, &out)))
		return -EIO;
	*total += out.pos - pos;
	return 0;
}

/* D2 to D8. */
static int decompress_loop(struct zstd_request *r, unsigned *total)
{
	bool deferred = zstd_stream_is_deferred(r);
	struct acomp_walk *walk = &r->walk;
	zstd_dstream *dstream = NULL;
	unsigned src_len, dst_len;
	zstd_out_buffer out;
	zstd_in_buffer in;
	int ret;

	if (!deferred) {
		dstream = zstd_begin_dstream(r); /* D2 */
		if (!dstream)
			return -EINVAL;
	}
	for (;;) {
		src_len = acomp_walk_next_src(walk); /* D3 */
		if (!src_len)
			return walk->fault;
		in = (zstd_in_buffer){.src = walk->src_addr, .size = src_len};
		do {
			dst_len = acomp_walk_next_dst(walk);			  /* D4 */
			if (dst_len == r->req->dlen && src_len == r->req->slen) { /* D5 */
				ret = zstd_decompress_one(r, total);
				acomp_walk_done_dst(walk, dst_len);
				acomp_walk_done_src(walk, src_len);
				return ret;
			}
			if (!dst_len) /* D6 */
				return walk->fault ? walk->fault : -ENOSPC;
			if (!dstream) {
				dstream = zstd_begin_dstream(r); /* D6a */
				if (!dstream) {
					acomp_walk_done_dst(walk, 0);
					acomp_walk_done_src(walk, 0);
					return -EINVAL;
				}
			}
			zstd_request_streams(r, src_len, dst_len);
			out = (zstd_out_buffer){.dst = walk->dst_addr, .size = dst_len};
			/* D7: whether the frame is complete is not looked at. */
			if (zstd_is_error(zstd_decompress_stream(&r->meter, dstream, &out, &in)))
				return -EIO;
			*total += out.pos; /* D8 */
			acomp_walk_done_dst(walk, out.pos);
		} while (in.pos != src_len);
		acomp_walk_done_src(walk, src_len);
	}
}

/* C0, C1, C12, and D0, D1, D9. */
static int run(struct acomp_req *req, int (*loop)(struct zstd_request *r, unsigned *total))
{
	struct kernel *k = req->tfm->k;
	struct zstd_request r = {.req = req};
	unsigned total = 0;
	int ret;

	r.ctx = crypto_acomp_lock_stream_bh(req->tfm);
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_LOCK);
	zstd_meter_start(&r.meter, k, &req->cost);
	r.meter.origin = zstd_ctx_origin(r.ctx);
	r.meter.base.trace = req->trace;
	ret = acomp_walk_virt(&r.walk, req);
	if (!ret)
		ret = loop(&r, &total);
	req->dlen = ret ? 0 : total;
	zstd_meter_charge(&r.meter, NULL);
	crypto_acomp_unlock_stream_bh(req->tfm);
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_UNLOCK);
	return ret;
}

static int zstd_compress(struct acomp_req *req)
{
	bool drain = req->tfm->k->profile.zstd.stream_drain;

	return run(req, drain ? zstd_drain_compress : compress_loop);
}

static int zstd_decompress(struct acomp_req *req)
{
	bool drain = req->tfm->k->profile.zstd.stream_drain;

	return run(req, drain ? zstd_drain_decompress : decompress_loop);
}

static int zstd_init(struct crypto_acomp *tfm)
{
	if (tfm->k->profile.zstd.api == ZSTD_API_SCOMP) {
		tfm->alg = &zstd_scomp_alg.base;
		return tfm->alg->init(tfm);
	}
	return crypto_acomp_alloc_streams(tfm);
}

static char library_text[32];

static void make_library_text(void)
{
	snprintf(library_text, sizeof(library_text), "libzstd %s", ZSTD_versionString());
}

const char *zstd_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_library_text);
	return library_text;
}

/* What the library takes: its lowest level is -131072. */
struct acomp_levels zstd_levels(void)
{
	return (struct acomp_levels){ZSTD_minCLevel(), ZSTD_maxCLevel(), ZSTD_DEF_LEVEL};
}

const char *const zstd_length_keys[] = {"zstd.params_hint", NULL};

const struct acomp_alg zstd_alg = {
	.cra_name = "zstd",
	.cra_driver_name = "zstd-generic",
	.model = ACOMP_MODEL_ZSTD,
	.library = zstd_library,
	.lengths_exact = zstd_lengths_exact,
	.levels = zstd_levels,
	.call_names = acomp_call_names,
	.length_keys = zstd_length_keys,
	.init = zstd_init,
	.compress = zstd_compress,
	.decompress = zstd_decompress,
	.alloc_ctx = zstd_alloc_ctx,
	.free_ctx = zstd_free_ctx,
};

const char *zstd_library_version(void)
{
	return ZSTD_versionString();
}

int zstd_check_profile(const struct profile *profile, char *err, size_t err_size)
{
	struct kernel k = {.profile = *profile};
	struct zstd_ctx *ctx;
	int ret = zstd_ctx_create(&k, ZSTD_DEF_LEVEL, &ctx, err, err_size);

	if (!ret)
		zstd_ctx_destroy(ctx);
	return ret;
}

bool zstd_library_lengths_exact(unsigned library)
{
	unsigned version = ZSTD_versionNumber();

	if (library == ZSTD_LIBRARY_1_5_2)
		return version == 10502 || version == 10504;
	return version == 10507;
}

bool zstd_lengths_exact(const struct profile *p)
{
	return zstd_library_lengths_exact(p->zstd.library);
}
