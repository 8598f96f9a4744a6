/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmem_cache: objects of one size. The simulator's own metadata that the kernel takes from slabs
 * (handles, zspage descriptors, zswap entries, tree nodes) comes from here, so that nothing in a
 * timed path calls malloc: kmem_cache_reserve(), called outside of the timed path, makes sure that
 * the next allocations only pop a free list. Freed objects are kept for reuse (LIFO) until the
 * cache is destroyed. Under AddressSanitizer, free objects are poisoned.
 */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H

#include <stddef.h>
#include <stdint.h>

struct kmem_cache;

/*
 * @name: a static string, for messages. @size: bytes of an object, at least 1; objects are aligned
 * to 8 bytes. Returns NULL when out of memory.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size);
/* Accepts NULL. Frees all memory, whether or not objects are live. */
void kmem_cache_destroy(struct kmem_cache *cache);

/* Makes sure that @nr allocations will not call malloc. 0, or -ENOMEM. */
int kmem_cache_reserve(struct kmem_cache *cache, size_t nr);
/* Contents are undefined. NULL when out of memory, or when a fault was injected. */
void *kmem_cache_alloc(struct kmem_cache *cache);
void kmem_cache_free(struct kmem_cache *cache, void *obj);

/* Objects that are allocated now. */
uint64_t kmem_cache_nr_live(const struct kmem_cache *cache);
/* Fault injection: the @nth allocation from now (1 = the next) returns NULL; 0 switches it off. */
void kmem_cache_fail_nth(struct kmem_cache *cache, uint64_t nth);

#endif
