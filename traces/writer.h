/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace in constant memory: pages are packed and written as they come, the index of
 * distinct contents and the events go to unlinked temporary files beside the target. The target
 * appears (mode 0600) only when trace_writer_commit() has written, synced and renamed everything;
 * before that, an existing target stays as it was.
 *
 * All errors: a negative errno and one line in *err that names the file and the cause.
 */
#ifndef TRACES_WRITER_H
#define TRACES_WRITER_H

#include "traces/format.h"

struct trace_writer;

struct trace_writer_config {
	const char *maker; /* copied, all three; in all strings, what is no UTF-8 becomes '?' */
	const char *command;
	const char *title;
	uint64_t seed;		/* 0 to INT64_MAX */
	uint32_t nr_cpus;	/* 1 to TRACE_MAX_CPUS */
	uint32_t nr_swap_types; /* 1 to TRACE_MAX_SWAP_TYPES */

	/*
	 * Content-free if there are any (at most 64; copied): a page is then its lengths, one a
	 * compressor. Command and memcg paths are left out, too, unless @keep_names. A name says
	 * everything that the lengths depend on.
	 */
	const char *const *compressors;
	uint32_t nr_compressors;
	bool keep_names;
};

int trace_writer_create(const char *path, const struct trace_writer_config *config,
			struct trace_writer **out, struct trace_error *err);

/* The id of this content (4096 bytes), which is written if it is new. */
int trace_writer_page(struct trace_writer *w, const void *data, uint32_t *id,
		      struct trace_error *err);
/*
 * The next page of a content-free trace: what each compressor makes of it in bytes, or one of
 * TRACE_LENGTH_ZERO and TRACE_LENGTH_FAILED. Which pages are equal is the caller's to know.
 */
int trace_writer_lengths(struct trace_writer *w, const uint16_t *lengths, uint32_t *id,
			 struct trace_error *err);
/* Index of the new memcg, from 1 on (the root is there). */
int trace_writer_memcg(struct trace_writer *w, const struct trace_memcg *memcg, uint16_t *index,
		       struct trace_error *err);
int trace_writer_mark_name(struct trace_writer *w, const char *name, uint64_t *index,
			   struct trace_error *err);
/*
 * Appends an event; checked as a reader would (-EINVAL). For a STORE, @ids are its 1 << order page
 * ids and ev->arg is ignored; else @ids is NULL.
 */
int trace_writer_event(struct trace_writer *w, const struct trace_event *ev, const uint32_t *ids,
		       struct trace_error *err);

/* Finishes the file and frees @w, whatever happens. On an error the target is untouched. */
int trace_writer_commit(struct trace_writer *w, struct trace_error *err);
/* Throws everything away. Accepts NULL. */
void trace_writer_abort(struct trace_writer *w);

#endif
