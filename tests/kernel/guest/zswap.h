/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of zswap: a region of anonymous memory whose pages are reclaimed and touched one at a time,
 * with the kernel's counters after each operation as a row.
 */
#ifndef GUEST_ZSWAP_H
#define GUEST_ZSWAP_H

#include "guest.h"
#include "memcgs.h"
#include "probes.h"

/* In the order of the columns. */
enum zswap_counter {
	STORED_PAGES,
	POOL_TOTAL_SIZE,
	MEMCG_ZSWAP_BYTES, /* charged to all memcgs, by the probes: exact in every kernel */
	REJECT_COMPRESS_POOR,
	REJECT_COMPRESS_FAIL,
	REJECT_ALLOC_FAIL,
	REJECT_KMEMCACHE_FAIL,
	WRITTEN_BACK_PAGES,
	POOL_LIMIT_HIT,
	REJECT_RECLAIM_FAIL,
	ZSWPIN,
	ZSWPOUT,
	ZSWPWB,
	PSWPIN,
	PSWPOUT,
	SWPIN_ZERO,
	SWPOUT_ZERO,
	ZSPAGES,
	HANDLES,
	STORED_INCOMPRESSIBLE_PAGES,
	DECOMPRESS_FAIL,
	MEMCG_ZSWAP_CURRENT, /* of the first memcg, as its file has it: it may lag behind */
	NR_COUNTERS,
};

struct zswap_settings {
	uint32_t nr_pages; /* of the region */
	int max_pool_percent;
	int accept_threshold_percent; /* 0: the kernel's own */
	bool shrinker;
	/*
	 * Names of the memcgs, parents first, up to NULL. NULL: "/t", which is made, and which the
	 * program is in. Others the scenario makes itself; columns "memcg", "key", "value" and
	 * "bytes:PATH" then say what is done to them and what becomes of them.
	 */
	const char *const *memcgs;
	/* More of what a reader must know, for the step "config"; may be NULL. The run takes it. */
	json_t *facts;
};

struct zswap {
	struct guest *guest;
	struct output *out;
	struct probes *probes;
	struct memcgs memcgs;
	bool has_memcg_columns;
	int64_t counter[NR_COUNTERS]; /* as last read */

	unsigned char *region;
	uint32_t nr_pages;
	uint32_t *src; /* of each page of the region: the input page that it holds */
	int *owner;    /* the memcg that it is charged to */

	int vmstat, zspages, handles, zswap_current, memory_current, memory_stat, cpu_stat;
	int pagemap, kpagecgroup;
};

/* Sets the kernel up, and notes its settings in a step "config". */
void zswap_setup(struct zswap *zswap, struct guest *guest, const struct zswap_settings *settings);
void zswap_finish(struct zswap *zswap);

/* zswap_rows.c: what is written down. */
struct zswap_row {
	const char *op;
	int64_t page, src;
	/* For has_memcg_columns: */
	int memcg;
	int node;
	const char *key; /* NULL: none */
	int64_t value;
	int64_t result; /* of "count" and "scan" */
};

void zswap_read_counters(struct zswap *zswap);
/* One of those in debugfs, now; -1: this kernel does not have it. */
int64_t zswap_read_counter(enum zswap_counter counter);
void zswap_output_header(struct zswap *zswap);
/* With the counters as last read; of "count" and "scan", without any. */
void zswap_output_row(struct zswap *zswap, const struct zswap_row *row);
/* A checkpoint with all counters and some of memory.stat. */
void zswap_step(struct zswap *zswap, const char *step);
void zswap_numbered_step(struct zswap *zswap, const char *what, uint64_t number);

/* zswap_pages.c: what is done to pages. Without a row: */
void zswap_fill_page(struct zswap *zswap, uint32_t page, uint32_t src);
/* Pages @page.. with the input pages of the same numbers. */
void zswap_fill(struct zswap *zswap, uint32_t page, uint32_t nr);
void zswap_pageout(struct zswap *zswap, uint32_t page, uint32_t nr);
void zswap_touch(struct zswap *zswap, uint32_t page);
void zswap_verify_page(struct zswap *zswap, uint32_t page);
enum zswap_where { ZSWAP_IN_MEMORY, ZSWAP_SWAPPED_OUT, ZSWAP_NOWHERE };
/* As the process sees it: what is only in the swap cache is swapped out. */
enum zswap_where zswap_where(const struct zswap *zswap, uint32_t page);
/* Waits until the shrink worker is idle. */
void zswap_settle(struct zswap *zswap);
/* Pages that are filled from now on are on @node. */
void zswap_bind(struct zswap *zswap, uint32_t page, uint32_t nr, unsigned node);
/* With a row of the operation and the counters after it: */
void zswap_store(struct zswap *zswap, uint32_t page);
/* As zswap_store, and waits for the shrink worker, if the store may have queued it, first. */
void zswap_store_and_settle(struct zswap *zswap, uint32_t page);
void zswap_load(struct zswap *zswap, uint32_t page);
void zswap_dirty(struct zswap *zswap, uint32_t page, uint32_t src);
void zswap_free(struct zswap *zswap, uint32_t page);
void zswap_unmap_all(struct zswap *zswap);

/* zswap_set.c: what is done to memcgs and settings, each with a row. */
void zswap_make_memcg(struct zswap *zswap, int memcg);
void zswap_remove_memcg(struct zswap *zswap, int memcg);
void zswap_set_memcg(struct zswap *zswap, int memcg, const char *file, int64_t value);
void zswap_set_parameter(struct zswap *zswap, const char *parameter, int64_t value);
/*
 * Has the kernel reclaim from the memcg and those below it, but no pages in memory: only its
 * shrinkers are asked. A row for each call of zswap's, without counters, and one at the end.
 */
void zswap_reclaim(struct zswap *zswap, int memcg, int64_t bytes);

#endif
