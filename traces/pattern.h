/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access patterns: the events that a trace of some pages consists of, one after the other.
 *
 * Every page has a swap slot of its own, and is in memory at first. A page that is loaded from
 * zswap is dirty and its compressed copy is gone: each pattern stores it again before it loads it
 * again, so that no load ever finds nothing.
 *
 * madvise  stores every page in order, loads every page in order, invalidates every page in order:
 *	    the kernel developers' test. Its length follows from the pages.
 * random   touches pages evenly at random. A touched page goes the other way: from memory to swap
 *	    (STORE), from swap to memory (LOAD).
 * zipf:A   the same, but the k-th favourite page is touched with a probability in proportion to
 *	    k^-A. Favourites lie anywhere.
 * loop     the same, but the pages are touched in order, over and over.
 * burst:S  a warm working set, and bursts of cold pages that are never loaded again. The first half
 *of the pages is warm: it is stored in order, then touched as in random. The second half is cold:
 *it is stored in order, in four bursts of as many pages each, with as many touches of warm pages
 *after each as before the first ("warm", "work", four times "burst" and "work"). Memory is short
 *all the time: after every TRACE_PATTERN_PRESSURE_PAGES pages that were stored, a PRESSURE has the
 *shrinker scan S entries.
 *
 * All but madvise have nr_events touches, by default four a page (of burst, a warm page), and leave
 * swapped what is swapped at their end. Each phase ("store", "load", "invalidate"; "warm", "work",
 * "burst"; or the pattern's name) begins with a MARK.
 *
 * Folios: with a folio order above 0 each file is cut into folios of that order, which begin at a
 * slot that is a multiple of their size. What is left at the end of a file, less than a folio, are
 * single pages, as when no other size is enabled. A folio is stored whole. It is loaded page by
 * page, because the kernel swaps in order 0 wherever zswap was ever enabled; it is invalidated page
 * by page, too. In the patterns other than madvise, a folio is stored again when all its pages are
 * in memory; touching one of its pages that is in memory before that loads the next one that is
 *not.
 *
 * CPUs: folio (or page) number i of the swap space belongs to CPU i mod nr_cpus, which stores and
 * loads it: as many threads that each have an even share of the memory, in turn.
 *
 * Time: 10 us a page, which is 400 MB/s.
 */
#ifndef TRACES_PATTERN_H
#define TRACES_PATTERN_H

#include "traces/format.h"

#define TRACE_PATTERN_PAGE_NS	     10000u
#define TRACE_PATTERN_PRESSURE_PAGES 256u
#define TRACE_PATTERN_SCAN	     128u /* entries: one batch of a shrinker */

struct trace_pattern;

enum trace_pattern_kind {
	TRACE_PATTERN_MADVISE,
	TRACE_PATTERN_RANDOM,
	TRACE_PATTERN_ZIPF,
	TRACE_PATTERN_LOOP,
	TRACE_PATTERN_BURST,
};

struct trace_pattern_config {
	enum trace_pattern_kind kind;
	double zipf_a;	      /* above 0, finite */
	uint64_t scan;	      /* burst: entries that a PRESSURE scans */
	unsigned folio_order; /* 0 to TRACE_MAX_ORDER */
	unsigned nr_cpus;     /* 1 to TRACE_MAX_CPUS */
	uint64_t nr_events;   /* touches; 0: the pattern's own length; madvise: ignored */
	uint64_t seed;
};

struct trace_pattern_step {
	struct trace_event event; /* of a MARK, arg is the phase; of a STORE, arg is not set */
	uint64_t page; /* STORE, LOAD, INVALIDATE: first page, counted as the files were added */
};

/* 0 or -ENOMEM. */
int trace_pattern_create(const struct trace_pattern_config *config, struct trace_pattern **out);
void trace_pattern_destroy(struct trace_pattern *p); /* accepts NULL */

/* The next file; before the first step. 0, -ENOMEM, or -EOVERFLOW: no such swap space. */
int trace_pattern_add_file(struct trace_pattern *p, uint64_t nr_pages);

unsigned trace_pattern_nr_phases(const struct trace_pattern *p);
const char *trace_pattern_phase(const struct trace_pattern *p, unsigned phase);

/* The next event. @return 1; 0: there are no more; -ENOMEM, only at the first call. */
int trace_pattern_next(struct trace_pattern *p, struct trace_pattern_step *step);

#endif
