// SPDX-License-Identifier: GPL-2.0-or-later
/* The memcgs of a replay: the trace's table and its MEMCG events. */
#include <errno.h>

#include "sim/replay_private.h"

int replay_add_memcg(struct replay *r, unsigned i)
{
	struct trace_memcg m;
	struct mem_cgroup *memcg;

	trace_reader_memcg(r->reader, i, &m);
	if (i == 0) {
		r->memcg_of[0] = root_mem_cgroup(&r->memcgs);
		r->memcg_of[0]->zswap_writeback = m.zswap_writeback;
		return 0;
	}
	if (!m.online)
		return 0;
	if (!r->memcg_of[m.parent])
		return replay_fail(r, -EINVAL, "memcg %u is online before its parent", i);
	memcg = mem_cgroup_create(&r->memcgs, r->memcg_of[m.parent], m.path);
	if (!memcg)
		return -ENOMEM;
	memcg->zswap_max = m.zswap_max;
	memcg->zswap_writeback = m.zswap_writeback;
	r->memcg_of[i] = memcg;
	return 0;
}

static int memcg_online(struct replay *r, const struct trace_event *ev)
{
	struct mem_cgroup *memcg, *parent;
	struct trace_memcg m;

	trace_reader_memcg(r->reader, ev->memcg, &m);
	parent = r->memcg_of[m.parent];
	if (!parent || !parent->online)
		return replay_fail(r, -EINVAL, "the parent of memcg %u is not online", ev->memcg);
	if (r->memcg_of[ev->memcg] && r->memcg_of[ev->memcg]->online)
		return replay_fail(r, -EINVAL, "memcg %u is online already", ev->memcg);
	memcg = mem_cgroup_create(&r->memcgs, parent, m.path);
	if (!memcg)
		return replay_fail(r, -ENOMEM, "out of memory");
	memcg->zswap_max = m.zswap_max;
	memcg->zswap_writeback = m.zswap_writeback;
	r->memcg_of[ev->memcg] = memcg;
	replay_scenario_created(r, ev->memcg);
	return 0;
}

int replay_memcg_event(struct replay *r, const struct trace_event *ev)
{
	struct mem_cgroup *memcg = r->memcg_of[ev->memcg];

	if (ev->what == TRACE_MEMCG_ONLINE)
		return memcg_online(r, ev);
	if (!memcg || !memcg->online)
		return replay_fail(r, -EINVAL, "memcg %u is not online", ev->memcg);
	/* The root has no limit and is never killed, but it has a writeback setting. */
	if (mem_cgroup_is_root(memcg) && ev->what != TRACE_MEMCG_ZSWAP_WRITEBACK)
		return replay_fail(r, -EINVAL, "memcg 0 is the root");
	switch (ev->what) {
	case TRACE_MEMCG_OFFLINE:
		if (zswap_memcg_offline(r->z, memcg))
			return replay_fail(r, -EINVAL, "memcg %u has children", ev->memcg);
		break;
	case TRACE_MEMCG_ZSWAP_MAX:
		memcg->zswap_max = ev->arg;
		break;
	case TRACE_MEMCG_ZSWAP_WRITEBACK:
		memcg->zswap_writeback = ev->arg;
		break;
	}
	return 0;
}
