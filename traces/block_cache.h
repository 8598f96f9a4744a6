/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of the dictionary that were decoded last: 4 MiB of them, in sets of eight ways, the least
 * recently used goes first.
 */
#ifndef TRACES_BLOCK_CACHE_H
#define TRACES_BLOCK_CACHE_H

#include <stdint.h>

#define BLOCK_CACHE_BYTES (4u << 20)
#define BLOCK_CACHE_WAYS  8u

struct block_cache;

/* Of blocks of @block_bytes, at most BLOCK_CACHE_BYTES / BLOCK_CACHE_WAYS. NULL: no memory. */
struct block_cache *block_cache_create(uint32_t block_bytes);
void block_cache_destroy(struct block_cache *cache); /* accepts NULL */

/* The contents of @block, or NULL if it is not there. */
const void *block_cache_find(struct block_cache *cache, uint64_t block);
/* Where to decode a block that is not there; what lay there is gone. */
void *block_cache_evict(struct block_cache *cache, uint64_t block);
/* The evicted place holds @block now. Without this call it holds nothing. */
void block_cache_fill(struct block_cache *cache, uint64_t block);

#endif
