// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "traces/reader_impl.h"
#include "traces/text.h"

static bool is_zero(const uint8_t *p, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (p[i])
			return false;
	return true;
}

static int check_magic(const struct trace_reader *r, struct trace_error *err)
{
	const uint8_t *m = r->map;
	uint32_t version;

	if (r->bytes < 8)
		return reader_fail(r, err, r->bytes, "the file ends in the header");
	if (memcmp(m, ZSWT_MAGIC, 4))
		return reader_fail(r, err, 0,
				   "not a trace (it begins with %02x %02x %02x %02x, not ZSWT)",
				   m[0], m[1], m[2], m[3]);
	memcpy(&version, m + 4, sizeof(version));
	version = le32toh(version);
	if (version > ZSWT_VERSION)
		return reader_fail(r, err, 4,
				   "version %" PRIu32 " is newer than this program's, %u", version,
				   ZSWT_VERSION);
	if (version < ZSWT_VERSION)
		return reader_fail(r, err, 4, "version %" PRIu32 " does not exist", version);
	if (r->bytes < sizeof(struct zswt_header))
		return reader_fail(r, err, r->bytes, "the file ends in the header");
	return 0;
}

#define AT(field) offsetof(struct zswt_header, field)

static int check_range(const struct trace_reader *r, uint64_t at, const char *what, uint64_t value,
		       uint64_t min, uint64_t max, struct trace_error *err)
{
	if (value >= min && value <= max)
		return 0;
	return reader_fail(r, err, at, "%" PRIu64 " %s (possible are %" PRIu64 " to %" PRIu64 ")",
			   value, what, min, max);
}

static int check_kind(const struct trace_reader *r, const struct zswt_header *h,
		      struct trace_error *err)
{
	uint32_t page_size = le32toh(h->page_size), flags = le32toh(h->flags);
	uint32_t block_pages = le32toh(h->block_pages);
	bool content_free = flags & ZSWT_CONTENT_FREE;

	if (page_size != TRACE_PAGE_SIZE)
		return reader_fail(r, err, AT(page_size),
				   "page size %" PRIu32 " is not supported, only %u", page_size,
				   TRACE_PAGE_SIZE);
	if (flags & ~ZSWT_FLAGS)
		return reader_fail(r, err, AT(flags), "flags %#" PRIx32 " are not known",
				   flags & ~ZSWT_FLAGS);
	if (h->reserved0 || !is_zero(h->reserved1, sizeof(h->reserved1)))
		return reader_fail(r, err, AT(reserved0), "reserved bytes are not zero");
	if (content_free ? block_pages != 0
			 : block_pages == 0 || block_pages > ZSWT_MAX_BLOCK_PAGES ||
				   (block_pages & (block_pages - 1)))
		return reader_fail(r, err, AT(block_pages), "blocks of %" PRIu32 " pages",
				   block_pages);
	return 0;
}

