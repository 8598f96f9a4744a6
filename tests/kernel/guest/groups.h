/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenarios of several memcgs: the region in groups of equal size, one for each of some memcgs. */
#ifndef GUEST_GROUPS_H
#define GUEST_GROUPS_H

#include "zswap.h"

struct groups {
	struct zswap zswap;
	uint32_t group_pages;
};

/* Makes the region only: memcgs are made, and groups filled, by the scenario. */
void groups_setup(struct groups *groups, struct guest *guest, unsigned nr, uint32_t group_pages,
		  int max_pool_percent, const char *const *memcgs);
/* As groups_setup(), where there are several nodes. */
void groups_setup_nodes(struct groups *groups, struct guest *guest, unsigned nr,
			uint32_t group_pages, int max_pool_percent, const char *const *memcgs,
			unsigned nr_nodes);
uint32_t groups_page(const struct groups *groups, unsigned group, uint32_t index);
/* The program moves to @memcg and fills the group from there. */
void groups_fill(struct groups *groups, unsigned group, int memcg);
/* Pages @from, @from + @step, ... below @to of the group. */
struct groups_range {
	uint32_t from, to, step;
};

/* Each with a row; pages that are already in memory, or not there at all, are left alone. */
void groups_load(struct groups *groups, unsigned group, struct groups_range range);
/* Pages in memory are stored. */
void groups_store(struct groups *groups, unsigned group, struct groups_range range);
/* Pages are overwritten, by which they come into memory. */
void groups_dirty(struct groups *groups, unsigned group, struct groups_range range);
/* Of the first @nr groups: the first page of each, then the second of each, ... */
void groups_store_in_turns(struct groups *groups, unsigned nr, struct groups_range range);
void groups_free(struct groups *groups, unsigned group, struct groups_range range);
/* Loads all that is swapped out, with a row each, and compares it with what was stored. */
void groups_verify_all(struct groups *groups);

#endif
