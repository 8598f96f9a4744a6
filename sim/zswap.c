// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zswap_batch.h"
#include "sim/zswap_private.h"

#define LEAST_TREES 1024u /* of a device */

/* ---- the tree ---- */

static struct zswap_tree *swap_zswap_tree(const struct zswap *z, swp_entry_t swp)
{
	uint64_t i = swp.offset >> SWAP_ADDRESS_SPACE_SHIFT;
	const struct zswap_trees *t = &z->zswap_trees[swp.type];

	return i < t->nr && t->trees[i].xa.nodes ? &t->trees[i] : NULL;
}

/* Within its tree: the kernel uses all bits, which only makes the tree deeper. */
static uint64_t tree_index(swp_entry_t swp)
{
	return swp.offset & ((1u << SWAP_ADDRESS_SPACE_SHIFT) - 1);
}

struct zswap_entry *zswap_entry_lookup(const struct zswap *z, swp_entry_t swp)
{
	struct zswap_tree *tree = swap_zswap_tree(z, swp);

	return tree ? zswap_entry_of_ref(z, xa_load(&tree->xa, tree_index(swp))) : NULL;
}

struct zswap_entry *zswap_entry_erase(struct zswap *z, swp_entry_t swp)
{
	struct zswap_tree *tree = swap_zswap_tree(z, swp);

	return tree ? zswap_entry_of_ref(z, xa_erase(&tree->xa, tree_index(swp))) : NULL;
}

/* What calloc() gives is not touched, but for what is copied, and takes no memory until then. */
static int grow_trees(struct zswap_trees *t, uint64_t need)
{
	uint64_t nr = t->nr ? t->nr : LEAST_TREES;
	struct zswap_tree *trees;

	while (nr < need)
		nr *= 2;
	trees = calloc(nr, sizeof(*trees));
	if (!trees)
		return -ENOMEM;
	if (t->nr)
		memcpy(trees, t->trees, t->nr * sizeof(*trees));
	free(t->trees);
	t->trees = trees;
	t->nr = nr;
	return 0;
}

/* The kernel makes all trees of a device at swapon; here, the first store to a range does. */
static int zswap_tree_make(struct zswap *z, swp_entry_t swp)
{
	uint64_t i = swp.offset >> SWAP_ADDRESS_SPACE_SHIFT;
	struct zswap_trees *t = &z->zswap_trees[swp.type];

	if (swap_zswap_tree(z, swp))
		return 0;
	if (swp.offset >= ZSWAP_MAX_OFFSET)
		return -EINVAL;
	if (i >= t->nr && grow_trees(t, i + 1))
		return -ENOMEM;
	xa_init(&t->trees[i].xa, z->nodes);
	return 0;
}

int zswap_reserve(struct zswap *z, swp_entry_t swap, unsigned order)
{
	unsigned nr = 1u << order;
	int ret = zswap_tree_make(z, swap);

	if (!ret)
		ret = kmem_cache_reserve(z->entry_cache, nr);
	if (!ret)
		ret = xa_nodes_reserve(z->nodes, nr);
	if (!ret && z->policy)
		ret = policy_run_reserve(z->policy, nr);
	if (!ret)
		ret = zpool_reserve(z->zpool, nr);
	if (!ret)
		ret = zswap_batch_reserve(z, nr);
	return ret;
}

void zswap_trim(struct zswap *z)
{
	xa_nodes_trim(z->nodes);
}

/* ---- limits ---- */

uint64_t zswap_total_pages(const struct zswap *z)
{
	return zpool_get_total_pages(z->zpool);
}

uint64_t zswap_max_pages(const struct zswap *z)
{
	return z->k->totalram_pages * z->config.max_pool_percent / 100;
}

uint64_t zswap_accept_thr_pages(const struct zswap *z)
{
	return zswap_max_pages(z) * z->config.accept_threshold_percent / 100;
}