static int check_header(struct trace_reader *r, struct trace_error *err)
{
	const struct zswt_header *h = (const void *)r->map;
	uint64_t file_bytes = le64toh(h->file_bytes), sum = 0;
	bool content_free;
	int ret;

	if (le64toh(h->checksum) != XXH3_64bits(h, AT(checksum)))
		return reader_fail(r, err, 0, "the header is damaged (its checksum differs)");
	ret = check_kind(r, h, err);
	if (ret)
		return ret;
	if (r->bytes < file_bytes)
		return reader_fail(r, err, r->bytes, "the file ends here, %" PRIu64 " bytes early",
				   file_bytes - r->bytes);
	if (r->bytes > file_bytes)
		return reader_fail(r, err, file_bytes,
				   "%" PRIu64 " bytes too many after the end of the trace",
				   r->bytes - file_bytes);
	content_free = le32toh(h->flags) & ZSWT_CONTENT_FREE;
	r->bounds.nr_pages = le64toh(h->nr_pages);
	r->bounds.nr_list_ids = le64toh(h->nr_list_ids);
	r->bounds.nr_memcgs = le32toh(h->nr_memcgs);
	r->bounds.nr_cpus = le32toh(h->nr_cpus);
	r->bounds.nr_swap_types = le32toh(h->nr_swap_types);
	r->bounds.nr_marks = le32toh(h->nr_marks);
	r->block_pages = le32toh(h->block_pages);
	r->info = (struct trace_info){
		.version = le32toh(h->version),
		.content_free = content_free,
		.withheld = le32toh(h->flags) & ZSWT_WITHHELD,
		.nr_pages = r->bounds.nr_pages,
		.nr_events = le64toh(h->nr_events),
		.nr_stored_pages = le64toh(h->nr_stored_pages),
		.nr_memcgs = r->bounds.nr_memcgs,
		.nr_cpus = r->bounds.nr_cpus,
		.nr_swap_types = r->bounds.nr_swap_types,
		.nr_marks = r->bounds.nr_marks,
		.nr_compressors = le32toh(h->nr_compressors),
		.seed = le64toh(h->seed),
		.file_bytes = file_bytes,
	};
	for (int type = 0; type < TRACE_EVENT_TYPES; type++) {
		r->info.nr_type[type] = le64toh(h->nr_type[type]);
		if (__builtin_add_overflow(sum, r->info.nr_type[type], &sum))
			return reader_fail(r, err, AT(nr_type), "the counts by type overflow");
	}
	if (sum != r->info.nr_events || h->nr_type[0] || h->nr_type[TRACE_EVENT_TYPES])
		return reader_fail(r, err, AT(nr_type),
				   "the counts by type are not those of %" PRIu64 " events",
				   r->info.nr_events);
	ret = check_range(r, AT(nr_pages), "pages", r->info.nr_pages, 0, UINT32_MAX, err);
	if (ret == 0)
		ret = check_range(r, AT(seed), "as seed", r->info.seed, 0, TRACE_MAX_NUMBER, err);
	if (ret == 0)
		ret = check_range(r, AT(nr_memcgs), "memcgs", r->info.nr_memcgs, 1,
				  TRACE_MAX_MEMCGS, err);
	if (ret == 0)
		ret = check_range(r, AT(nr_cpus), "CPUs", r->info.nr_cpus, 1, TRACE_MAX_CPUS, err);
	if (ret == 0)
		ret = check_range(r, AT(nr_swap_types), "swap types", r->info.nr_swap_types, 1,
				  TRACE_MAX_SWAP_TYPES, err);
	if (ret == 0)
		ret = check_range(r, AT(nr_compressors), "compressors", r->info.nr_compressors,
				  content_free, content_free ? ZSWT_MAX_COMPRESSORS : 0, err);
	return ret;
}

/* Bytes of @kind as the counts in the header have it; false if that is no number. */
static bool section_bytes(const struct trace_reader *r, enum zswt_section_kind kind,
			  uint64_t *bytes)
{
	const struct trace_info *i = &r->info;
	uint64_t contents = i->content_free ? 0 : i->nr_pages;

	switch (kind) {
	case ZSWT_INDEX:
		return !__builtin_mul_overflow(r->nr_blocks, sizeof(struct zswt_block), bytes);
	case ZSWT_KEYS:
		return !__builtin_mul_overflow(contents, 16, bytes);
	case ZSWT_COMPRESSORS:
		return !__builtin_mul_overflow(i->nr_compressors, 4, bytes);
	case ZSWT_LENGTHS:
		return !__builtin_mul_overflow(i->nr_pages, 2ull * i->nr_compressors, bytes);
	case ZSWT_LISTS:
		return !__builtin_mul_overflow(r->bounds.nr_list_ids, 4, bytes);
	case ZSWT_MEMCGS:
		return !__builtin_mul_overflow(i->nr_memcgs, sizeof(struct zswt_memcg), bytes);
	case ZSWT_MARKS:
		return !__builtin_mul_overflow(i->nr_marks, 4, bytes);
	case ZSWT_EVENTS:
		return !__builtin_mul_overflow(i->nr_events, sizeof(struct zswt_event), bytes);
	default:
		return true; /* blocks and strings: as many as there are */
	}
}

/* Of a section, in pieces, so that a long one is never in memory all at once. */
#define CHECKSUM_PIECE (32u << 20)

static uint64_t checksum(const struct trace_reader *r, uint64_t offset, uint64_t bytes)
{
	XXH3_state_t *state = bytes > CHECKSUM_PIECE ? XXH3_createState() : NULL;
	uint64_t sum;

	if (!state)
		return XXH3_64bits(r->map + offset, bytes);
	XXH3_64bits_reset(state);
	while (bytes) {
		uint64_t n = bytes < CHECKSUM_PIECE ? bytes : CHECKSUM_PIECE;

		XXH3_64bits_update(state, r->map + offset, n);
		reader_drop(r, offset, n);
		offset += n;
		bytes -= n;
	}
	sum = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return sum;
}

