// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/replay_counters.h"

#include <stddef.h>
#include <stdio.h>

struct field {
	const char *name;
	size_t offset; /* of its uint64_t */
};

#define COUNT(field)                                                                               \
	{                                                                                          \
#field, offsetof(struct replay_result, counts.field)                               \
	}
#define ZSWAP(field)                                                                               \
	{                                                                                          \
#field, offsetof(struct replay_result, zswap.field)                                \
	}
#define AT(name, field)                                                                            \
	{                                                                                          \
		name, offsetof(struct replay_result, field)                                        \
	}

static const struct field fields[] = {
	COUNT(events),
	COUNT(stores),
	COUNT(loads),
	COUNT(invalidates),
	COUNT(stored_pages),
	COUNT(loaded_pages),
	AT("out_zero_pages", counts.out_pages[SWAPOUT_ZERO]),
	AT("out_zswap_pages", counts.out_pages[SWAPOUT_ZSWAP]),
	AT("out_disk_pages", counts.out_pages[SWAPOUT_DISK]),
	AT("out_kept_pages", counts.out_pages[SWAPOUT_ACTIVATED]),
	AT("in_zero_pages", counts.in_pages[SWAPIN_ZERO]),
	AT("in_zswap_pages", counts.in_pages[SWAPIN_ZSWAP]),
	AT("in_disk_pages", counts.in_pages[SWAPIN_DISK]),
	AT("unknown_load_pages", counts.unknown_loads),
	AT("unknown_invalidate_pages", counts.unknown_invalidates),
	AT("kept_load_pages", counts.kept_loads),
	AT("refused_large_load_pages", counts.refused_large_loads),
	AT("failed_load_pages", counts.failed_loads),
	COUNT(verified_pages),
	COUNT(mismatched_pages),
	ZSWAP(zswpout),
	ZSWAP(zswpin),
	ZSWAP(zswpwb),
	AT("swpout_zero", swap.swpout_zero),
	AT("swpin_zero", swap.swpin_zero),
	AT("pswpout", swap.pswpout),
	AT("pswpin", swap.pswpin),
	ZSWAP(store_calls),
	ZSWAP(load_calls),
	ZSWAP(stored_pages),
	ZSWAP(stored_incompressible_pages),
	ZSWAP(pool_limit_hit),
	ZSWAP(written_back_pages),
	ZSWAP(reject_compress_fail),
	ZSWAP(reject_compress_poor),
	ZSWAP(reject_alloc_fail),
	ZSWAP(reject_kmemcache_fail),
	ZSWAP(reject_reclaim_fail),
	ZSWAP(decompress_fail),
	AT("refused_memcg_limit_folios", zswap.reject_memcg_limit),
	AT("refused_pool_limit_folios", zswap.reject_pool_limit),
	AT("refused_large_folios", zswap.reject_large_folio),
	AT("load_large_refused_folios", zswap.load_large_refused),
	AT("invalidated_pages", zswap.invalidated),
	AT("overwritten_pages", zswap.overwritten),
	AT("rolled_back_pages", zswap.rolled_back),
	ZSWAP(shrink_worker_runs),
	ZSWAP(shrink_memcg_calls),
	ZSWAP(lru_rotations),
	AT("pool_at_peak.pages", pool_peak.pages),
	AT("pool_at_peak.zspages", pool_peak.zspages),
	AT("pool_at_peak.objects", pool_peak.objects),
	AT("pool_at_peak.straddling_objects", pool_peak.straddling_objs),
	AT("pool_at_peak.payload_bytes", pool_peak.payload_bytes),
	AT("pool_at_peak.rounding_bytes", pool_peak.rounding_bytes),
	AT("pool_at_peak.unused_bytes", pool_peak.unused_bytes),
	AT("pool_at_peak.tail_bytes", pool_peak.tail_bytes),
	AT("pool_at_peak.stored_pages", stored_at_peak),
	AT("pool_at_peak.after_event", peak_event),
	AT("pool_at_end.pages", pool_end.pages),
	AT("pool_at_end.payload_bytes", pool_end.payload_bytes),
	AT("stream_contexts", stream_contexts),
	AT("stream_fallbacks", stream_fallbacks),
};

struct list {
	struct replay_counter *out;
	unsigned nr;
};

static void add(struct list *list, const char *group, const char *name, uint64_t value)
{
	struct replay_counter *c = &list->out[list->nr++];

	snprintf(c->name, sizeof(c->name), "%s%s", group, name);
	c->value = value;
}

static void add_account(struct list *list, const char *group, const char *calls,
			const struct zswap_account *a)
{
	static const char *const paths[ZSWAP_NR_PATHS] = {
		[ZSWAP_PATH_ONESHOT] = "oneshot_pages",
		[ZSWAP_PATH_STREAM] = "streamed_pages",
		[ZSWAP_PATH_RAW] = "raw_pages",
		[ZSWAP_PATH_FAILED] = "failed_pages",
	};

	for (unsigned i = 0; i < ZSWAP_NR_PATHS; i++)
		add(list, group, paths[i], a->pages[i]);
	add(list, group, "straddling_pages", a->straddled);
	add(list, group, "copied_bytes", a->copied_bytes);
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		add(list, calls, acomp_call_names[i], a->calls[i]);
}

#define NR_FIELDS (sizeof(fields) / sizeof(*fields))

_Static_assert(NR_FIELDS + ZSWAP_NR_DIRS * (ZSWAP_NR_PATHS + 2 + ACOMP_NR_CALLS) <=
		       REPLAY_MAX_COUNTERS,
	       "room for every counter");

unsigned replay_counters(const struct replay_result *result, struct replay_counter *out)
{
	struct list list = {.out = out};

	for (unsigned i = 0; i < NR_FIELDS; i++)
		add(&list, "", fields[i].name,
		    *(const uint64_t *)((const char *)result + fields[i].offset));
	add_account(&list, "compress.", "compress.calls.", &result->zswap.dir[ZSWAP_STORE]);
	add_account(&list, "decompress.", "decompress.calls.", &result->zswap.dir[ZSWAP_LOAD]);
	add_account(&list, "writeback.", "writeback.calls.", &result->zswap.dir[ZSWAP_WRITEBACK]);
	return list.nr;
}
