// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jemalloc/jemalloc.h>

#include "sim/poison.h"

/* struct pages live in chunks, so that they never move. */
#define CHUNK_SHIFT 12
#define CHUNK_PAGES (1u << CHUNK_SHIFT)
#define MAX_CHUNKS  (1u << 16) /* 1 TiB of frames */

/* Freed frames that a trim keeps for reuse: 4 MiB. */
#define MAX_CACHED 1024u
#define MAX_ORDER  9u

/* Where RAM begins on a PC above the 1 MiB hole; any value does, 0 would hide mistakes. */
#define FIRST_PFN 0x100u

struct page_frames {
	bool contents;
	unsigned arena;
	int mallocx_flags;
	struct page *chunks[MAX_CHUNKS];
	uint64_t nr_pfns; /* handed out so far: pfns FIRST_PFN .. FIRST_PFN + nr_pfns - 1 */

	/* Stacks, by order, of struct pages that are free and, for cached ones, their memory. */
	struct page **unused[MAX_ORDER + 1];
	size_t nr_unused[MAX_ORDER + 1], cap_unused[MAX_ORDER + 1];
	void **cached; /* has room for all order-0 frames that are live */
	size_t nr_cached, cap_cached;

	uint64_t live, peak;
	uint64_t fail_in;
};

int page_frames_create(const struct page_frames_config *config, struct page_frames **out)
{
	struct page_frames *frames = calloc(1, sizeof(*frames));
	size_t size = sizeof(frames->arena);
	ssize_t decay = 0;
	char name[64];
	int ret;

	if (!frames)
		return -ENOMEM;
	frames->contents = config->contents;
	if (frames->contents) {
		ret = mallctl("arenas.create", &frames->arena, &size, NULL, 0);
		if (ret)
			goto err;
		/* What is freed beyond our own cache is given back at once: memory use is exact. */
		snprintf(name, sizeof(name), "arena.%u.dirty_decay_ms", frames->arena);
		ret = mallctl(name, NULL, NULL, &decay, sizeof(decay));
		if (ret)
			goto err;
		frames->mallocx_flags = MALLOCX_ARENA(frames->arena) | MALLOCX_TCACHE_NONE |
					MALLOCX_ALIGN(PAGE_SIZE);
	}
	*out = frames;
	return 0;
err:
	free(frames);
	return -ret;
}

static struct page *page_at(const struct page_frames *frames, uint64_t i)
{
	return &frames->chunks[i >> CHUNK_SHIFT][i & (CHUNK_PAGES - 1)];
}

/* From jemalloc, and touched. */
static void *fresh_memory(struct page_frames *frames, unsigned order)
{
	char *mem = mallocx((size_t)PAGE_SIZE << order, frames->mallocx_flags);

	for (size_t i = 0; mem && i < (size_t)PAGE_SIZE << order; i += PAGE_SIZE)
		*(volatile char *)(mem + i) = 0;
	return mem;
}

static void *frame_memory_alloc(struct page_frames *frames, unsigned order)
{
	if (order == 0 && frames->nr_cached) {
		void *mem = frames->cached[--frames->nr_cached];

		unpoison(mem, PAGE_SIZE);
		return mem;
	}
	return fresh_memory(frames, order);
}

static void frame_memory_free(struct page_frames *frames, void *mem, unsigned order)
{
	if (order == 0) {
		poison(mem, PAGE_SIZE);
		frames->cached[frames->nr_cached++] = mem;
		return;
	}
	dallocx(mem, frames->mallocx_flags);
}

static void drop_cached(struct page_frames *frames, size_t keep)
{
	while (frames->nr_cached > keep) {
		void *mem = frames->cached[--frames->nr_cached];

		unpoison(mem, PAGE_SIZE);
		dallocx(mem, frames->mallocx_flags);
	}
}

void page_frames_trim(struct page_frames *frames)
{
	if (frames->nr_cached > MAX_CACHED)
		drop_cached(frames, MAX_CACHED);
}

void page_frames_destroy(struct page_frames *frames)
{
	char name[64];

	if (!frames)
		return;
	for (uint64_t i = 0; i < frames->nr_pfns; i++) {
		struct page *page = page_at(frames, i);

		if (page->live && page->address && !page->tail)
			dallocx(page->address, frames->mallocx_flags);
	}
	drop_cached(frames, 0);
	free(frames->cached);
	if (frames->contents) {
		snprintf(name, sizeof(name), "arena.%u.destroy", frames->arena);
		mallctl(name, NULL, NULL, NULL, 0);
	}
	for (unsigned order = 0; order <= MAX_ORDER; order++)
		free(frames->unused[order]);
	for (uint64_t i = 0; i < MAX_CHUNKS && frames->chunks[i]; i++)
		free(frames->chunks[i]);
	free(frames);
}

/* Makes struct pages for one allocation of @order, which share a chunk and are aligned by pfn. */
static struct page *page_structs_create(struct page_frames *frames, unsigned order)
{
	uint64_t nr = 1ull << order, first = (frames->nr_pfns + nr - 1) & ~(nr - 1);
	struct page **chunk;

