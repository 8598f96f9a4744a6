// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/codec_model.h"

#include <string.h>

/* Contexts are zstd's. */
static bool builds_contexts(enum acomp_model model, const struct profile *p)
{
	return model == ACOMP_MODEL_ZSTD && p->zstd.context == ZSTD_CONTEXT_PER_REQUEST;
}

static bool walks(enum acomp_model model, const struct profile *p)
{
	return model == ACOMP_MODEL_ZSTD && p->zstd.api == ZSTD_API_ACOMP;
}

static bool builds_stream_first(enum acomp_model model, const struct profile *p)
{
	return builds_contexts(model, p) && walks(model, p) &&
	       p->zstd.stream_init == ZSTD_STREAM_INIT_EAGER;
}

void codec_model_compress(enum acomp_model model, const struct profile *p, struct acomp_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	cost->path = ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_CSTREAM] = builds_stream_first(model, p);
	cost->calls[ACOMP_CALL_INIT_CCTX] = builds_contexts(model, p);
	cost->calls[ACOMP_CALL_COMPRESS_CCTX] = 1;
}

void codec_model_decompress(enum acomp_model model, const struct profile *p, unsigned slen,
			    bool in_two, struct acomp_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	if (in_two && walks(model, p)) {
		cost->path = ACOMP_PATH_STREAM;
		cost->reason = ACOMP_STREAM_SRC;
		cost->calls[ACOMP_CALL_INIT_DSTREAM] = builds_contexts(model, p);
		/* Once a fragment of the source: an object crosses one page. */
		cost->calls[ACOMP_CALL_DECOMPRESS_STREAM] = 2;
		return;
	}
	cost->path = ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_DSTREAM] = builds_stream_first(model, p);
	cost->calls[ACOMP_CALL_INIT_DCTX] = builds_contexts(model, p);
	cost->calls[ACOMP_CALL_DECOMPRESS_DCTX] = 1;
	/* To scomp's scratch. */
	cost->copy_bytes = in_two ? slen : 0;
}