/* Once a folio, before anything is compressed. */
static bool zswap_check_limits(struct zswap *z)
{
	uint64_t cur_pages = zswap_total_pages(z);

	if (cur_pages >= zswap_max_pages(z)) {
		z->stats.pool_limit_hit++;
		z->pool_reached_full = true;
	} else if (z->pool_reached_full && cur_pages <= zswap_accept_thr_pages(z)) {
		z->pool_reached_full = false;
	}
	return z->pool_reached_full;
}

int zswap_set_max_pool_percent(struct zswap *z, unsigned percent)
{
	if (percent > 100)
		return -EINVAL;
	z->config.max_pool_percent = percent;
	return 0;
}

int zswap_set_accept_threshold_percent(struct zswap *z, unsigned percent)
{
	if (percent > 100)
		return -EINVAL;
	z->config.accept_threshold_percent = percent;
	return 0;
}

void zswap_set_shrinker_enabled(struct zswap *z, bool enabled)
{
	z->config.shrinker_enabled = enabled;
}

/* ---- entries ---- */

struct obj_cgroup *zswap_entry_objcg(const struct zswap *z, const struct zswap_entry *entry)
{
	return entry->objcg ? z->memcgs->all[entry->objcg - 1]->objcg : NULL;
}

struct mem_cgroup *zswap_entry_memcg(const struct zswap *z, const struct zswap_entry *entry)
{
	const struct obj_cgroup *objcg = zswap_entry_objcg(z, entry);

	return objcg ? objcg->memcg : root_mem_cgroup(z->memcgs);
}

void zswap_entry_free(struct zswap *z, struct zswap_entry *entry)
{
	zswap_lru_del(z, entry);
	zpool_free(z->zpool, entry->handle);
	if (entry->objcg)
		obj_cgroup_uncharge_zswap(zswap_entry_objcg(z, entry), entry->length);
	z->stats.stored_pages--;
	if (entry->length == PAGE_SIZE)
		z->stats.stored_incompressible_pages--;
	kmem_cache_free(z->entry_cache, entry);
}

/* ---- store ---- */

void zswap_observe(struct zswap *z, const struct zswap_page_event *event)
{
	zswap_account_page(z, event);
	if (z->config.observer)
		z->config.observer(z->config.observer_arg, event);
}

bool zswap_writeback_enabled(const struct zswap *z, const struct mem_cgroup *memcg)
{
	if (z->k->profile.memcg.dead_folios == MEMCG_DEAD_FOLIOS_PARENT)
		memcg = memcg->objcg->memcg;
	return mem_cgroup_zswap_writeback_enabled(memcg, !z->config.disabled);
}

/* Of a memcg that is gone, the nearest one above it that is not; the root's own only since 7.1. */
static uint32_t objcg_of_folio(const struct zswap *z, const struct folio *folio)
{
	if (mem_cgroup_is_root(folio->memcg->objcg->memcg) &&
	    z->k->profile.memcg.dead_folios == MEMCG_DEAD_FOLIOS_OWN)
		return 0;
	return folio->memcg->id + 1;
}

bool zswap_insert_entry(struct zswap *z, const struct folio *folio, unsigned index,
			struct zswap_entry *entry, struct zswap_page_event *event)
{
	swp_entry_t swp = {folio->swap.type, folio->swap.offset + index};
	struct zswap_entry *old;
	uint32_t old_ref;

