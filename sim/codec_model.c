// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/codec_model.h"

#include <string.h>

static bool builds_contexts(const struct profile *p)
{
	return p->zstd.context == ZSTD_CONTEXT_PER_REQUEST;
}

static bool builds_stream_first(const struct profile *p)
{
	return builds_contexts(p) && p->zstd.api == ZSTD_API_ACOMP &&
	       p->zstd.stream_init == ZSTD_STREAM_INIT_EAGER;
}

void codec_model_compress(const struct profile *p, struct acomp_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	cost->path = ACOMP_PATH_ONESHOT;
	cost->calls[ACOMP_CALL_INIT_CSTREAM] = builds_stream_first(p);
	cost->calls[ACOMP_CALL_INIT_CCTX] = builds_contexts(p);
	cost->calls[ACOMP_CALL_COMPRESS_CCTX] = 1;
}

void codec_model_decompress(const struct profile *p, bool streams, struct acomp_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	if (streams) {
		cost->path = ACOMP_PATH_STREAM;
		cost->reason = ACOMP_STREAM_SRC;
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
