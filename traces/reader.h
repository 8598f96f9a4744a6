/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace. The file is mapped; opening it checks header, footer, section bounds and their
 * checksums, so that nothing that the reader relies on is unchecked; events and pages are checked
 * as they are read. Memory: a bounded cache of decoded dictionary blocks, whatever the file's size.
 *
 * All errors: a negative errno (-EINVAL for a bad file, -ENOMEM, what open gave) and one line in
 * *err, which names file, byte offset and cause.
 */
#ifndef TRACES_READER_H
#define TRACES_READER_H

#include "traces/format.h"

struct trace_reader;

struct trace_info {
	uint32_t version;
	bool content_free; /* no page contents: lengths per compressor in their place */
	bool withheld;	   /* command and memcg paths were left out */
	uint64_t nr_pages; /* distinct contents */
	uint64_t nr_events;
	uint64_t nr_type[TRACE_EVENT_TYPES]; /* events by type */
	uint64_t nr_stored_pages;	     /* over all STORE events */
	uint32_t nr_memcgs;		     /* at least 1: the root */
	uint32_t nr_cpus;
	uint32_t nr_swap_types;
	uint32_t nr_marks;
	uint32_t nr_compressors; /* of a content-free trace; else 0 */
	uint64_t seed;
	const char *maker;   /* "zswapsim 0.1.0" */
	const char *command; /* how it was made; "" if withheld */
	const char *title;   /* a short name of the contents: "silesia (synthetic)" */
	uint64_t file_bytes;
	char hash[33]; /* XXH3-128 of the whole file, as the footer has it, hex */
};

int trace_reader_open(const char *path, struct trace_reader **out, struct trace_error *err);
void trace_reader_close(struct trace_reader *r); /* accepts NULL */
/*
 * Another reader of the same trace, for another thread: it has a cache of its own and shares the
 * mapped file, which is not checked again. @r is closed after it.
 */
int trace_reader_clone(const struct trace_reader *r, struct trace_reader **out,
		       struct trace_error *err);

/* As it was opened, for messages. */
const char *trace_reader_path(const struct trace_reader *r);
const struct trace_info *trace_reader_info(const struct trace_reader *r);

/* Event @i from 0, checked: what it names exists. */
int trace_reader_event(struct trace_reader *r, uint64_t i, struct trace_event *ev,
		       struct trace_error *err);
/* Event @i < nr_events, unchecked: what it names may not exist. For a look ahead. */
void trace_reader_peek(const struct trace_reader *r, uint64_t i, struct trace_event *ev);
/*
 * Events @from to @to - 1 will not be read again for now: they leave this process's memory, which
 * then does not grow with the trace. Whoever reads them all the same has them read again.
 */
void trace_reader_drop(const struct trace_reader *r, uint64_t from, uint64_t to);
/* The page ids of a STORE: 1 << order of them into @ids (checked). */
int trace_reader_store_pages(struct trace_reader *r, const struct trace_event *ev, uint32_t *ids,
			     struct trace_error *err);
/*
 * 4096 bytes of page @id; valid until the next call. -ENODATA for a content-free trace.
 * Pages of one block cost one decoding as long as the block stays in the cache.
 */
int trace_reader_page(struct trace_reader *r, uint32_t id, const void **data,
		      struct trace_error *err);
/*
 * What compressor @i (< nr_compressors) made of page @id of a content-free trace: bytes, or
 * TRACE_LENGTH_ZERO or TRACE_LENGTH_FAILED.
 */
int trace_reader_length(struct trace_reader *r, uint32_t id, uint32_t i, uint16_t *length,
			struct trace_error *err);
const char *trace_reader_compressor(const struct trace_reader *r, uint32_t i);
/* @i < nr_memcgs; the strings belong to the reader. */
void trace_reader_memcg(const struct trace_reader *r, uint32_t i, struct trace_memcg *memcg);
const char *trace_reader_mark(const struct trace_reader *r, uint32_t i);

/* Checks everything: every block decodes, every page has the key it is listed under, all events. */
int trace_reader_check(struct trace_reader *r, struct trace_error *err);

#endif
