// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "traces/reader_impl.h"

static int system_error(const struct trace_reader *r, struct trace_error *err, int error,
			const char *what)
{
	return trace_fail(err, r->path, TRACE_NO_OFFSET, -error, "%s: %s", what, strerror(error));
}

static int map_file(struct trace_reader *r, int fd, struct trace_error *err)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st))
		return system_error(r, err, errno, "cannot read");
	if (S_ISDIR(st.st_mode))
		return trace_fail(err, r->path, TRACE_NO_OFFSET, -EISDIR,
				  "is a directory, not a trace");
	if (!S_ISREG(st.st_mode))
		return reader_fail(r, err, TRACE_NO_OFFSET,
				   "is not a regular file: a trace is mapped");
	if (st.st_size == 0)
		return reader_fail(r, err, 0, "the file is empty");
	if ((uint64_t)st.st_size > SIZE_MAX)
		return system_error(r, err, EFBIG, "cannot map");
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return system_error(r, err, errno, "cannot map");
	r->map = map;
	r->bytes = st.st_size;
	return 0;
}

/* What each reader has for itself. */
static int create_decoder(struct trace_reader *r, struct trace_error *err)
{
	r->last_block = UINT64_MAX;
	if (!r->block_pages)
		return 0;
	r->dctx = ZSTD_createDCtx();
	r->cache = block_cache_create(r->block_pages * TRACE_PAGE_SIZE);
	return r->dctx && r->cache ? 0 : system_error(r, err, ENOMEM, "cannot read");
}

int trace_reader_open(const char *path, struct trace_reader **out, struct trace_error *err)
{
	struct trace_reader *r = calloc(1, sizeof(*r));
	int fd, ret;

	if (!r || !(r->path = strdup(path))) {
		free(r);
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
	}
	/* Not to wait for the other end of a pipe. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		ret = system_error(r, err, errno, "cannot open");
		goto err;
	}
	ret = map_file(r, fd, err);
	close(fd);
	if (ret == 0)
		ret = trace_reader_parse(r, err);
	if (ret)
		goto err;
	ret = create_decoder(r, err);
	if (ret)
		goto err;
	*out = r;
	return 0;
err:
	trace_reader_close(r);
	return ret;
}

void trace_reader_close(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->map && !r->shares_map)
		munmap((void *)r->map, r->bytes);
	block_cache_destroy(r->cache);
	ZSTD_freeDCtx(r->dctx);
	free(r->path);
	free(r);
}

int trace_reader_clone(const struct trace_reader *r, struct trace_reader **out,
		       struct trace_error *err)
{
	struct trace_reader *clone = malloc(sizeof(*clone));
	int ret;

	if (!clone)
		return system_error(r, err, ENOMEM, "cannot read");
	*clone = *r;
	clone->shares_map = true;
	clone->cache = NULL;
	clone->dctx = NULL;
	clone->path = strdup(r->path);
	ret = clone->path ? create_decoder(clone, err)
			  : system_error(r, err, ENOMEM, "cannot read");
	if (ret) {
		trace_reader_close(clone);
		return ret;
	}
	*out = clone;
	return 0;
}

const char *trace_reader_path(const struct trace_reader *r)
{
	return r->path;
}

const struct trace_info *trace_reader_info(const struct trace_reader *r)
{
	return &r->info;
}

int trace_reader_event(struct trace_reader *r, uint64_t i, struct trace_event *ev,
		       struct trace_error *err)
{
	char cause[TRACE_CAUSE_BYTES];
	uint64_t not_before;

	if (i >= r->info.nr_events)
		return reader_fail(r, err, TRACE_NO_OFFSET,
				   "event %" PRIu64 " does not exist (there are %" PRIu64 ")", i,
				   r->info.nr_events);
	trace_event_decode(&r->events[i], ev);
	not_before = i ? le64toh(r->events[i - 1].time_ns) : 0;
	if (trace_event_is_plain(ev, &r->bounds, not_before))
		return 0;
	if (trace_event_check(ev, &r->bounds, not_before, cause))
		return reader_fail(r, err, r->sections[ZSWT_EVENTS].offset + i * sizeof(*r->events),
				   "event %" PRIu64 ": %s", i, cause);
	return 0;
}

void reader_drop(const struct trace_reader *r, uint64_t offset, uint64_t bytes)
{
	uint64_t page = sysconf(_SC_PAGESIZE), begin = (offset + page - 1) / page * page;
	uint64_t end = (offset + bytes) / page * page;

	/* Whole pages only. It is advice: if it is not taken, nothing is wrong. */
	if (begin < end)
		madvise((void *)(r->map + begin), end - begin, MADV_DONTNEED);
}

void trace_reader_drop(const struct trace_reader *r, uint64_t from, uint64_t to)
{
	reader_drop(r, r->sections[ZSWT_EVENTS].offset + from * sizeof(*r->events),
		    (to - from) * sizeof(*r->events));
}

void trace_reader_peek(const struct trace_reader *r, uint64_t i, struct trace_event *ev)
{
	trace_event_decode(&r->events[i], ev);
}

int trace_reader_store_pages(struct trace_reader *r, const struct trace_event *ev, uint32_t *ids,
			     struct trace_error *err)
{
	char cause[TRACE_CAUSE_BYTES];

