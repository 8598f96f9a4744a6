/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a trace of pages that come one after the other: keeps which page has which content, then
 * writes the events of an access pattern over them. Memory: a bit a page at most, and what the
 * pattern keeps a file; the ids of the contents go to a temporary file beside the target.
 *
 * All errors: a negative errno and one line in *err.
 */
#ifndef TRACES_MAKER_H
#define TRACES_MAKER_H

#include "traces/pattern.h"

struct trace_maker;

struct trace_maker_config {
	const char *path;    /* of the trace; copied, all four */
	const char *maker;   /* "zswapsim 0.1.0" */
	const char *command; /* how it is made */
	const char *title;   /* a short name of the contents */
	struct trace_pattern_config pattern;
};

struct trace_made {
	uint64_t nr_pages;
	uint64_t nr_distinct; /* contents */
	uint64_t nr_events;
	uint64_t file_bytes;
};

int trace_maker_create(const struct trace_maker_config *config, struct trace_maker **out,
		       struct trace_error *err);
/* The next page: 4096 bytes. */
int trace_maker_page(struct trace_maker *m, const void *data, struct trace_error *err);
/* The last page was the last of its file. */
int trace_maker_file_end(struct trace_maker *m, struct trace_error *err);
uint64_t trace_maker_nr_pages(const struct trace_maker *m);

/* Writes the events, puts the trace in its place and frees @m, whatever happens. */
int trace_maker_commit(struct trace_maker *m, struct trace_made *made, struct trace_error *err);
/* Throws everything away. Accepts NULL. */
void trace_maker_abort(struct trace_maker *m);

#endif
