/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page frames of the simulated machine.
 *
 * Frames come from a jemalloc arena of their own (4 KiB aligned), so that simulated memory and the
 * simulator's own are told apart by mallctl's statistics, exactly. Each frame has a struct page and
 * a pfn; the frames of one allocation of order n are contiguous in memory, in pfn and in struct
 * page (as in the kernel's direct map), so a folio can be addressed from its head page.
 *
 * In the kernel all memory is mapped; here, a page's first touch is a fault and its return to
 * jemalloc a system call. Neither belongs in a timed path: page_frames_reserve() touches what it
 * gets, and freed order-0 frames are kept for reuse until page_frames_trim() returns those beyond a
 * bounded number.
 *
 * Without contents (policy mode) frames have a struct page and a pfn but no memory:
 * page_address() is NULL and jemalloc is not called.
 *
 * Under AddressSanitizer free frames are poisoned.
 */
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096u

/*
 * All struct pages of a machine are one array, as in the kernel's vmemmap: where one lies in it is
 * its pfn. At a fixed distance behind each is the address of its 4096 bytes.
 */
struct page {
	uint32_t zspage; /* owner (zsmalloc's use alone); of a free frame, the next free one */
	uint8_t index;	 /* position in its zspage (zsmalloc's use alone) */
	uint8_t nid;	 /* node, from 0 */
	uint8_t order;	 /* of the allocation it belongs to */
	uint8_t live : 1;
	uint8_t tail : 1;    /* not the head of its allocation */
	uint8_t foreign : 1; /* see page_of_memory() */
};
static_assert(sizeof(struct page) == sizeof(void *), "page");

#define PAGE_FRAMES_MAX (1ull << 28)				/* pfns below: 1 TiB */
#define VMEMMAP_BYTES	(PAGE_FRAMES_MAX * sizeof(struct page)) /* and its alignment */
#define PAGE_FIRST_PFN	0x100u

struct page_frames;

struct page_frames_config {
	bool contents; /* false: frames without memory */
};

struct page_frames_stats {
	uint64_t live_pages; /* frames that are allocated now */
	uint64_t peak_pages;
	uint64_t cached_pages; /* freed frames kept for reuse */
	uint64_t
		jemalloc_bytes; /* allocated in the arena by mallctl; live + cached = this / 4096 */
};

/* 0, -ENOMEM, or what mallctl gave as a negative errno. */
int page_frames_create(const struct page_frames_config *config, struct page_frames **out);
/* Accepts NULL. Frees all frames, live or not. */
void page_frames_destroy(struct page_frames *frames);

/* Makes sure that the next @nr order-0 allocations do not call jemalloc. 0 or -ENOMEM. */
int page_frames_reserve(struct page_frames *frames, unsigned nr);
/* Gives freed frames beyond 4 MiB back. Cheap when there are none. */
void page_frames_trim(struct page_frames *frames);

/*
 * 1 << @order contiguous frames on node @nid (order 0 to 9). Contents are undefined. Returns the
 * head page, or NULL when out of memory or when a fault was injected. (__alloc_pages,
 * mm/page_alloc.c)
 */
struct page *alloc_pages(struct page_frames *frames, unsigned order, int nid);
void free_pages(struct page_frames *frames, struct page *page);

/*
 * A struct page for memory at @address, of any size, that is no frame and stays the caller's (with
 * contents only). free_pages() takes it back. NULL: out of memory.
 */
struct page *page_of_memory(struct page_frames *frames, void *address);
/* Of such a struct page: other memory. */
void page_set_memory(struct page *page, void *address);

/* NULL for a pfn that was never handed out. */
struct page *pfn_to_page(const struct page_frames *frames, uint64_t pfn);
/* The struct page of pfn 0, if there were one: that of any pfn handed out is at vmemmap + pfn. */
struct page *page_frames_vmemmap(const struct page_frames *frames);
/* Reads mallctl; not for a timed path. 0 or a negative errno. */
int page_frames_stats(struct page_frames *frames, struct page_frames_stats *stats);
/* Fault injection: the @nth allocation from now (1 = the next) fails; 0 switches it off. */
void page_frames_fail_nth(struct page_frames *frames, uint64_t nth);

static inline uint64_t page_to_pfn(const struct page *page)
{
	return ((uintptr_t)page & (VMEMMAP_BYTES - 1)) / sizeof(*page) + PAGE_FIRST_PFN;
}

static inline void *page_address(const struct page *page)
{
	return *(void *const *)((const char *)page + VMEMMAP_BYTES);
}

#endif
