/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For built-in policies: something for each memcg and node, made when it is first asked for. Under
 * the ideal objective there are neither, and there is one for all.
 */
#ifndef SIM_POLICY_GROUPS_H
#define SIM_POLICY_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/policy.h"

struct groups {
	bool one;
	unsigned nr_nodes;
	size_t bytes;		   /* of a group */
	void (*init)(void *group); /* of zeroed memory */
	void **all;		   /* [memcg * nr_nodes + node]; NULL: not made yet */
	size_t nr;
};

void groups_init(struct groups *groups, const struct zswapsim_params *params, size_t bytes,
		 void (*init)(void *group));
/* @finish, of each group, may be NULL. */
void groups_finish(struct groups *groups, void (*finish)(void *group));

/* NULL: out of memory. */
void *group_of(struct groups *groups, uint32_t memcg, uint32_t node);
/* NULL: it was not made. */
void *group_find(const struct groups *groups, uint32_t memcg, uint32_t node);

#endif
