/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The zram device of the guest, driven slot by slot with direct I/O. */
#ifndef GUEST_ZRAM_H
#define GUEST_ZRAM_H

#include "guest.h"

/* In the order of mm_stat, then the slab caches of the pool. */
enum zram_stat {
	ORIG_DATA_SIZE,
	COMPR_DATA_SIZE,
	MEM_USED_TOTAL,
	MEM_LIMIT,
	MEM_USED_MAX,
	SAME_PAGES,
	PAGES_COMPACTED,
	HUGE_PAGES,
	HUGE_PAGES_SINCE,
	ZSPAGES,
	HANDLES,
	NR_ZRAM_STATS,
};

struct zram {
	struct guest *guest;
	int device, mm_stat, zspages, handles;
	unsigned char *bounce; /* direct I/O wants it aligned */
	uint64_t slots;
	int64_t stat[NR_ZRAM_STATS]; /* as last read */
};

/* An empty device of @slots pages. */
void zram_open(struct zram *zram, struct guest *guest, uint64_t slots);
void zram_read_stats(struct zram *zram);

void zram_write_slot(struct zram *zram, uint64_t slot, const void *page);
void zram_discard_slots(struct zram *zram, uint64_t slot, uint64_t nr);
void zram_compact(struct zram *zram);

/* A checkpoint with all counters. */
void zram_step(struct zram *zram, const char *step);

#endif
