// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <jemalloc/jemalloc.h>

#include "sim/poison.h"

/* Struct pages that become usable at once. */
#define VMEMMAP_STEP 4096u

/* Freed frames that a trim keeps for reuse: 4 MiB. */
#define MAX_CACHED 1024u
#define MAX_ORDER  9u

struct page_frames {
	bool contents;
	unsigned arena;
	int mallocx_flags;
	/* 2 * VMEMMAP_BYTES of addresses: struct pages, then where their memory is. */
	struct page *vmemmap;
	uint64_t nr_usable; /* struct pages that may be touched */
	uint64_t nr_pfns;   /* handed out so far: PAGE_FIRST_PFN .. PAGE_FIRST_PFN + nr_pfns - 1 */

	/* By order, the last one freed (1 + its place in vmemmap; page->zspage is the next). */
	uint32_t unused[MAX_ORDER + 1];
	size_t nr_unused[MAX_ORDER + 1];
	void **cached; /* memory; has room for all order-0 frames that are live */
	size_t nr_cached, cap_cached;

	uint64_t live, peak;
	uint64_t fail_in;
};

/* Aligned to VMEMMAP_BYTES, so that a struct page tells its pfn. */
static int vmemmap_create(struct page_frames *frames)
{
	size_t bytes = 2 * VMEMMAP_BYTES;
	char *map = mmap(NULL, bytes + VMEMMAP_BYTES, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (map == MAP_FAILED)
		return -ENOMEM;
	before = -(uintptr_t)map & (VMEMMAP_BYTES - 1);
	if (before)
		munmap(map, before);
	munmap(map + before + bytes, VMEMMAP_BYTES - before);
	frames->vmemmap = (struct page *)(map + before);
	/* Read only until it is used: without contents, all are NULL and take no memory. */
	if (mprotect(map + before + VMEMMAP_BYTES, VMEMMAP_BYTES, PROT_READ)) {
		munmap(frames->vmemmap, bytes);
		return -ENOMEM;
	}
	return 0;
}

/* Makes the first @nr struct pages usable. */
static int vmemmap_extend(struct page_frames *frames, uint64_t nr)
{
	struct page *from = frames->vmemmap + frames->nr_usable;
	uint64_t more = nr - frames->nr_usable + frames->nr_usable / 4;
	size_t bytes;

	if (nr > PAGE_FRAMES_MAX - PAGE_FIRST_PFN)
		return -ENOMEM;
	more = (more + VMEMMAP_STEP - 1) & ~(uint64_t)(VMEMMAP_STEP - 1);
	if (more > PAGE_FRAMES_MAX - frames->nr_usable)
		more = PAGE_FRAMES_MAX - frames->nr_usable;
	bytes = more * sizeof(*from);
	if (mprotect(from, bytes, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	if (frames->contents &&
	    mprotect((char *)from + VMEMMAP_BYTES, bytes, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	frames->nr_usable += more;
	return 0;
}

static void set_address(struct page *page, void *address)
{
	*(void **)((char *)page + VMEMMAP_BYTES) = address;
}

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
	if (vmemmap_create(frames)) {
		free(frames);
		return -ENOMEM;
	}
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
	munmap(frames->vmemmap, 2 * VMEMMAP_BYTES);
	free(frames);
	return -ret;
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
		struct page *page = &frames->vmemmap[i];

		if (page->live && !page->foreign && page_address(page) && !page->tail)
			dallocx(page_address(page), frames->mallocx_flags);
	}
	drop_cached(frames, 0);
	free(frames->cached);
	if (frames->contents) {
		snprintf(name, sizeof(name), "arena.%u.destroy", frames->arena);
		mallctl(name, NULL, NULL, NULL, 0);
	}
	munmap(frames->vmemmap, 2 * VMEMMAP_BYTES);
	free(frames);
}

/* Makes struct pages for one allocation of @order, which are aligned by pfn. */
static struct page *page_structs_create(struct page_frames *frames, unsigned order)
{
	uint64_t nr = 1ull << order, first = (frames->nr_pfns + nr - 1) & ~(nr - 1);

	if (first + nr > frames->nr_usable && vmemmap_extend(frames, first + nr))
		return NULL;
	frames->nr_pfns = first + nr;
	for (uint64_t i = first; i < first + nr; i++) {
		frames->vmemmap[i].order = order;
		frames->vmemmap[i].tail = i != first;
	}
	return &frames->vmemmap[first];
}

static struct page *page_structs_get(struct page_frames *frames, unsigned order)
{
	struct page *page;

	if (!frames->nr_unused[order])
		return page_structs_create(frames, order);
	page = &frames->vmemmap[frames->unused[order] - 1];
	frames->unused[order] = page->zspage;
	frames->nr_unused[order]--;
	return page;
}

static void page_structs_put(struct page_frames *frames, struct page *page)
{
	page->zspage = frames->unused[page->order];
	frames->unused[page->order] = page - frames->vmemmap + 1;
	frames->nr_unused[page->order]++;
}

/* Room for the memory of @nr more order-0 frames when they are freed: a free never fails. */
static int cached_reserve(struct page_frames *frames, size_t nr)
{
	size_t need = frames->live + frames->nr_cached + nr, n = frames->cap_cached;
	void **bigger;

	if (!frames->contents || need <= n)
		return 0;
	while (n < need)
		n = n ? n * 2 : 1024;
	bigger = realloc(frames->cached, n * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	frames->cached = bigger;
	frames->cap_cached = n;
	return 0;
}

int page_frames_reserve(struct page_frames *frames, unsigned nr)
{
	if (cached_reserve(frames, nr))
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
	if (order == 0 && cached_reserve(frames, 1))
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
		if (mem)
			set_address(&page[i], mem + i * PAGE_SIZE);
		page[i].zspage = 0;
		page[i].index = 0;
		page[i].nid = nid;
		page[i].live = true;
	}
	frames->live += nr;
	if (frames->live > frames->peak)
		frames->peak = frames->live;
	return page;
}

struct page *page_of_memory(struct page_frames *frames, void *address)
{
	struct page *page = page_structs_get(frames, 0);

	if (!page)
		return NULL;
	set_address(page, address);
	page->zspage = 0;
	page->live = true;
	page->foreign = true;
	return page;
}

void page_set_memory(struct page *page, void *address)
{
	set_address(page, address);
}

void free_pages(struct page_frames *frames, struct page *page)
{
	uint64_t nr = 1ull << page->order;

	if (page->foreign) {
		page->foreign = false;
		page->live = false;
		set_address(page, NULL);
		page_structs_put(frames, page);
		return;
	}
	if (frames->contents)
		frame_memory_free(frames, page_address(page), page->order);
	for (uint64_t i = 0; i < nr; i++) {
		page[i].live = false;
		if (frames->contents)
			set_address(&page[i], NULL);
	}
	frames->live -= nr;
	page_structs_put(frames, page);
}

struct page *pfn_to_page(const struct page_frames *frames, uint64_t pfn)
{
	if (pfn < PAGE_FIRST_PFN || pfn - PAGE_FIRST_PFN >= frames->nr_pfns)
		return NULL;
	return &frames->vmemmap[pfn - PAGE_FIRST_PFN];
}

struct page *page_frames_vmemmap(const struct page_frames *frames)
{
	return frames->vmemmap - PAGE_FIRST_PFN;
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
