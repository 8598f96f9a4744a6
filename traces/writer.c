// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "traces/error.h"
#include "traces/text.h"
#include "traces/writer_impl.h"

int writer_io_error(struct trace_writer *w, struct trace_error *err, int ret, const char *what)
{
	w->failed = ret;
	return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, ret, "cannot write %s: %s", what,
			  strerror(-ret));
}

int writer_refuse(const struct trace_writer *w, struct trace_error *err)
{
	return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, w->failed,
			  "an earlier write failed: %s", strerror(-w->failed));
}

static int append(struct trace_writer *w, enum zswt_section_kind kind, const void *data,
		  size_t bytes, struct trace_error *err)
{
	int ret = spool_append(&w->spools[kind], data, bytes);

	return ret ? writer_io_error(w, err, ret, zswt_section_names[kind]) : 0;
}

/* Position of @s in the strings; the empty one is at 0. What is no text becomes '?'. */
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
	for (; s && *s;) {
		size_t n = trace_text_span(s);
		int ret = append(w, ZSWT_STRINGS, n ? s : "?", n ? n : 1, err);

		if (ret)
			return ret;
		s += n ? n : 1;
	}
	return append(w, ZSWT_STRINGS, "", 1, err);
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
	if (c->seed > TRACE_MAX_NUMBER)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "seed %" PRIu64 " is too large", c->seed);
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

void writer_free(struct trace_writer *w)
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
		writer_io_error(w, err, ret, "temporary files in its directory");
		goto err;
	}
	ret = begin(w, config, err);
	if (ret)
		goto err;
	*out = w;
	return 0;
err:
	writer_free(w);
	return ret;
}

int writer_put(struct trace_writer *w, const void *data, size_t bytes, struct trace_error *err)
{
	int ret = write_all(w->target.fd, data, bytes, w->pos);

	if (ret)
		return writer_io_error(w, err, ret, "the file");
	w->pos += bytes;
	return 0;
}

int writer_block(struct trace_writer *w, unsigned nr, struct trace_error *err)
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
	ret = writer_put(w, data, bytes, err);
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
		return writer_refuse(w, err);
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
		return writer_io_error(w, err, ret, "the index of pages");
	XXH128_canonicalFromHash(&canonical, key);
	ret = append(w, ZSWT_KEYS, &canonical, sizeof(canonical), err);
	if (ret)
		return ret;
	memcpy(w->block + *id % BLOCK_PAGES * TRACE_PAGE_SIZE, data, TRACE_PAGE_SIZE);
	w->bounds.nr_pages++;
	return w->bounds.nr_pages % BLOCK_PAGES ? 0 : writer_block(w, BLOCK_PAGES, err);
}

int trace_writer_lengths(struct trace_writer *w, const uint16_t *lengths, uint32_t *id,
			 struct trace_error *err)
{
	uint16_t record[ZSWT_MAX_COMPRESSORS];
	int ret;

	if (w->failed)
		return writer_refuse(w, err);
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
		return writer_refuse(w, err);
	if (w->bounds.nr_memcgs == TRACE_MAX_MEMCGS)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EOVERFLOW,
				  "a trace has at most %u memcgs", TRACE_MAX_MEMCGS);
	if (memcg->parent >= w->bounds.nr_memcgs)
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "memcg %" PRIu32 ": its parent %u does not come before it",
				  w->bounds.nr_memcgs, memcg->parent);
	if (!trace_limit_valid(memcg->zswap_max))
		return trace_fail(err, w->target.shown, TRACE_NO_OFFSET, -EINVAL,
				  "memcg %" PRIu32 ": a limit of %" PRIu64 " bytes is too large",
				  w->bounds.nr_memcgs, memcg->zswap_max);
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
		return writer_refuse(w, err);
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
		return writer_refuse(w, err);
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

void trace_writer_abort(struct trace_writer *w)
{
	if (w)
		writer_free(w);
}
