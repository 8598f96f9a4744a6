// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/jemalloc_pool.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/slab.h"
#include "sim/zpool_drivers.h"

struct jemalloc_pool {
	struct kernel *k;
	struct je_arena arena;
	struct kmem_cache *handle_cache;
	uint64_t objects;
	uint64_t payload_bytes, region_bytes; /* of live objects */
	uint64_t nr_mapped;
	uint64_t fail_in;
	struct page *window; /* the object that is read, as a scatterlist entry has it */
};

/* A handle points to one. */
struct object {
	char *mem;
	uint16_t length;
	uint8_t nid;
};

static struct object *object_of(unsigned long handle)
{
	return (struct object *)handle;
}

static void jemalloc_pool_destroy(void *p)
{
	struct jemalloc_pool *pool = p;

	if (!pool)
		return;
	je_arena_finish(&pool->arena);
	if (pool->window)
		free_pages(pool->k->frames, pool->window);
	kmem_cache_destroy(pool->handle_cache);
	free(pool);
}

static void *jemalloc_pool_create(struct kernel *k, const char *name)
{
	struct jemalloc_pool *pool = calloc(1, sizeof(*pool));

	(void)name;
	if (!pool)
		return NULL;
	pool->k = k;
	pool->handle_cache = kmem_cache_create("jemalloc_handle", sizeof(struct object));
	if (k->contents)
		pool->window = page_of_memory(k->frames, NULL);
	if ((k->contents && !pool->window) || !pool->handle_cache ||
	    je_arena_init(&pool->arena, k->contents, k->totalram_pages)) {
		jemalloc_pool_destroy(pool);
		return NULL;
	}
	return pool;
}

static unsigned long jemalloc_pool_malloc(void *p, size_t size, int nid)
{
	struct jemalloc_pool *pool = p;
	struct object *object;

	if (!size)
		return (unsigned long)-EINVAL;
	if (size > PAGE_SIZE)
		return (unsigned long)-ENOSPC;
	if (pool->fail_in && --pool->fail_in == 0)
		return (unsigned long)-ENOMEM;
	object = kmem_cache_alloc(pool->handle_cache);
	if (!object)
		return (unsigned long)-ENOMEM;
	object->mem = je_arena_alloc(&pool->arena, size);
	if (!object->mem) {
		kmem_cache_free(pool->handle_cache, object);
		return (unsigned long)-ENOMEM;
	}
	object->length = size;
	object->nid = nid;
	pool->objects++;
	pool->payload_bytes += size;
	pool->region_bytes += je_arena_bin(&pool->arena, size)->region;
	return (unsigned long)object;
}

static void jemalloc_pool_free(void *p, unsigned long handle)
{
	struct jemalloc_pool *pool = p;
	struct object *object = object_of(handle);

	if (!handle || IS_ERR_VALUE(handle))
		return;
	pool->objects--;
	pool->payload_bytes -= object->length;
	pool->region_bytes -= je_arena_bin(&pool->arena, object->length)->region;
	je_arena_free(&pool->arena, object->mem, object->length);
	kmem_cache_free(pool->handle_cache, object);
}

static int jemalloc_pool_reserve(void *p, unsigned nr)
{
	struct jemalloc_pool *pool = p;
	int ret = kmem_cache_reserve(pool->handle_cache, nr);

	return ret ? ret : je_arena_reserve(&pool->arena, nr);
}

static void jemalloc_pool_trim(void *pool)
{
	je_arena_trim(&((struct jemalloc_pool *)pool)->arena);
}

/* ---- contents ---- */

static void *begin_access(struct jemalloc_pool *pool, unsigned long handle)
{
	pool->nr_mapped++;
	return object_of(handle)->mem;
}

static void end_access(struct jemalloc_pool *pool)
{
	assert(pool->nr_mapped);
	pool->nr_mapped--;
}

static void jemalloc_pool_obj_write(void *pool, unsigned long handle, const void *buf, size_t len)
{
	memcpy(begin_access(pool, handle), buf, len);
	end_access(pool);
}

static void *jemalloc_pool_obj_read_begin(void *pool, unsigned long handle, size_t len,
					  void *local_copy)
{
	(void)len;
	(void)local_copy;
	return begin_access(pool, handle);
}

static void jemalloc_pool_obj_read_end(void *pool, unsigned long handle, size_t len, void *mem)
{
	(void)handle;
	(void)len;
	(void)mem;
	end_access(pool);
}

/* In the kernel, what a general-purpose allocator returns is in one piece by pfn: one entry. */
static unsigned jemalloc_pool_obj_read_sg_begin(void *p, unsigned long handle,
						struct scatterlist *sg, size_t len)
{
	struct jemalloc_pool *pool = p;
	char *mem = begin_access(pool, handle);
	size_t offset = (size_t)mem % PAGE_SIZE;

