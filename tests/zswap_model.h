/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zswap as plainly as it can be put: arrays that are searched from one end to the other, lists that
 * are moved element by element, every sum taken anew. It shares nothing with the port but the
 * allocator's public functions, of which it has a pool of its own to know how many pages there are.
 * Lengths stand in place of contents.
 */
#ifndef TESTS_ZSWAP_MODEL_H
#define TESTS_ZSWAP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/zsmalloc.h"

#define MODEL_MAX_MEMCGS 160
#define MODEL_MAX_SLOTS	 704
#define MODEL_MAX_NODES	 2
#define MODEL_ROOT	 0
#define MODEL_NO_LIMIT	 UINT64_MAX
#define MODEL_ZERO	 INT32_MIN /* length of a page of zeros */

struct model_memcg {
	int parent; /* -1: of the root */
	bool online, writeback;
	uint64_t max;	/* bytes */
	int charged_to; /* where its entries belong now: itself, or an ancestor once it is offline
			 */
	/* Slots in order, the next to be written back first. */
	int lru[MODEL_MAX_NODES][MODEL_MAX_SLOTS], nr_lru[MODEL_MAX_NODES];
	uint64_t disk_swapins[MODEL_MAX_NODES];
};

struct model_slot {
	bool in_zswap, on_disk, zero;
	int length, memcg, nid; /* memcg: as stored; see charged_to */
	bool referenced, charged;
	unsigned long handle;
};

struct model {
	struct kernel *k;
	struct zs_pool *pool;
	unsigned nr_nodes, nr_memcgs;
	bool store_raw, large_folios, shrinker;
	bool root_charged; /* since 7.1 */
	unsigned batch;	   /* entries a node and shrink */
	uint64_t totalram_pages;
	unsigned max_percent, accept_percent;
	struct model_memcg memcgs[MODEL_MAX_MEMCGS];
	struct model_slot slots[MODEL_MAX_SLOTS];
	int cursor; /* memcg that the worker looked at last; -1: begin a pass */
	bool full;
	/* Counters of the same names as struct zswap_stats'. */
	uint64_t pool_limit_hit, reject_compress_fail, reject_reclaim_fail, written_back_pages,
		zswpin, zswpout, rotations;
};

void model_init(struct model *m, const struct profile *profile, unsigned nr_nodes,
		uint64_t totalram_pages, bool shrinker);
void model_finish(struct model *m);

int model_memcg_create(struct model *m, int parent);
bool model_memcg_has_online_child(const struct model *m, int memcg);
void model_memcg_offline(struct model *m, int memcg);

enum model_where {
	MODEL_ZSWAP,
	MODEL_DISK,
	MODEL_ZEROES,
	MODEL_MEMORY,
	MODEL_NOWHERE,
	MODEL_ERROR
};
enum model_where model_store(struct model *m, int slot, unsigned nr, const int *lengths, int memcg,
			     int nid);
enum model_where model_load(struct model *m, int slot, int memcg, int nid);
void model_invalidate(struct model *m, int slot);
uint64_t model_shrinker_count(struct model *m, int memcg, int nid);
uint64_t model_shrinker_scan(struct model *m, int memcg, int nid, uint64_t nr);

uint64_t model_stored_pages(const struct model *m);
/* Of the memcg and its descendants; what the root itself stored counts since 7.1. */
uint64_t model_memcg_bytes(const struct model *m, int memcg);

#endif
