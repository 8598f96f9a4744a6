// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zsmalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zs_private.h"

/* Rounds to one of four steps a doubling, so that a few caches serve all classes. */
static size_t descriptor_size(size_t size)
{
	size_t step = 8;

	while (size > step * 8)
		step *= 2;
	return (size + step - 1) / step * step;
}

static struct kmem_cache *zspage_cache_get(struct zs_pool *pool, size_t size)
{
	struct zspage_cache *c;

	for (unsigned i = 0; i < pool->nr_caches; i++) {
		if (pool->caches[i].size == size)
			return pool->caches[i].cache;
	}
	if (pool->nr_caches == ZS_MAX_CACHES)
		return NULL;
	c = &pool->caches[pool->nr_caches];
	c->cache = pool->nr_caches ? kmem_cache_create_with(pool->caches[0].cache, "zspage", size)
				   : kmem_cache_create("zspage", size);
	if (!c->cache)
		return NULL;
	c->size = size;
	pool->nr_caches++;
	return c->cache;
}

static int create_size_classes(struct zs_pool *pool)
{
	pool->classes = calloc(pool->table.nr, sizeof(*pool->classes));
	if (!pool->classes)
		return -ENOMEM;
	for (unsigned i = 0; i < pool->table.nr; i++) {
		const struct zs_class_geometry *g = &pool->table.classes[i];
		struct size_class *class = &pool->classes[i];

		class->index = g->index;
		class->size = g->size;
		class->objs = g->objs;
		class->pages = g->pages;
		class->huge = g->huge;
		class->per_obj = zs_fullness_scale(g->objs);
		note_changed(pool, class);
		class->zspage_cache = zspage_cache_get(pool, descriptor_size(zspage_bytes(g)));
		if (!class->zspage_cache)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < PAGE_SIZE / ZS_ALIGN; i++)
		pool->class_of[i] =
			zs_class_lookup(&pool->table, (i + 1) * ZS_ALIGN) - pool->table.classes;
	return 0;
}

struct zs_pool *zs_create_pool(struct kernel *k, const char *name)
{
	struct zs_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->k = k;
	pool->vmemmap = page_frames_vmemmap(k->frames);
	pool->name = strdup(name);
	pool->area.buf = malloc(PAGE_SIZE);
	pool->handle_cache = kmem_cache_create("zs_handle", ZS_HANDLE_SIZE);
	if (!pool->name || !pool->area.buf || !pool->handle_cache ||
	    zs_class_table_init(&pool->table, PAGE_SIZE, k->profile.zsmalloc.chain_size, 0) ||
	    create_size_classes(pool)) {
		zs_destroy_pool(pool);
		return NULL;
	}
	if (!k->zs_huge_class_size)
		k->zs_huge_class_size = pool->table.huge_class_size;
	return pool;
}

static void free_class(struct zs_pool *pool, struct size_class *class)
{
	for (unsigned fg = 0; fg < ZS_NR_FULLNESS; fg++) {
		while (!ref_list_empty(&class->fullness_list[fg])) {
			struct zspage *zspage = zspage_of_ref(pool, class->fullness_list[fg].first);

			zspage->readers = 0;
			free_zspage(pool, zspage);
		}
	}
}

void zs_destroy_pool(struct zs_pool *pool)
{
	if (!pool)
		return;
	for (unsigned i = 0; pool->classes && i < pool->table.nr; i++) {
		free_class(pool, &pool->classes[i]);
	}
	for (unsigned i = 0; i < pool->nr_caches; i++)
		kmem_cache_destroy(pool->caches[i].cache);
	kmem_cache_destroy(pool->handle_cache);
	zs_class_table_finish(&pool->table);
	free(pool->classes);
	free(pool->area.buf);
	free(pool->name);
	free(pool);
}

const struct zs_calls *zs_calls(const struct zs_pool *pool)
{
	return &pool->calls;
}

/* Classes begin and end at multiples of 8 payload bytes. */
static struct size_class *class_of_size(const struct zs_pool *pool, size_t size)
{
	return &pool->classes[pool->class_of[(size - 1) / ZS_ALIGN]];
}

unsigned long zs_malloc(struct zs_pool *pool, size_t size, int nid)
{
	struct size_class *class;
	struct zspage *zspage;
	unsigned long handle;

	pool->calls.malloc++;
	if (!size)
		return (unsigned long)-EINVAL;
	if (size > PAGE_SIZE)
		return (unsigned long)-ENOSPC;
	if (pool->fail_in && --pool->fail_in == 0)
		return (unsigned long)-ENOMEM;
	handle = (unsigned long)kmem_cache_alloc(pool->handle_cache);
	if (!handle)
		return (unsigned long)-ENOMEM;
	/* A chunk's header has no room for the references of more than 2^31 handles. */
	if (handle_ref(pool, handle) > UINT32_MAX >> OBJ_TAG_BITS) {
		kmem_cache_free(pool->handle_cache, (void *)handle);
		return (unsigned long)-ENOMEM;
	}
	class = class_of_size(pool, size);
	zspage = find_get_zspage(pool, class);
	if (zspage) {
		obj_malloc(pool, zspage, handle, size);
		fix_fullness_group(pool, zspage);
		return handle;
	}
	zspage = alloc_zspage(pool, class, nid);
	if (!zspage) {
		kmem_cache_free(pool->handle_cache, (void *)handle);
		return (unsigned long)-ENOMEM;
	}
	obj_malloc(pool, zspage, handle, size);
	insert_zspage(pool, zspage, get_fullness_group(class, zspage));
	return handle;
}

