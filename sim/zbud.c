// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zbud.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/list.h"
#include "sim/poison.h"
#include "sim/slab.h"
#include "sim/zpool_drivers.h"

enum buddy { FIRST, LAST };

/* What the kernel keeps in the first chunk of the page. */
struct zbud_header {
	struct list_head buddy; /* of the pages with as much room */
	struct page *page;
	uint16_t length[2]; /* payload bytes; 0: there is no such buddy */
};

struct zbud_pool {
	struct kernel *k;
	struct kmem_cache *header_cache;
	struct list_head unbuddied[ZBUD_NCHUNKS]; /* [0]: pages that have both buddies */
	uint64_t pages, objects;
	uint64_t payload_bytes, used_chunks;
	uint64_t nr_mapped;
	uint64_t fail_in;
};

/* ---- handles: the header's address, and which buddy in its lowest bit ---- */

static unsigned long encode_handle(const struct zbud_header *zhdr, enum buddy bud)
{
	return (unsigned long)zhdr | bud;
}

static struct zbud_header *handle_to_zbud_header(unsigned long handle)
{
	return (struct zbud_header *)(handle & ~1ul);
}

static enum buddy handle_to_buddy(unsigned long handle)
{
	return handle & 1;
}

static unsigned size_to_chunks(size_t size)
{
	return (size + ZBUD_CHUNK_SIZE - 1) / ZBUD_CHUNK_SIZE;
}

static unsigned num_free_chunks(const struct zbud_header *zhdr)
{
	return ZBUD_NCHUNKS - size_to_chunks(zhdr->length[FIRST]) -
	       size_to_chunks(zhdr->length[LAST]);
}

/* Bytes from the start of the page. */
static unsigned buddy_offset(const struct zbud_header *zhdr, enum buddy bud)
{
	if (bud == FIRST)
		return ZBUD_HEADER_CHUNKS * ZBUD_CHUNK_SIZE;
	return PAGE_SIZE - size_to_chunks(zhdr->length[LAST]) * ZBUD_CHUNK_SIZE;
}

static void *buddy_address(const struct zbud_header *zhdr, enum buddy bud)
{
	return (char *)page_address(zhdr->page) + buddy_offset(zhdr, bud);
}

/* ---- pages and lists ---- */

/* At the head of the list that fits. */
static void list_page(struct zbud_pool *pool, struct zbud_header *zhdr)
{
	bool both = zhdr->length[FIRST] && zhdr->length[LAST];

	list_add(&zhdr->buddy, &pool->unbuddied[both ? 0 : num_free_chunks(zhdr)]);
}

static struct zbud_header *find_unbuddied(struct zbud_pool *pool, unsigned chunks)
{
	for (unsigned i = chunks; i < ZBUD_NCHUNKS; i++) {
		if (!list_empty(&pool->unbuddied[i]))
			return list_first_entry(&pool->unbuddied[i], struct zbud_header, buddy);
	}
	return NULL;
}

static struct zbud_header *create_page(struct zbud_pool *pool, int nid)
{
	struct zbud_header *zhdr = kmem_cache_alloc(pool->header_cache);

	if (!zhdr)
		return NULL;
	zhdr->page = alloc_pages(pool->k->frames, 0, nid);
	if (!zhdr->page) {
		kmem_cache_free(pool->header_cache, zhdr);
		return NULL;
	}
	zhdr->length[FIRST] = zhdr->length[LAST] = 0;
	INIT_LIST_HEAD(&zhdr->buddy);
	pool->pages++;
	if (pool->k->contents)
		poison(page_address(zhdr->page), PAGE_SIZE);
	return zhdr;
}

static void free_page(struct zbud_pool *pool, struct zbud_header *zhdr)
{
	if (pool->k->contents)
		unpoison(page_address(zhdr->page), PAGE_SIZE);
	free_pages(pool->k->frames, zhdr->page);
	kmem_cache_free(pool->header_cache, zhdr);
	pool->pages--;
}

/* ---- the pool ---- */

struct zbud_pool *zbud_create_pool(struct kernel *k)
{
	struct zbud_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->k = k;
	for (unsigned i = 0; i < ZBUD_NCHUNKS; i++)
		INIT_LIST_HEAD(&pool->unbuddied[i]);
	pool->header_cache = kmem_cache_create("zbud_header", sizeof(struct zbud_header));
	if (!pool->header_cache) {
		free(pool);
		return NULL;
	}
	return pool;
}

void zbud_destroy_pool(struct zbud_pool *pool)
{
	struct zbud_header *zhdr, *next;

	if (!pool)
		return;
	for (unsigned i = 0; i < ZBUD_NCHUNKS; i++) {
		list_for_each_entry_safe (zhdr, next, &pool->unbuddied[i], buddy)
			free_page(pool, zhdr);
	}
	kmem_cache_destroy(pool->header_cache);
	free(pool);
}

