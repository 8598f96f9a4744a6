// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dynamic shrinker, call by call: the kernel is told to reclaim, and what it asks of zswap's
 * shrinker is noted. Fresh entries, entries that had their second chance, pages that were read from
 * disk since, a child without writeback.
 */
#include "groups.h"

#define GROUP_PAGES 560
#define BYTES	    (1 << 20)

enum { P, A, B };

static const char *const paths[] = {"/p", "/p/a", "/p/b", NULL};

enum { OF_A, OF_B, NR_GROUPS };

#define RANGE(from, to, step) ((struct groups_range){from, to, step})

static void begin(struct groups *run, struct guest *guest)
{
	struct zswap *zswap = &run->zswap;

	groups_setup(run, guest, NR_GROUPS, GROUP_PAGES, 90, paths);
	for (int memcg = P; memcg <= B; memcg++)
		zswap_make_memcg(zswap, memcg);
	zswap_set_parameter(zswap, "shrinker_enabled", 1);
	groups_fill(run, OF_A, A);
	groups_fill(run, OF_B, B);
	zswap_step(zswap, "filled");
}

/*
 * What was written back is in the swap cache: loaded, it is dropped by the next store, and then
 * read from disk.
 */
static void read_from_disk(struct groups *run, unsigned group, struct groups_range range)
{
	groups_load(run, group, range);
	groups_store(run, group, range);
	groups_load(run, group, range);
}

void zswap_pressure(struct guest *guest)
{
	static struct groups run;
	struct zswap *zswap = &run.zswap;

	begin(&run, guest);
	groups_store_in_turns(&run, NR_GROUPS, RANGE(0, 400, 1));
	zswap_step(zswap, "stored");
	zswap_reclaim(zswap, P, BYTES);
	zswap_step(zswap, "reclaimed");

	read_from_disk(&run, OF_A, RANGE(0, 100, 1));
	read_from_disk(&run, OF_B, RANGE(0, 40, 1));
	groups_store_in_turns(&run, NR_GROUPS, RANGE(400, 480, 1));
	zswap_step(zswap, "read_from_disk");
	zswap_reclaim(zswap, A, BYTES);
	zswap_reclaim(zswap, P, BYTES);

	zswap_set_memcg(zswap, B, "memory.zswap.writeback", 0);
	groups_dirty(&run, OF_B, RANGE(0, 300, 1));
	groups_store(&run, OF_B, RANGE(0, 300, 1));
	groups_dirty(&run, OF_A, RANGE(0, 30, 1));
	groups_store(&run, OF_A, RANGE(0, 30, 1));
	zswap_reclaim(zswap, P, BYTES);
	zswap_step(zswap, "child_without_writeback");

	zswap_set_memcg(zswap, B, "memory.zswap.writeback", 1);
	zswap_set_parameter(zswap, "shrinker_enabled", 0);
	zswap_reclaim(zswap, P, BYTES);
	zswap_set_parameter(zswap, "shrinker_enabled", 1);
	zswap_reclaim(zswap, B, BYTES);
	zswap_step(zswap, "switched_off_and_on");

	groups_verify_all(&run);
	zswap_unmap_all(zswap);
	zswap_step(zswap, "munmap");
	zswap_finish(zswap);
}
