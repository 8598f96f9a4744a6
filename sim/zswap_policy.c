// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zswap_policy.h"

#include <errno.h>

#include "sim/slot_map.h"
#include "sim/zsmalloc.h"
#include "sim/zswap_private.h"

void zswap_set_policy(struct zswap *z, struct policy_run *run)
{
	z->policy = run;
}

const struct zswap_policy_stats *zswap_policy_stats(const struct zswap *z)
{
	return &z->policy_stats;
}

/* What the policy is shown of the pool. */
static void show_pool(struct zswap *z)
{
	struct zswapsim_pool *pool = policy_run_pool(z->policy);

	pool->used = zswap_total_pages(z) * PAGE_SIZE;
	pool->limit = zswap_max_pages(z) * PAGE_SIZE;
	pool->accept = zswap_accept_thr_pages(z) * PAGE_SIZE;
	pool->written_back = z->stats.zswpwb;
}

static uint64_t key_of(swp_entry_t swap)
{
	return slot_key(swap.type, swap.offset);
}

static struct policy_page page_of(const struct zswap *z, const struct folio *folio, unsigned index,
				  unsigned nid)
{
	swp_entry_t swap = {folio->swap.type, folio->swap.offset + index};

	return (struct policy_page){
		.slot = key_of(swap),
		.index = index,
		.order = folio->order,
		.node = nid,
		/* Whose the entry will be: of a memcg that is gone, its parent's. */
		.memcg = folio->memcg->objcg->memcg->id,
		.codec = z->codecs.at_hand,
	};
}

unsigned zswap_policy_codec(struct zswap *z, const struct folio *folio, unsigned index,
			    unsigned nid)
{
	struct policy_page page = page_of(z, folio, index, nid);

	show_pool(z);
	return policy_run_codec(z->policy, &page);
}

unsigned zswap_policy_codec_of(const struct zswap *z, const struct zswap_entry *entry)
{
	swp_entry_t swap = zswap_entry_swp(entry);
	unsigned codec = 0;
	uint32_t size;

	policy_run_find(z->policy, key_of(swap), &size, &codec);
	return codec;
}

bool zswap_policy_admits(struct zswap *z, const struct folio *folio, unsigned index, unsigned nid,
			 unsigned length)
{
	struct policy_page page = page_of(z, folio, index, nid);

	page.size = length;
	show_pool(z);
	return policy_run_admit(z->policy, &page);
}

void zswap_policy_stored(struct zswap *z, const struct folio *folio, unsigned index,
			 const struct zswap_entry *entry)
{
	struct policy_page page = page_of(z, folio, index, entry->nid);

	page.size = entry->length;
	page.memcg = zswap_entry_memcg(z, entry)->id;
	policy_run_stored(z->policy, &page);
}

void zswap_policy_gone(struct zswap *z, swp_entry_t swap, enum policy_gone how, bool reused)
{
	policy_run_gone(z->policy, key_of(swap), how, reused);
	if (how == POLICY_INVALIDATED && !reused)
		policy_run_forget(z->policy, key_of(swap));
}

/* Writes the victim of @slot back: 0, or why that failed; then it stays. */
static int write_back(struct zswap *z, uint64_t slot)
{
	swp_entry_t swap = {slot >> 56, slot & ((UINT64_C(1) << 56) - 1)};
	struct zswap_entry *entry = zswap_entry_lookup(z, swap);
	struct mem_cgroup *memcg = zswap_entry_memcg(z, entry);
	struct zswap_lru_list *lru = zswap_entry_lru(z, entry);
	int ret = -EPERM;

	/* Of a memcg that may not, no kernel would have met it. */
	if (!zswap_writeback_enabled(z, memcg)) {
		policy_run_kept(z->policy, slot);
		return ret;
	}
	ret = zswap_writeback_entry(z, entry);
	if (!ret) {
		z->stats.written_back_pages++;
		return 0;
	}
	z->stats.reject_reclaim_fail++;
	if (z->k->profile.zswap.shrinker == ZSWAP_SHRINKER_PROTECTED)
		lru->nr_zswap_protected++;
	policy_run_kept(z->policy, slot);
	return ret;
}

uint64_t zswap_policy_walk(struct zswap *z, struct mem_cgroup *memcg, int nid, uint64_t *nr_to_walk,
			   bool *stop_on_swapcache)
{
	uint64_t isolated = 0, slot;

	/* Who has nothing is not asked for: most traces have entries in one list alone. */
	while (*nr_to_walk && memcg->lru[nid].nr_items) {
		struct zswapsim_want want = {
			.memcg = memcg->id, .node = nid, .budget = *nr_to_walk};
		bool found;
		int ret;

		show_pool(z);
		found = policy_run_victim(z->policy, &want, &slot);
		*nr_to_walk = want.budget;
		if (!found)
			break;
		ret = write_back(z, slot);
		isolated += !ret;
		if (ret == -EEXIST && stop_on_swapcache) {
			*stop_on_swapcache = true;
			break;
		}
	}
	return isolated;
}

void zswap_policy_shrink(struct zswap *z, uint64_t target_pages)
{
	unsigned failures = 0;
	uint64_t slot;

	while (zswap_total_pages(z) > target_pages && failures < MAX_RECLAIM_RETRIES) {
		struct zswapsim_want want = {
			.memcg = ZSWAPSIM_ANY,
			.node = ZSWAPSIM_ANY,
			.bytes = (zswap_total_pages(z) - target_pages) * PAGE_SIZE,
			.budget = UINT64_MAX,
		};

		show_pool(z);
		if (!policy_run_victim(z->policy, &want, &slot))
			break;
		failures += write_back(z, slot) != 0;
	}
}

bool zswap_policy_settle(struct zswap *z, void (*before)(void *arg), void *arg)
{
	bool freed = false;

	show_pool(z);
	if (policy_run_has_target(z->policy)) {
		uint64_t target = policy_run_target(z->policy) / PAGE_SIZE;

		z->shrink_queued = false;
		if (zswap_total_pages(z) > target) {
			if (before)
				before(arg);
			z->stats.shrink_worker_runs++;
			zswap_shrink_to(z, target);
			freed = true;
			show_pool(z);
		}
	}
	if (policy_run_compact(z->policy) && zswap_zs_pool(z)) {
		if (before && !freed)
			before(arg);
		z->policy_stats.compactions++;
		z->policy_stats.compacted_pages += zs_compact(zswap_zs_pool(z));
		freed = true;
	}
	return freed;
}
