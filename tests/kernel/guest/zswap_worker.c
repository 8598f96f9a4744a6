// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several memcgs at the pool's limit: whose turn it is when the shrink worker goes round, and where
 * it goes on when the memcg that it would visit next is gone, or a new one has come.
 */
#include "groups.h"

#define GROUP_PAGES 560

enum { P, A, B, Q, R, S };

static const char *const paths[] = {"/p", "/p/a", "/p/b", "/q", "/r", "/s", NULL};

enum { OF_A, OF_B, OF_Q, NR_TAKING_TURNS, OF_R = NR_TAKING_TURNS, NR_GROUPS };

#define RANGE(from, to, step) ((struct groups_range){from, to, step})

static void begin(struct groups *run, struct guest *guest)
{
	struct zswap *zswap = &run->zswap;

	groups_setup(run, guest, NR_GROUPS, GROUP_PAGES, 1, paths);
	for (int memcg = P; memcg <= R; memcg++)
		zswap_make_memcg(zswap, memcg);
	zswap_set_memcg(zswap, R, "memory.zswap.writeback", 0);
	groups_fill(run, OF_A, A);
	groups_fill(run, OF_B, B);
	groups_fill(run, OF_Q, Q);
	groups_fill(run, OF_R, R);
	zswap_step(zswap, "filled");
}

/* R, which may not write back, has its entries in zspages of their own. */
static void fill_the_pool(struct groups *run)
{
	groups_store(run, OF_R, RANGE(0, 120, 1));
	groups_store_in_turns(run, NR_TAKING_TURNS, RANGE(0, 440, 1));
	zswap_step(&run->zswap, "stored_in_turns");
	groups_load(run, OF_Q, RANGE(200, 440, 5));
	groups_store(run, OF_R, RANGE(120, 140, 1));
	groups_store_in_turns(run, NR_TAKING_TURNS, RANGE(200, 480, 1));
	zswap_step(&run->zswap, "refilled");
}

/* As the worker goes round, where it would go on may be the one that is gone. */
static void remove_while_full(struct groups *run)
{
	struct zswap *zswap = &run->zswap;

	memcgs_enter(&zswap->memcgs, Q);
	zswap_remove_memcg(zswap, B);
	groups_dirty(run, OF_A, RANGE(0, 60, 1));
	groups_dirty(run, OF_B, RANGE(0, 60, 1));
	groups_dirty(run, OF_Q, RANGE(0, 60, 1));
	groups_store_in_turns(run, NR_TAKING_TURNS, RANGE(0, 60, 1));
	groups_store_in_turns(run, NR_TAKING_TURNS, RANGE(480, 560, 1));
	zswap_step(zswap, "child_removed");
	zswap_make_memcg(zswap, S);
	memcgs_enter(&zswap->memcgs, S);
	groups_load(run, OF_B, RANGE(0, 560, 2));
	groups_dirty(run, OF_B, RANGE(0, 560, 4));
	groups_store(run, OF_B, RANGE(0, 560, 2));
	zswap_step(zswap, "new_memcg");
	zswap_remove_memcg(zswap, A);
	zswap_remove_memcg(zswap, P);
	groups_dirty(run, OF_A, RANGE(0, 300, 1));
	groups_dirty(run, OF_Q, RANGE(0, 300, 2));
	groups_store_in_turns(run, NR_TAKING_TURNS, RANGE(0, 560, 1));
	zswap_step(zswap, "family_removed");
}

static void lower_the_threshold(struct groups *run)
{
	struct zswap *zswap = &run->zswap;

	zswap_set_parameter(zswap, "accept_threshold_percent", 60);
	groups_dirty(run, OF_Q, RANGE(0, 560, 2));
	groups_store(run, OF_Q, RANGE(0, 560, 2));
	zswap_step(zswap, "threshold_lowered");
	zswap_set_memcg(zswap, R, "memory.zswap.writeback", 1);
	groups_dirty(run, OF_B, RANGE(0, 560, 3));
	groups_store(run, OF_B, RANGE(0, 560, 3));
	zswap_step(zswap, "writeback_for_all");
}

void zswap_worker(struct guest *guest)
{
	static struct groups run;
	struct zswap *zswap = &run.zswap;

	begin(&run, guest);
	fill_the_pool(&run);
	remove_while_full(&run);
	lower_the_threshold(&run);
	groups_verify_all(&run);
	zswap_unmap_all(zswap);
	zswap_step(zswap, "munmap");
	zswap_finish(zswap);
}