/* Section @kind begins where the one before it ended, at *end, and ends before @limit. */
static int check_section(struct trace_reader *r, enum zswt_section_kind kind,
			 const struct zswt_section *s, uint64_t at, uint64_t limit, uint64_t *end,
			 struct trace_error *err)
{
	uint64_t offset = le64toh(s->offset), bytes = le64toh(s->bytes), expected = bytes;
	const char *name = zswt_section_names[kind];

	if (le32toh(s->kind) != kind || s->reserved)
		return reader_fail(r, err, at, "this is not the entry of the %s", name);
	if (offset != zswt_align(*end) || offset > limit || bytes > limit - offset)
		return reader_fail(r, err, at,
				   "the %s (%" PRIu64 " bytes at %" PRIu64
				   ") are not between their neighbours",
				   name, bytes, offset);
	if (!section_bytes(r, kind, &expected) || bytes != expected)
		return reader_fail(r, err, at,
				   "%" PRIu64 " bytes of %s do not fit the counts in the header",
				   bytes, name);
	if (!is_zero(r->map + *end, offset - *end))
		return reader_fail(r, err, *end, "the padding before the %s is not zero", name);
	/* The blocks have their own checksums. */
	if (le64toh(s->checksum) != (kind == ZSWT_BLOCKS ? 0 : checksum(r, offset, bytes)))
		return reader_fail(r, err, offset, "the %s are damaged (their checksum differs)",
				   name);
	r->sections[kind] = (struct section){.offset = offset, .bytes = bytes};
	*end = offset + bytes;
	return 0;
}

static int check_footer(struct trace_reader *r, struct trace_error *err)
{
	const struct zswt_footer *f;
	uint64_t at, end = sizeof(struct zswt_header);

	if (r->bytes < sizeof(struct zswt_header) + sizeof(*f) || r->bytes % ZSWT_ALIGN)
		return reader_fail(r, err, r->bytes, "the file ends where a trace cannot");
	at = r->bytes - sizeof(*f);
	f = (const void *)(r->map + at);
	if (memcmp(f->magic, ZSWT_END_MAGIC, sizeof(f->magic)))
		return reader_fail(r, err, r->bytes - sizeof(f->magic),
				   "the end of the trace is not marked as such");
	if (le64toh(f->checksum) != XXH3_64bits(f, offsetof(struct zswt_footer, checksum)))
		return reader_fail(r, err, at, "the footer is damaged (its checksum differs)");
	for (int kind = 0; kind < ZSWT_SECTIONS; kind++) {
		int ret = check_section(r, kind, &f->sections[kind],
					at + kind * sizeof(struct zswt_section), at, &end, err);

		if (ret)
			return ret;
	}
	if (zswt_align(end) != at || !is_zero(r->map + end, at - end))
		return reader_fail(r, err, end, "the events do not end at the footer");
	for (int i = 0; i < 16; i++)
		snprintf(r->info.hash + 2 * i, 3, "%02x", f->hash[i]);
	return 0;
}

/* The blocks of the dictionary fill their section without a gap. */
static int check_index(const struct trace_reader *r, struct trace_error *err)
{
	const struct section *blocks = &r->sections[ZSWT_BLOCKS];
	uint64_t pos = blocks->offset, end = blocks->offset + blocks->bytes;

	for (uint64_t i = 0; i < r->nr_blocks; i++) {
		const struct zswt_block *b = &r->blocks[i];
		uint64_t at = r->sections[ZSWT_INDEX].offset + i * sizeof(*b);
		uint32_t bytes = le32toh(b->bytes);

		if (le64toh(b->offset) != pos || b->reserved || bytes == 0 ||
		    bytes > block_nr_pages(r, i) * TRACE_PAGE_SIZE || bytes > end - pos)
			return reader_fail(r, err, at,
					   "block %" PRIu64 ": %" PRIu32 " bytes at %" PRIu64
					   " are not possible",
					   i, bytes, le64toh(b->offset));
		pos += bytes;
	}
	if (pos != end)
		return reader_fail(r, err, pos, "bytes that no block has");
	return 0;
}

/* Sets *s to string @pos; @at is where that position is written. */
static int string_at(const struct trace_reader *r, uint32_t pos, uint64_t at, const char **s,
		     struct trace_error *err)
{
	const struct section *strings = &r->sections[ZSWT_STRINGS];

