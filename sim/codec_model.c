// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/codec_model.h"

#include <string.h>

bool codec_model_streams(enum acomp_model model, const struct profile *p)
{
	switch (model) {
	case ACOMP_MODEL_ZSTD:
		return p->zstd.api == ZSTD_API_ACOMP;
	case ACOMP_MODEL_DEFLATE:
		return p->deflate.api == DEFLATE_API_ACOMP;
	case ACOMP_MODEL_SCOMP:
		break;
	}
	return false;
}

/* ---- zstd ---- */

static bool builds_contexts(const struct profile *p)
{
	return p->zstd.context == ZSTD_CONTEXT_PER_REQUEST;
}

static bool builds_stream_first(const struct profile *p)
{
	return builds_contexts(p) && p->zstd.api == ZSTD_API_ACOMP &&
	       p->zstd.stream_init == ZSTD_STREAM_INIT_EAGER;
}

static void zstd_compress(const struct profile *p, struct acomp_cost *cost)
{
	cost->path = ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_CSTREAM] = builds_stream_first(p);
	cost->calls[ACOMP_CALL_INIT_CCTX] = builds_contexts(p);
	cost->calls[ACOMP_CALL_COMPRESS_CCTX] = 1;
}

static void zstd_decompress(const struct profile *p, bool streams, struct acomp_cost *cost)
{
	if (streams) {
		cost->path = ACOMP_PATH_STREAM;
		cost->calls[ACOMP_CALL_INIT_DSTREAM] = builds_contexts(p);
		/* Once a fragment of the source: an object crosses one page. */
		cost->calls[ACOMP_CALL_DECOMPRESS_STREAM] = 2;
		return;
	}
	cost->path = ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_DSTREAM] = builds_stream_first(p);
	cost->calls[ACOMP_CALL_INIT_DCTX] = builds_contexts(p);
	cost->calls[ACOMP_CALL_DECOMPRESS_DCTX] = 1;
}

/* ---- deflate ---- */

static void deflate_compress(const struct profile *p, struct acomp_cost *cost)
{
	bool acomp = p->deflate.api == DEFLATE_API_ACOMP;

	cost->path = acomp ? ACOMP_PATH_STREAM : ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_CCTX] = acomp;
	/* A stream that is set up is reset by that. */
	cost->calls[ACOMP_CALL_INIT_CSTREAM] = 1;
	cost->calls[ACOMP_CALL_COMPRESS_STREAM] = 1;
}

static void deflate_decompress(const struct profile *p, bool streams, struct acomp_cost *cost)
{
	bool acomp = p->deflate.api == DEFLATE_API_ACOMP;

	cost->path = acomp ? ACOMP_PATH_STREAM : ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_DCTX] = acomp;
	cost->calls[ACOMP_CALL_INIT_DSTREAM] = 1;
	cost->calls[ACOMP_CALL_DECOMPRESS_STREAM] = 1 + streams;
}

void codec_model_compress(enum acomp_model model, const struct profile *p, struct acomp_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	switch (model) {
	case ACOMP_MODEL_ZSTD:
		zstd_compress(p, cost);
		break;
	case ACOMP_MODEL_DEFLATE:
		deflate_compress(p, cost);
		break;
	case ACOMP_MODEL_SCOMP:
		cost->path = ACOMP_PATH_ONESHOT;
		cost->calls[ACOMP_CALL_COMPRESS_CCTX] = 1;
		break;
	}
}

void codec_model_decompress(enum acomp_model model, const struct profile *p, bool two_entries,
			    unsigned slen, struct acomp_cost *cost)
{
	bool streams = two_entries && codec_model_streams(model, p);

	memset(cost, 0, sizeof(*cost));
	switch (model) {
	case ACOMP_MODEL_ZSTD:
		zstd_decompress(p, streams, cost);
		break;
	case ACOMP_MODEL_DEFLATE:
		deflate_decompress(p, streams, cost);
		break;
	case ACOMP_MODEL_SCOMP:
		cost->path = ACOMP_PATH_ONESHOT;
		cost->calls[ACOMP_CALL_DECOMPRESS_DCTX] = 1;
		break;
	}
	if (streams)
		cost->reason = ACOMP_STREAM_SRC;
	else if (two_entries)
		cost->copy_bytes = slen;
}
