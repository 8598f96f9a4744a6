// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_context.h"

#include "backends/zstd_origin.h"

zstd_parameters zstd_get_params(int level, uint64_t size)
{
	return ZSTD_getParams(level, size, 0);
}

size_t zstd_cctx_workspace_bound(const zstd_compression_parameters *cparams)
{
	return ZSTD_estimateCCtxSize_usingCParams(*cparams);
}

size_t zstd_cstream_workspace_bound(const zstd_compression_parameters *cparams)
{
	return ZSTD_estimateCStreamSize_usingCParams(*cparams);
}

size_t zstd_dctx_workspace_bound(void)
{
	return ZSTD_estimateDCtxSize();
}

size_t zstd_dstream_workspace_bound(size_t max_window_size)
{
	return ZSTD_estimateDStreamSize(max_window_size);
}

/* How a context comes to be: the one place for each kind. A stream context is the same thing. */
static zstd_cctx *build_cctx(struct zstd_meter *m, void *workspace, size_t size)
{
	if (m->origin)
		return zstd_origin_context(m->origin, ZSTD_SIDE_COMPRESS);
	return workspace ? ZSTD_initStaticCCtx(workspace, size) : NULL;
}

static zstd_dctx *build_dctx(struct zstd_meter *m, void *workspace, size_t size)
{
	if (m->origin)
		return zstd_origin_context(m->origin, ZSTD_SIDE_DECOMPRESS);
	return workspace ? ZSTD_initStaticDCtx(workspace, size) : NULL;
}

/* What an observer is told of the context that comes next: whether the library builds it. */
static bool begin_init(struct zstd_meter *m, enum acomp_call call, enum zstd_side side)
{
	zstd_meter_charge(m, &m->base.cost->init_ns);
	m->base.cost->calls[call]++;
	return m->base.trace && (!m->origin || zstd_origin_builds(m->origin, side));
}

static void end_init(struct zstd_meter *m, enum acomp_call call, bool builds, const void *context)
{
	acomp_trace_event(m->base.trace, .kind = ACOMP_EVENT_CALL, .call = call, .builds = builds,
			  .result = context != NULL);
}

static void begin_codec(struct zstd_meter *m, enum acomp_call call)
{
	zstd_meter_charge(m, &m->base.cost->codec_ns);
	m->base.cost->calls[call]++;
}

/* @in, @out: bytes taken and written. */
static size_t end_codec(struct zstd_meter *m, enum acomp_call call, size_t in, size_t out,
			size_t result)
{
	acomp_trace_event(m->base.trace, .kind = ACOMP_EVENT_CALL, .call = call, .in_bytes = in,
			  .out_bytes = out, .result = result);
	return result;
}

static size_t end_oneshot(struct zstd_meter *m, enum acomp_call call, size_t in, size_t result)
{
	bool error = zstd_is_error(result);

	return end_codec(m, call, error ? 0 : in, error ? 0 : result, result);
}

/*
 * zstd_cctx_init(), 6.12 to 7.3: the level is never set, so it is 3 after the reset, and the
 * explicit values override its row of the table for the size pledged.
 */
static size_t set_up_cctx(zstd_cctx *cctx, const zstd_parameters *params, uint64_t pledged)
{
	const zstd_compression_parameters *c = &params->cParams;
	const struct {
		ZSTD_cParameter param;
		int value;
	} steps[] = {
		{ZSTD_c_windowLog, c->windowLog},
		{ZSTD_c_hashLog, c->hashLog},
		{ZSTD_c_chainLog, c->chainLog},
		{ZSTD_c_searchLog, c->searchLog},
		{ZSTD_c_minMatch, c->minMatch},
		{ZSTD_c_targetLength, c->targetLength},
		{ZSTD_c_strategy, c->strategy},
		{ZSTD_c_contentSizeFlag, params->fParams.contentSizeFlag},
		{ZSTD_c_checksumFlag, params->fParams.checksumFlag},
		{ZSTD_c_dictIDFlag, !params->fParams.noDictIDFlag},
	};
	size_t ret;

	ret = ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
	if (zstd_is_error(ret))
		return ret;
	ret = ZSTD_CCtx_setPledgedSrcSize(cctx, pledged);
	if (zstd_is_error(ret))
		return ret;
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		ret = ZSTD_CCtx_setParameter(cctx, steps[i].param, steps[i].value);
		if (zstd_is_error(ret))
			return ret;
	}
	return 0;
}

static zstd_cstream *set_up_cstream(zstd_cctx *cctx, const zstd_parameters *params,
				    uint64_t pledged)
{
	if (!pledged)
		pledged = ZSTD_CONTENTSIZE_UNKNOWN;
	return zstd_is_error(set_up_cctx(cctx, params, pledged)) ? NULL : cctx;
}

zstd_cctx *zstd_init_cctx(struct zstd_meter *m, void *workspace, size_t size)
{
	bool builds = begin_init(m, ACOMP_CALL_INIT_CCTX, ZSTD_SIDE_COMPRESS);
	zstd_cctx *cctx = build_cctx(m, workspace, size);

	end_init(m, ACOMP_CALL_INIT_CCTX, builds, cctx);
	return cctx;
}

