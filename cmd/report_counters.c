// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report_counters.h"

#include <string.h>

unsigned report_counters(const struct replay_result *x, const struct profile *profile,
			 struct report_counter out[REPORT_MAX_COUNTERS])
{
	const struct zswap_stats *z = &x->zswap;
	/* Each came with the behaviour that it counts. */
	bool no_requests = !profile->swap.nrswp_counters;
	bool no_raw = profile->zswap.incompressible != ZSWAP_INCOMPRESSIBLE_STORE_RAW;
	bool no_failures = profile->zswap.load_failure == ZSWAP_LOAD_FAILURE_BUG;
	const struct report_counter all[] = {
		{"zswpout", z->zswpout, false},
		{"zswpin", z->zswpin, false},
		{"zswpwb", z->zswpwb, false},
		{"swpout_zero", x->swap.swpout_zero, false},
		{"swpin_zero", x->swap.swpin_zero, false},
		{"pswpout", x->swap.pswpout + z->written_back_pages, false},
		{"pswpin", x->swap.pswpin, false},
		{"nrswpout", no_requests ? 0 : x->dev.written_requests, no_requests},
		{"nrswpin", no_requests ? 0 : x->dev.read_requests, no_requests},
		{"stored_pages", z->stored_pages, false},
		{"pool_total_size", x->pool_end.pages * PAGE_SIZE, false},
		{"stored_incompressible_pages", z->stored_incompressible_pages, no_raw},
		{"pool_limit_hit", z->pool_limit_hit, false},
		{"written_back_pages", z->written_back_pages, false},
		{"reject_compress_fail", z->reject_compress_fail, false},
		{"reject_compress_poor", z->reject_compress_poor, false},
		{"reject_alloc_fail", z->reject_alloc_fail, false},
		{"reject_kmemcache_fail", z->reject_kmemcache_fail, false},
		{"reject_reclaim_fail", z->reject_reclaim_fail, false},
		{"decompress_fail", no_failures ? 0 : z->decompress_fail, no_failures},
	};

	_Static_assert(sizeof(all) / sizeof(*all) == REPORT_MAX_COUNTERS, "all of them");
	memcpy(out, all, sizeof(all));
	return REPORT_MAX_COUNTERS;
}
