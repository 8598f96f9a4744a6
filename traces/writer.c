// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "traces/error.h"
#include "traces/event.h"
#include "traces/layout.h"
#include "traces/page_index.h"
#include "traces/spool.h"
#include "traces/target.h"

#define BLOCK_PAGES 16u
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

static const char *const section_names[ZSWT_SECTIONS] = {
	"blocks", "block index", "keys",  "compressors", "lengths",
	"lists",  "memcgs",	 "marks", "strings",	 "events",
};

/* After a failed write the file can only be thrown away. */
static int io_error(struct trace_writer *w, struct trace_error *err, int ret, const char *what)
{
	w->failed = ret;
	return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, ret, "cannot write %s: %s", what,
			  strerror(-ret));
}

static int refuse_failed(const struct trace_writer *w, struct trace_error *err)
{
	return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, w->failed,
			  "an earlier write failed: %s", strerror(-w->failed));
}

static int append(struct trace_writer *w, enum zswt_section_kind kind, const void *data,
		  size_t bytes, struct trace_error *err)
{
	int ret = spool_append(&w->spools[kind], data, bytes);

	return ret ? io_error(w, err, ret, section_names[kind]) : 0;
}

/* Position of @s in the strings; the empty one is at 0. */
static int append_string(struct trace_writer *w, const char *s, uint32_t *pos,
			 struct trace_error *err)
{
	uint64_t at = w->spools[ZSWT_STRINGS].bytes;
	size_t bytes = s ? strlen(s) + 1 : 1;

	*pos = 0;
	if (bytes == 1 && at > 0)
		return 0;
	if (bytes > ZSWT_MAX_STRINGS - at)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EOVERFLOW,
				  "names are longer than %u bytes in all", ZSWT_MAX_STRINGS);
	*pos = at;
	return append(w, ZSWT_STRINGS, s ? s : "", bytes, err);
}

static int append_memcg(struct trace_writer *w, const struct trace_memcg *memcg, const char *path,
			struct trace_error *err)
{
	struct zswt_memcg record = {
		.parent = htole16(memcg->parent),
		.zswap_writeback = memcg->zswap_writeback,
		.online = memcg->online,
		.zswap_max = htole64(memcg->zswap_max),
	};
	uint32_t pos;
	int ret = append_string(w, path, &pos, err);

	if (ret)
		return ret;
	record.path = htole32(pos);
	ret = append(w, ZSWT_MEMCGS, &record, sizeof(record), err);
	if (ret == 0)
		w->bounds.nr_memcgs++;
	return ret;
}

static int check_config(const char *path, const struct trace_writer_config *c,
			struct trace_error *err)
{
	if (c->nr_cpus < 1 || c->nr_cpus > TRACE_MAX_CPUS)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "a trace has 1 to %u CPUs, not %" PRIu32, TRACE_MAX_CPUS,
				  c->nr_cpus);
	if (c->nr_swap_types < 1 || c->nr_swap_types > TRACE_MAX_SWAP_TYPES)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "a trace has 1 to %u swap types, not %" PRIu32,
				  TRACE_MAX_SWAP_TYPES, c->nr_swap_types);
	if (c->nr_compressors > ZSWT_MAX_COMPRESSORS)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "a trace has lengths of at most %u compressors, not %" PRIu32,
				  ZSWT_MAX_COMPRESSORS, c->nr_compressors);
	return 0;
}

/* What the file says before its first page. */
static int begin(struct trace_writer *w, const struct trace_writer_config *c,
		 struct trace_error *err)
{
	const struct trace_memcg root = {
		.online = true, .zswap_writeback = true, .zswap_max = TRACE_NO_LIMIT};
	struct zswt_header *h = &w->header;
	uint32_t pos;
	int ret;