unsigned long zbud_alloc(struct zbud_pool *pool, size_t size, int nid)
{
	struct zbud_header *zhdr;
	enum buddy bud = FIRST;

	if (!size)
		return (unsigned long)-EINVAL;
	if (size > ZBUD_MAX_SIZE)
		return (unsigned long)-ENOSPC;
	if (pool->fail_in && --pool->fail_in == 0)
		return (unsigned long)-ENOMEM;
	zhdr = find_unbuddied(pool, size_to_chunks(size));
	if (zhdr) {
		list_del_init(&zhdr->buddy);
		bud = zhdr->length[FIRST] ? LAST : FIRST;
	} else {
		zhdr = create_page(pool, nid);
		if (!zhdr)
			return (unsigned long)-ENOMEM;
	}
	zhdr->length[bud] = size;
	list_page(pool, zhdr);
	pool->objects++;
	pool->payload_bytes += size;
	pool->used_chunks += size_to_chunks(size);
	if (pool->k->contents)
		unpoison(buddy_address(zhdr, bud), size);
	return encode_handle(zhdr, bud);
}

void zbud_free(struct zbud_pool *pool, unsigned long handle)
{
	struct zbud_header *zhdr = handle_to_zbud_header(handle);
	enum buddy bud = handle_to_buddy(handle);
	unsigned size;

	if (!handle || IS_ERR_VALUE(handle))
		return;
	size = zhdr->length[bud];
	assert(size);
	pool->objects--;
	pool->payload_bytes -= size;
	pool->used_chunks -= size_to_chunks(size);
	if (pool->k->contents)
		poison(buddy_address(zhdr, bud), size_to_chunks(size) * ZBUD_CHUNK_SIZE);
	zhdr->length[bud] = 0;
	list_del_init(&zhdr->buddy);
	if (num_free_chunks(zhdr) == ZBUD_NCHUNKS)
		free_page(pool, zhdr);
	else
		list_page(pool, zhdr);
}

int zbud_reserve(struct zbud_pool *pool, unsigned nr)
{
	int ret = kmem_cache_reserve(pool->header_cache, nr);

	return ret ? ret : page_frames_reserve(pool->k->frames, nr);
}

void *zbud_map(struct zbud_pool *pool, unsigned long handle)
{
	pool->nr_mapped++;
	return buddy_address(handle_to_zbud_header(handle), handle_to_buddy(handle));
}

void zbud_unmap(struct zbud_pool *pool, unsigned long handle)
{
	(void)handle;
	assert(pool->nr_mapped);
	pool->nr_mapped--;
}

uint64_t zbud_get_pool_pages(const struct zbud_pool *pool)
{
	return pool->pages;
}

void zbud_usage(const struct zbud_pool *pool, struct zpool_usage *usage)
{
	*usage = (struct zpool_usage){
		.pages = pool->pages,
		.groups = pool->pages,
		.objects = pool->objects,
		.payload_bytes = pool->payload_bytes,
		.rounding_bytes = pool->used_chunks * ZBUD_CHUNK_SIZE - pool->payload_bytes,
		.unused_bytes = (pool->pages * ZBUD_NCHUNKS - pool->used_chunks) * ZBUD_CHUNK_SIZE,
		.tail_bytes = pool->pages * ZBUD_HEADER_CHUNKS * ZBUD_CHUNK_SIZE,
	};
}

void zbud_locate(const struct zbud_pool *pool, unsigned long handle, struct zpool_location *loc)
{
	const struct zbud_header *zhdr = handle_to_zbud_header(handle);
	enum buddy bud = handle_to_buddy(handle);

	(void)pool;
	*loc = (struct zpool_location){
		.slot_size = size_to_chunks(zhdr->length[bud]) * ZBUD_CHUNK_SIZE,
		.index = bud,
		.offset = buddy_offset(zhdr, bud),
		.length = zhdr->length[bud],
		.straddles = false,
		.nid = zhdr->page->nid,
	};
}

uint64_t zbud_nr_listed(const struct zbud_pool *pool, unsigned chunks)
{
	const struct list_head *head = &pool->unbuddied[chunks];
	uint64_t nr = 0;

	for (const struct list_head *item = head->next; item != head; item = item->next)
		nr++;
	return nr;
}

/* ---- as an allocator of zpool ---- */

static void *zbud_zpool_create(struct kernel *k, const char *name)
{
	(void)name;
	return zbud_create_pool(k);
}

static void zbud_zpool_destroy(void *pool)
{
	zbud_destroy_pool(pool);
}

static unsigned long zbud_zpool_malloc(void *pool, size_t size, int nid)
{
	return zbud_alloc(pool, size, nid);
}

static void zbud_zpool_free(void *pool, unsigned long handle)
{
	zbud_free(pool, handle);
}

static int zbud_zpool_reserve(void *pool, unsigned nr)
{
	return zbud_reserve(pool, nr);
}

static void zbud_zpool_obj_write(void *pool, unsigned long handle, const void *buf, size_t len)
{
	memcpy(zbud_map(pool, handle), buf, len);
	zbud_unmap(pool, handle);
}