zstd_cstream *zstd_init_cstream(struct zstd_meter *m, const zstd_parameters *params,
				uint64_t pledged, void *workspace, size_t size)
{
	bool builds = begin_init(m, ACOMP_CALL_INIT_CSTREAM, ZSTD_SIDE_COMPRESS);
	zstd_cctx *cctx = build_cctx(m, workspace, size);

	if (cctx)
		cctx = set_up_cstream(cctx, params, pledged);
	end_init(m, ACOMP_CALL_INIT_CSTREAM, builds, cctx);
	return cctx;
}

zstd_dctx *zstd_init_dctx(struct zstd_meter *m, void *workspace, size_t size)
{
	bool builds = begin_init(m, ACOMP_CALL_INIT_DCTX, ZSTD_SIDE_DECOMPRESS);
	zstd_dctx *dctx = build_dctx(m, workspace, size);

	end_init(m, ACOMP_CALL_INIT_DCTX, builds, dctx);
	return dctx;
}

zstd_dstream *zstd_init_dstream(struct zstd_meter *m, size_t max_window_size, void *workspace,
				size_t size)
{
	bool builds = begin_init(m, ACOMP_CALL_INIT_DSTREAM, ZSTD_SIDE_DECOMPRESS);
	zstd_dctx *dctx = build_dctx(m, workspace, size);

	end_init(m, ACOMP_CALL_INIT_DSTREAM, builds, dctx);
	return dctx;
}

zstd_cstream *zstd_restart_cstream(struct zstd_meter *m, zstd_cctx *cctx,
				   const zstd_parameters *params, uint64_t pledged)
{
	zstd_meter_charge(m, &m->base.cost->codec_ns);
	acomp_trace_event(m->base.trace, .kind = ACOMP_EVENT_RESTART,
			  .call = ACOMP_CALL_INIT_CSTREAM);
	return set_up_cstream(cctx, params, pledged);
}

zstd_dstream *zstd_restart_dstream(struct zstd_meter *m, zstd_dctx *dctx)
{
	zstd_meter_charge(m, &m->base.cost->codec_ns);
	acomp_trace_event(m->base.trace, .kind = ACOMP_EVENT_RESTART,
			  .call = ACOMP_CALL_INIT_DSTREAM);
	ZSTD_DCtx_reset(dctx, ZSTD_reset_session_only);
	return dctx;
}

size_t zstd_compress_cctx(struct zstd_meter *m, zstd_cctx *cctx, void *dst, size_t dst_capacity,
			  const void *src, size_t src_size, const zstd_parameters *params)
{
	size_t ret;

	begin_codec(m, ACOMP_CALL_COMPRESS_CCTX);
	ret = set_up_cctx(cctx, params, src_size);
	if (!zstd_is_error(ret))
		ret = ZSTD_compress2(cctx, dst, dst_capacity, src, src_size);
	return end_oneshot(m, ACOMP_CALL_COMPRESS_CCTX, src_size, ret);
}

size_t zstd_compress_stream(struct zstd_meter *m, zstd_cstream *cstream, zstd_out_buffer *output,
			    zstd_in_buffer *input)
{
	size_t in = input->pos, out = output->pos, ret;

	begin_codec(m, ACOMP_CALL_COMPRESS_STREAM);
	ret = ZSTD_compressStream(cstream, output, input);
	return end_codec(m, ACOMP_CALL_COMPRESS_STREAM, input->pos - in, output->pos - out, ret);
}

size_t zstd_flush_stream(struct zstd_meter *m, zstd_cstream *cstream, zstd_out_buffer *output)
{
	size_t out = output->pos, ret;

	begin_codec(m, ACOMP_CALL_FLUSH_STREAM);
	ret = ZSTD_flushStream(cstream, output);
	return end_codec(m, ACOMP_CALL_FLUSH_STREAM, 0, output->pos - out, ret);
}

size_t zstd_end_stream(struct zstd_meter *m, zstd_cstream *cstream, zstd_out_buffer *output)
{
	size_t out = output->pos, ret;

	begin_codec(m, ACOMP_CALL_END_STREAM);
	ret = ZSTD_endStream(cstream, output);
	return end_codec(m, ACOMP_CALL_END_STREAM, 0, output->pos - out, ret);
}

size_t zstd_decompress_dctx(struct zstd_meter *m, zstd_dctx *dctx, void *dst, size_t dst_capacity,
			    const void *src, size_t src_size)
{
	begin_codec(m, ACOMP_CALL_DECOMPRESS_DCTX);
	return end_oneshot(m, ACOMP_CALL_DECOMPRESS_DCTX, src_size,
			   ZSTD_decompressDCtx(dctx, dst, dst_capacity, src, src_size));
}

size_t zstd_decompress_stream(struct zstd_meter *m, zstd_dstream *dstream, zstd_out_buffer *output,
			      zstd_in_buffer *input)
{
	size_t in = input->pos, out = output->pos, ret;

	begin_codec(m, ACOMP_CALL_DECOMPRESS_STREAM);
	ret = ZSTD_decompressStream(dstream, output, input);
	return end_codec(m, ACOMP_CALL_DECOMPRESS_STREAM, input->pos - in, output->pos - out, ret);
}
