// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A PRESSURE event: what do_shrink_slab() (mm/shrinker.c) does with zswap's shrinker, for each
 * node. It asks for the count first, and nothing is scanned if that is 0; what the trace says is to
 * be scanned goes to the shrinker in batches, at most twice the count, until the shrinker stops.
 */
#include <errno.h>
#include <string.h>

#include "sim/replay_private.h"

#define SHRINK_BATCH 128u

static void shrink_lruvec(struct replay *r, struct mem_cgroup *memcg, int nid, uint64_t nr_to_scan)
{
	uint64_t count = zswap_shrinker_count(r->z, memcg, nid);
	uint64_t left = nr_to_scan < 2 * count ? nr_to_scan : 2 * count;

	while (left) {
		uint64_t batch = left < SHRINK_BATCH ? left : SHRINK_BATCH;

		if (zswap_shrinker_scan(r->z, memcg, nid, batch) == SHRINK_STOP)
			return;
		left -= batch;
	}
}

/* Where a scenario has divided a memcg's pages, pressure is divided by the lengths of the lists. */
static void shrink_node(struct replay *r, const struct trace_event *ev, struct mem_cgroup *memcg,
			int nid)
{
	uint64_t entries = 0, before = 0, nr;

	for (unsigned i = 0; i < r->memcgs.nr; i++) {
		struct mem_cgroup *m = r->memcgs.all[i];

		if (m == memcg || replay_scenario_shares(r, ev, m))
			entries += m->lru[nid].nr_items;
	}
	nr = ev->arg < 2 * entries ? ev->arg : 2 * entries;
	for (unsigned i = 0; i < r->memcgs.nr; i++) {
		struct mem_cgroup *m = r->memcgs.all[i];
		uint64_t items = m->lru[nid].nr_items;

		if (!items || (m != memcg && !replay_scenario_shares(r, ev, m)))
			continue;
		/* Rounded so that the shares add up. */
		shrink_lruvec(r, m, nid, nr * (before + items) / entries - nr * before / entries);
		before += items;
	}
}

int replay_pressure(struct replay *r, const struct trace_event *ev)
{
	uint64_t start = replay_clock_begin(r);
	struct mem_cgroup *memcg = r->memcg_of[ev->memcg];

	if (!memcg)
		return replay_fail(r, -EINVAL, "memcg %u is not online", ev->memcg);
	r->result->counts.pressures++;
	replay_note_classes(r);
	for (unsigned nid = 0; nid < r->k->nr_nodes; nid++) {
		if (r->scenario)
			shrink_node(r, ev, memcg, nid);
		else
			shrink_lruvec(r, memcg, nid, ev->arg);
	}
	r->result->worker_ns += replay_clock_end(r, start);
	return replay_dev_error(r);
}
