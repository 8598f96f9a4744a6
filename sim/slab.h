/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmem_cache: objects of one size. The simulator's own metadata that the kernel takes from slabs
 * (handles, zspage descriptors, zswap entries, tree nodes) comes from here, so that nothing in a
 * timed path calls malloc: kmem_cache_reserve(), called outside of the timed path, makes sure that
 * the next allocations only pop a free list. Freed objects are kept for reuse (LIFO) until the
 * cache is destroyed. Under AddressSanitizer, free objects are poisoned.
 *
 * Objects lie in one range of addresses, which is reserved at first and grows without ever moving.
 * So a reference to an object takes 32 bits: its distance from the range's begin, in units of 8
 * bytes. 0 is no object.
 */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "sim/poison.h"

struct kmem_space;

/* Of slab.c and the functions below alone. */
struct kmem_cache {
	char *base;    /* of the range */
	uint32_t free; /* the first free object; its first word is the next one */
	uint32_t size; /* bytes of an object, a multiple of 8 */
	uint64_t nr_free;
	uint64_t nr_objects;
	uint64_t fail_in;
	size_t slab_bytes; /* that the cache grows by */
	struct kmem_space *space;
	const char *name;
};

/*
 * @name: a static string, for messages. @size: bytes of an object, at least 1; objects are aligned
 * to 8 bytes. Returns NULL when out of memory.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size);
/* In the range of @with: a reference does not tell which of the two it is of. */
struct kmem_cache *kmem_cache_create_with(struct kmem_cache *with, const char *name, size_t size);
/* Accepts NULL. Frees all memory, whether or not objects are live; shared memory with the last. */
void kmem_cache_destroy(struct kmem_cache *cache);

int kmem_cache_grow(struct kmem_cache *cache, size_t nr);
void *kmem_cache_alloc_slow(struct kmem_cache *cache);

/* Makes sure that @nr allocations will not ask the system for memory. 0, or -ENOMEM. */
static inline int kmem_cache_reserve(struct kmem_cache *cache, size_t nr)
{
	return cache->nr_free >= nr ? 0 : kmem_cache_grow(cache, nr);
}

/* What @ref refers to; it is not 0. */
static inline void *kmem_cache_object(const struct kmem_cache *cache, uint32_t ref)
{
	return cache->base + (size_t)ref * 8;
}

static inline uint32_t kmem_cache_ref(const struct kmem_cache *cache, const void *obj)
{
	return ((const char *)obj - cache->base) / 8;
}

/* Contents are undefined. NULL when out of memory, or when a fault was injected. */
static inline void *kmem_cache_alloc(struct kmem_cache *cache)
{
	void *obj;

	if (__builtin_expect(!cache->free || cache->fail_in, 0))
		return kmem_cache_alloc_slow(cache);
	obj = kmem_cache_object(cache, cache->free);
	unpoison(obj, cache->size);
	cache->free = *(uint32_t *)obj;
	cache->nr_free--;
	return obj;
}

static inline void kmem_cache_free(struct kmem_cache *cache, void *obj)
{
	*(uint32_t *)obj = cache->free;
	cache->free = kmem_cache_ref(cache, obj);
	cache->nr_free++;
	poison(obj, cache->size);
}

/* Objects that are allocated now. */
static inline uint64_t kmem_cache_nr_live(const struct kmem_cache *cache)
{
	return cache->nr_objects - cache->nr_free;
}

/* Their bytes. */
static inline uint64_t kmem_cache_live_bytes(const struct kmem_cache *cache)
{
	return kmem_cache_nr_live(cache) * cache->size;
}

/* Fault injection: the @nth allocation from now (1 = the next) returns NULL; 0 switches it off. */
void kmem_cache_fail_nth(struct kmem_cache *cache, uint64_t nth);

#endif