	ret = append_string(w, "", &pos, err);
	if (ret == 0)
		ret = append_string(w, c->maker, &h->maker, err);
	if (ret == 0)
		ret = append_string(w, w->withheld ? "" : c->command, &h->command, err);
	if (ret == 0)
		ret = append_string(w, c->title, &h->title, err);
	for (uint32_t i = 0; ret == 0 && i < w->nr_compressors; i++) {
		ret = append_string(w, c->compressors[i], &pos, err);
		pos = htole32(pos);
		if (ret == 0)
			ret = append(w, ZSWT_COMPRESSORS, &pos, sizeof(pos), err);
	}
	if (ret == 0)
		ret = append_memcg(w, &root, "/", err);
	return ret;
}

static void trace_writer_free(struct trace_writer *w)
{
	for (int kind = 0; kind < ZSWT_SECTIONS; kind++)
		spool_close(&w->spools[kind]);
	page_index_destroy(w->index);
	ZSTD_freeCCtx(w->cctx);
	free(w->block);
	free(w->packed);
	target_close(&w->target);
	free(w);
}

/* Everything that packing pages needs. */
static int packer_create(struct trace_writer *w)
{
	w->packed_size = ZSTD_compressBound(BLOCK_BYTES);
	w->block = malloc(BLOCK_BYTES);
	w->packed = malloc(w->packed_size);
	w->cctx = ZSTD_createCCtx();
	if (!w->block || !w->packed || !w->cctx)
		return -ENOMEM;
	return page_index_create(w->target.dir, &w->index);
}

int trace_writer_create(const char *path, const struct trace_writer_config *config,
			struct trace_writer **out, struct trace_error *err)
{
	struct trace_writer *w;
	int ret = check_config(path, config, err);

	if (ret)
		return ret;
	w = calloc(1, sizeof(*w));
	if (!w)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
	for (int kind = 0; kind < ZSWT_SECTIONS; kind++)
		w->spools[kind].fd = -1;
	w->content_free = config->nr_compressors > 0;
	w->withheld = w->content_free && !config->keep_names;
	w->nr_compressors = config->nr_compressors;
	w->bounds.nr_cpus = config->nr_cpus;
	w->bounds.nr_swap_types = config->nr_swap_types;
	w->header.seed = config->seed;
	w->pos = sizeof(struct zswt_header);
	ret = target_open(&w->target, path, err);
	if (ret) {
		free(w);
		return ret;
	}
	for (int kind = ZSWT_BLOCKS + 1; kind < ZSWT_SECTIONS && ret == 0; kind++)
		ret = spool_open(&w->spools[kind], w->target.dir);
	if (ret == 0 && !w->content_free)
		ret = packer_create(w);
	if (ret) {
		io_error(w, err, ret, "temporary files in its directory");
		goto err;
	}
	ret = begin(w, config, err);
	if (ret)
		goto err;
	*out = w;
	return 0;
err:
	trace_writer_free(w);
	return ret;
}

static int write_target(struct trace_writer *w, const void *data, size_t bytes,
			struct trace_error *err)
{
	int ret = write_all(w->target.fd, data, bytes, w->pos);

	if (ret)
		return io_error(w, err, ret, "the file");
	w->pos += bytes;
	return 0;
}

/* Packs the last @nr pages into a block. */
static int write_block(struct trace_writer *w, unsigned nr, struct trace_error *err)
{
	size_t raw = nr * TRACE_PAGE_SIZE;
	size_t bytes =
		ZSTD_compressCCtx(w->cctx, w->packed, w->packed_size, w->block, raw, BLOCK_LEVEL);
	bool packed = !ZSTD_isError(bytes) && bytes < raw;
	const char *data = packed ? w->packed : w->block;
	struct zswt_block record = {.offset = htole64(w->pos)};
	int ret;

	if (!packed)
		bytes = raw;
	record.bytes = htole32(bytes);
	record.checksum = htole64(XXH3_64bits(data, bytes));
	ret = write_target(w, data, bytes, err);
	return ret ? ret : append(w, ZSWT_INDEX, &record, sizeof(record), err);
}