	if (zswap_tree_make(z, swp) || xa_store(&swap_zswap_tree(z, swp)->xa, tree_index(swp),
						zswap_entry_ref(z, entry), &old_ref)) {
		z->stats.reject_alloc_fail++;
		z->reject = ZSWAP_REJECT_ALLOC_FAIL;
		event->ret = -ENOMEM;
		event->path = ZSWAP_PATH_FAILED;
		return false;
	}
	/* The new copy is in place before the stale one's memory is free again. */
	old = zswap_entry_of_ref(z, old_ref);
	if (old) {
		z->stats.overwritten++;
		zswap_entry_free(z, old);
		if (z->policy)
			zswap_policy_gone(z, swp, POLICY_INVALIDATED, true);
	}
	entry->swp_type = swp.type;
	entry->swp_offset = swp.offset;
	entry->id = folio->ids ? folio->ids[index] : 0;
	entry->objcg = objcg_of_folio(z, folio);
	if (entry->objcg)
		obj_cgroup_charge_zswap(zswap_entry_objcg(z, entry), entry->length);
	z->stats.stored_pages++;
	if (entry->length == PAGE_SIZE)
		z->stats.stored_incompressible_pages++;
	entry->referenced = z->k->profile.zswap.shrinker == ZSWAP_SHRINKER_SECOND_CHANCE;
	zswap_lru_add(z, entry);
	z->codecs.stored[z->codecs.at_hand]++;
	if (z->policy)
		zswap_policy_stored(z, folio, index, entry);
	event->length = entry->length;
	return true;
}

static bool zswap_store_page(struct zswap *z, const struct folio *folio, unsigned index)
{
	struct zswap_page_event event = {.dir = ZSWAP_STORE, .path = ZSWAP_PATH_FAILED};
	uint64_t start = kernel_now(z->k);
	struct zswap_entry *entry;
	bool stored = false;

	entry = kmem_cache_alloc(z->entry_cache);
	if (!entry) {
		z->stats.reject_kmemcache_fail++;
		z->reject = ZSWAP_REJECT_KMEMCACHE_FAIL;
		event.ret = -ENOMEM;
		goto out;
	}
	entry->nid = folio->page ? folio->page->nid : 0;
	if (!zswap_compress(z, folio, index, entry, &event))
		goto err_free_entry;
	stored = zswap_insert_entry(z, folio, index, entry, &event);
	if (stored)
		goto out;
	zpool_free(z->zpool, entry->handle);
err_free_entry:
	kmem_cache_free(z->entry_cache, entry);
out:
	event.total_ns = kernel_now(z->k) - start;
	zswap_observe(z, &event);
	return stored;
}

/* Pages that were stored, from the first one on: all, or those before what failed. */
static unsigned zswap_store_pages(struct zswap *z, const struct folio *folio)
{
	unsigned nr_pages = folio_nr_pages(folio), stored = 0;

	if (z->batch) {
		zswap_codec_use(z, 0);
		return zswap_batch_store(z, folio);
	}
	while (stored < nr_pages && zswap_store_page(z, folio, stored))
		stored++;
	return stored;
}

/* After a failed store nothing of the range may stay: neither stale nor half of this folio. */
static void zswap_erase_range(struct zswap *z, const struct folio *folio, unsigned nr_stored)
{
	for (unsigned i = 0; i < folio_nr_pages(folio); i++) {
		swp_entry_t swp = {folio->swap.type, folio->swap.offset + i};
		struct zswap_entry *entry = zswap_entry_erase(z, swp);

		if (z->policy)
			zswap_policy_gone(z, swp, POLICY_INVALIDATED, false);
		if (!entry)
			continue;
		if (i < nr_stored)
			z->stats.rolled_back++;
		else
			z->stats.invalidated++;
		zswap_entry_free(z, entry);
	}
}

