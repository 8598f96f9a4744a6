// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/lzo.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzo/lzo1x.h>

struct lzo_ctx {
	void *work;
	uint8_t *out; /* for the longest result there can be of @max_slen bytes */
	unsigned max_slen;
};

static const char *const call_names[ACOMP_NR_CALLS] = {
	[ACOMP_CALL_COMPRESS_CCTX] = "lzo1x_1_compress_safe",
	[ACOMP_CALL_DECOMPRESS_DCTX] = "lzo1x_decompress_safe",
};

static char library_text[32];

static void make_library_text(void)
{
	snprintf(library_text, sizeof(library_text), "liblzo2 %s", lzo_version_string());
}

static const char *library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_library_text);
	return library_text;
}

static bool lengths_exact(const struct profile *p)
{
	return true;
}

/* lzo1x_worst_compress() */
static size_t worst_case(unsigned slen)
{
	return (size_t)slen + slen / 16 + 64 + 3;
}

static void free_ctx(void *arg)
{
	struct lzo_ctx *ctx = arg;

	free(ctx->out);
	free(ctx->work);
	free(ctx);
}

static int alloc_ctx(struct kernel *k, int level, void **out)
{
	struct lzo_ctx *ctx;

	/* Only checks that library and compiler agree on types. */
	if (lzo_init() != LZO_E_OK)
		return -EINVAL;
	ctx = malloc(sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->max_slen = PAGE_SIZE;
	ctx->work = malloc(LZO1X_1_15_MEM_COMPRESS);
	ctx->out = malloc(worst_case(ctx->max_slen));
	if (!ctx->work || !ctx->out) {
		free_ctx(ctx);
		return -ENOMEM;
	}
	*out = ctx;
	return 0;
}

/* Not in zswap, whose sources are pages. */
static int grow(struct lzo_ctx *ctx, unsigned slen)
{
	uint8_t *out = realloc(ctx->out, worst_case(slen));

	if (!out)
		return -ENOMEM;
	ctx->out = out;
	ctx->max_slen = slen;
	return 0;
}

static int scompress(void *arg, struct meter *m, const void *src, unsigned slen, void *dst,
		     unsigned *dlen)
{
	struct lzo_ctx *ctx = arg;
	bool in_place = *dlen >= worst_case(slen);
	lzo_uint produced;
	int ret;

	if (!in_place && slen > ctx->max_slen && grow(ctx, slen))
		return -ENOMEM;
	meter_begin(m, ACOMP_CALL_COMPRESS_CCTX);
	ret = lzo1x_1_15_compress(src, slen, in_place ? dst : ctx->out, &produced, ctx->work);
	if (ret != LZO_E_OK || produced > *dlen)
		produced = 0;
	else if (!in_place)
		memcpy(dst, ctx->out, produced);
	meter_end(m, ACOMP_CALL_COMPRESS_CCTX, produced ? slen : 0, produced);
	if (!produced)
		return -EINVAL;
	*dlen = produced;
	return 0;
}

static int sdecompress(void *arg, struct meter *m, const void *src, unsigned slen, void *dst,
		       unsigned *dlen)
{
	lzo_uint produced = *dlen;
	int ret;

	meter_begin(m, ACOMP_CALL_DECOMPRESS_DCTX);
	ret = lzo1x_decompress_safe(src, slen, dst, &produced, NULL);
	meter_end(m, ACOMP_CALL_DECOMPRESS_DCTX, ret == LZO_E_OK ? slen : 0,
		  ret == LZO_E_OK ? produced : 0);
	if (ret != LZO_E_OK)
		return -EINVAL;
	*dlen = produced;
	return 0;
}

const struct scomp_alg lzo_alg = {
	.base = {.cra_name = "lzo",
		 .cra_driver_name = "lzo-scomp",
		 .model = ACOMP_MODEL_SCOMP,
		 .library = library,
		 .lengths_exact = lengths_exact,
		 .call_names = call_names,
		 SCOMP_OPS},
	.alloc_ctx = alloc_ctx,
	.free_ctx = free_ctx,
	.compress = scompress,
	.decompress = sdecompress,
};
