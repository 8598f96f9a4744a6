/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory cgroups (v2), as far as zswap asks about them: the tree, zswap.max, zswap.writeback, the
 * bytes and pages charged to zswap, the per-node LRU lists and swap-in counters, and what becomes
 * of it all when a memcg goes offline (mm/memcontrol.c, 6.12 to 7.3; kernel-spec E.3, E.7, E.8).
 */
#ifndef SIM_MEMCG_H
#define SIM_MEMCG_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/ref_list.h"

#define MEMCG_MAX UINT64_MAX /* no limit */

/* zswap's list of one memcg on one node (struct list_lru_one). Head: next to be written back. */
struct zswap_lru_list {
	struct ref_list list; /* of struct zswap_entry */
	uint64_t nr_items;
	/* How many pages this lruvec read from disk since the shrinker last looked (6.12 and
	 * later). */
	uint64_t nr_disk_swapins;
	/* The size that the shrinker of 6.8 to 6.11 spared. */
	uint64_t nr_zswap_protected;
};

/* Why zswap_store() refused a folio. */
enum zswap_reject {
	ZSWAP_REJECT_LARGE_FOLIO,
	ZSWAP_REJECT_DISABLED,
	ZSWAP_REJECT_MEMCG_LIMIT, /* its memcg, or one above it, was at zswap.max */
	ZSWAP_REJECT_POOL_LIMIT,
	ZSWAP_REJECT_COMPRESS_FAIL,
	ZSWAP_REJECT_COMPRESS_POOR,
	ZSWAP_REJECT_ALLOC_FAIL,
	ZSWAP_REJECT_KMEMCACHE_FAIL,
	ZSWAP_REJECT_POLICY, /* a plug-in's: no kernel's reason */
	ZSWAP_NR_REJECTS,
};
/* "memcg_limit", ... */
extern const char *const zswap_reject_names[ZSWAP_NR_REJECTS];

/* What entries are charged to; it moves to the parent when its memcg goes offline. */
struct obj_cgroup {
	struct mem_cgroup *memcg;
	struct obj_cgroup *next; /* of the same memcg */
};

struct mem_cgroup {
	char *path;
	unsigned id; /* index in struct memcgs; 0 is the root */
	struct mem_cgroup *parent, *first_child, *last_child, *next_sibling;
	bool online;
	uint64_t zswap_max; /* bytes; MEMCG_MAX: no limit */
	bool zswap_writeback;
	struct obj_cgroup *objcg, *inherited; /* its own; those of its offline children */
	/* Hierarchical: with those of all descendants. The root's are all that is charged. */
	uint64_t zswap_bytes;  /* MEMCG_ZSWAP_B */
	uint64_t zswapped;     /* MEMCG_ZSWAPPED, pages */
	uint64_t zswap_incomp; /* pages stored raw */
	/* Events of its own pages. */
	uint64_t zswpin, zswpout, zswpwb;
	uint64_t pswpin, pswpout;		  /* pages between it and the swap device */
	uint64_t zswap_rejects[ZSWAP_NR_REJECTS]; /* pages of refused folios, by the reason */
	uint64_t zswap_max_hits;    /* stores, its own or below it, that met its zswap.max */
	struct zswap_lru_list *lru; /* [nr_nodes] */
};

struct memcgs {
	unsigned nr_nodes;
	unsigned nr, cap;
	struct mem_cgroup **all;	/* by id; offline ones stay */
	struct kmem_cache *lru_entries; /* what is on the lists comes from it; zswap's */
};

/* With the root. 0 or -ENOMEM. */
int memcgs_init(struct memcgs *memcgs, unsigned nr_nodes);
void memcgs_finish(struct memcgs *memcgs);

static inline struct mem_cgroup *root_mem_cgroup(const struct memcgs *memcgs)
{
	return memcgs->all[0];
}

static inline bool mem_cgroup_is_root(const struct mem_cgroup *memcg)
{
	return !memcg->parent;
}

/* Online, no limit, writeback on, last child of @parent. NULL: out of memory. @path is copied. */
struct mem_cgroup *mem_cgroup_create(struct memcgs *memcgs, struct mem_cgroup *parent,
				     const char *path);
/*
 * Goes offline: list entries are spliced to the head of the parent's lists
 * (memcg_reparent_list_lrus), charges move to the parent. -EBUSY while it has online children,
 * -EINVAL for the root or one that is offline already.
 */
int mem_cgroup_offline(struct memcgs *memcgs, struct mem_cgroup *memcg);

/*
 * The next memcg in pre-order after @prev (NULL: the root), online or not; NULL at the end of a
 * pass (mem_cgroup_iter).
 */
struct mem_cgroup *mem_cgroup_iter(const struct memcgs *memcgs, struct mem_cgroup *prev);

/* Whether the memcg and all its ancestors allow writeback. @zswap_enabled: see E.4. */
bool mem_cgroup_zswap_writeback_enabled(const struct mem_cgroup *memcg, bool zswap_enabled);
/*
 * The memcg, or the nearest ancestor below the root, that is at its zswap.max; NULL if none is, and
 * the page may be stored (obj_cgroup_may_zswap).
 */
struct mem_cgroup *obj_cgroup_at_limit(struct mem_cgroup *memcg);
/* Charges or uncharges one page of @bytes to the memcg and its ancestors. */
void obj_cgroup_charge_zswap(struct obj_cgroup *objcg, unsigned bytes);
void obj_cgroup_uncharge_zswap(struct obj_cgroup *objcg, unsigned bytes);

#endif
