// SPDX-License-Identifier: GPL-2.0-or-later
/* What must hold between two operations: counters against the entries that there are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/slot_map.h"
#include "sim/zswap_private.h"

struct sums {
	uint64_t unknown; /* entries that the policy does not know as they are */
	uint64_t entries, incompressible, bytes;
	uint64_t *memcg_bytes, *memcg_pages; /* [memcgs.nr], hierarchical */
};

static bool known_to_policy(const struct zswap *z, const struct zswap_entry *entry)
{
	swp_entry_t swp = zswap_entry_swp(entry);
	unsigned codec;
	uint32_t size;

	return policy_run_find(z->policy, slot_key(swp.type, swp.offset), &size, &codec) &&
	       size == entry->length;
}

static void sum_entry(const struct zswap *z, const struct zswap_entry *entry, struct sums *sums)
{
	struct mem_cgroup *memcg = zswap_entry_memcg(z, entry);

	sums->entries++;
	if (z->policy)
		sums->unknown += !known_to_policy(z, entry);
	sums->bytes += entry->length;
	sums->incompressible += entry->length == PAGE_SIZE;
	for (; memcg && entry->objcg; memcg = memcg->parent) {
		sums->memcg_bytes[memcg->id] += entry->length;
		sums->memcg_pages[memcg->id]++;
	}
}

static void sum_entries(const struct zswap *z, struct sums *sums)
{
	for (unsigned type = 0; type < ZSWAP_MAX_SWAP_TYPES; type++) {
		const struct zswap_trees *t = &z->zswap_trees[type];
		uint32_t entry;

		for (uint64_t i = 0; i < t->nr; i++) {
			for (uint64_t at = 0; (entry = xa_find(&t->trees[i].xa, &at)); at++)
				sum_entry(z, zswap_entry_of_ref(z, entry), sums);
		}
	}
}

static int differ(char *err, size_t size, const char *what, uint64_t counted, uint64_t summed)
{
	snprintf(err, size, "%s: counted %llu, the entries make %llu", what,
		 (unsigned long long)counted, (unsigned long long)summed);
	return -EUCLEAN;
}

static int check_memcg(const struct zswap *z, const struct mem_cgroup *memcg,
		       const struct sums *sums, uint64_t *listed, char *err, size_t size)
{
	/* An offline memcg keeps the figures it died with, as the kernel's statistics do. */
	if (memcg->online) {
		if (memcg->zswap_bytes != sums->memcg_bytes[memcg->id])
			return differ(err, size, "memcg zswap bytes", memcg->zswap_bytes,
				      sums->memcg_bytes[memcg->id]);
		if (memcg->zswapped != sums->memcg_pages[memcg->id])
			return differ(err, size, "memcg zswapped pages", memcg->zswapped,
				      sums->memcg_pages[memcg->id]);
	}
	for (unsigned nid = 0; nid < z->k->nr_nodes; nid++) {
		const struct zswap_lru_list *lru = &memcg->lru[nid];
		uint64_t nr = 0;

		for (uint32_t item = lru->list.first; item;
		     item = ref_link(z->entry_cache, item)->next)
			nr++;
		if (nr != lru->nr_items)
			return differ(err, size, "lru items", lru->nr_items, nr);
		*listed += nr;
	}
	return 0;
}

static int check_totals(const struct zswap *z, const struct sums *sums, uint64_t listed, char *err,
			size_t size)
{
	struct zpool_usage usage;
	uint64_t gone;

	zpool_usage(z->zpool, &usage);
	if (z->stats.stored_pages != sums->entries)
		return differ(err, size, "stored_pages", z->stats.stored_pages, sums->entries);
	if (z->stats.stored_incompressible_pages != sums->incompressible)
		return differ(err, size, "stored_incompressible_pages",
			      z->stats.stored_incompressible_pages, sums->incompressible);
	if (z->policy && policy_run_pool(z->policy)->entries != sums->entries)
		return differ(err, size, "entries of the policy",
			      policy_run_pool(z->policy)->entries, sums->entries);
	if (sums->unknown)
		return differ(err, size, "entries that the policy knows",
			      sums->entries - sums->unknown, sums->entries);
	if (z->policy && policy_run_check(z->policy, err, size))
		return -EUCLEAN;
	if (listed != sums->entries)
		return differ(err, size, "entries on lists", listed, sums->entries);
	if (usage.objects != sums->entries)
		return differ(err, size, "objects of the pool", usage.objects, sums->entries);
	if (usage.payload_bytes != sums->bytes)
		return differ(err, size, "payload bytes of the pool", usage.payload_bytes,
			      sums->bytes);
	if (zpool_nr_mapped(z->zpool))
		return differ(err, size, "objects left mapped", zpool_nr_mapped(z->zpool), 0);
	/* zswpout = what is stored, came back, was written back, invalidated or overwritten. */
	gone = z->stats.zswpin - z->stats.loads_kept + z->stats.zswpwb + z->stats.invalidated +
	       z->stats.overwritten;
	if (z->stats.zswpout != sums->entries + gone)
		return differ(err, size, "zswpout", z->stats.zswpout, sums->entries + gone);
	if (z->stats.zswpwb != z->stats.written_back_pages)
		return differ(err, size, "zswpwb", z->stats.zswpwb, z->stats.written_back_pages);
	return 0;
}

int zswap_check(const struct zswap *z, char *err, size_t err_size)
{
	struct sums sums = {0};
	uint64_t listed = 0;
	int ret = -ENOMEM;

	sums.memcg_bytes = calloc(z->memcgs->nr, sizeof(*sums.memcg_bytes));
	sums.memcg_pages = calloc(z->memcgs->nr, sizeof(*sums.memcg_pages));
	if (!sums.memcg_bytes || !sums.memcg_pages) {
		snprintf(err, err_size, "out of memory");
		goto out;
	}
	sum_entries(z, &sums);
	ret = 0;
	for (unsigned i = 0; !ret && i < z->memcgs->nr; i++)
		ret = check_memcg(z, z->memcgs->all[i], &sums, &listed, err, err_size);
	if (!ret)
		ret = check_totals(z, &sums, listed, err, err_size);
	if (!ret)
		ret = zpool_check(z->zpool, err, err_size);
out:
	free(sums.memcg_bytes);
	free(sums.memcg_pages);
	return ret;
}
