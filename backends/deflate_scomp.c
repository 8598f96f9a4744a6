// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "backends/deflate.h"
#include "backends/deflate_stream.h"

/* A stream a direction, each set up when the context is made. */
struct deflate_ctx {
	struct deflate_stream *comp_stream, *decomp_stream;
};

static void free_ctx(void *arg)
{
	struct deflate_ctx *ctx = arg;

	deflate_stream_destroy(ctx->decomp_stream);
	deflate_stream_destroy(ctx->comp_stream);
	free(ctx);
}

static int alloc_ctx(struct kernel *k, int level, void **out)
{
	struct deflate_ctx *ctx = calloc(1, sizeof(*ctx));
	struct acomp_cost not_a_request = {0};
	struct meter m;
	int ret;

	if (!ctx)
		return -ENOMEM;
	ret = deflate_stream_create(level, &ctx->comp_stream);
	if (!ret)
		ret = deflate_stream_create(level, &ctx->decomp_stream);
	meter_start(&m, k, &not_a_request);
	if (!ret && (zlib_deflateInit2(ctx->comp_stream, &m) != Z_OK ||
		     zlib_inflateInit2(ctx->decomp_stream, &m) != Z_OK))
		ret = -EINVAL;
	if (ret) {
		free_ctx(ctx);
		return ret;
	}
	*out = ctx;
	return 0;
}

static void set_buffers(z_stream *z, const void *src, unsigned slen, void *dst, unsigned dlen)
{
	z->next_in = (void *)src;
	z->avail_in = slen;
	z->next_out = dst;
	z->avail_out = dlen;
}

static int scompress(void *arg, struct meter *m, const void *src, unsigned slen, void *dst,
		     unsigned *dlen)
{
	struct deflate_stream *s = ((struct deflate_ctx *)arg)->comp_stream;

	if (zlib_deflateReset(s, m) != Z_OK)
		return -EINVAL;
	set_buffers(&s->z, src, slen, dst, *dlen);
	if (zlib_deflate(s, m, Z_FINISH) != Z_STREAM_END)
		return -EINVAL;
	*dlen = s->z.total_out;
	return 0;
}

static int sdecompress(void *arg, struct meter *m, const void *src, unsigned slen, void *dst,
		       unsigned *dlen)
{
	struct deflate_stream *s = ((struct deflate_ctx *)arg)->decomp_stream;

	if (zlib_inflateReset(s, m) != Z_OK)
		return -EINVAL;
	set_buffers(&s->z, src, slen, dst, *dlen);
	if (zlib_inflate(s, m, Z_SYNC_FLUSH) != Z_STREAM_END)
		return -EINVAL;
	*dlen = s->z.total_out;
	return 0;
}

const struct scomp_alg deflate_scomp_alg = {
	.base = {.cra_name = "deflate",
		 .cra_driver_name = "deflate-scomp",
		 .model = ACOMP_MODEL_DEFLATE,
		 .library = deflate_library,
		 .lengths_exact = deflate_lengths_exact,
		 .levels = deflate_levels,
		 .call_names = deflate_call_names,
		 .length_keys = deflate_length_keys,
		 SCOMP_OPS},
	.alloc_ctx = alloc_ctx,
	.free_ctx = free_ctx,
	.compress = scompress,
	.decompress = sdecompress,
};
