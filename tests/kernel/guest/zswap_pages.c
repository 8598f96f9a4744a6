// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"
#include "zswap.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define SETTLE_US	 5000
#define SETTLE_MAX_WAITS 4000
/* So many times in a row nothing may have happened. */
#define SETTLE_QUIET 10

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_PFN	((1ull << 55) - 1)

static unsigned char *at(const struct zswap *zswap, uint32_t page)
{
	return zswap->region + page * PAGE_SIZE;
}

static uint64_t read_u64(int fd, uint64_t index)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), index * sizeof(value)) != sizeof(value))
		die("cannot read what the kernel knows of a page");
	return value;
}

static uint64_t read_pagemap(const struct zswap *zswap, uint32_t page)
{
	return read_u64(zswap->pagemap, (uintptr_t)at(zswap, page) / PAGE_SIZE);
}

enum zswap_where zswap_where(const struct zswap *zswap, uint32_t page)
{
	uint64_t entry = read_pagemap(zswap, page);

	if (entry & PAGEMAP_PRESENT)
		return ZSWAP_IN_MEMORY;
	return entry & PAGEMAP_SWAPPED ? ZSWAP_SWAPPED_OUT : ZSWAP_NOWHERE;
}

/*
 * Asks the kernel whose a page in memory is. Of a page whose memcg is gone it names the nearest one
 * above that is not: then the page is still known by the memcg that it came from.
 */
static void note_owner(struct zswap *zswap, uint32_t page)
{
	uint64_t entry = read_pagemap(zswap, page);
	const struct memcgs *memcgs = &zswap->memcgs;
	int was = zswap->owner[page], above = was, now;

	if (!(entry & PAGEMAP_PRESENT))
		return;
	now = memcgs_find(memcgs, read_u64(zswap->kpagecgroup, entry & PAGEMAP_PFN));
	while (above != NO_MEMCG && !memcgs->memcg[above].exists)
		above = memcgs->memcg[above].parent;
	if (now != above)
		zswap->owner[page] = now;
}

void zswap_bind(struct zswap *zswap, uint32_t page, uint32_t nr, unsigned node)
{
	unsigned long nodes = 1ul << node;

	if (syscall(SYS_mbind, at(zswap, page), nr * PAGE_SIZE, MPOL_BIND, &nodes,
		    8 * sizeof(nodes), 0))
		die("cannot bind to node %u", node);
}

/* Of a page that is in memory; 0 otherwise. */
static int node_of(const struct zswap *zswap, uint32_t page)
{
	int node;

	if (!zswap->has_memcg_columns || zswap_where(zswap, page) != ZSWAP_IN_MEMORY)
		return 0;
	if (syscall(SYS_get_mempolicy, &node, NULL, 0, at(zswap, page), MPOL_F_NODE | MPOL_F_ADDR))
		die("cannot tell the node of page %u", page);
	return node;
}

void zswap_fill_page(struct zswap *zswap, uint32_t page, uint32_t src)
{
	memcpy(at(zswap, page), pages_at(&zswap->guest->pages, src), PAGE_SIZE);
	zswap->src[page] = src % zswap->guest->pages.nr;
	if (zswap->has_memcg_columns)
		note_owner(zswap, page);
}

void zswap_fill(struct zswap *zswap, uint32_t page, uint32_t nr)
{
	for (uint32_t i = page; i < page + nr; i++) {
		zswap->owner[i] = zswap->memcgs.current;
		zswap_fill_page(zswap, i, i);
	}
}

void zswap_pageout(struct zswap *zswap, uint32_t page, uint32_t nr)
{
	if (madvise(at(zswap, page), nr * PAGE_SIZE, MADV_PAGEOUT))
		die("cannot page out page %u", page);
}

void zswap_touch(struct zswap *zswap, uint32_t page)
{
	*(volatile unsigned char *)at(zswap, page);
}

void zswap_verify_page(struct zswap *zswap, uint32_t page)
{
	const unsigned char *src = pages_at(&zswap->guest->pages, zswap->src[page]);

	if (memcmp(at(zswap, page), src, PAGE_SIZE))
		die("page %u came back with other contents", page);
}

/* What the worker does shows in one counter, and its end in a probe. */
static int64_t look_at_worker(struct zswap *zswap)
{
	probes_drain(zswap->probes);
	return zswap_read_counter(WRITTEN_BACK_PAGES);
}

void zswap_settle(struct zswap *zswap)
{
	int64_t before = look_at_worker(zswap), now;
	unsigned quiet = 0;

	for (unsigned i = 0; i < SETTLE_MAX_WAITS && quiet < SETTLE_QUIET; i++) {
		usleep(SETTLE_US);
		now = look_at_worker(zswap);
		quiet = now == before && !probes_worker_is_running(zswap->probes) ? quiet + 1 : 0;
		before = now;
	}
	if (quiet < SETTLE_QUIET)
		die("the shrink worker does not come to an end");
	zswap_read_counters(zswap);
}

static void output_page(struct zswap *zswap, const char *op, uint32_t page, int64_t src, int owner,
			int node)
{
	const struct zswap_row row = {
		.op = op, .page = page, .src = src, .memcg = owner, .node = node};

	zswap_output_row(zswap, &row);
}

void zswap_store(struct zswap *zswap, uint32_t page)
{
	int node = node_of(zswap, page);

	zswap_pageout(zswap, page, 1);
	zswap_read_counters(zswap);
	output_page(zswap, "store", page, zswap->src[page], zswap->owner[page], node);
}

/* Only a store that fails queues the worker, and only after the pool was full for the first time.
 */
static bool may_have_queued(const struct zswap *zswap, int64_t zswpout)
{
	return zswap->counter[POOL_LIMIT_HIT] && zswap->counter[ZSWPOUT] == zswpout;
}

void zswap_store_and_settle(struct zswap *zswap, uint32_t page)
{
	int64_t zswpout = zswap->counter[ZSWPOUT];
	int node = node_of(zswap, page);

	zswap_pageout(zswap, page, 1);
	zswap_read_counters(zswap);
	if (may_have_queued(zswap, zswpout))
		zswap_settle(zswap);
	output_page(zswap, "store", page, zswap->src[page], zswap->owner[page], node);
}

void zswap_load(struct zswap *zswap, uint32_t page)
{
	int owner = zswap->owner[page];

	zswap_touch(zswap, page);
	zswap_read_counters(zswap);
	output_page(zswap, "load", page, zswap->src[page], owner, node_of(zswap, page));
	if (zswap->has_memcg_columns)
		note_owner(zswap, page);
}

void zswap_dirty(struct zswap *zswap, uint32_t page, uint32_t src)
{
	int owner = zswap->owner[page];

	zswap_fill_page(zswap, page, src);
	zswap_read_counters(zswap);
	output_page(zswap, "dirty", page, src, owner, node_of(zswap, page));
}

void zswap_free(struct zswap *zswap, uint32_t page)
{
	madvise(at(zswap, page), PAGE_SIZE, MADV_DONTNEED);
	zswap_read_counters(zswap);
	output_page(zswap, "free", page, -1, zswap->owner[page], 0);
	zswap->owner[page] = zswap->memcgs.current;
}

void zswap_unmap_all(struct zswap *zswap)
{
	const struct zswap_row row = {.op = "munmap", .page = -1, .src = -1, .memcg = NO_MEMCG};

	munmap(zswap->region, zswap->nr_pages * PAGE_SIZE);
	zswap_read_counters(zswap);
	zswap_output_row(zswap, &row);
}
