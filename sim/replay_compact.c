// SPDX-License-Identifier: GPL-2.0-or-later
/* Compaction between events, when the configuration says; what all compactions did. */
#include "sim/replay_private.h"
#include "sim/zsmalloc.h"
#include "sim/zswap_policy.h"

void replay_note_compaction(struct replay *r)
{
	struct replay_compaction *c = &r->result->compaction;
	struct zs_pool *pool = zswap_zs_pool(r->z);
	struct zs_pool_stats stats;

	if (!pool)
		return;
	zs_pool_stats(pool, &stats);
	*c = (struct replay_compaction){
		.runs = r->compactions + zswap_policy_stats(r->z)->compactions,
		.moved_objects = stats.objs_moved,
		.copied_bytes = stats.bytes_copied,
		.freed_pages = stats.pages_compacted,
	};
}

static void compact(struct replay *r)
{
	uint64_t start;

	/* It frees pages: the classes of the peak are written down before. */
	replay_note_classes(r);
	start = replay_clock_begin(r);
	zs_compact(zswap_zs_pool(r->z));
	r->result->compact_ns += replay_clock_end(r, start);
	r->compactions++;
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
			compact(r);
		return;
	case COMPACT_FRAGMENTATION:
		if (is_fragmented(r, when->n))
			compact(r);
		return;
	}
}
