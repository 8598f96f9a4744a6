// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/replay_counters.h"

#include <stddef.h>
#include <stdio.h>

struct field {
	const char *name;
	size_t offset; /* of its uint64_t */
};

#define AT(name, field)                                                                            \
	{                                                                                          \
		name, offsetof(struct replay_result, field)                                        \
	}
#define EVENTS(field) AT("events." #field, counts.field)
#define KERNEL(field) AT("kernel." #field, zswap.field)

static const struct field fields[] = {
	EVENTS(events),
	EVENTS(stores),
	EVENTS(loads),
	EVENTS(invalidates),
	EVENTS(stored_pages),
	EVENTS(loaded_pages),
	AT("events.out_zero_pages", counts.out_pages[SWAPOUT_ZERO]),
	AT("events.out_zswap_pages", counts.out_pages[SWAPOUT_ZSWAP]),
	AT("events.out_disk_pages", counts.out_pages[SWAPOUT_DISK]),
	AT("events.out_kept_pages", counts.out_pages[SWAPOUT_ACTIVATED]),
	AT("events.in_zero_pages", counts.in_pages[SWAPIN_ZERO]),
	AT("events.in_zswap_pages", counts.in_pages[SWAPIN_ZSWAP]),
	AT("events.in_disk_pages", counts.in_pages[SWAPIN_DISK]),
	AT("events.in_disk_written_back_pages", counts.in_disk_written_back),
	AT("events.in_disk_refused_pages", counts.in_disk_refused),
	EVENTS(pressures),
	AT("events.unknown_load_pages", counts.unknown_loads),
	AT("events.unknown_invalidate_pages", counts.unknown_invalidates),
	AT("events.kept_load_pages", counts.kept_loads),
	AT("events.refused_large_load_pages", counts.refused_large_loads),
	AT("events.failed_load_pages", counts.failed_loads),
	EVENTS(verified_pages),
	EVENTS(mismatched_pages),
	KERNEL(zswpout),
	KERNEL(zswpin),
	KERNEL(zswpwb),
	AT("kernel.swpout_zero", swap.swpout_zero),
	AT("kernel.swpin_zero", swap.swpin_zero),
	AT("kernel.pswpin", swap.pswpin),
	AT("zswap.store_calls", zswap.store_calls),
	AT("zswap.load_calls", zswap.load_calls),
	KERNEL(stored_pages),
	KERNEL(stored_incompressible_pages),
	KERNEL(pool_limit_hit),
	KERNEL(written_back_pages),
	KERNEL(reject_compress_fail),
	KERNEL(reject_compress_poor),
	KERNEL(reject_alloc_fail),
	KERNEL(reject_kmemcache_fail),
	KERNEL(reject_reclaim_fail),
	KERNEL(decompress_fail),
	AT("zswap.refused_memcg_limit_folios", zswap.reject_memcg_limit),
	AT("zswap.refused_pool_limit_folios", zswap.reject_pool_limit),
	AT("zswap.refused_large_folios", zswap.reject_large_folio),
	AT("zswap.load_large_refused_folios", zswap.load_large_refused),
	AT("zswap.loads_kept_pages", zswap.loads_kept),
	AT("zswap.invalidated_pages", zswap.invalidated),
	AT("zswap.overwritten_pages", zswap.overwritten),
	AT("zswap.rolled_back_pages", zswap.rolled_back),
	AT("zswap.shrink_worker_runs", zswap.shrink_worker_runs),
	AT("zswap.shrink_memcg_calls", zswap.shrink_memcg_calls),
	AT("zswap.lru_rotations", zswap.lru_rotations),
	AT("pool_at_peak.pool_pages", pool_peak.pages),
	AT("pool_at_peak.zspages", pool_peak.zspages),
	AT("pool_at_peak.objects", pool_peak.objects),
	AT("pool_at_peak.straddling_objects", pool_peak.straddling_objs),
	AT("pool_at_peak.payload_bytes", pool_peak.payload_bytes),
	AT("pool_at_peak.rounding_bytes", pool_peak.rounding_bytes),
	AT("pool_at_peak.unused_bytes", pool_peak.unused_bytes),
	AT("pool_at_peak.tail_bytes", pool_peak.tail_bytes),
	AT("pool_at_peak.stored_pages", stored_at_peak),
	AT("pool_at_peak.after_event", peak_event),
	AT("pool_at_end.pool_pages", pool_end.pages),
	AT("pool_at_end.payload_bytes", pool_end.payload_bytes),
	AT("swap.slots_in_use", slots_in_use),
	AT("swap.disk_swapins", nr_disk_swapins),
	AT("swap.read_requests", dev.read_requests),
	AT("swap.written_requests", dev.written_requests),
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

_Static_assert(NR_FIELDS + 1 + ZSWAP_NR_DIRS * (ZSWAP_NR_PATHS + 2 + ACOMP_NR_CALLS) <=
		       REPLAY_MAX_COUNTERS,
	       "room for every counter");

unsigned replay_counters(const struct replay_result *result, struct replay_counter *out)
{
	struct list list = {.out = out};

	for (unsigned i = 0; i < NR_FIELDS; i++)
		add(&list, "", fields[i].name,
		    *(const uint64_t *)((const char *)result + fields[i].offset));
	/* The kernel counts what zswap writes back, too. */
	add(&list, "kernel.", "pswpout", result->swap.pswpout + result->zswap.written_back_pages);
	add_account(&list, "compress.", "compress.calls.", &result->zswap.dir[ZSWAP_STORE]);
	add_account(&list, "decompress.", "decompress.calls.", &result->zswap.dir[ZSWAP_LOAD]);
	add_account(&list, "writeback.", "writeback.calls.", &result->zswap.dir[ZSWAP_WRITEBACK]);
	return list.nr;
}
