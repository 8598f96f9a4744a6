// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slab.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/poison.h"

#define SLAB_BYTES 65536u

/* The first word of a free object links to the next one. */
struct free_object {
	struct free_object *next;
};

struct slab {
	struct slab *next;
	char objects[];
};

struct kmem_cache {
	const char *name;
	size_t size;
	size_t per_slab;
	struct slab *slabs;
	struct free_object *free;
	size_t nr_free;
	uint64_t nr_live;
	uint64_t fail_in;
};

struct kmem_cache *kmem_cache_create(const char *name, size_t size)
{
	struct kmem_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->name = name;
	cache->size = size < sizeof(struct free_object) ? sizeof(struct free_object)
							: (size + 7) & ~(size_t)7;
	cache->per_slab = (SLAB_BYTES - sizeof(struct slab)) / cache->size;
	if (!cache->per_slab)
		cache->per_slab = 1;
	return cache;
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	if (!cache)
		return;
	while (cache->slabs) {
		struct slab *next;

		unpoison(cache->slabs->objects, cache->per_slab * cache->size);
		next = cache->slabs->next;
		free(cache->slabs);
		cache->slabs = next;
	}
	free(cache);
}

static void push(struct kmem_cache *cache, void *obj)
{
	struct free_object *f = obj;

	f->next = cache->free;
	cache->free = f;
	cache->nr_free++;
	poison(obj, cache->size);
}

static int grow(struct kmem_cache *cache)
{
	struct slab *slab = malloc(sizeof(*slab) + cache->per_slab * cache->size);

	if (!slab)
		return -ENOMEM;
	slab->next = cache->slabs;
	cache->slabs = slab;
	/* From the end, so that objects are handed out in ascending order. */
	for (size_t i = cache->per_slab; i-- > 0;)
		push(cache, slab->objects + i * cache->size);
	return 0;
}

int kmem_cache_reserve(struct kmem_cache *cache, size_t nr)
{
	while (cache->nr_free < nr) {
		int ret = grow(cache);

		if (ret)
			return ret;
	}
	return 0;
}

void *kmem_cache_alloc(struct kmem_cache *cache)
{
	struct free_object *obj;

	if (cache->fail_in && --cache->fail_in == 0)
		return NULL;
	if (!cache->free && grow(cache))
		return NULL;
	obj = cache->free;
	unpoison(obj, cache->size);
	cache->free = obj->next;
	cache->nr_free--;
	cache->nr_live++;
	return obj;
}

void kmem_cache_free(struct kmem_cache *cache, void *obj)
{
	cache->nr_live--;
	push(cache, obj);
}

uint64_t kmem_cache_nr_live(const struct kmem_cache *cache)
{
	return cache->nr_live;
}

void kmem_cache_fail_nth(struct kmem_cache *cache, uint64_t nth)
{
	cache->fail_in = nth;
}
