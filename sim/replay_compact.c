// SPDX-License-Identifier: GPL-2.0-or-later
/* Compaction between events: when, what it did and how long it took. */
#include "sim/replay_private.h"
#include "sim/zsmalloc.h"

void replay_compact(struct replay *r)
{
	struct zs_pool *pool = zswap_zs_pool(r->z);
	struct zs_pool_stats before, after;
	struct replay_compaction *c = &r->result->compaction;
	uint64_t start;

	/* It frees pages: the classes of the peak are written down before. */
	replay_note_classes(r);
	zs_pool_stats(pool, &before);
	start = replay_clock_begin(r);
	c->freed_pages += zs_compact(pool);
	r->result->compact_ns += replay_clock_end(r, start);
	zs_pool_stats(pool, &after);
	c->runs++;
	c->moved_objects += after.objs_moved - before.objs_moved;
	c->copied_bytes += after.bytes_copied - before.bytes_copied;
}

static bool is_fragmented(const struct replay *r, uint64_t percent)
{
	struct zpool_usage usage;

	zpool_usage(zswap_zpool(r->z), &usage);
	return usage.pages && usage.unused_bytes >= usage.pages * PAGE_SIZE * percent / 100 &&
	       zs_compactable_pages(zswap_zs_pool(r->z));
}

void replay_compact_step(struct replay *r)
{
	const struct compact_when *when = &r->config->compact;

	switch (when->kind) {
	case COMPACT_NEVER:
		return;
	case COMPACT_EVERY:
		if (r->result->counts.events % when->n == 0)
			replay_compact(r);
		return;
	case COMPACT_FRAGMENTATION:
		if (is_fragmented(r, when->n))
			replay_compact(r);
		return;
	}
}
