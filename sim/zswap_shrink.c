// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is written back, and when: the walk over a list, the shrink worker, the dynamic shrinker. */
#include <errno.h>

#include "sim/swapdev.h"
#include "sim/zswap_private.h"

enum lru_status { LRU_ROTATE, LRU_REMOVED_RETRY, LRU_RETRY, LRU_STOP };

/* @stop_on_swapcache: the dynamic shrinker's flag, NULL for other callers. */
static enum lru_status shrink_memcg_cb(struct zswap *z, struct zswap_entry *entry,
				       struct zswap_lru_list *lru, bool *stop_on_swapcache)
{
	int ret;

	if (entry->referenced) {
		entry->referenced = false;
		return LRU_ROTATE;
	}
	/* If the writeback fails, others are tried before this one is met again. */
	ref_list_move_tail(z->entry_cache, &lru->list, zswap_entry_ref(z, entry));
	ret = zswap_writeback_entry(z, entry);
	if (!ret) {
		z->stats.written_back_pages++;
		return LRU_REMOVED_RETRY;
	}
	z->stats.reject_reclaim_fail++;
	/* It was put back: 6.8 to 6.11 protect one more for that. */
	if (z->k->profile.zswap.shrinker == ZSWAP_SHRINKER_PROTECTED)
		lru->nr_zswap_protected++;
	if (ret == -EEXIST && stop_on_swapcache) {
		*stop_on_swapcache = true;
		return LRU_STOP;
	}
	return LRU_RETRY;
}

/*
 * What the entries that come next take to be written back is asked of memory while the ones before
 * them are. It changes nothing; none of them goes before its turn. Only without contents: the
 * kernel does nothing of the kind, and with contents the walk is timed.
 */
#define AHEAD	     8u /* entries */
#define AHEAD_OBJECT 4u

struct look_ahead {
	uint32_t next;	   /* the first that nothing was asked for; 0: the list's end was met */
	unsigned distance; /* entries from the one at hand to that */
	unsigned nr;
	uint32_t asked[AHEAD];
};

static void look_ahead(const struct zswap *z, struct look_ahead *a)
{
	while (a->next && a->distance < AHEAD) {
		const struct zswap_entry *entry = zswap_entry_of_ref(z, a->next);
		swp_entry_t swp = zswap_entry_swp(entry);

		a->asked[a->nr++ % AHEAD] = a->next;
		zswap_prefetch_slot(z, swp);
		swapdev_prefetch(z->dev, swp.type, swp.offset);
		zpool_prefetch(z->zpool, entry->handle, false);
		__builtin_prefetch(ref_link(z->entry_cache, entry->lru.next), 1);
		a->next = entry->lru.next;
		a->distance++;
	}
	if (a->next)
		zpool_prefetch(
			z->zpool,
			zswap_entry_of_ref(z, a->asked[(a->nr - AHEAD_OBJECT) % AHEAD])->handle,
			true);
	a->distance--;
}

/*
 * Every callback costs one of the budget. After a writeback the walk begins again at the head;
 * rotated entries go to the tail, where a large budget meets them a second time.
 */
static uint64_t list_lru_walk_one(struct zswap *z, struct zswap_lru_list *lru, uint64_t *nr_to_walk,
				  bool *stop_on_swapcache)
{
	uint32_t item, next;
	struct look_ahead ahead = {.next = z->k->contents ? 0 : lru->list.first};
	uint64_t isolated = 0;

restart:
	for (item = lru->list.first; item; item = next) {
		struct zswap_entry *entry = zswap_entry_of_ref(z, item);

		next = entry->lru.next;
		if (!*nr_to_walk)
			break;
		--*nr_to_walk;
		if (ahead.next)
			look_ahead(z, &ahead);
		switch (shrink_memcg_cb(z, entry, lru, stop_on_swapcache)) {
		case LRU_ROTATE:
			ref_list_move_tail(z->entry_cache, &lru->list, item);
			z->stats.lru_rotations++;
			break;
		case LRU_REMOVED_RETRY:
			isolated++;
			goto restart;
		case LRU_RETRY:
			goto restart;
		case LRU_STOP:
			return isolated;
		}
	}
	return isolated;
}

/* The list of @memcg on node @nid, or what a policy has in its place. */
static uint64_t walk_lruvec(struct zswap *z, struct mem_cgroup *memcg, int nid,
			    uint64_t *nr_to_walk, bool *stop_on_swapcache)
{
	if (z->policy)
		return zswap_policy_walk(z, memcg, nid, nr_to_walk, stop_on_swapcache);
	return list_lru_walk_one(z, &memcg->lru[nid], nr_to_walk, stop_on_swapcache);
}

/* 0: something was written. -EAGAIN: entries were met, none written. -ENOENT: no candidate. */
int shrink_memcg(struct zswap *z, struct mem_cgroup *memcg)
{
	uint64_t shrunk = 0, scanned = 0;

	if (!zswap_writeback_enabled(z, memcg) || !memcg->online)
		return -ENOENT;
	z->stats.shrink_memcg_calls++;
	for (unsigned nid = 0; nid < z->k->nr_nodes; nid++) {
		uint64_t budget = z->k->profile.zswap.shrink_batch, left = budget;

		shrunk += walk_lruvec(z, memcg, nid, &left, NULL);
		scanned += budget - left;
	}
	if (!scanned)
		return -ENOENT;
	return shrunk ? 0 : -EAGAIN;
}

