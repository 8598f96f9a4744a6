// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two nodes: each memcg has a list on each, and a call of shrink_memcg() looks at both. Pages on
 * one node, on the other, on both; against the memcg's limit, the pool's, and under reclaim. What
 * is written back is read into a page of the node that the worker or the process runs on.
 */
#include "groups.h"

#define KIB	    1024
#define NO_LIMIT    (-1)
#define GROUP_PAGES 500
#define NR_NODES    2

enum { T, U };

static const char *const paths[] = {"/t", "/u", NULL};

enum { T_ON_0, T_ON_1, U_ON_0, U_ON_1, NR_GROUPS };

#define RANGE(from, to, step) ((struct groups_range){from, to, step})

static void begin(struct groups *run, struct guest *guest)
{
	struct zswap *zswap = &run->zswap;

	groups_setup_nodes(run, guest, NR_GROUPS, GROUP_PAGES, 1, paths, NR_NODES);
	zswap_make_memcg(zswap, T);
	zswap_make_memcg(zswap, U);
	for (unsigned group = 0; group < NR_GROUPS; group++) {
		zswap_bind(zswap, groups_page(run, group, 0), GROUP_PAGES, group % NR_NODES);
		groups_fill(run, group, group < U_ON_0 ? T : U);
	}
	zswap_step(zswap, "filled");
}

static void against_the_memcgs_limit(struct groups *run)
{
	zswap_set_memcg(&run->zswap, T, "memory.zswap.max", 96 * KIB);
	groups_store(run, T_ON_1, RANGE(0, 100, 1));
	groups_store(run, T_ON_0, RANGE(0, 100, 1));
	groups_store_in_turns(run, U_ON_0, RANGE(100, 240, 1));
	zswap_step(&run->zswap, "at_the_memcgs_limit");
	groups_load(run, T_ON_1, RANGE(0, 240, 1));
	groups_store(run, T_ON_0, RANGE(240, 320, 1));
	groups_store(run, T_ON_1, RANGE(0, 240, 1));
	zswap_set_memcg(&run->zswap, T, "memory.zswap.max", NO_LIMIT);
	zswap_step(&run->zswap, "one_node_emptied");
}

static void against_the_pools_limit(struct groups *run)
{
	groups_store_in_turns(run, NR_GROUPS, RANGE(0, 460, 1));
	zswap_step(&run->zswap, "at_the_pools_limit");
	groups_dirty(run, U_ON_1, RANGE(0, 240, 2));
	groups_store(run, U_ON_1, RANGE(0, 460, 1));
	groups_store_in_turns(run, NR_GROUPS, RANGE(460, 500, 1));
	zswap_step(&run->zswap, "refilled");
}

static void under_reclaim(struct groups *run)
{
	struct zswap *zswap = &run->zswap;

	zswap_set_parameter(zswap, "max_pool_percent", 90);
	groups_dirty(run, U_ON_0, RANGE(0, 120, 1));
	groups_dirty(run, U_ON_1, RANGE(0, 400, 1));
	groups_store_in_turns(run, NR_GROUPS, RANGE(0, 400, 1));
	zswap_set_parameter(zswap, "shrinker_enabled", 1);
	zswap_reclaim(zswap, U, 1024 * KIB);
	zswap_step(zswap, "reclaimed");
}

void zswap_nodes(struct guest *guest)
{
	static struct groups run;

	begin(&run, guest);
	against_the_memcgs_limit(&run);
	against_the_pools_limit(&run);
	under_reclaim(&run);
	groups_verify_all(&run);
	zswap_unmap_all(&run.zswap);
	zswap_step(&run.zswap, "munmap");
	zswap_finish(&run.zswap);
}