	*s = (const char *)r->map + strings->offset + pos;
	if (pos >= strings->bytes)
		return reader_fail(r, err, at, "string %" PRIu32 " is outside the strings", pos);
	if (pos > 0 && (*s)[-1])
		return reader_fail(r, err, at, "string %" PRIu32 " is a part of another", pos);
	return 0;
}

static int check_strings(struct trace_reader *r, struct trace_error *err)
{
	const struct zswt_header *h = (const void *)r->map;
	const struct section *strings = &r->sections[ZSWT_STRINGS];
	const char *s = (const char *)r->map + strings->offset;
	static const enum zswt_section_kind kinds[] = {ZSWT_COMPRESSORS, ZSWT_MARKS};
	const char *unused;
	int ret;

	/* Then every string ends in the section. */
	if (strings->bytes == 0 || strings->bytes > ZSWT_MAX_STRINGS || s[0] ||
	    s[strings->bytes - 1])
		return reader_fail(r, err, strings->offset, "the strings do not end");
	for (uint64_t pos = 0; pos < strings->bytes; pos++) {
		pos += trace_text_span(s + pos);
		if (s[pos])
			return reader_fail(r, err, strings->offset + pos,
					   "a string that is not printable UTF-8");
	}
	ret = string_at(r, le32toh(h->maker), AT(maker), &r->info.maker, err);
	if (ret == 0)
		ret = string_at(r, le32toh(h->command), AT(command), &r->info.command, err);
	if (ret == 0)
		ret = string_at(r, le32toh(h->title), AT(title), &r->info.title, err);
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const struct section *section = &r->sections[kinds[k]];
		const uint32_t *names = (const void *)(r->map + section->offset);

		for (uint64_t i = 0; ret == 0 && i < section->bytes / sizeof(*names); i++)
			ret = string_at(r, le32toh(names[i]), section->offset + i * sizeof(*names),
					&unused, err);
	}
	return ret;
}

static int check_memcgs(const struct trace_reader *r, struct trace_error *err)
{
	const struct section *section = &r->sections[ZSWT_MEMCGS];
	const struct zswt_memcg *m = (const void *)(r->map + section->offset);

	for (uint32_t i = 0; i < r->info.nr_memcgs; i++) {
		uint64_t at = section->offset + i * sizeof(*m);
		const char *path = "";
		int ret = string_at(r, le32toh(m[i].path), at, &path, err);

		if (ret)
			return ret;
		if (m[i].zswap_writeback > 1 || m[i].online > 1)
			return reader_fail(r, err, at,
					   "memcg %" PRIu32 ": a switch that is neither 0 nor 1",
					   i);
		if (i > 0 ? le16toh(m[i].parent) >= i : m[i].parent != 0)
			return reader_fail(r, err, at,
					   "memcg %" PRIu32
					   ": its parent %u does not come before it",
					   i, le16toh(m[i].parent));
		if (!trace_limit_valid(le64toh(m[i].zswap_max)))
			return reader_fail(r, err, at,
					   "memcg %" PRIu32 ": the limit is %" PRIu64 " bytes", i,
					   le64toh(m[i].zswap_max));
		if (i == 0 &&
		    (!m->online || le64toh(m->zswap_max) != TRACE_NO_LIMIT || strcmp(path, "/")))
			return reader_fail(r, err, at, "memcg 0 is not a root");
	}
	return 0;
}

int trace_reader_parse(struct trace_reader *r, struct trace_error *err)
{
	int ret = check_magic(r, err);

	if (ret == 0)
		ret = check_header(r, err);
	if (ret)
		return ret;
	if (r->block_pages) {
		r->block_shift = __builtin_ctz(r->block_pages);
		r->nr_blocks = (r->info.nr_pages + r->block_pages - 1) >> r->block_shift;
	}
	ret = check_footer(r, err);
	if (ret)
		return ret;
	r->events = (const void *)(r->map + r->sections[ZSWT_EVENTS].offset);
	r->lists = (const void *)(r->map + r->sections[ZSWT_LISTS].offset);
	r->blocks = (const void *)(r->map + r->sections[ZSWT_INDEX].offset);
	ret = check_index(r, err);
	if (ret == 0)
		ret = check_strings(r, err);
	return ret ? ret : check_memcgs(r, err);
}
