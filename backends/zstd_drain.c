// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_drain.h"

#include <errno.h>

/*
 * Fills a destination fragment, or ends the stream in it. *@more: whether there is more to come, of
 * source or to flush.
 */
static int fill_fragment(struct zstd_request *r, zstd_cstream *cstream, unsigned src_len,
			 zstd_out_buffer *out, bool *more)
{
	zstd_in_buffer in = {.src = r->walk.src_addr, .size = src_len};
	size_t left;

	if (!src_len) {
		left = zstd_end_stream(&r->meter, cstream, out);
		*more = left > 0;
		return zstd_is_error(left) ? -EIO : 0;
	}
	if (zstd_is_error(zstd_compress_stream(&r->meter, cstream, out, &in)) ||
	    zstd_is_error(zstd_flush_stream(&r->meter, cstream, out)))
		return -EIO;
	acomp_walk_done_src(&r->walk, in.pos);
	return 0;
}

int zstd_drain_compress(struct zstd_request *r, unsigned *total)
{
	struct acomp_walk *walk = &r->walk;
	zstd_cstream *cstream = NULL;
	unsigned dst_len, src_len;
	zstd_out_buffer out;
	bool more = true;
	int ret;

	if (!zstd_stream_is_deferred(r)) {
		cstream = zstd_begin_cstream(r);
		if (!cstream)
			return -EINVAL;
	}
	do {
		dst_len = acomp_walk_next_dst(walk);
		if (!dst_len)
			return walk->fault ? walk->fault : -ENOSPC;
		out = (zstd_out_buffer){.dst = walk->dst_addr, .size = dst_len};
		do {
			src_len = acomp_walk_next_src(walk);
			if (walk->fault)
				return walk->fault;
			if (dst_len == r->req->dlen && src_len == r->req->slen) {
				ret = zstd_compress_one(r, total);
				acomp_walk_done_src(walk, src_len);
				acomp_walk_done_dst(walk, dst_len);
				return ret;
			}
			if (!cstream)
				cstream = zstd_begin_cstream(r);
			if (!cstream)
				return -EINVAL;
			zstd_request_streams(r, src_len, dst_len);
			ret = fill_fragment(r, cstream, src_len, &out, &more);
			if (ret)
				return ret;
		} while (src_len && out.pos != dst_len);
		*total += out.pos;
		acomp_walk_done_dst(walk, out.pos);
	} while (more);
	return 0;
}

/*
 * One call of the decoder into the current destination fragment, which may be empty: what gives no
 * output (the end of a frame) is still read then. *@hint: 0 at the end of a frame.
 */
static int decode_fragment(struct zstd_request *r, zstd_dstream *dstream, unsigned dst_len,
			   zstd_in_buffer *in, size_t *hint, unsigned *produced)
{
	zstd_out_buffer out = {.dst = dst_len ? r->walk.dst_addr : NULL, .size = dst_len};

	*hint = zstd_decompress_stream(&r->meter, dstream, &out, in);
	if (zstd_is_error(*hint))
		return -EIO;
	*produced = out.pos;
	acomp_walk_done_dst(&r->walk, out.pos);
	return 0;
}

/* What the decoder holds when the source is used up; a frame that is not at its end then is cut. */
static int drain_decoder(struct zstd_request *r, zstd_dstream *dstream, size_t hint,
			 unsigned *total)
{
	zstd_in_buffer in = {.src = NULL};
	unsigned produced, dst_len;
	int ret;

	if (!dstream)
		return -EINVAL;
	while (hint) {
		dst_len = acomp_walk_next_dst(&r->walk);
		if (r->walk.fault)
			return r->walk.fault;
		ret = decode_fragment(r, dstream, dst_len, &in, &hint, &produced);
		if (ret)
			return ret;
		if (hint && !produced)
			return -EINVAL;
		*total += produced;
	}
	return 0;
}

int zstd_drain_decompress(struct zstd_request *r, unsigned *total)
{
	struct acomp_walk *walk = &r->walk;
	unsigned src_len, dst_len, produced;
	zstd_dstream *dstream = NULL;
	zstd_in_buffer in;
	size_t hint = 1, pos;
	int ret;

	if (!zstd_stream_is_deferred(r)) {
		dstream = zstd_begin_dstream(r);
		if (!dstream)
			return -EINVAL;
	}
	while ((src_len = acomp_walk_next_src(walk))) {
		in = (zstd_in_buffer){.src = walk->src_addr, .size = src_len};
		do {
			dst_len = acomp_walk_next_dst(walk);
			if (walk->fault)
				return walk->fault;
			if (dst_len == r->req->dlen && src_len == r->req->slen) {
				ret = zstd_decompress_one(r, total);
				acomp_walk_done_dst(walk, dst_len);
				acomp_walk_done_src(walk, src_len);
				return ret;
			}
			if (!dstream)
				dstream = zstd_begin_dstream(r);
			if (!dstream)
				return -EINVAL;
			zstd_request_streams(r, src_len, dst_len);
			pos = in.pos;
			ret = decode_fragment(r, dstream, dst_len, &in, &hint, &produced);
			if (ret)
				return ret;
			if (!dst_len && in.pos == pos)
				return -ENOSPC;
			*total += produced;
		} while (in.pos != src_len);
		acomp_walk_done_src(walk, src_len);
	}
	return walk->fault ? walk->fault : drain_decoder(r, dstream, hint, total);
}
