// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading and writing objects, and where they lie (kernel-spec D.6). */
#include <assert.h>
#include <string.h>

#include "sim/zs_private.h"

/* A range of an object's bytes: in one page, or its end at the start of the next one. */
struct span {
	char *first, *second;
	size_t first_len, second_len;
};

static struct span span_of(const struct zs_pool *pool, const struct obj_place *at, unsigned offset,
			   size_t len)
{
	struct span s = {.first = (char *)page_address(at->page) + offset, .first_len = len};

	if (offset + len > PAGE_SIZE) {
		s.first_len = PAGE_SIZE - offset;
		s.second_len = len - s.first_len;
		s.second = page_address(zspage_page(pool, at->zspage, at->page->index + 1));
	}
	return s;
}

static void copy_from_span(void *buf, const struct span *s)
{
	memcpy(buf, s->first, s->first_len);
	if (s->second)
		memcpy((char *)buf + s->first_len, s->second, s->second_len);
}

static void copy_to_span(const struct span *s, const void *buf)
{
	memcpy(s->first, buf, s->first_len);
	if (s->second)
		memcpy(s->second, (const char *)buf + s->first_len, s->second_len);
}

static unsigned payload_offset(const struct obj_place *at)
{
	return at->offset + header_size(at->class);
}

void obj_copy_out(const struct zs_pool *pool, const struct obj_place *at, void *buf, size_t len)
{
	struct span s = span_of(pool, at, payload_offset(at), len);

	copy_from_span(buf, &s);
}

void obj_copy_in(const struct zs_pool *pool, const struct obj_place *at, const void *buf,
		 size_t len)
{
	struct span s = span_of(pool, at, payload_offset(at), len);

	copy_to_span(&s, buf);
}

void zs_prefetch(const struct zs_pool *pool, unsigned long handle, bool again)
{
	const struct zspage *zspage;
	const struct page *page;

	if (!again) {
		__builtin_prefetch((const void *)handle, 1);
		return;
	}
	/* The handle may have been freed, and may say anything. */
	page = pfn_to_page(pool->k->frames, handle_to_obj(handle) >> OBJ_PFN_SHIFT);
	if (!page)
		return;
	zspage = zspage_of_ref(pool, page->zspage);
	__builtin_prefetch(zspage, 1);
	__builtin_prefetch((const char *)zspage + 64, 1);
}

static void zspage_read_lock(struct zs_pool *pool, struct zspage *zspage)
{
	zspage->readers++;
	pool->nr_mapped++;
}

static void zspage_read_unlock(struct zs_pool *pool, struct zspage *zspage)
{
	assert(zspage->readers);
	zspage->readers--;
	pool->nr_mapped--;
}

void zs_obj_write(struct zs_pool *pool, unsigned long handle, const void *buf, size_t len)
{
	struct obj_place at = obj_place(pool, handle);

	pool->calls.obj_write++;
	obj_copy_in(pool, &at, buf, len);
}

void *zs_obj_read_begin(struct zs_pool *pool, unsigned long handle, size_t len, void *local_copy)
{
	struct obj_place at = obj_place(pool, handle);
	unsigned offset = payload_offset(&at);

	pool->calls.obj_read_begin++;
	zspage_read_lock(pool, at.zspage);
	if (offset + len <= PAGE_SIZE)
		return (char *)page_address(at.page) + offset;
	obj_copy_out(pool, &at, local_copy, len);
	return local_copy;
}

void zs_obj_read_end(struct zs_pool *pool, unsigned long handle, size_t len, void *mem)
{
	(void)len;
	(void)mem;
	zspage_read_unlock(pool, obj_place(pool, handle).zspage);
}

unsigned zs_obj_read_sg_begin(struct zs_pool *pool, unsigned long handle, struct scatterlist *sg,
			      size_t len)
{
	struct obj_place at = obj_place(pool, handle);
	unsigned offset = payload_offset(&at);

	pool->calls.obj_read_sg_begin++;
	zspage_read_lock(pool, at.zspage);
	if (offset + len <= PAGE_SIZE) {
		sg[0] = (struct scatterlist){
			.page = at.page, .offset = offset, .length = len, .end = true};
		return 1;
	}
	sg[0] = (struct scatterlist){
		.page = at.page, .offset = offset, .length = PAGE_SIZE - offset};
	sg[1] = (struct scatterlist){.page = zspage_page(pool, at.zspage, at.page->index + 1),
				     .length = len - (PAGE_SIZE - offset),
				     .end = true};
	return 2;
}

void zs_obj_read_sg_end(struct zs_pool *pool, unsigned long handle)
{
	zspage_read_unlock(pool, obj_place(pool, handle).zspage);
}

/* 6.12: it is the chunk that counts, whether or not the payload reaches its end. */
static bool chunk_straddles(const struct obj_place *at)
{
	return at->offset + at->class->size > PAGE_SIZE;
}

void *zs_map_object(struct zs_pool *pool, unsigned long handle, enum zs_mapmode mode)
{
	struct obj_place at = obj_place(pool, handle);

	pool->calls.map_object++;
	/* In the kernel the mapping area is under a local lock. */
	assert(!pool->area.busy);
	pool->area.busy = true;
	pool->area.mode = mode;
	zspage_read_lock(pool, at.zspage);
	if (!chunk_straddles(&at))
		return (char *)page_address(at.page) + payload_offset(&at);
	if (mode != ZS_MM_WO) {
		struct span s = span_of(pool, &at, at.offset, at.class->size);

		copy_from_span(pool->area.buf, &s);
	}
	return pool->area.buf + header_size(at.class);
}

void zs_unmap_object(struct zs_pool *pool, unsigned long handle)
{
	struct obj_place at = obj_place(pool, handle);

	if (chunk_straddles(&at) && pool->area.mode != ZS_MM_RO)
		obj_copy_in(pool, &at, pool->area.buf + ZS_HANDLE_SIZE,
			    at.class->size - ZS_HANDLE_SIZE);
	pool->area.busy = false;
	zspage_read_unlock(pool, at.zspage);
}

uint64_t zs_nr_mapped(const struct zs_pool *pool)
{
	return pool->nr_mapped;
}

void zs_obj_locate(const struct zs_pool *pool, unsigned long handle, struct zs_obj_location *loc)
{
	struct obj_place at = obj_place(pool, handle);
	const struct size_class *class = at.class;

	loc->class_size = class->size;
	loc->index = at.idx;
	loc->offset = payload_offset(&at);
	loc->length = handle_to_length(handle);
	loc->huge = class->huge;
	loc->straddles = payload_straddles(class, at.idx, loc->length);
	loc->nid = at.page->nid;
}