bool zswap_store(struct zswap *z, const struct folio *folio)
{
	unsigned nr_pages = folio_nr_pages(folio), stored = 0;
	/* Of a memcg that is gone, what is charged from now on is its parent's. */
	struct mem_cgroup *memcg = folio->memcg->objcg->memcg;
	struct mem_cgroup *at_limit;
	uint64_t units;

	z->stats.store_calls++;
	/* 6.12 turns back before it looks at anything: stale slots stay as they are. */
	if (folio->order && !z->k->profile.zswap.large_folios) {
		z->stats.reject_large_folio++;
		z->reject = ZSWAP_REJECT_LARGE_FOLIO;
		goto reject;
	}
	if (z->config.disabled) {
		z->stats.reject_disabled++;
		z->reject = ZSWAP_REJECT_DISABLED;
		goto check_old;
	}
	at_limit = obj_cgroup_at_limit(memcg);
	if (at_limit) {
		at_limit->zswap_max_hits++;
		if (shrink_memcg(z, memcg)) {
			z->stats.reject_memcg_limit++;
			z->reject = ZSWAP_REJECT_MEMCG_LIMIT;
			goto failed;
		}
	}
	if (zswap_check_limits(z)) {
		z->stats.reject_pool_limit++;
		z->reject = ZSWAP_REJECT_POOL_LIMIT;
		goto failed;
	}
	units = z->compress.units;
	stored = zswap_store_pages(z, folio);
	if (stored < nr_pages) {
		z->compress.undone += z->compress.units - units;
		goto failed;
	}
	z->stats.zswpout += nr_pages;
	memcg->zswpout += nr_pages;
	return true;

failed:
	if (z->pool_reached_full)
		z->shrink_queued = true;
check_old:
	zswap_erase_range(z, folio, stored);
reject:
	memcg->zswap_rejects[z->reject] += nr_pages;
	return false;
}

/* ---- looking ahead ---- */

static const struct xa_leaf *leaf_of(const struct zswap *z, swp_entry_t swap)
{
	const struct zswap_tree *tree = swap_zswap_tree(z, swap);

	return tree ? xa_leaf(&tree->xa, tree_index(swap)) : NULL;
}

void zswap_prefetch_slot(const struct zswap *z, swp_entry_t swap)
{
	const struct xa_leaf *leaf = leaf_of(z, swap);

	if (!leaf)
		return;
	__builtin_prefetch(leaf, 1);
	__builtin_prefetch((const char *)leaf + 64, 1);
}

uint32_t zswap_prefetch_entry(const struct zswap *z, swp_entry_t swap)
{
	const struct xa_leaf *leaf = leaf_of(z, swap);
	uint32_t ref = leaf ? xa_leaf_load(leaf, swap.offset) : 0;

	if (ref)
		__builtin_prefetch(zswap_entry_of_ref(z, ref), 1);
	return ref;
}

/*
 * An entry that is gone still has its last handle: enough for advice, but not for the sanitizer. Or
 * none, if it was taken for a batch that was refused.
 */
void zswap_prefetch_object(const struct zswap *z, uint32_t ref, bool again)
{
#ifndef SIM_ASAN
	const struct zswap_entry *entry = zswap_entry_of_ref(z, ref);

	if (entry->handle)
		zpool_prefetch(z->zpool, entry->handle, again);
	if (again)
		return;
	__builtin_prefetch(ref_link(z->entry_cache, entry->lru.next), 1);
	__builtin_prefetch(ref_link(z->entry_cache, entry->lru.prev), 1);
#endif
}

/* ---- load, invalidate ---- */

/* The kernel reads no large folio of which a part is, or might be, in zswap. */
static int load_large_folio(struct zswap *z, const struct folio *folio)
{
	bool any = false;

	for (unsigned i = 0; i < folio_nr_pages(folio); i++)
		any |= zswap_entry_lookup(
			       z, (swp_entry_t){folio->swap.type, folio->swap.offset + i}) != NULL;
	if (z->k->profile.zswap.load_large == ZSWAP_LOAD_LARGE_PROBE && !any)
		return -ENOENT;
	z->stats.load_large_refused++;
	return z->k->profile.zswap.load_large == ZSWAP_LOAD_LARGE_PROBE ? -EIO : -EINVAL;
}

/* Whether the compressed copy stays: the page is not in the swap cache, and may be dropped clean.
 */
static bool load_keeps_entry(const struct zswap *z)
{
	return z->config.synchronous_device && z->k->profile.zswap.load_without_swapcache;
}