void zs_free(struct zs_pool *pool, unsigned long handle)
{
	struct obj_place at;

	if (!handle || IS_ERR_VALUE(handle))
		return;
	pool->calls.free++;
	at = obj_place(pool, handle);
	obj_free(pool, at.zspage, at.idx, handle_to_length(handle));
	/* In one thread nobody holds a page of it, so it goes at once and not by the worker (D.5).
	 */
	if (fix_fullness_group(pool, at.zspage) == 0)
		free_zspage(pool, at.zspage);
	kmem_cache_free(pool->handle_cache, (void *)handle);
}

/*
 * How many descriptors of each cache, and pages, @nr allocations can take: a class needs one
 * zspage for each objs objects begun, and a page holds at least one object.
 */
static void work_out_needs(struct zs_pool *pool, unsigned nr)
{
	unsigned pages = nr;

	for (unsigned i = 0; i < pool->nr_caches; i++) {
		struct zspage_cache *c = &pool->caches[i];

		c->need = 0;
		for (unsigned j = 0; j < pool->table.nr; j++) {
			const struct size_class *class = &pool->classes[j];

			if (class->zspage_cache == c->cache)
				c->need += (nr + class->objs - 1) / class->objs;
		}
		if (c->need > nr)
			c->need = nr;
	}
	for (unsigned j = 0; j < pool->table.nr; j++)
		pages += pool->classes[j].pages;
	if (pages > nr * pool->table.chain_size)
		pages = nr * pool->table.chain_size;
	pool->reserve_nr = nr;
	pool->reserve_pages = pages;
}

int zs_reserve(struct zs_pool *pool, unsigned nr)
{
	int ret;

	if (nr != pool->reserve_nr)
		work_out_needs(pool, nr);
	ret = kmem_cache_reserve(pool->handle_cache, nr);
	for (unsigned i = 0; i < pool->nr_caches && !ret; i++)
		ret = kmem_cache_reserve(pool->caches[i].cache, pool->caches[i].need);
	if (!ret)
		ret = page_frames_reserve(pool->k->frames, pool->reserve_pages);
	return ret;
}

unsigned long zs_get_total_pages(const struct zs_pool *pool)
{
	return pool->pages;
}

void zs_pool_stats(const struct zs_pool *pool, struct zs_pool_stats *stats)
{
	stats->pages_compacted = pool->pages_compacted;
	stats->objs_moved = pool->objs_moved;
	stats->bytes_copied = pool->bytes_copied;
}

unsigned zs_huge_class_size(const struct zs_pool *pool)
{
	return pool->k->zs_huge_class_size;
}

unsigned zs_lookup_class_index(const struct zs_pool *pool, unsigned size)
{
	return zs_class_lookup(&pool->table, size)->index;
}

unsigned zs_nr_classes(const struct zs_pool *pool)
{
	return pool->table.nr;
}

void zs_class_stats(const struct zs_pool *pool, unsigned i, struct zs_class_stats *stats)
{
	const struct size_class *class = &pool->classes[i];

	stats->geometry = pool->table.classes[i];
	for (unsigned fg = 0; fg < ZS_NR_FULLNESS; fg++)
		stats->zspages[fg] = class->zspages[fg];
	stats->obj_allocated = class->objs_allocated;
	stats->obj_used = class->objs_inuse;
	stats->pages_used = class->objs_allocated / class->objs * class->pages;
	stats->freeable_pages = zs_can_compact(class);
	stats->payload_bytes = class->payload_bytes;
	stats->straddling_objs = class->straddling_objs;
}

unsigned zs_next_changed_class(struct zs_pool *pool, unsigned i)
{
	for (; i < pool->table.nr; i = (i | 63) + 1) {
		uint64_t word = pool->changed[i / 64] >> i % 64 << i % 64;

		if (word) {
			i = i / 64 * 64 + __builtin_ctzll(word);
			break;
		}
	}
	if (i >= pool->table.nr)
		return pool->table.nr;
	pool->changed[i / 64] &= ~(1ull << i % 64);
	return i;
}

void zs_usage(const struct zs_pool *pool, struct zs_usage *usage)
{
	usage->pages = pool->pages;
	usage->zspages = pool->zspages;
	usage->objects = pool->objects;
	usage->straddling_objs = pool->straddling_objs;
	usage->payload_bytes = pool->payload_bytes;
	usage->rounding_bytes = pool->used_chunk_bytes - pool->payload_bytes;
	usage->unused_bytes = pool->chunk_bytes - pool->used_chunk_bytes;
	usage->tail_bytes = pool->tail_bytes;
}

uint64_t zs_metadata_bytes(const struct zs_pool *pool)
{
	uint64_t bytes =
		kmem_cache_live_bytes(pool->handle_cache) + pool->pages * sizeof(struct page);

	for (unsigned i = 0; i < pool->nr_caches; i++)
		bytes += kmem_cache_live_bytes(pool->caches[i].cache);
	return bytes;
}

void zs_fail_nth(struct zs_pool *pool, uint64_t nth)
{
	pool->fail_in = nth;
}
