// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_groups.h"

#include <stdlib.h>
#include <string.h>

void groups_init(struct groups *groups, const struct zswapsim_params *params, size_t bytes,
		 void (*init)(void *group))
{
	*groups = (struct groups){.one = params->objective == ZSWAPSIM_IDEAL,
				  .nr_nodes = params->nr_nodes,
				  .bytes = bytes,
				  .init = init};
}

void groups_finish(struct groups *groups, void (*finish)(void *group))
{
	for (size_t i = 0; i < groups->nr; i++) {
		if (groups->all[i] && finish)
			finish(groups->all[i]);
		free(groups->all[i]);
	}
	free(groups->all);
}

static size_t index_of(const struct groups *groups, uint32_t memcg, uint32_t node)
{
	return groups->one ? 0 : (size_t)memcg * groups->nr_nodes + node;
}

static bool make_room(struct groups *groups, size_t nr)
{
	size_t cap = nr < 16 ? 16 : nr * 2;
	void **all;

	if (nr <= groups->nr)
		return true;
	all = realloc(groups->all, cap * sizeof(*all));
	if (!all)
		return false;
	memset(all + groups->nr, 0, (cap - groups->nr) * sizeof(*all));
	groups->all = all;
	groups->nr = cap;
	return true;
}

void *group_of(struct groups *groups, uint32_t memcg, uint32_t node)
{
	size_t i = index_of(groups, memcg, node);

	if (!make_room(groups, i + 1))
		return NULL;
	if (!groups->all[i]) {
		groups->all[i] = calloc(1, groups->bytes);
		if (groups->all[i])
			groups->init(groups->all[i]);
	}
	return groups->all[i];
}

void *group_find(const struct groups *groups, uint32_t memcg, uint32_t node)
{
	size_t i = index_of(groups, memcg, node);

	return i < groups->nr ? groups->all[i] : NULL;
}