static void *zbud_zpool_obj_read_begin(void *pool, unsigned long handle, size_t len,
				       void *local_copy)
{
	(void)len;
	(void)local_copy;
	return zbud_map(pool, handle);
}

static void zbud_zpool_obj_read_end(void *pool, unsigned long handle, size_t len, void *mem)
{
	(void)len;
	(void)mem;
	zbud_unmap(pool, handle);
}

static unsigned zbud_zpool_obj_read_sg_begin(void *pool, unsigned long handle,
					     struct scatterlist *sg, size_t len)
{
	struct zbud_header *zhdr = handle_to_zbud_header(handle);

	zbud_map(pool, handle);
	sg_init_table(sg, 1);
	sg_set_page(sg, zhdr->page, len, buddy_offset(zhdr, handle_to_buddy(handle)));
	return 1;
}

static void zbud_zpool_obj_read_sg_end(void *pool, unsigned long handle)
{
	zbud_unmap(pool, handle);
}

static void *zbud_zpool_map(void *pool, unsigned long handle, enum zpool_mapmode mode)
{
	(void)mode;
	return zbud_map(pool, handle);
}

static void zbud_zpool_unmap(void *pool, unsigned long handle)
{
	zbud_unmap(pool, handle);
}

static uint64_t zbud_zpool_total_pages(const void *pool)
{
	return zbud_get_pool_pages(pool);
}

static void zbud_zpool_usage(const void *pool, struct zpool_usage *usage)
{
	zbud_usage(pool, usage);
}

static void zbud_zpool_locate(const void *pool, unsigned long handle, struct zpool_location *loc)
{
	zbud_locate(pool, handle, loc);
}

static uint64_t zbud_zpool_nr_mapped(const void *pool)
{
	return ((const struct zbud_pool *)pool)->nr_mapped;
}

static void add_page(struct zpool_usage *sum, const struct zbud_header *zhdr)
{
	sum->pages++;
	sum->tail_bytes += ZBUD_HEADER_CHUNKS * ZBUD_CHUNK_SIZE;
	sum->unused_bytes += num_free_chunks(zhdr) * ZBUD_CHUNK_SIZE;
	for (enum buddy bud = FIRST; bud <= LAST; bud++) {
		unsigned size = zhdr->length[bud];

		sum->objects += size > 0;
		sum->payload_bytes += size;
		sum->rounding_bytes += size_to_chunks(size) * ZBUD_CHUNK_SIZE - size;
	}
}

static int zbud_zpool_check(const void *zbud_pool, char *err, size_t err_size)
{
	const struct zbud_pool *pool = zbud_pool;
	struct zpool_usage usage, sum = {0};

	for (unsigned i = 0; i < ZBUD_NCHUNKS; i++) {
		const struct zbud_header *zhdr;

		list_for_each_entry (zhdr, &pool->unbuddied[i], buddy) {
			bool both = zhdr->length[FIRST] && zhdr->length[LAST];

			if (i != (both ? 0 : num_free_chunks(zhdr))) {
				snprintf(err, err_size,
					 "zbud: a page with %u free chunks is on "
					 "list %u",
					 num_free_chunks(zhdr), i);
				return -EUCLEAN;
			}
			add_page(&sum, zhdr);
		}
	}
	sum.groups = sum.pages;
	zbud_usage(pool, &usage);
	if (memcmp(&usage, &sum, sizeof(sum))) {
		snprintf(err, err_size,
			 "zbud: counted %llu pages and %llu bytes of %llu objects, its lists have "
			 "%llu, %llu and %llu",
			 (unsigned long long)usage.pages, (unsigned long long)usage.payload_bytes,
			 (unsigned long long)usage.objects, (unsigned long long)sum.pages,
			 (unsigned long long)sum.payload_bytes, (unsigned long long)sum.objects);
		return -EUCLEAN;
	}
	return 0;
}

static void zbud_zpool_fail_nth(void *pool, uint64_t nth)
{
	((struct zbud_pool *)pool)->fail_in = nth;
}

const struct zpool_driver zbud_zpool_driver = {
	.type = "zbud",
	.create = zbud_zpool_create,
	.destroy = zbud_zpool_destroy,
	.malloc = zbud_zpool_malloc,
	.free = zbud_zpool_free,
	.reserve = zbud_zpool_reserve,
	.obj_write = zbud_zpool_obj_write,
	.obj_read_begin = zbud_zpool_obj_read_begin,
	.obj_read_end = zbud_zpool_obj_read_end,
	.obj_read_sg_begin = zbud_zpool_obj_read_sg_begin,
	.obj_read_sg_end = zbud_zpool_obj_read_sg_end,
	.map = zbud_zpool_map,
	.unmap = zbud_zpool_unmap,
	.total_pages = zbud_zpool_total_pages,
	.usage = zbud_zpool_usage,
	.locate = zbud_zpool_locate,
	.nr_mapped = zbud_zpool_nr_mapped,
	.check = zbud_zpool_check,
	.fail_nth = zbud_zpool_fail_nth,
};
