/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least that a cache of swapped pages can be: an open-addressing table from slots to entries,
 * and an intrusive list of the entries in the order in which they were stored. A load takes its
 * entry out, as zswap's does. What is over the limit leaves at the old end. It has no allocator,
 * knows one swap device, and is what the benchmarks compare with.
 */
#ifndef TESTS_BARE_LRU_H
#define TESTS_BARE_LRU_H

#include <stdint.h>

#include "traces/reader.h"

struct bare_lru;

struct bare_lru_stats {
	uint64_t stores, loads, hits, evictions, replaced;
	uint64_t bytes, entries, peak_entries;
};

/*
 * Room for @nr_slots entries at once; @lengths: bytes of each page id, which outlive it. NULL: out
 * of memory.
 */
struct bare_lru *bare_lru_create(uint64_t nr_slots, uint64_t limit_bytes, const uint16_t *lengths);
void bare_lru_destroy(struct bare_lru *b); /* accepts NULL */
/* Events @from to @to - 1 of the trace. 0, or what the reader gave. */
int bare_lru_events(struct bare_lru *b, struct trace_reader *reader, uint64_t from, uint64_t to,
		    struct trace_error *err);
const struct bare_lru_stats *bare_lru_stats(const struct bare_lru *b);
/* Of all its tables. */
uint64_t bare_lru_memory(const struct bare_lru *b);

#endif
