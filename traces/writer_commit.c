// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "traces/writer_impl.h"

static int write_padding(struct trace_writer *w, struct trace_error *err)
{
	static const char zeros[ZSWT_ALIGN];

	return writer_put(w, zeros, zswt_align(w->pos) - w->pos, err);
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
		return writer_io_error(w, err, ret, zswt_section_names[kind]);
	section->offset = htole64(w->pos);
	section->bytes = htole64(spool->bytes);
	XXH3_64bits_reset(state);
	for (uint64_t done = 0; done < spool->bytes;) {
		size_t bytes = SPOOL_BUFFER_BYTES;

		if (bytes > spool->bytes - done)
			bytes = spool->bytes - done;
		ret = spool_read(spool, done, buffer, bytes);
		if (ret)
			return writer_io_error(w, err, ret, zswt_section_names[kind]);
		XXH3_64bits_update(state, buffer, bytes);
		ret = writer_put(w, buffer, bytes, err);
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
	return ret ? writer_io_error(w, err, ret, "the header") : 0;
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
	return ret ? writer_io_error(w, err, ret, "the hash") : 0;
}

static int write_rest(struct trace_writer *w, char *buffer, XXH3_state_t *state,
		      struct trace_error *err)
{
	struct zswt_footer footer = {.magic = ZSWT_END_MAGIC};
	unsigned left = w->content_free ? 0 : w->bounds.nr_pages % BLOCK_PAGES;
	int ret = left ? writer_block(w, left, err) : 0;

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
		ret = writer_put(w, &footer, sizeof(footer), err);
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
		ret = writer_refuse(w, err);
	else if (!state || !buffer)
		ret = writer_io_error(w, err, -ENOMEM, "the file");
	else
		ret = write_rest(w, buffer, state, err);
	if (ret == 0)
		ret = target_publish(&w->target, err);
	free(buffer);
	XXH3_freeState(state);
	writer_free(w);
	return ret;
}