	assert(pool->nr_mapped == 1);
	page_set_memory(pool->window, mem - offset);
	sg_init_table(sg, 1);
	sg_set_page(sg, pool->window, len, offset);
	return 1;
}

static void jemalloc_pool_obj_read_sg_end(void *pool, unsigned long handle)
{
	(void)handle;
	end_access(pool);
}

static void *jemalloc_pool_map(void *pool, unsigned long handle, enum zpool_mapmode mode)
{
	(void)mode;
	return begin_access(pool, handle);
}

static void jemalloc_pool_unmap(void *pool, unsigned long handle)
{
	(void)handle;
	end_access(pool);
}

/* ---- looking in from outside ---- */

static uint64_t jemalloc_pool_total_pages(const void *pool)
{
	return ((const struct jemalloc_pool *)pool)->arena.pages;
}

static void jemalloc_pool_usage(const void *p, struct zpool_usage *usage)
{
	const struct jemalloc_pool *pool = p;
	const struct je_arena *arena = &pool->arena;

	*usage = (struct zpool_usage){
		.pages = arena->pages,
		.groups = arena->slabs,
		.objects = pool->objects,
		.payload_bytes = pool->payload_bytes,
		.rounding_bytes = pool->region_bytes - pool->payload_bytes,
		.unused_bytes = arena->pages * PAGE_SIZE - arena->tail_bytes - pool->region_bytes,
		.tail_bytes = arena->tail_bytes,
	};
}

static void jemalloc_pool_locate(const void *p, unsigned long handle, struct zpool_location *loc)
{
	const struct jemalloc_pool *pool = p;
	const struct object *object = object_of(handle);

	*loc = (struct zpool_location){
		.slot_size = je_arena_bin(&pool->arena, object->length)->region,
		.offset = (object->mem - pool->arena.space) % PAGE_SIZE,
		.length = object->length,
		.straddles = false,
		.nid = object->nid,
	};
}

static uint64_t jemalloc_pool_nr_mapped(const void *pool)
{
	return ((const struct jemalloc_pool *)pool)->nr_mapped;
}

static int differ(char *err, size_t size, const char *what, uint64_t counted, uint64_t stats)
{
	snprintf(err, size, "jemalloc: %s: counted %llu, its statistics say %llu", what,
		 (unsigned long long)counted, (unsigned long long)stats);
	return -EUCLEAN;
}

static int jemalloc_pool_check(const void *p, char *err, size_t err_size)
{
	const struct jemalloc_pool *pool = p;
	struct je_arena_stats stats;
	int ret = je_arena_stats(&pool->arena, &stats);

	if (ret) {
		snprintf(err, err_size, "jemalloc: no statistics: %s", strerror(-ret));
		return ret;
	}
	if (stats.active_pages != pool->arena.pages)
		return differ(err, err_size, "pages", pool->arena.pages, stats.active_pages);
	if (stats.slabs != pool->arena.slabs)
		return differ(err, err_size, "slabs", pool->arena.slabs, stats.slabs);
	if (stats.regions != pool->objects)
		return differ(err, err_size, "objects", pool->objects, stats.regions);
	return 0;
}

static void jemalloc_pool_fail_nth(void *pool, uint64_t nth)
{
	((struct jemalloc_pool *)pool)->fail_in = nth;
}

const struct je_arena *jemalloc_pool_arena(const struct zpool *zpool)
{
	if (zpool->driver != &jemalloc_zpool_driver)
		return NULL;
	return &((const struct jemalloc_pool *)zpool->pool)->arena;
}

const struct zpool_driver jemalloc_zpool_driver = {
	.type = "jemalloc",
	.create = jemalloc_pool_create,
	.destroy = jemalloc_pool_destroy,
	.malloc = jemalloc_pool_malloc,
	.free = jemalloc_pool_free,
	.reserve = jemalloc_pool_reserve,
	.trim = jemalloc_pool_trim,
	.obj_write = jemalloc_pool_obj_write,
	.obj_read_begin = jemalloc_pool_obj_read_begin,
	.obj_read_end = jemalloc_pool_obj_read_end,
	.obj_read_sg_begin = jemalloc_pool_obj_read_sg_begin,
	.obj_read_sg_end = jemalloc_pool_obj_read_sg_end,
	.map = jemalloc_pool_map,
	.unmap = jemalloc_pool_unmap,
	.total_pages = jemalloc_pool_total_pages,
	.usage = jemalloc_pool_usage,
	.locate = jemalloc_pool_locate,
	.nr_mapped = jemalloc_pool_nr_mapped,
	.check = jemalloc_pool_check,
	.fail_nth = jemalloc_pool_fail_nth,
};
