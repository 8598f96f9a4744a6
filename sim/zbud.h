/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zbud (mm/zbud.c, as kernels to 6.14 had it): at most two objects a page, its buddies. Written
 * from what is published of it: Documentation/mm/zswap.rst, and "In-kernel memory compression"
 * (LWN, 2013); checked against recordings of 6.12 (docs/fidelity.md).
 *
 * A page is 64 chunks of 64 bytes: a header of one chunk, the first buddy behind it, and the last
 * buddy against the page's end, so that what is free lies between them. A page with one buddy is on
 * the list of its number of free chunks, newest first. An object of n chunks goes to the head of
 * the first list from n up that is not empty, else to a new page as its first buddy. No object
 * straddles.
 *
 * Headers are kept in side arrays and not in the pages, so that it runs without contents too.
 */
#ifndef SIM_ZBUD_H
#define SIM_ZBUD_H

#include "sim/kernel.h"

struct zbud_pool;
struct zpool_location;
struct zpool_usage;

#define ZBUD_CHUNK_SIZE	   64u /* bytes */
#define ZBUD_HEADER_CHUNKS 1u
#define ZBUD_NCHUNKS	   (PAGE_SIZE / ZBUD_CHUNK_SIZE - ZBUD_HEADER_CHUNKS)
/* The largest object: with it one chunk stays free, which a page needs to be on a list. */
#define ZBUD_MAX_SIZE ((ZBUD_NCHUNKS - 1) * ZBUD_CHUNK_SIZE)

/* NULL when out of memory. */
struct zbud_pool *zbud_create_pool(struct kernel *k);
/* Accepts NULL. Live objects are freed with it. */
void zbud_destroy_pool(struct zbud_pool *pool);

/* A handle, or in it -EINVAL for 0 bytes, -ENOSPC above ZBUD_MAX_SIZE, -ENOMEM. */
unsigned long zbud_alloc(struct zbud_pool *pool, size_t size, int nid);
/* Accepts 0 and error values. */
void zbud_free(struct zbud_pool *pool, unsigned long handle);
/* As zpool_reserve(). */
int zbud_reserve(struct zbud_pool *pool, unsigned nr);

/* The object, in place; until zbud_unmap(). */
void *zbud_map(struct zbud_pool *pool, unsigned long handle);
void zbud_unmap(struct zbud_pool *pool, unsigned long handle);

uint64_t zbud_get_pool_pages(const struct zbud_pool *pool);
void zbud_usage(const struct zbud_pool *pool, struct zpool_usage *usage);
/* index: 0 the first buddy, 1 the last. */
void zbud_locate(const struct zbud_pool *pool, unsigned long handle, struct zpool_location *loc);
/* Pages on the list of those with @chunks free, 1 to ZBUD_NCHUNKS - 1; 0: of those with two
 * buddies. */
uint64_t zbud_nr_listed(const struct zbud_pool *pool, unsigned chunks);

#endif
