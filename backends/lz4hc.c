// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/lz4hc.h"

#include <errno.h>
#include <stdlib.h>

#include <lz4hc.h>

#include "backends/lz4.h"

struct lz4hc_ctx {
	int level;
	void *state;
};

static const char *const call_names[ACOMP_NR_CALLS] = {
	[ACOMP_CALL_COMPRESS_CCTX] = "LZ4_compress_HC",
	[ACOMP_CALL_DECOMPRESS_DCTX] = "LZ4_decompress_safe",
};

static struct acomp_levels levels(void)
{
	return (struct acomp_levels){1, LZ4HC_CLEVEL_MAX, LZ4HC_CLEVEL_DEFAULT};
}

static void free_ctx(void *arg)
{
	struct lz4hc_ctx *ctx = arg;

	free(ctx->state);
	free(ctx);
}

static int alloc_ctx(struct kernel *k, int level, void **out)
{
	struct lz4hc_ctx *ctx = malloc(sizeof(*ctx));

	if (!ctx)
		return -ENOMEM;
	ctx->level = level;
	ctx->state = malloc(LZ4_sizeofStateHC());
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
	struct lz4hc_ctx *ctx = arg;
	int produced;

	meter_begin(m, ACOMP_CALL_COMPRESS_CCTX);
	produced = LZ4_compress_HC_extStateHC(ctx->state, src, dst, slen, *dlen, ctx->level);
	meter_end(m, ACOMP_CALL_COMPRESS_CCTX, produced > 0 ? slen : 0, produced);
	if (produced <= 0)
		return -EINVAL;
	*dlen = produced;
	return 0;
}

const struct scomp_alg lz4hc_alg = {
	.base = {.cra_name = "lz4hc",
		 .cra_driver_name = "lz4hc-scomp",
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