static int next_id(struct trace_writer *w, uint32_t *id, struct trace_error *err)
{
	if (w->bounds.nr_pages == UINT32_MAX)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EOVERFLOW,
				  "a trace has at most %u distinct pages", UINT32_MAX);
	*id = w->bounds.nr_pages;
	return 0;
}

int trace_writer_page(struct trace_writer *w, const void *data, uint32_t *id,
		      struct trace_error *err)
{
	XXH128_canonical_t canonical;
	XXH128_hash_t key;
	int ret;

	if (w->failed)
		return refuse_failed(w, err);
	if (w->content_free)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "a content-free trace takes lengths, not pages");
	key = XXH3_128bits(data, TRACE_PAGE_SIZE);
	if (page_index_find(w->index, key, id))
		return 0;
	ret = next_id(w, id, err);
	if (ret)
		return ret;
	ret = page_index_add(w->index, key, *id);
	if (ret)
		return io_error(w, err, ret, "the index of pages");
	XXH128_canonicalFromHash(&canonical, key);
	ret = append(w, ZSWT_KEYS, &canonical, sizeof(canonical), err);
	if (ret)
		return ret;
	memcpy(w->block + *id % BLOCK_PAGES * TRACE_PAGE_SIZE, data, TRACE_PAGE_SIZE);
	w->bounds.nr_pages++;
	return w->bounds.nr_pages % BLOCK_PAGES ? 0 : write_block(w, BLOCK_PAGES, err);
}

int trace_writer_lengths(struct trace_writer *w, const uint16_t *lengths, uint32_t *id,
			 struct trace_error *err)
{
	uint16_t record[ZSWT_MAX_COMPRESSORS];
	int ret;

	if (w->failed)
		return refuse_failed(w, err);
	if (!w->content_free)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "a trace with contents takes pages, not lengths");
	ret = next_id(w, id, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < w->nr_compressors; i++)
		record[i] = htole16(lengths[i]);
	ret = append(w, ZSWT_LENGTHS, record, w->nr_compressors * sizeof(*record), err);
	if (ret == 0)
		w->bounds.nr_pages++;
	return ret;
}

int trace_writer_memcg(struct trace_writer *w, const struct trace_memcg *memcg, uint16_t *index,
		       struct trace_error *err)
{
	int ret;

	if (w->failed)
		return refuse_failed(w, err);
	if (w->bounds.nr_memcgs == TRACE_MAX_MEMCGS)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EOVERFLOW,
				  "a trace has at most %u memcgs", TRACE_MAX_MEMCGS);
	if (memcg->parent >= w->bounds.nr_memcgs)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "memcg %" PRIu32 ": its parent %u does not come before it",
				  w->bounds.nr_memcgs, memcg->parent);
	ret = append_memcg(w, memcg, w->withheld ? "" : memcg->path, err);
	if (ret == 0)
		*index = w->bounds.nr_memcgs - 1;
	return ret;
}

int trace_writer_mark_name(struct trace_writer *w, const char *name, uint64_t *index,
			   struct trace_error *err)
{
	uint32_t pos;
	int ret;

	if (w->failed)
		return refuse_failed(w, err);
	if (w->bounds.nr_marks == UINT32_MAX)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EOVERFLOW,
				  "a trace has at most %u marks", UINT32_MAX);
	ret = append_string(w, name, &pos, err);
	pos = htole32(pos);
	if (ret == 0)
		ret = append(w, ZSWT_MARKS, &pos, sizeof(pos), err);
	if (ret == 0)
		*index = w->bounds.nr_marks++;
	return ret;
}

/* A STORE of a folio: its ids go to the lists. Sets the event's argument. */
static int append_store(struct trace_writer *w, struct trace_event *ev, const uint32_t *ids,
			struct trace_error *err)
{
	unsigned nr = 1u << ev->order;
	uint32_t record[1u << TRACE_MAX_ORDER];
	int ret;

