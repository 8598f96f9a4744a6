/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the reader share. */
#ifndef TRACES_READER_IMPL_H
#define TRACES_READER_IMPL_H

#include <zstd.h>

#include "traces/block_cache.h"
#include "traces/error.h"
#include "traces/event.h"
#include "traces/layout.h"
#include "traces/reader.h"

/* A section in host order, whose place in the file and checksum were checked. */
struct section {
	uint64_t offset;
	uint64_t bytes;
};

struct trace_reader {
	char *path;
	const uint8_t *map;
	uint64_t bytes;
	bool shares_map; /* of the reader that it was cloned from */
	struct trace_info info;
	struct trace_bounds bounds;
	struct section sections[ZSWT_SECTIONS];
	uint32_t block_pages; /* a power of two; 0 if there are no contents */
	unsigned block_shift;
	uint64_t nr_blocks;
	const struct zswt_event *events;
	const uint32_t *lists;
	const struct zswt_block *blocks;
	struct block_cache *cache;
	uint64_t last_block; /* whose contents last_data is */
	const char *last_data;
	ZSTD_DCtx *dctx;
};

/* Checks header, footer and all tables, and fills in the rest of *r. */
int trace_reader_parse(struct trace_reader *r, struct trace_error *err);

/* These bytes of the file are not needed for now: they leave this process's memory. */
void reader_drop(const struct trace_reader *r, uint64_t offset, uint64_t bytes);

/* Pages in @block. */
static inline uint32_t block_nr_pages(const struct trace_reader *r, uint64_t block)
{
	uint64_t left = r->info.nr_pages - (block << r->block_shift);

	return left < r->block_pages ? left : r->block_pages;
}

#define reader_fail(r, err, offset, ...) trace_fail(err, (r)->path, offset, -EINVAL, __VA_ARGS__)

#endif
