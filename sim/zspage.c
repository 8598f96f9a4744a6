// SPDX-License-Identifier: GPL-2.0-or-later
/* Zspages: their pages, free lists and fullness groups (kernel-spec D.4 to D.6). */
#include <assert.h>

#include "sim/poison.h"
#include "sim/zs_private.h"

/* A fresh zspage hands out its chunks in order. */
static void init_zspage(const struct size_class *class, struct zspage *zspage)
{
	uint32_t *headers = zspage_headers(class, zspage);

	for (unsigned i = 0; i < class->objs; i++)
		headers[i] = (i + 1) << OBJ_TAG_BITS;
	headers[class->objs - 1] = OBJ_LIST_END << OBJ_TAG_BITS;
	zspage->freeobj = 0;
}

static void give_pages_back(struct zs_pool *pool, struct zspage *zspage, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		struct page *page = zspage_page(pool, zspage, i);

		if (pool->k->contents)
			unpoison(page_address(page), PAGE_SIZE);
		page->zspage = 0;
		free_pages(pool->k->frames, page);
	}
	kmem_cache_free(zspage_class(pool, zspage)->zspage_cache, zspage);
}

struct zspage *alloc_zspage(struct zs_pool *pool, struct size_class *class, int nid)
{
	struct zspage *zspage = kmem_cache_alloc(class->zspage_cache);

	if (!zspage)
		return NULL;
	*zspage = (struct zspage){.class = class - pool->classes};
	for (unsigned i = 0; i < class->pages; i++) {
		struct page *page = alloc_pages(pool->k->frames, 0, nid);

		if (!page) {
			give_pages_back(pool, zspage, i);
			return NULL;
		}
		page->zspage = zspage_ref(pool, zspage);
		page->index = i;
		zspage->pages[i] = page_to_pfn(page);
		/* Until obj_malloc nobody has a reason to touch it. */
		if (pool->k->contents)
			poison(page_address(page), PAGE_SIZE);
	}
	init_zspage(class, zspage);
	class->objs_allocated += class->objs;
	pool->pages += class->pages;
	pool->zspages++;
	pool->chunk_bytes += class->objs * class->size;
	pool->tail_bytes += class->pages * PAGE_SIZE - class->objs * class->size;
	return zspage;
}

void free_zspage(struct zs_pool *pool, struct zspage *zspage)
{
	struct size_class *class = zspage_class(pool, zspage);

	assert(!zspage->readers);
	remove_zspage(pool, zspage);
	class->objs_allocated -= class->objs;
	pool->pages -= class->pages;
	pool->zspages--;
	pool->chunk_bytes -= class->objs * class->size;
	pool->tail_bytes -= class->pages * PAGE_SIZE - class->objs * class->size;
	give_pages_back(pool, zspage, class->pages);
}

void insert_zspage(struct zs_pool *pool, struct zspage *zspage, unsigned fullness)
{
	struct size_class *class = zspage_class(pool, zspage);

	note_changed(pool, class);
	class->zspages[fullness]++;
	class->groups |= 1u << fullness;
	ref_list_add(pool->caches[0].cache, &class->fullness_list[fullness],
		     zspage_ref(pool, zspage));
	zspage->fullness = fullness;
}

void remove_zspage(struct zs_pool *pool, struct zspage *zspage)
{
	struct size_class *class = zspage_class(pool, zspage);
	unsigned fullness = zspage->fullness;

	ref_list_del(pool->caches[0].cache, &class->fullness_list[fullness],
		     zspage_ref(pool, zspage));
	note_changed(pool, class);
	if (!--class->zspages[fullness])
		class->groups &= ~(1u << fullness);
}

#ifdef SIM_ASAN
static void set_poison(const struct zs_pool *pool, struct zspage *zspage, unsigned begin,
		       unsigned end, bool poisoned)
{
	while (begin < end) {
		char *p = (char *)page_address(zspage_page(pool, zspage, begin / PAGE_SIZE)) +
			  begin % PAGE_SIZE;
		unsigned n = PAGE_SIZE - begin % PAGE_SIZE;

		if (n > end - begin)
			n = end - begin;
		if (poisoned)
			poison(p, n);
		else
			unpoison(p, n);
		begin += n;
	}
}

/*
 * What AddressSanitizer lets through: of an allocated chunk its payload, to the byte, but under the
 * class rule, which copies whole chunks with bytes that were never written, all of it.
 */
static void chunk_open(struct zs_pool *pool, struct zspage *zspage, unsigned idx, unsigned len)
{
	const struct size_class *class = zspage_class(pool, zspage);
	unsigned begin = chunk_start(class, idx), end = begin + class->size;

	if (pool->k->profile.zsmalloc.straddle == ZS_STRADDLE_PAYLOAD) {
		begin += header_size(class);
		end = begin + len;
	}
	if (pool->k->contents)
		set_poison(pool, zspage, begin, end, false);
}

static void chunk_close(struct zs_pool *pool, struct zspage *zspage, unsigned idx)
{
	const struct size_class *class = zspage_class(pool, zspage);
	unsigned begin = chunk_start(class, idx);

	if (pool->k->contents)
		set_poison(pool, zspage, begin, begin + class->size, true);
}
#else
static void chunk_open(struct zs_pool *pool, struct zspage *zspage, unsigned idx, unsigned len)
{
}

static void chunk_close(struct zs_pool *pool, struct zspage *zspage, unsigned idx)
{
}
#endif

void obj_malloc(struct zs_pool *pool, struct zspage *zspage, unsigned long handle, unsigned len)
{
	struct size_class *class = zspage_class(pool, zspage);
	uint32_t *headers = zspage_headers(class, zspage);
	unsigned idx = zspage->freeobj;
	bool straddles = payload_straddles(class, idx, len);

	zspage->freeobj = headers[idx] >> OBJ_TAG_BITS;
	headers[idx] = handle_ref(pool, handle) << OBJ_TAG_BITS | OBJ_ALLOCATED_TAG;
	zspage->inuse++;
	record_obj(handle,
		   location_to_obj(pool, zspage->pages[chunk_start(class, idx) / PAGE_SIZE], class,
				   idx),
		   len);
	note_changed(pool, class);
	class->objs_inuse++;
	class->payload_bytes += len;
	class->straddling_objs += straddles;
	pool->objects++;
	pool->payload_bytes += len;
	pool->straddling_objs += straddles;
	pool->used_chunk_bytes += class->size;
	chunk_open(pool, zspage, idx, len);
}

void obj_free(struct zs_pool *pool, struct zspage *zspage, unsigned idx, unsigned len)
{
	struct size_class *class = zspage_class(pool, zspage);
	uint32_t *headers = zspage_headers(class, zspage);
	bool straddles = payload_straddles(class, idx, len);

	assert(headers[idx] & OBJ_ALLOCATED_TAG);
	headers[idx] = zspage->freeobj << OBJ_TAG_BITS;
	zspage->freeobj = idx;
	zspage->inuse--;
	note_changed(pool, class);
	class->objs_inuse--;
	class->payload_bytes -= len;
	class->straddling_objs -= straddles;
	pool->objects--;
	pool->payload_bytes -= len;
	pool->straddling_objs -= straddles;
	pool->used_chunk_bytes -= class->size;
	chunk_close(pool, zspage, idx);
}
