// SPDX-License-Identifier: GPL-2.0-or-later
/* zswap's lists of entries, one a memcg and node (list_lru), as stores and loads use them. */
#include "sim/zswap_private.h"

struct zswap_lru_list *zswap_entry_lru(const struct zswap *z, const struct zswap_entry *entry)
{
	return &zswap_entry_memcg(z, entry)->lru[entry->nid];
}

/* 6.8 to 6.11: each new entry protects one more, and too large a protection decays. */
static void zswap_lru_protect(struct zswap_lru_list *lru)
{
	lru->nr_zswap_protected++;
	while (lru->nr_zswap_protected > lru->nr_items / 4)
		lru->nr_zswap_protected /= 2;
}

void zswap_lru_add(struct zswap *z, struct zswap_entry *entry)
{
	struct zswap_lru_list *lru = zswap_entry_lru(z, entry);

	ref_list_add_tail(z->entry_cache, &lru->list, zswap_entry_ref(z, entry));
	lru->nr_items++;
	if (z->k->profile.zswap.shrinker == ZSWAP_SHRINKER_PROTECTED)
		zswap_lru_protect(lru);
}

void zswap_lru_del(struct zswap *z, struct zswap_entry *entry)
{
	struct zswap_lru_list *lru = zswap_entry_lru(z, entry);

	ref_list_del(z->entry_cache, &lru->list, zswap_entry_ref(z, entry));
	lru->nr_items--;
}
