// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/block_cache.h"

#include <stdlib.h>

struct way {
	uint64_t block_plus_1; /* 0: empty */
	uint64_t used;	       /* when, in calls */
};

struct block_cache {
	uint32_t block_bytes;
	uint32_t nr_sets;
	uint64_t now;
	struct way *evicted;
	struct way *ways;
	char *data;
};

struct block_cache *block_cache_create(uint32_t block_bytes)
{
	struct block_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->block_bytes = block_bytes;
	cache->nr_sets = BLOCK_CACHE_BYTES / block_bytes / BLOCK_CACHE_WAYS;
	cache->ways = calloc(cache->nr_sets * BLOCK_CACHE_WAYS, sizeof(*cache->ways));
	cache->data = malloc((size_t)cache->nr_sets * BLOCK_CACHE_WAYS * block_bytes);
	if (!cache->ways || !cache->data) {
		block_cache_destroy(cache);
		return NULL;
	}
	return cache;
}

void block_cache_destroy(struct block_cache *cache)
{
	if (!cache)
		return;
	free(cache->ways);
	free(cache->data);
	free(cache);
}

static struct way *set_of(struct block_cache *cache, uint64_t block)
{
	return &cache->ways[block % cache->nr_sets * BLOCK_CACHE_WAYS];
}

static void *data_of(struct block_cache *cache, const struct way *way)
{
	return cache->data + (size_t)(way - cache->ways) * cache->block_bytes;
}

const void *block_cache_find(struct block_cache *cache, uint64_t block)
{
	struct way *set = set_of(cache, block);

	for (unsigned i = 0; i < BLOCK_CACHE_WAYS; i++) {
		if (set[i].block_plus_1 == block + 1) {
			set[i].used = ++cache->now;
			return data_of(cache, &set[i]);
		}
	}
	return NULL;
}

void *block_cache_evict(struct block_cache *cache, uint64_t block)
{
	struct way *set = set_of(cache, block), *oldest = set;

	for (unsigned i = 1; i < BLOCK_CACHE_WAYS; i++)
		if (set[i].used < oldest->used)
			oldest = &set[i];
	oldest->block_plus_1 = 0;
	oldest->used = 0;
	cache->evicted = oldest;
	return data_of(cache, oldest);
}

void block_cache_fill(struct block_cache *cache, uint64_t block)
{
	cache->evicted->block_plus_1 = block + 1;
	cache->evicted->used = ++cache->now;
}
