/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's zstd API (include/linux/zstd.h, lib/zstd/zstd_*_module.c, 6.12 to 7.3; kernel-spec
 * C) over libzstd's static contexts: the same steps under the kernel's names, in workspaces that
 * the caller owns. Each function that the kernel's oracle counts counts itself in the request's
 * cost record, and charges its time there: init_ns for building a context, codec_ns for the rest.
 */
#ifndef BACKENDS_ZSTD_CONTEXT_H
#define BACKENDS_ZSTD_CONTEXT_H

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "backends/meter.h"

typedef ZSTD_parameters zstd_parameters;
typedef ZSTD_compressionParameters zstd_compression_parameters;
typedef ZSTD_CCtx zstd_cctx;
typedef ZSTD_CStream zstd_cstream;
typedef ZSTD_DCtx zstd_dctx;
typedef ZSTD_DStream zstd_dstream;
typedef ZSTD_inBuffer zstd_in_buffer;
typedef ZSTD_outBuffer zstd_out_buffer;

struct zstd_origin;

/* Of a request, and how its contexts come to be. */
struct zstd_meter {
	struct meter base;
	struct zstd_origin *origin; /* NULL: the library builds contexts */
};

static inline void zstd_meter_start(struct zstd_meter *m, const struct kernel *k,
				    struct acomp_cost *cost)
{
	meter_start(&m->base, k, cost);
	m->origin = NULL;
}

static inline void zstd_meter_charge(struct zstd_meter *m, uint64_t *counter)
{
	meter_charge(&m->base, counter);
}

/* @size: estimated bytes of a source, 0 if unknown. */
zstd_parameters zstd_get_params(int level, uint64_t size);

/* Bytes of a workspace, a multiple of 8 or not; what the library in use asks for. */
size_t zstd_cctx_workspace_bound(const zstd_compression_parameters *cparams);
size_t zstd_cstream_workspace_bound(const zstd_compression_parameters *cparams);
size_t zstd_dctx_workspace_bound(void);
size_t zstd_dstream_workspace_bound(size_t max_window_size);

static inline unsigned zstd_is_error(size_t code)
{
	return ZSTD_isError(code);
}

/*
 * Build a context in @workspace (8-aligned, @size bytes, not necessarily zeroed), over whatever was
 * there; it lives as long as the workspace. NULL if @workspace is NULL or too small. With an origin
 * in the meter, @workspace is its workspace.
 */
zstd_cctx *zstd_init_cctx(struct zstd_meter *m, void *workspace, size_t size);
/* @pledged: bytes of the source, 0 if unknown. */
zstd_cstream *zstd_init_cstream(struct zstd_meter *m, const zstd_parameters *params,
				uint64_t pledged, void *workspace, size_t size);
zstd_dctx *zstd_init_dctx(struct zstd_meter *m, void *workspace, size_t size);
/* @max_window_size is ignored, as in the kernel: the size of the workspace is the limit. */
zstd_dstream *zstd_init_dstream(struct zstd_meter *m, size_t max_window_size, void *workspace,
				size_t size);

/*
 * Make a kept context ready for another frame; nothing is built. Not the kernel's
 * zstd_reset_cstream(), which leaves out the parameters: a set-up is part of every frame here,
 * whether its context is kept or not. The first one returns NULL on error, as an init does.
 */
zstd_cstream *zstd_restart_cstream(struct zstd_meter *m, zstd_cctx *cctx,
				   const zstd_parameters *params, uint64_t pledged);
zstd_dstream *zstd_restart_dstream(struct zstd_meter *m, zstd_dctx *dctx);

/* Results are sizes in bytes, or errors by zstd_is_error(). */
size_t zstd_compress_cctx(struct zstd_meter *m, zstd_cctx *cctx, void *dst, size_t dst_capacity,
			  const void *src, size_t src_size, const zstd_parameters *params);
size_t zstd_compress_stream(struct zstd_meter *m, zstd_cstream *cstream, zstd_out_buffer *output,
			    zstd_in_buffer *input);
size_t zstd_flush_stream(struct zstd_meter *m, zstd_cstream *cstream, zstd_out_buffer *output);
size_t zstd_end_stream(struct zstd_meter *m, zstd_cstream *cstream, zstd_out_buffer *output);
size_t zstd_decompress_dctx(struct zstd_meter *m, zstd_dctx *dctx, void *dst, size_t dst_capacity,
			    const void *src, size_t src_size);
size_t zstd_decompress_stream(struct zstd_meter *m, zstd_dstream *dstream, zstd_out_buffer *output,
			      zstd_in_buffer *input);

#endif
