/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the writer share. */
#ifndef TRACES_WRITER_IMPL_H
#define TRACES_WRITER_IMPL_H

#include <zstd.h>

#include "traces/event.h"
#include "traces/layout.h"
#include "traces/page_index.h"
#include "traces/spool.h"
#include "traces/target.h"
#include "traces/writer.h"

/*
 * Small blocks, for traces whose loads come in random order: a page costs the decoding of its
 * block. A level without entropy coding of literals, since decoding is what a replay waits for.
 * docs/trace-format.md has the figures.
 */
#define BLOCK_PAGES 8u
#define BLOCK_BYTES (BLOCK_PAGES * TRACE_PAGE_SIZE)
#define BLOCK_LEVEL (-5)

struct trace_writer {
	struct target target;
	uint64_t pos; /* bytes of the target so far */
	int failed;   /* the errno after which the file cannot be completed */
	bool content_free, withheld;
	uint32_t nr_compressors;
	struct trace_bounds bounds;
	uint64_t last_time_ns;
	struct zswt_header header; /* counts in host order until the commit */
	struct page_index *index;
	struct spool spools[ZSWT_SECTIONS]; /* none for ZSWT_BLOCKS */
	ZSTD_CCtx *cctx;
	char *block; /* pages that are not written yet */
	char *packed;
	size_t packed_size;
};

/* After a failed write the file can only be thrown away. */
int writer_io_error(struct trace_writer *w, struct trace_error *err, int ret, const char *what);
/* What a call after it returns. */
int writer_refuse(const struct trace_writer *w, struct trace_error *err);

/* Appends to the target. */
int writer_put(struct trace_writer *w, const void *data, size_t bytes, struct trace_error *err);
/* Packs the last @nr pages into a block. */
int writer_block(struct trace_writer *w, unsigned nr, struct trace_error *err);

void writer_free(struct trace_writer *w);

#endif