	if (ev->type != TRACE_STORE)
		return reader_fail(r, err, TRACE_NO_OFFSET, "an event without pages");
	if (trace_event_is_plain(ev, &r->bounds, 0)) {
		ids[0] = ev->arg;
		return 0;
	}
	/* The caller may have it from elsewhere. */
	if (trace_event_check(ev, &r->bounds, 0, cause))
		return reader_fail(r, err, TRACE_NO_OFFSET, "%s", cause);
	if (ev->order == 0) {
		ids[0] = ev->arg;
		return 0;
	}
	for (uint64_t i = 0; i < 1ull << ev->order; i++) {
		ids[i] = le32toh(r->lists[ev->arg + i]);
		if (ids[i] >= r->info.nr_pages)
			return reader_fail(
				r, err,
				r->sections[ZSWT_LISTS].offset + (ev->arg + i) * sizeof(*r->lists),
				"page %" PRIu32 " does not exist (there are %" PRIu64 ")", ids[i],
				r->info.nr_pages);
	}
	return 0;
}

/*
 * Like ZSTD_decompressDCtx(), but of one frame and no more: what follows could be of the formats
 * from before zstd 1.0, whose decoders nobody hardens any more.
 */
static size_t unpack(ZSTD_DCtx *dctx, void *dst, size_t raw, const void *src, size_t bytes)
{
	uint32_t magic;

	if (bytes == raw) {
		memcpy(dst, src, raw);
		return raw;
	}
	if (bytes < sizeof(magic))
		return 0;
	memcpy(&magic, src, sizeof(magic));
	if (le32toh(magic) != ZSTD_MAGICNUMBER || ZSTD_findFrameCompressedSize(src, bytes) != bytes)
		return 0;
	return ZSTD_decompressDCtx(dctx, dst, raw, src, bytes);
}

static int decode_block(struct trace_reader *r, uint64_t block, const void **data,
			struct trace_error *err)
{
	uint64_t offset = le64toh(r->blocks[block].offset);
	uint32_t bytes = le32toh(r->blocks[block].bytes);
	size_t raw = (size_t)block_nr_pages(r, block) * TRACE_PAGE_SIZE, got;
	const uint8_t *src = r->map + offset;
	void *dst;

	if (le64toh(r->blocks[block].checksum) != XXH3_64bits(src, bytes))
		return reader_fail(r, err, offset,
				   "block %" PRIu64 " is damaged (its checksum differs)", block);
	dst = block_cache_evict(r->cache, block);
	got = unpack(r->dctx, dst, raw, src, bytes);
	if (ZSTD_isError(got))
		return reader_fail(r, err, offset, "block %" PRIu64 " does not unpack: %s", block,
				   ZSTD_getErrorName(got));
	if (got != raw)
		return reader_fail(r, err, offset,
				   "block %" PRIu64 " unpacks to %zu bytes, not %zu", block, got,
				   raw);
	block_cache_fill(r->cache, block);
	*data = dst;
	return 0;
}

/* Whether a page of contents or lengths may be asked for. */
static int check_page(const struct trace_reader *r, uint32_t id, struct trace_error *err)
{
	if (id < r->info.nr_pages)
		return 0;
	return reader_fail(r, err, TRACE_NO_OFFSET,
			   "page %" PRIu32 " does not exist (there are %" PRIu64 ")", id,
			   r->info.nr_pages);
}

int trace_reader_page(struct trace_reader *r, uint32_t id, const void **data,
		      struct trace_error *err)
{
	uint64_t block = id >> r->block_shift;
	int ret;

	if (r->info.content_free)
		return trace_fail(err, r->path, TRACE_NO_OFFSET, -ENODATA,
				  "a content-free trace has lengths of pages, not their contents");
	if (id >= r->info.nr_pages)
		return check_page(r, id, err);
	if (block != r->last_block) {
		const void *contents = block_cache_find(r->cache, block);

		r->last_block = UINT64_MAX;
		ret = contents ? 0 : decode_block(r, block, &contents, err);
		if (ret)
			return ret;
		r->last_data = contents;
		r->last_block = block;
	}
	*data = r->last_data + (size_t)(id & (r->block_pages - 1)) * TRACE_PAGE_SIZE;
	return 0;
}

int trace_reader_length(struct trace_reader *r, uint32_t id, uint32_t i, uint16_t *length,
			struct trace_error *err)
{
	const uint16_t *lengths = (const void *)(r->map + r->sections[ZSWT_LENGTHS].offset);
	int ret = check_page(r, id, err);

	if (ret)
		return ret;
	if (i >= r->info.nr_compressors)
		return trace_fail(err, r->path, TRACE_NO_OFFSET, -ENODATA,
				  "lengths of compressor %" PRIu32 " (there are %" PRIu32 ")", i,
				  r->info.nr_compressors);
	*length = le16toh(lengths[(uint64_t)id * r->info.nr_compressors + i]);
	return 0;
}

static const char *name_at(const struct trace_reader *r, enum zswt_section_kind kind, uint32_t i)
{
	const uint32_t *names = (const void *)(r->map + r->sections[kind].offset);

	return (const char *)r->map + r->sections[ZSWT_STRINGS].offset + le32toh(names[i]);
}

const char *trace_reader_compressor(const struct trace_reader *r, uint32_t i)
{
	return name_at(r, ZSWT_COMPRESSORS, i);
}

const char *trace_reader_mark(const struct trace_reader *r, uint32_t i)
{
	return name_at(r, ZSWT_MARKS, i);
}

void trace_reader_memcg(const struct trace_reader *r, uint32_t i, struct trace_memcg *memcg)
{
	const struct zswt_memcg *m = (const void *)(r->map + r->sections[ZSWT_MEMCGS].offset);
	const char *strings = (const char *)r->map + r->sections[ZSWT_STRINGS].offset;

	*memcg = (struct trace_memcg){
		.path = strings + le32toh(m[i].path),
		.parent = le16toh(m[i].parent),
		.zswap_writeback = m[i].zswap_writeback,
		.online = m[i].online,
		.zswap_max = le64toh(m[i].zswap_max),
	};
}