	if (first >> CHUNK_SHIFT >= MAX_CHUNKS)
		return NULL;
	chunk = &frames->chunks[first >> CHUNK_SHIFT];
	if (!*chunk) {
		*chunk = calloc(CHUNK_PAGES, sizeof(**chunk));
		if (!*chunk)
			return NULL;
	}
	frames->nr_pfns = first + nr;
	for (uint64_t i = first; i < first + nr; i++) {
		page_at(frames, i)->pfn = FIRST_PFN + i;
		page_at(frames, i)->order = order;
		page_at(frames, i)->tail = i != first;
	}
	return page_at(frames, first);
}

static struct page *page_structs_get(struct page_frames *frames, unsigned order)
{
	if (frames->nr_unused[order])
		return frames->unused[order][--frames->nr_unused[order]];
	return page_structs_create(frames, order);
}

/* Room on the stack was made when the allocation was: a free never fails. */
static void page_structs_put(struct page_frames *frames, struct page *page)
{
	frames->unused[page->order][frames->nr_unused[page->order]++] = page;
}

static int stack_reserve(void *stack, size_t *cap, size_t need)
{
	void **bigger, **old = *(void ***)stack;
	size_t n = *cap;

	if (need <= n)
		return 0;
	while (n < need)
		n = n ? n * 2 : 1024;
	bigger = realloc(old, n * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	*(void ***)stack = bigger;
	*cap = n;
	return 0;
}

/* Room on the stacks for the return of @nr more allocations. */
static int unused_reserve(struct page_frames *frames, unsigned order, size_t nr)
{
	size_t need = frames->live + frames->nr_unused[order] + nr;

	if (stack_reserve(&frames->unused[order], &frames->cap_unused[order], need))
		return -ENOMEM;
	if (order || !frames->contents)
		return 0;
	return stack_reserve(&frames->cached, &frames->cap_cached,
			     frames->live + frames->nr_cached + nr);
}

int page_frames_reserve(struct page_frames *frames, unsigned nr)
{
	if (unused_reserve(frames, 0, nr))
		return -ENOMEM;
	while (frames->nr_unused[0] < nr) {
		struct page *page = page_structs_create(frames, 0);

		if (!page)
			return -ENOMEM;
		page_structs_put(frames, page);
	}
	while (frames->contents && frames->nr_cached < nr) {
		void *mem = fresh_memory(frames, 0);

		if (!mem)
			return -ENOMEM;
		frame_memory_free(frames, mem, 0);
	}
	return 0;
}

struct page *alloc_pages(struct page_frames *frames, unsigned order, int nid)
{
	uint64_t nr = 1ull << order;
	struct page *page;
	char *mem = NULL;

	if (frames->fail_in && --frames->fail_in == 0)
		return NULL;
	if (unused_reserve(frames, order, 1))
		return NULL;
	page = page_structs_get(frames, order);
	if (!page)
		return NULL;
	if (frames->contents) {
		mem = frame_memory_alloc(frames, order);
		if (!mem) {
			page_structs_put(frames, page);
			return NULL;
		}
	}
	for (uint64_t i = 0; i < nr; i++) {
		page[i].address = mem ? mem + i * PAGE_SIZE : NULL;
		page[i].zspage = NULL;
		page[i].index = 0;
		page[i].nid = nid;
		page[i].live = true;
	}
	frames->live += nr;
	if (frames->live > frames->peak)
		frames->peak = frames->live;
	return page;
}

void free_pages(struct page_frames *frames, struct page *page)
{
	uint64_t nr = 1ull << page->order;

	if (page->address)
		frame_memory_free(frames, page->address, page->order);
	for (uint64_t i = 0; i < nr; i++) {
		page[i].live = false;
		page[i].address = NULL;
	}
	frames->live -= nr;
	page_structs_put(frames, page);
}

struct page *pfn_to_page(const struct page_frames *frames, uint64_t pfn)
{
	if (pfn < FIRST_PFN || pfn - FIRST_PFN >= frames->nr_pfns)
		return NULL;
	return page_at(frames, pfn - FIRST_PFN);
}

static int arena_stat(const struct page_frames *frames, const char *what, uint64_t *value)
{
	size_t allocated, size = sizeof(allocated);
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "stats.arenas.%u.%s.allocated", frames->arena, what);
	ret = mallctl(name, &allocated, &size, NULL, 0);
	*value = allocated;
	return -ret;
}

int page_frames_stats(struct page_frames *frames, struct page_frames_stats *stats)
{
	uint64_t small, large, epoch = 1;
	size_t size = sizeof(epoch);
	int ret;

	memset(stats, 0, sizeof(*stats));
	stats->live_pages = frames->live;
	stats->peak_pages = frames->peak;
	stats->cached_pages = frames->nr_cached;
	if (!frames->contents)
		return 0;
	ret = mallctl("epoch", &epoch, &size, &epoch, sizeof(epoch));
	if (ret)
		return -ret;
	ret = arena_stat(frames, "small", &small);
	if (!ret)
		ret = arena_stat(frames, "large", &large);
	if (!ret)
		stats->jemalloc_bytes = small + large;
	return ret;
}

void page_frames_fail_nth(struct page_frames *frames, uint64_t nth)
{
	frames->fail_in = nth;
}