	for (unsigned i = 0; i < nr; i++) {
		if (ids[i] >= w->bounds.nr_pages)
			return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
					  "event %" PRIu64 ": page %" PRIu32
					  " does not exist (there are %" PRIu64 ")",
					  w->header.nr_events, ids[i], w->bounds.nr_pages);
		record[i] = htole32(ids[i]);
	}
	ev->arg = w->bounds.nr_list_ids;
	ret = append(w, ZSWT_LISTS, record, nr * sizeof(*record), err);
	if (ret == 0)
		w->bounds.nr_list_ids += nr;
	return ret;
}

int trace_writer_event(struct trace_writer *w, const struct trace_event *ev, const uint32_t *ids,
		       struct trace_error *err)
{
	struct trace_event copy = *ev;
	struct trace_bounds bounds = w->bounds;
	char cause[TRACE_CAUSE_BYTES];
	struct zswt_event record;
	int ret;

	if (w->failed)
		return refuse_failed(w, err);
	if (ev->type == TRACE_STORE && !ids)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "event %" PRIu64 ": a STORE without pages", w->header.nr_events);
	if (ev->type == TRACE_STORE && ev->order == 0) {
		copy.arg = ids[0];
	} else if (ev->type == TRACE_STORE && ev->order <= TRACE_MAX_ORDER) {
		copy.arg = bounds.nr_list_ids;
		bounds.nr_list_ids += 1ull << ev->order;
	}
	if (trace_event_check(&copy, &bounds, w->last_time_ns, cause))
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "event %" PRIu64 ": %s", w->header.nr_events, cause);
	if (copy.type == TRACE_STORE && copy.order > 0) {
		ret = append_store(w, &copy, ids, err);
		if (ret)
			return ret;
	}
	trace_event_encode(&copy, &record);
	ret = append(w, ZSWT_EVENTS, &record, sizeof(record), err);
	if (ret)
		return ret;
	w->last_time_ns = copy.time_ns;
	w->header.nr_events++;
	w->header.nr_type[copy.type]++;
	if (copy.type == TRACE_STORE)
		w->header.nr_stored_pages += 1ull << copy.order;
	return 0;
}

static int write_padding(struct trace_writer *w, struct trace_error *err)
{
	static const char zeros[ZSWT_ALIGN];

	return write_target(w, zeros, zswt_align(w->pos) - w->pos, err);
}

static int write_section(struct trace_writer *w, enum zswt_section_kind kind, char *buffer,
			 XXH3_state_t *state, struct zswt_section *section, struct trace_error *err)
{
	struct spool *spool = &w->spools[kind];
	int ret = write_padding(w, err);

	if (ret)
		return ret;
	ret = spool_flush(spool);
	if (ret)
		return io_error(w, err, ret, section_names[kind]);
	section->offset = htole64(w->pos);
	section->bytes = htole64(spool->bytes);
	XXH3_64bits_reset(state);
	for (uint64_t done = 0; done < spool->bytes;) {
		size_t bytes = SPOOL_BUFFER_BYTES;

		if (bytes > spool->bytes - done)
			bytes = spool->bytes - done;
		ret = spool_read(spool, done, buffer, bytes);
		if (ret)
			return io_error(w, err, ret, section_names[kind]);
		XXH3_64bits_update(state, buffer, bytes);
		ret = write_target(w, buffer, bytes, err);
		if (ret)
			return ret;
		done += bytes;
	}
	section->checksum = htole64(XXH3_64bits_digest(state));
	return 0;
}

