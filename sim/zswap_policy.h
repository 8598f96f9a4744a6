/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy (sim/policy.h) in zswap's place where the kernel chooses: which page is stored, of those
 * that the kernel would store; which entry is written back; when, if the policy has a function for
 * it; when the pool is compacted. All else stays the kernel's: limits, hysteresis, memcgs, the
 * writeback itself. Without a policy nothing here is called.
 */
#ifndef SIM_ZSWAP_POLICY_H
#define SIM_ZSWAP_POLICY_H

#include "sim/policy_run.h"
#include "sim/zswap.h"

struct zswap_entry;

/*
 * From now on @run, made for ZSWAPSIM_KERNEL, chooses; while nothing is stored. It outlives @z.
 * Whoever runs @z says where in the trace it is (policy_run_at()), and looks after each operation
 * whether the policy has failed.
 */
void zswap_set_policy(struct zswap *z, struct policy_run *run);

/*
 * After a store: what the policy wants done now. True: it was, and pages may have been freed;
 * @before, which may be NULL, was called before that.
 */
bool zswap_policy_settle(struct zswap *z, void (*before)(void *arg), void *arg);

/* Compactions that the policy asked for, and the pages that they freed. */
struct zswap_policy_stats {
	uint64_t compactions, compacted_pages;
};
const struct zswap_policy_stats *zswap_policy_stats(const struct zswap *z);

/* ---- for zswap's own files ---- */

/* Which compressor a page gets; which one an entry has. */
unsigned zswap_policy_codec(struct zswap *z, const struct folio *folio, unsigned index,
			    unsigned nid);
unsigned zswap_policy_codec_of(const struct zswap *z, const struct zswap_entry *entry);
bool zswap_policy_admits(struct zswap *z, const struct folio *folio, unsigned index, unsigned nid,
			 unsigned length);
void zswap_policy_stored(struct zswap *z, const struct folio *folio, unsigned index,
			 const struct zswap_entry *entry);
/* What was in @swap is not any more; or nothing was, and what is known of the slot is forgotten. */
void zswap_policy_gone(struct zswap *z, swp_entry_t swap, enum policy_gone how, bool reused);
/* list_lru_walk_one() with the policy's choice: entries written back, *nr_to_walk used up. */
uint64_t zswap_policy_walk(struct zswap *z, struct mem_cgroup *memcg, int nid, uint64_t *nr_to_walk,
			   bool *stop_on_swapcache);
/* The shrink worker's run of a policy that chooses among all memcgs. */
void zswap_policy_shrink(struct zswap *z, uint64_t target_pages);

#endif
