// SPDX-License-Identifier: GPL-2.0-or-later
/* zswap's lists of entries, one a memcg and node (list_lru), as stores and loads use them. */
#include "sim/zswap_private.h"

struct zswap_lru_list *zswap_entry_lru(const struct zswap *z, const struct zswap_entry *entry)
{
	return &zswap_entry_memcg(z, entry)->lru[entry->nid];
}

void zswap_lru_add(struct zswap *z, struct zswap_entry *entry)
{
	struct zswap_lru_list *lru = zswap_entry_lru(z, entry);

	list_add_tail(&entry->lru, &lru->head);
	lru->nr_items++;
}

void zswap_lru_del(struct zswap *z, struct zswap_entry *entry)
{
	list_del_init(&entry->lru);
	zswap_entry_lru(z, entry)->nr_items--;
}