static int write_header(struct trace_writer *w, struct trace_error *err)
{
	struct zswt_header h = {
		.magic = ZSWT_MAGIC,
		.version = htole32(ZSWT_VERSION),
		.page_size = htole32(TRACE_PAGE_SIZE),
		.flags = htole32((w->content_free ? ZSWT_CONTENT_FREE : 0) |
				 (w->withheld ? ZSWT_WITHHELD : 0)),
		.file_bytes = htole64(w->pos),
		.nr_pages = htole64(w->bounds.nr_pages),
		.nr_events = htole64(w->header.nr_events),
		.nr_list_ids = htole64(w->bounds.nr_list_ids),
		.nr_stored_pages = htole64(w->header.nr_stored_pages),
		.seed = htole64(w->header.seed),
		.nr_memcgs = htole32(w->bounds.nr_memcgs),
		.nr_marks = htole32(w->bounds.nr_marks),
		.nr_cpus = htole32(w->bounds.nr_cpus),
		.nr_swap_types = htole32(w->bounds.nr_swap_types),
		.block_pages = htole32(w->content_free ? 0 : BLOCK_PAGES),
		.nr_compressors = htole32(w->nr_compressors),
		.maker = htole32(w->header.maker),
		.command = htole32(w->header.command),
		.title = htole32(w->header.title),
	};
	int ret;

	for (int type = 0; type < TRACE_EVENT_TYPES; type++)
		h.nr_type[type] = htole64(w->header.nr_type[type]);
	h.checksum = htole64(XXH3_64bits(&h, offsetof(struct zswt_header, checksum)));
	ret = write_all(w->target.fd, &h, sizeof(h), 0);
	return ret ? io_error(w, err, ret, "the header") : 0;
}

/* Reads the file once more: the hash covers the header, which is written last. */
static int write_hash(struct trace_writer *w, char *buffer, XXH3_state_t *state,
		      struct trace_error *err)
{
	uint64_t end = w->pos - ZSWT_HASH_TO_END;
	XXH128_canonical_t hash;
	int ret = 0;

	XXH3_128bits_reset(state);
	for (uint64_t done = 0; done < end && ret == 0;) {
		size_t bytes = end - done < SPOOL_BUFFER_BYTES ? end - done : SPOOL_BUFFER_BYTES;

		ret = read_all(w->target.fd, buffer, bytes, done);
		if (ret == 0)
			XXH3_128bits_update(state, buffer, bytes);
		done += bytes;
	}
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
	if (ret == 0)
		ret = write_all(w->target.fd, &hash, sizeof(hash), end);
	return ret ? io_error(w, err, ret, "the hash") : 0;
}

static int write_rest(struct trace_writer *w, char *buffer, XXH3_state_t *state,
		      struct trace_error *err)
{
	struct zswt_footer footer = {.magic = ZSWT_END_MAGIC};
	unsigned left = w->content_free ? 0 : w->bounds.nr_pages % BLOCK_PAGES;
	int ret = left ? write_block(w, left, err) : 0;

	if (ret)
		return ret;
	footer.sections[ZSWT_BLOCKS].offset = htole64(sizeof(struct zswt_header));
	footer.sections[ZSWT_BLOCKS].bytes = htole64(w->pos - sizeof(struct zswt_header));
	for (int kind = 0; kind < ZSWT_SECTIONS; kind++) {
		footer.sections[kind].kind = htole32(kind);
		if (kind == ZSWT_BLOCKS)
			continue;
		ret = write_section(w, kind, buffer, state, &footer.sections[kind], err);
		if (ret)
			return ret;
	}
	footer.checksum = htole64(XXH3_64bits(&footer, offsetof(struct zswt_footer, checksum)));
	ret = write_padding(w, err);
	if (ret == 0)
		ret = write_target(w, &footer, sizeof(footer), err);
	if (ret == 0)
		ret = write_header(w, err);
	return ret ? ret : write_hash(w, buffer, state, err);
}

int trace_writer_commit(struct trace_writer *w, struct trace_error *err)
{
	XXH3_state_t *state = XXH3_createState();
	char *buffer = malloc(SPOOL_BUFFER_BYTES);
	int ret;

	if (w->failed)
		ret = refuse_failed(w, err);
	else if (!state || !buffer)
		ret = io_error(w, err, -ENOMEM, "the file");
	else
		ret = write_rest(w, buffer, state, err);
	if (ret == 0)
		ret = target_publish(&w->target, err);
	free(buffer);
	XXH3_freeState(state);
	trace_writer_free(w);
	return ret;
}

void trace_writer_abort(struct trace_writer *w)
{
	if (w)
		trace_writer_free(w);
}
