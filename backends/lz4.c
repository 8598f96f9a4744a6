// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/lz4.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <lz4.h>

#define ACCELERATION_DEFAULT 1
#define ACCELERATION_MAX     65537 /* liblz4 takes more for this */

struct lz4_ctx {
	int acceleration;
	void *state;
};

static const char *const call_names[ACOMP_NR_CALLS] = {
	[ACOMP_CALL_COMPRESS_CCTX] = "LZ4_compress_default",
	[ACOMP_CALL_DECOMPRESS_DCTX] = "LZ4_decompress_safe",
};

static char library_text[32];

static void make_library_text(void)
{
	snprintf(library_text, sizeof(library_text), "liblz4 %s", LZ4_versionString());
}

const char *lz4_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_library_text);
	return library_text;
}

bool lz4_lengths_exact(const struct profile *p)
{
	return false;
}

static struct acomp_levels levels(void)
{
	return (struct acomp_levels){1, ACCELERATION_MAX, ACCELERATION_DEFAULT};
}

static void free_ctx(void *arg)
{
	struct lz4_ctx *ctx = arg;

	free(ctx->state);
	free(ctx);
}

static int alloc_ctx(struct kernel *k, int level, void **out)
{
	struct lz4_ctx *ctx = malloc(sizeof(*ctx));

	if (!ctx)
		return -ENOMEM;
	ctx->acceleration = level;
	ctx->state = malloc(LZ4_sizeofState());
	if (!ctx->state) {
		free(ctx);
		return -ENOMEM;
	}
	*out = ctx;
	return 0;
}

static int scompress(void *arg, struct meter *m, const void *src, unsigned slen, void *dst,
		     unsigned *dlen)
{
	struct lz4_ctx *ctx = arg;
	int produced;

	meter_begin(m, ACOMP_CALL_COMPRESS_CCTX);
	produced = LZ4_compress_fast_extState(ctx->state, src, dst, slen, *dlen, ctx->acceleration);
	meter_end(m, ACOMP_CALL_COMPRESS_CCTX, produced > 0 ? slen : 0, produced);
	if (produced <= 0)
		return -EINVAL;
	*dlen = produced;
	return 0;
}

int lz4_decompress_block(void *ctx, struct meter *m, const void *src, unsigned slen, void *dst,
			 unsigned *dlen)
{
	int produced;

	meter_begin(m, ACOMP_CALL_DECOMPRESS_DCTX);
	produced = LZ4_decompress_safe(src, dst, slen, *dlen);
	meter_end(m, ACOMP_CALL_DECOMPRESS_DCTX, produced < 0 ? 0 : slen,
		  produced < 0 ? 0 : produced);
	if (produced < 0)
		return -EINVAL;
	*dlen = produced;
	return 0;
}

const struct scomp_alg lz4_alg = {
	.base = {.cra_name = "lz4",
		 .cra_driver_name = "lz4-scomp",
		 .model = ACOMP_MODEL_SCOMP,
		 .library = lz4_library,
		 .lengths_exact = lz4_lengths_exact,
		 .levels = levels,
		 .call_names = call_names,
		 SCOMP_OPS},
	.alloc_ctx = alloc_ctx,
	.free_ctx = free_ctx,
	.compress = scompress,
	.decompress = lz4_decompress_block,
};