/* The next online memcg after the cursor; NULL at the end of a pass over the tree. */
static struct mem_cgroup *next_shrink_memcg(struct zswap *z)
{
	do {
		z->next_shrink = mem_cgroup_iter(z->memcgs, z->next_shrink);
	} while (z->next_shrink && !z->next_shrink->online);
	return z->next_shrink;
}

static void shrink_worker(struct zswap *z, uint64_t thr)
{
	unsigned failures = 0, attempts = 0;

	do {
		struct mem_cgroup *memcg = next_shrink_memcg(z);
		int ret;

		if (!memcg) {
			if (!attempts && ++failures == MAX_RECLAIM_RETRIES)
				break;
			attempts = 0;
			continue;
		}
		ret = shrink_memcg(z, memcg);
		if (ret == -ENOENT)
			continue;
		attempts++;
		if (ret && ++failures == MAX_RECLAIM_RETRIES)
			break;
	} while (zswap_total_pages(z) > thr);
}

void zswap_shrink_to(struct zswap *z, uint64_t thr)
{
	if (z->policy && policy_run_is_global(z->policy))
		zswap_policy_shrink(z, thr);
	else
		shrink_worker(z, thr);
}

bool zswap_run_shrink_worker(struct zswap *z)
{
	if (!z->shrink_queued)
		return false;
	z->shrink_queued = false;
	z->stats.shrink_worker_runs++;
	zswap_shrink_to(z, zswap_accept_thr_pages(z));
	return true;
}

int zswap_memcg_offline(struct zswap *z, struct mem_cgroup *memcg)
{
	int ret = mem_cgroup_offline(z->memcgs, memcg);

	if (!ret && z->policy)
		policy_run_reparented(z->policy, memcg->id, memcg->parent->id);
	if (!ret && z->next_shrink == memcg)
		next_shrink_memcg(z);
	return ret;
}

/* How many of the list's entries are left alone this time. */
static uint64_t spared_entries(const struct zswap *z, struct zswap_lru_list *lru)
{
	uint64_t taken;

	if (z->k->profile.zswap.shrinker == ZSWAP_SHRINKER_PROTECTED)
		return lru->nr_items < lru->nr_zswap_protected ? lru->nr_items
							       : lru->nr_zswap_protected;
	/* Pages that came back from the disk count against the next shrinking, once. */
	taken = lru->nr_items < lru->nr_disk_swapins ? lru->nr_items : lru->nr_disk_swapins;
	lru->nr_disk_swapins -= taken;
	return taken;
}

/* 6.8 to 6.11: a scan that would reach into the protected part does not begin. */
static bool reaches_protected(const struct zswap *z, const struct zswap_lru_list *lru,
			      uint64_t nr_to_scan)
{
	if (z->k->profile.zswap.shrinker != ZSWAP_SHRINKER_PROTECTED)
		return false;
	return lru->nr_zswap_protected + nr_to_scan >= lru->nr_items;
}

uint64_t zswap_shrinker_count(struct zswap *z, struct mem_cgroup *memcg, int nid)
{
	struct zswap_lru_list *lru = &memcg->lru[nid];
	uint64_t backing, stored, freeable = lru->nr_items;

	if (!z->config.shrinker_enabled || !zswap_writeback_enabled(z, memcg))
		return 0;
	/* With the root alone, it is as if the memory controller were disabled. */
	if (z->memcgs->nr == 1) {
		backing = zswap_total_pages(z);
		stored = z->stats.stored_pages;
	} else {
		backing = memcg->zswap_bytes / PAGE_SIZE;
		stored = memcg->zswapped;
	}
	if (!stored || !freeable)
		return 0;
	freeable -= spared_entries(z, lru);
	return freeable * backing / stored;
}

uint64_t zswap_shrinker_scan(struct zswap *z, struct mem_cgroup *memcg, int nid,
			     uint64_t nr_to_scan)
{
	bool met_swapcache = false;
	uint64_t isolated;

	if (!z->config.shrinker_enabled || !zswap_writeback_enabled(z, memcg))
		return SHRINK_STOP;
	if (reaches_protected(z, &memcg->lru[nid], nr_to_scan))
		return SHRINK_STOP;
	isolated = walk_lruvec(z, memcg, nid, &nr_to_scan, &met_swapcache);
	if (met_swapcache || !isolated)
		return SHRINK_STOP;
	return isolated;
}

void zswap_folio_swapin(struct zswap *z, struct mem_cgroup *memcg, int nid)
{
	struct zswap_lru_list *lru = &memcg->lru[nid];

	if (z->k->profile.zswap.shrinker == ZSWAP_SHRINKER_PROTECTED)
		lru->nr_zswap_protected++;
	else
		lru->nr_disk_swapins++;
}