int zswap_load(struct zswap *z, const struct folio *folio)
{
	struct zswap_page_event event = {.dir = ZSWAP_LOAD, .path = ZSWAP_PATH_FAILED};
	struct zswap_entry *entry;
	uint64_t start;

	z->stats.load_calls++;
	if (folio->order)
		return load_large_folio(z, folio);
	start = kernel_now(z->k);
	entry = zswap_entry_lookup(z, folio->swap);
	if (!entry)
		return -ENOENT;
	event.length = entry->length;
	if (!zswap_decompress(z, entry, folio->page, &event)) {
		event.total_ns = kernel_now(z->k) - start;
		zswap_observe(z, &event);
		if (z->k->profile.zswap.load_failure == ZSWAP_LOAD_FAILURE_BUG)
			return -ENOTRECOVERABLE;
		return -EIO;
	}
	if (folio->loaded)
		folio->loaded[0] = entry->id;
	z->stats.zswpin++;
	zswap_entry_memcg(z, entry)->zswpin++;
	if (load_keeps_entry(z)) {
		z->stats.loads_kept++;
	} else {
		zswap_entry_erase(z, folio->swap);
		zswap_entry_free(z, entry);
		if (z->policy)
			zswap_policy_gone(z, folio->swap, POLICY_LOADED, false);
	}
	event.total_ns = kernel_now(z->k) - start;
	zswap_observe(z, &event);
	return 0;
}

void zswap_invalidate(struct zswap *z, swp_entry_t swap)
{
	struct zswap_entry *entry = zswap_entry_erase(z, swap);

	if (z->policy)
		zswap_policy_gone(z, swap, POLICY_INVALIDATED, false);
	if (!entry)
		return;
	z->stats.invalidated++;
	zswap_entry_free(z, entry);
}

/* ---- looking in from outside ---- */

void zswap_metadata(const struct zswap *z, struct zswap_metadata *m)
{
	m->entries = kmem_cache_live_bytes(z->entry_cache);
	m->tree = xa_nodes_live_bytes(z->nodes);
	m->pool = zpool_metadata_bytes(z->zpool);
}

const struct zswap_stats *zswap_stats(const struct zswap *z)
{
	return &z->stats;
}

unsigned zswap_nr_stream_contexts(struct zswap *z)
{
	return z->acomp ? crypto_acomp_nr_contexts(z->k, z->acomp->alg) : 0;
}

uint64_t zswap_nr_stream_fallbacks(struct zswap *z)
{
	return z->acomp ? crypto_acomp_nr_fallbacks(z->k, z->acomp->alg) : 0;
}

unsigned zswap_copy_object(struct zswap *z, swp_entry_t swap, void *buf)
{
	struct zswap_entry *entry = zswap_entry_lookup(z, swap);
	unsigned char local[PAGE_SIZE];
	void *obj;

	if (!entry)
		return 0;
	obj = zpool_obj_read_begin(z->zpool, entry->handle, entry->length, local);
	memcpy(buf, obj, entry->length);
	zpool_obj_read_end(z->zpool, entry->handle, entry->length, obj);
	return entry->length;
}

struct crypto_acomp *zswap_acomp(struct zswap *z)
{
	return z->acomp;
}

int zswap_dev_error(const struct zswap *z)
{
	return z->dev_error;
}

struct zpool *zswap_zpool(struct zswap *z)
{
	return z->zpool;
}

struct zs_pool *zswap_zs_pool(struct zswap *z)
{
	return zpool_zs_pool(z->zpool);
}

bool zswap_locate(const struct zswap *z, swp_entry_t swap, struct zpool_location *loc)
{
	struct zswap_entry *entry = zswap_entry_lookup(z, swap);

	if (!entry)
		return false;
	zpool_locate(z->zpool, entry->handle, loc);
	return true;
}
