// SPDX-License-Identifier: GPL-2.0-or-later
/* Zspages: their pages, free lists and fullness groups (kernel-spec D.4 to D.6). */
#include <assert.h>

#include "sim/poison.h"
#include "sim/zs_private.h"

/* A fresh zspage hands out its chunks in order. */
static void init_zspage(struct zspage *zspage)
{
	unsigned long *headers = zspage_headers(zspage);
	unsigned objs = zspage->class->objs;

	for (unsigned i = 0; i < objs; i++)
		headers[i] = (i + 1ul) << OBJ_TAG_BITS;
	headers[objs - 1] = (unsigned long)OBJ_LIST_END << OBJ_TAG_BITS;
	zspage->freeobj = 0;
}

static void give_pages_back(struct zs_pool *pool, struct zspage *zspage, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (pool->k->contents)
			unpoison(page_address(zspage->pages[i]), PAGE_SIZE);
		zspage->pages[i]->zspage = NULL;
		free_pages(pool->k->frames, zspage->pages[i]);
	}
	kmem_cache_free(zspage->class->zspage_cache, zspage);
}

struct zspage *alloc_zspage(struct zs_pool *pool, struct size_class *class, int nid)
{
	struct zspage *zspage = kmem_cache_alloc(class->zspage_cache);

	if (!zspage)
		return NULL;
	INIT_LIST_HEAD(&zspage->list);
	zspage->class = class;
	zspage->readers = 0;
	zspage->inuse = 0;
	zspage->fullness = 0;
	for (unsigned i = 0; i < class->pages; i++) {
		struct page *page = alloc_pages(pool->k->frames, 0, nid);

		if (!page) {
			give_pages_back(pool, zspage, i);
			return NULL;
		}
		page->zspage = zspage;
		page->index = i;
		zspage->pages[i] = page;
		/* Until obj_malloc nobody has a reason to touch it. */
		if (pool->k->contents)
			poison(page_address(page), PAGE_SIZE);
	}
	init_zspage(zspage);
	class->objs_allocated += class->objs;
	pool->pages += class->pages;
	pool->zspages++;
	pool->chunk_bytes += class->objs * class->size;
	pool->tail_bytes += class->pages * PAGE_SIZE - class->objs * class->size;
	return zspage;
}

void free_zspage(struct zs_pool *pool, struct zspage *zspage)
{
	struct size_class *class = zspage->class;

	assert(!zspage->readers);
	remove_zspage(zspage);
	class->objs_allocated -= class->objs;
	pool->pages -= class->pages;
	pool->zspages--;
	pool->chunk_bytes -= class->objs * class->size;
	pool->tail_bytes -= class->pages * PAGE_SIZE - class->objs * class->size;
	give_pages_back(pool, zspage, class->pages);
}

unsigned get_fullness_group(const struct zspage *zspage)
{
	return zs_fullness_group(zspage->inuse, zspage->class->objs);
}

void insert_zspage(struct zspage *zspage, unsigned fullness)
{
	zspage->class->zspages[fullness]++;
	list_add(&zspage->list, &zspage->class->fullness_list[fullness]);
	zspage->fullness = fullness;
}

void remove_zspage(struct zspage *zspage)
{
	list_del_init(&zspage->list);
	zspage->class->zspages[zspage->fullness]--;
}

unsigned fix_fullness_group(struct zspage *zspage)
{
	unsigned fullness = get_fullness_group(zspage);

	if (fullness != zspage->fullness) {
		remove_zspage(zspage);
		insert_zspage(zspage, fullness);
	}
	return fullness;
}

struct zspage *find_get_zspage(struct size_class *class)
{
	for (int i = ZS_FULL - 1; i >= 0; i--) {
		if (!list_empty(&class->fullness_list[i]))
			return list_first_entry(&class->fullness_list[i], struct zspage, list);
	}
	return NULL;
}

#ifdef SIM_ASAN
static void set_poison(struct zspage *zspage, unsigned begin, unsigned end, bool poisoned)
{
	while (begin < end) {
		char *p =
			(char *)page_address(zspage->pages[begin / PAGE_SIZE]) + begin % PAGE_SIZE;
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
	const struct size_class *class = zspage->class;
	unsigned begin = chunk_start(class, idx), end = begin + class->size;

	if (pool->k->profile.zsmalloc.straddle == ZS_STRADDLE_PAYLOAD) {
		begin += header_size(class);
		end = begin + len;
	}
	if (pool->k->contents)
		set_poison(zspage, begin, end, false);
}

static void chunk_close(struct zs_pool *pool, struct zspage *zspage, unsigned idx)
{
	unsigned begin = chunk_start(zspage->class, idx);

	if (pool->k->contents)
		set_poison(zspage, begin, begin + zspage->class->size, true);
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
	struct size_class *class = zspage->class;
	unsigned long *headers = zspage_headers(zspage);
	unsigned idx = zspage->freeobj;
	bool straddles = payload_straddles(class, idx, len);

	zspage->freeobj = headers[idx] >> OBJ_TAG_BITS;
	headers[idx] = handle | OBJ_ALLOCATED_TAG;
	zspage_lengths(zspage)[idx] = len;
	zspage->inuse++;
	record_obj(handle, location_to_obj(pool, zspage->pages[chunk_start(class, idx) / PAGE_SIZE],
					   class, idx));
	class->objs_inuse++;
	class->payload_bytes += len;
	class->straddling_objs += straddles;
	pool->objects++;
	pool->payload_bytes += len;
	pool->straddling_objs += straddles;
	pool->used_chunk_bytes += class->size;
	chunk_open(pool, zspage, idx, len);
}

void obj_free(struct zs_pool *pool, struct zspage *zspage, unsigned idx)
{
	struct size_class *class = zspage->class;
	unsigned long *headers = zspage_headers(zspage);
	unsigned len = zspage_lengths(zspage)[idx];
	bool straddles = payload_straddles(class, idx, len);

	assert(headers[idx] & OBJ_ALLOCATED_TAG);
	headers[idx] = (unsigned long)zspage->freeobj << OBJ_TAG_BITS;
	zspage->freeobj = idx;
	zspage->inuse--;
	class->objs_inuse--;
	class->payload_bytes -= len;
	class->straddling_objs -= straddles;
	pool->objects--;
	pool->payload_bytes -= len;
	pool->straddling_objs -= straddles;
	pool->used_chunk_bytes -= class->size;
	chunk_close(pool, zspage, idx);
}
