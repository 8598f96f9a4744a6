// SPDX-License-Identifier: GPL-2.0-or-later
#include "groups.h"

#include "util.h"

void groups_setup_nodes(struct groups *groups, struct guest *guest, unsigned nr,
			uint32_t group_pages, int max_pool_percent, const char *const *memcgs,
			unsigned nr_nodes)
{
	const struct zswap_settings settings = {
		.nr_pages = nr * group_pages,
		.max_pool_percent = max_pool_percent,
		.memcgs = memcgs,
		.facts = json_pack("{s:i}", "nr_nodes", nr_nodes),
	};

	groups->group_pages = group_pages;
	zswap_setup(&groups->zswap, guest, &settings);
	zswap_output_header(&groups->zswap);
}

void groups_setup(struct groups *groups, struct guest *guest, unsigned nr, uint32_t group_pages,
		  int max_pool_percent, const char *const *memcgs)
{
	groups_setup_nodes(groups, guest, nr, group_pages, max_pool_percent, memcgs, 1);
}

uint32_t groups_page(const struct groups *groups, unsigned group, uint32_t index)
{
	return group * groups->group_pages + index % groups->group_pages;
}

void groups_fill(struct groups *groups, unsigned group, int memcg)
{
	memcgs_enter(&groups->zswap.memcgs, memcg);
	zswap_fill(&groups->zswap, groups_page(groups, group, 0), groups->group_pages);
}

void groups_load(struct groups *groups, unsigned group, struct groups_range range)
{
	for (uint32_t i = range.from; i < range.to; i += range.step) {
		uint32_t page = groups_page(groups, group, i);

		if (zswap_where(&groups->zswap, page) == ZSWAP_SWAPPED_OUT)
			zswap_load(&groups->zswap, page);
	}
}

static void store(struct groups *groups, unsigned group, uint32_t index)
{
	uint32_t page = groups_page(groups, group, index);

	if (zswap_where(&groups->zswap, page) == ZSWAP_IN_MEMORY)
		zswap_store_and_settle(&groups->zswap, page);
}

void groups_store(struct groups *groups, unsigned group, struct groups_range range)
{
	for (uint32_t i = range.from; i < range.to; i += range.step)
		store(groups, group, i);
}

void groups_dirty(struct groups *groups, unsigned group, struct groups_range range)
{
	struct zswap *zswap = &groups->zswap;

	for (uint32_t i = range.from; i < range.to; i += range.step) {
		uint32_t page = groups_page(groups, group, i);

		zswap_dirty(zswap, page, (zswap->src[page] * 3 + 7) % zswap->guest->pages.nr);
	}
}

void groups_store_in_turns(struct groups *groups, unsigned nr, struct groups_range range)
{
	for (uint32_t i = range.from; i < range.to; i += range.step) {
		for (unsigned group = 0; group < nr; group++)
			store(groups, group, i);
	}
}

void groups_free(struct groups *groups, unsigned group, struct groups_range range)
{
	for (uint32_t i = range.from; i < range.to; i += range.step)
		zswap_free(&groups->zswap, groups_page(groups, group, i));
}

void groups_verify_all(struct groups *groups)
{
	struct zswap *zswap = &groups->zswap;

	for (uint32_t page = 0; page < zswap->nr_pages; page++) {
		if (zswap_where(zswap, page) == ZSWAP_SWAPPED_OUT)
			zswap_load(zswap, page);
		if (zswap_where(zswap, page) == ZSWAP_IN_MEMORY)
			zswap_verify_page(zswap, page);
	}
}
