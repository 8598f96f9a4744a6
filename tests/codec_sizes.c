// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/codec_sizes.h"

#include <stdlib.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <lz4.h>

struct codec_sizes {
	ZSTD_CCtx *cctx;
	ZSTD_parameters params;
};

struct codec_sizes *codec_sizes_create(void)
{
	struct codec_sizes *c = malloc(sizeof(*c));

	if (!c)
		abort();
	c->cctx = ZSTD_createCCtx();
	if (!c->cctx)
		abort();
	c->params = ZSTD_getParams(3, 262144, 0);
	return c;
}

void codec_sizes_destroy(struct codec_sizes *c)
{
	ZSTD_freeCCtx(c->cctx);
	free(c);
}

static void set(struct codec_sizes *c, ZSTD_cParameter param, int value)
{
	if (ZSTD_isError(ZSTD_CCtx_setParameter(c->cctx, param, value)))
		abort();
}

unsigned codec_zstd_size(struct codec_sizes *c, const void *page)
{
	const ZSTD_compressionParameters *p = &c->params.cParams;
	char out[4096];
	size_t size;

	ZSTD_CCtx_reset(c->cctx, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setPledgedSrcSize(c->cctx, 4096);
	set(c, ZSTD_c_windowLog, p->windowLog);
	set(c, ZSTD_c_hashLog, p->hashLog);
	set(c, ZSTD_c_chainLog, p->chainLog);
	set(c, ZSTD_c_searchLog, p->searchLog);
	set(c, ZSTD_c_minMatch, p->minMatch);
	set(c, ZSTD_c_targetLength, p->targetLength);
	set(c, ZSTD_c_strategy, p->strategy);
	set(c, ZSTD_c_contentSizeFlag, c->params.fParams.contentSizeFlag);
	set(c, ZSTD_c_checksumFlag, c->params.fParams.checksumFlag);
	set(c, ZSTD_c_dictIDFlag, !c->params.fParams.noDictIDFlag);
	size = ZSTD_compress2(c->cctx, out, sizeof(out), page, 4096);
	return ZSTD_isError(size) ? CODEC_NO_FIT : size;
}

unsigned codec_lz4_size(const void *page)
{
	char out[4096];
	int size = LZ4_compress_default(page, out, 4096, sizeof(out));

	return size > 0 ? size : 4096;
}
