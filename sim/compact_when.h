/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a replay compacts the pool (zs_compact). The kernel never does for zswap but under memory
 * pressure, by the shrinker of zsmalloc's own; this is a what-if: what other times would cost and
 * give.
 */
#ifndef SIM_COMPACT_WHEN_H
#define SIM_COMPACT_WHEN_H

#include <stddef.h>
#include <stdint.h>

enum compact_kind { COMPACT_NEVER, COMPACT_EVERY, COMPACT_FRAGMENTATION };

struct compact_when {
	enum compact_kind kind;
	/*
	 * EVERY: events, 1 or more. FRAGMENTATION: percent, 1 to 99, of the pool's bytes that are
	 * in chunks without an object; it is compacted when there are so many and a page can be
	 * freed.
	 */
	uint64_t n;
};

/* "never", "every:N" or "fragmentation:PERCENT". 0, or -EINVAL with one line in @err. */
int compact_when_parse(const char *text, struct compact_when *when, char *err, size_t err_size);
/* In the same words, into @buf; returns @buf. */
const char *compact_when_print(const struct compact_when *when, char *buf, size_t size);

#endif
