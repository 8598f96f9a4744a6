// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several memcgs under the limit of their parent: whose entries make room, what a child without
 * writeback does, and what becomes of a child's entries and pages when it is gone.
 */
#include "groups.h"

#define KIB	    1024
#define NO_LIMIT    (-1)
#define GROUP_PAGES 360

enum { P, A, B, C, D, Q };

static const char *const paths[] = {"/p", "/p/a", "/p/b", "/p/c", "/p/d", "/q", NULL};

/* Groups of pages, by the memcg that they begin with. */
enum { OF_A, OF_B, OF_C, NR_GROUPS };

#define RANGE(from, to, step) ((struct groups_range){from, to, step})

static void begin(struct groups *run, struct guest *guest)
{
	struct zswap *zswap = &run->zswap;

	groups_setup(run, guest, NR_GROUPS, GROUP_PAGES, 90, paths);
	zswap_make_memcg(zswap, P);
	zswap_make_memcg(zswap, A);
	zswap_make_memcg(zswap, B);
	zswap_make_memcg(zswap, C);
	zswap_make_memcg(zswap, Q);
	zswap_set_memcg(zswap, P, "memory.zswap.max", 256 * KIB);
	zswap_set_memcg(zswap, C, "memory.zswap.writeback", 0);
	groups_fill(run, OF_A, A);
	groups_fill(run, OF_B, B);
	groups_fill(run, OF_C, C);
	zswap_step(zswap, "filled");
}

static void share_the_limit(struct groups *run)
{
	groups_store_in_turns(run, NR_GROUPS, RANGE(0, 240, 1));
	zswap_step(&run->zswap, "stored_in_turns");
	groups_load(run, OF_A, RANGE(0, 240, 3));
	groups_load(run, OF_B, RANGE(1, 240, 3));
	groups_load(run, OF_C, RANGE(2, 240, 3));
	zswap_step(&run->zswap, "loaded_every_3rd");
	groups_dirty(run, OF_A, RANGE(0, 240, 6));
	groups_dirty(run, OF_B, RANGE(1, 240, 6));
	groups_store_in_turns(run, NR_GROUPS, RANGE(0, 240, 1));
	zswap_step(&run->zswap, "stored_again");
}

static void limit_a_child(struct groups *run)
{
	zswap_set_memcg(&run->zswap, A, "memory.zswap.max", 32 * KIB);
	groups_store(run, OF_A, RANGE(240, 280, 1));
	groups_store(run, OF_B, RANGE(240, 260, 1));
	zswap_set_memcg(&run->zswap, A, "memory.zswap.max", NO_LIMIT);
	groups_store_in_turns(run, NR_GROUPS, RANGE(260, 290, 1));
	zswap_step(&run->zswap, "child_limited");
}

/*
 * B is gone, with pages in memory, in zswap and on disk. The program, from /p/a or /q, swaps some
 * in, which by that become pages of /p/a or /q. B's own limit no longer counts.
 */
static void kill_a_child(struct groups *run)
{
	struct zswap *zswap = &run->zswap;

	groups_dirty(run, OF_B, RANGE(0, 200, 4));
	zswap_set_memcg(zswap, B, "memory.zswap.max", 0);
	groups_store(run, OF_B, RANGE(0, 12, 4));
	memcgs_enter(&zswap->memcgs, A);
	zswap_remove_memcg(zswap, B);
	zswap_step(zswap, "child_removed");
	groups_store(run, OF_B, RANGE(12, 120, 4));
	groups_store(run, OF_A, RANGE(0, 240, 2));
	groups_load(run, OF_B, RANGE(2, 120, 4));
	groups_store(run, OF_B, RANGE(2, 120, 4));
	memcgs_enter(&zswap->memcgs, Q);
	groups_load(run, OF_B, RANGE(1, 160, 4));
	groups_store(run, OF_B, RANGE(1, 160, 4));
	zswap_step(zswap, "orphans_stored");
}

static void move_the_limit(struct groups *run)
{
	struct zswap *zswap = &run->zswap;

	groups_store_in_turns(run, NR_GROUPS, RANGE(290, 300, 1));
	zswap_set_memcg(zswap, P, "memory.zswap.max", 0);
	groups_store_in_turns(run, NR_GROUPS, RANGE(300, 306, 1));
	zswap_set_memcg(zswap, P, "memory.zswap.max", NO_LIMIT);
	groups_store_in_turns(run, NR_GROUPS, RANGE(306, 330, 1));
	zswap_step(zswap, "unlimited");
	zswap_set_memcg(zswap, C, "memory.zswap.writeback", 1);
	zswap_set_memcg(zswap, P, "memory.zswap.max", 128 * KIB);
	groups_store(run, OF_C, RANGE(0, 360, 3));
	groups_store_in_turns(run, NR_GROUPS, RANGE(330, 345, 1));
	zswap_step(zswap, "limit_lowered");
	zswap_set_memcg(zswap, P, "memory.zswap.writeback", 0);
	groups_store_in_turns(run, NR_GROUPS, RANGE(345, 352, 1));
	zswap_set_memcg(zswap, P, "memory.zswap.writeback", 1);
	groups_store_in_turns(run, NR_GROUPS, RANGE(345, 352, 1));
	zswap_step(zswap, "parent_without_writeback");
}

/* D takes over memory that was B's; C goes while it may not write back, A after it. */
static void replace_the_children(struct groups *run)
{
	struct zswap *zswap = &run->zswap;

	zswap_make_memcg(zswap, D);
	memcgs_enter(&zswap->memcgs, D);
	groups_free(run, OF_B, RANGE(0, 180, 1));
	groups_dirty(run, OF_B, RANGE(0, 180, 1));
	groups_store(run, OF_B, RANGE(0, 180, 1));
	zswap_step(zswap, "child_made");
	groups_dirty(run, OF_C, RANGE(0, 360, 4));
	zswap_set_memcg(zswap, C, "memory.zswap.writeback", 0);
	zswap_remove_memcg(zswap, C);
	groups_store(run, OF_C, RANGE(0, 360, 4));
	groups_dirty(run, OF_A, RANGE(0, 360, 4));
	zswap_remove_memcg(zswap, A);
	groups_store_in_turns(run, NR_GROUPS, RANGE(0, 360, 1));
	zswap_step(zswap, "children_removed");
}

void zswap_memcgs(struct guest *guest)
{
	static struct groups run;

	begin(&run, guest);
	share_the_limit(&run);
	limit_a_child(&run);
	kill_a_child(&run);
	move_the_limit(&run);
	replace_the_children(&run);
	groups_verify_all(&run);
	zswap_unmap_all(&run.zswap);
	zswap_step(&run.zswap, "munmap");
	zswap_finish(&run.zswap);
}
