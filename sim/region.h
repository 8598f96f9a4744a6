/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a recorded process, and the swap cache around it (kernel-spec E.2). A recording's
 * operations are those of a process (page out, touch, write, free); whether zswap or the disk is
 * reached at all is decided by the swap cache:
 *
 *   a page read back from disk or from the zero map stays clean in the swap cache, and paging it
 *   out unchanged drops it; a page whose write was just submitted, by swap-out or by zswap's
 *   writeback, is still cached, and touching it reaches neither zswap nor the disk; a page loaded
 *   from zswap is dirty, since its compressed copy is gone; a write frees the slot.
 *
 * No memory pressure is modelled: what is cached stays so until it is paged out.
 */
#ifndef SIM_REGION_H
#define SIM_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/page_io.h"

struct region;

struct region_config {
	struct kernel *k;
	struct swap_io *io;
	struct mem_cgroup *memcg;
	uint64_t nr_pages;	 /* page i has slot i of swap device 0 */
	const uint8_t *contents; /* page @src is at @src * 4096; NULL: without contents */
};

/* All pages begin in memory, dirty, with content 0 until region_fill(). 0 or -ENOMEM. */
int region_create(const struct region_config *config, struct region **out);
void region_destroy(struct region *r); /* accepts NULL */

/* Whose the pages are from now on: for operations that follow. */
void region_set_memcg(struct region *r, struct mem_cgroup *memcg);
/* Which node they are on, likewise. */
void region_set_node(struct region *r, int nid);

/* New contents without an event: what the process wrote before the recording began. */
void region_fill(struct region *r, uint64_t page, uint32_t src);
/* MADV_PAGEOUT of 1 << @order pages that are one folio. 0, or what swap_writeout() failed with. */
int region_pageout(struct region *r, uint64_t page, unsigned order);
/* A read of one page. -EUCLEAN: it came back changed; else as swap_read_folio(). */
int region_touch(struct region *r, uint64_t page);
/* The page is overwritten with other contents. */
int region_write(struct region *r, uint64_t page, uint32_t src);
/* MADV_DONTNEED. */
void region_discard(struct region *r, uint64_t page);
/* zswap wrote this slot back. */
void region_written_back(struct region *r, uint64_t page);
/* Whether a read of the page finds it in memory or in the swap cache. */
bool region_is_resident(const struct region *r, uint64_t page);

#endif
