// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slab.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Addresses to reserve for a range: as far as references reach, or what there is. */
#define MOST_BYTES   (8ull << 32)
#define LEAST_BYTES  (64ull << 20)
#define SLAB_BYTES   4096u
#define SLAB_OBJECTS 8u	 /* of a slab, at least */
#define FIRST_BYTE   64u /* so that no object has the reference 0 */

/* A range of addresses that slabs are cut from, one after the other. */
struct kmem_space {
	char *base;
	size_t bytes;  /* reserved */
	size_t usable; /* of them may be touched: a multiple of a page */
	size_t used;   /* in slabs */
	unsigned nr_caches;
};

static struct kmem_space *space_create(void)
{
	struct kmem_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	/* Less where the process may have no more (RLIMIT_AS). */
	for (space->bytes = MOST_BYTES; space->bytes >= LEAST_BYTES; space->bytes /= 2) {
		space->base = mmap(NULL, space->bytes, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (space->base != MAP_FAILED) {
			space->used = FIRST_BYTE;
			return space;
		}
	}
	free(space);
	return NULL;
}

static void space_put(struct kmem_space *space)
{
	if (--space->nr_caches)
		return;
	unpoison(space->base, space->used);
	munmap(space->base, space->bytes);
	free(space);
}

/* NULL when out of memory. */
static char *space_cut(struct kmem_space *space, size_t bytes)
{
	char *slab = space->base + space->used;

	if (bytes > space->bytes - space->used)
		return NULL;
	if (space->used + bytes > space->usable) {
		/* Ahead, so that system calls are few; what is not touched takes no memory. */
		size_t more = space->usable / 4 + bytes + SLAB_BYTES * 16;

		more = (more + SLAB_BYTES - 1) / SLAB_BYTES * SLAB_BYTES;
		if (more > space->bytes - space->usable)
			more = space->bytes - space->usable;
		if (mprotect(space->base + space->usable, more, PROT_READ | PROT_WRITE))
			return NULL;
		space->usable += more;
	}
	space->used += bytes;
	return slab;
}

static struct kmem_cache *cache_create(struct kmem_space *space, const char *name, size_t size)
{
	struct kmem_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->name = name;
	cache->size = (size + 7) & ~(size_t)7;
	cache->slab_bytes = SLAB_BYTES;
	while (cache->slab_bytes < (size_t)cache->size * SLAB_OBJECTS)
		cache->slab_bytes *= 2;
	cache->space = space;
	cache->base = space->base;
	space->nr_caches++;
	return cache;
}

struct kmem_cache *kmem_cache_create(const char *name, size_t size)
{
	struct kmem_space *space = space_create();
	struct kmem_cache *cache;

	if (!space)
		return NULL;
	cache = cache_create(space, name, size);
	if (!cache) {
		space->nr_caches = 1;
		space_put(space);
	}
	return cache;
}

struct kmem_cache *kmem_cache_create_with(struct kmem_cache *with, const char *name, size_t size)
{
	return cache_create(with->space, name, size);
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	if (!cache)
		return;
	space_put(cache->space);
	free(cache);
}

static int add_slab(struct kmem_cache *cache)
{
	size_t nr = cache->slab_bytes / cache->size;
	char *slab = space_cut(cache->space, cache->slab_bytes);

	if (!slab)
		return -ENOMEM;
	/* From the end, so that objects are handed out in ascending order. */
	for (size_t i = nr; i-- > 0;)
		kmem_cache_free(cache, slab + i * cache->size);
	cache->nr_objects += nr;
	return 0;
}

int kmem_cache_grow(struct kmem_cache *cache, size_t nr)
{
	while (cache->nr_free < nr) {
		int ret = add_slab(cache);

		if (ret)
			return ret;
	}
	return 0;
}

void *kmem_cache_alloc_slow(struct kmem_cache *cache)
{
	uint64_t fail_in = cache->fail_in;
	void *obj;

	if (fail_in == 1) {
		cache->fail_in = 0;
		return NULL;
	}
	if (!cache->free && add_slab(cache))
		return NULL;
	cache->fail_in = 0;
	obj = kmem_cache_alloc(cache);
	cache->fail_in = fail_in ? fail_in - 1 : 0;
	return obj;
}

void kmem_cache_fail_nth(struct kmem_cache *cache, uint64_t nth)
{
	cache->fail_in = nth;
}
