/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocator that zswap stores in, behind one interface: mm/zpool.c, which kernels had to 6.17,
 * with zsmalloc, zbud (to 6.14) and, for comparison, jemalloc. The profile's pool.allocator names
 * the one that zswap asks for. 7.x kernels call zsmalloc directly: through zpool it does the same.
 *
 * All sizes are bytes and all pages are of 4096 bytes, unless a name says else. A handle is the
 * allocator's own; 0 and error values are none.
 */
#ifndef SIM_ZPOOL_H
#define SIM_ZPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/err.h"
#include "sim/kernel.h"
#include "sim/scatterlist.h"

struct zs_pool;

enum zpool_mapmode { ZPOOL_MM_RW, ZPOOL_MM_RO, ZPOOL_MM_WO };

/* Where an object lies, for reports and tests. */
struct zpool_location {
	unsigned slot_size; /* bytes that it takes from its group: chunk, chunks or region */
	unsigned index;	    /* of its slot in the group; jemalloc does not say: 0 */
	unsigned offset;    /* of its payload in its first page */
	unsigned length;    /* payload bytes that zpool_malloc was asked for */
	bool straddles;	    /* the payload is not in one piece: it goes on in a page elsewhere */
	int nid;
};

/*
 * What the pool holds and where its bytes go: pages * 4096 = payload + rounding + unused + tails.
 *
 *              a group is       rounding               unused             tails
 *   zsmalloc   a zspage         chunk less payload     chunks without     behind a zspage's last
 *                               (so with its header)   an object          chunk
 *   zbud       a page           chunks less payload    free chunks        the page's header
 *   jemalloc   a slab           region less payload    free regions       behind a slab's last
 * region
 */
struct zpool_usage {
	uint64_t pages;
	uint64_t groups;
	uint64_t objects;
	uint64_t straddling_objs;
	uint64_t payload_bytes;
	uint64_t rounding_bytes;
	uint64_t unused_bytes;
	uint64_t tail_bytes;
};

/* What an allocator brings (struct zpool_driver). @pool is what its create returned. */
struct zpool_driver {
	const char *type;
	void *(*create)(struct kernel *k, const char *name);
	void (*destroy)(void *pool);
	unsigned long (*malloc)(void *pool, size_t size, int nid);
	void (*free)(void *pool, unsigned long handle);
	int (*reserve)(void *pool, unsigned nr);
	void (*trim)(void *pool); /* or NULL */
	void (*obj_write)(void *pool, unsigned long handle, const void *buf, size_t len);
	void *(*obj_read_begin)(void *pool, unsigned long handle, size_t len, void *local_copy);
	void (*obj_read_end)(void *pool, unsigned long handle, size_t len, void *mem);
	unsigned (*obj_read_sg_begin)(void *pool, unsigned long handle, struct scatterlist *sg,
				      size_t len);
	void (*obj_read_sg_end)(void *pool, unsigned long handle);
	void *(*map)(void *pool, unsigned long handle, enum zpool_mapmode mode);
	void (*unmap)(void *pool, unsigned long handle);
	uint64_t (*metadata_bytes)(const void *pool);			      /* or NULL */
	void (*prefetch)(const void *pool, unsigned long handle, bool again); /* or NULL */
	uint64_t (*total_pages)(const void *pool);
	void (*usage)(const void *pool, struct zpool_usage *usage);
	void (*locate)(const void *pool, unsigned long handle, struct zpool_location *loc);
	uint64_t (*nr_mapped)(const void *pool);
	int (*check)(const void *pool, char *err, size_t err_size);
	void (*fail_nth)(void *pool, uint64_t nth);
};

struct zpool {
	const struct zpool_driver *driver;
	void *pool;
};

/*
 * A pool of allocator @type on @k's page frames. 0, -ENOENT (no such allocator) or -ENOMEM.
 */
int zpool_create_pool(struct kernel *k, const char *type, const char *name, struct zpool **out);
/* Accepts NULL. Live objects are freed with it. */
void zpool_destroy_pool(struct zpool *zpool);
/* The names that zpool_create_pool() knows, in the order of enum pool_allocator; ends with NULL. */
const char *const *zpool_types(void);
/* zsmalloc's own pool, for what only it has (classes, compaction); NULL of another allocator. */
struct zs_pool *zpool_zs_pool(const struct zpool *zpool);

static inline const char *zpool_get_type(const struct zpool *zpool)
{
	return zpool->driver->type;
}

/*
 * A handle of an object of @size bytes, whose pages, if it needs new ones, are on node @nid; or a
 * negative errno in it (IS_ERR_VALUE): -EINVAL for 0, -ENOSPC for more than the allocator takes
 * (zsmalloc and jemalloc: 4096, zbud: 3968), -ENOMEM.
 */
static inline unsigned long zpool_malloc(struct zpool *zpool, size_t size, int nid)
{
	return zpool->driver->malloc(zpool->pool, size, nid);
}

/* Accepts 0 and error values. */
static inline void zpool_free(struct zpool *zpool, unsigned long handle)
{
	zpool->driver->free(zpool->pool, handle);
}

/*
 * Not for a timed path: makes sure that the next @nr zpool_malloc ask nobody for memory (jemalloc's
 * pool: touches what it may hand out). 0 or -ENOMEM. Cheap if there is enough.
 */
static inline int zpool_reserve(struct zpool *zpool, unsigned nr)
{
	return zpool->driver->reserve(zpool->pool, nr);
}

/* Not for a timed path: gives memory back that is kept for reuse, beyond some MiB. */
static inline void zpool_trim(struct zpool *zpool)
{
	if (zpool->driver->trim)
		zpool->driver->trim(zpool->pool);
}

/*
 * Soon the object will be read or freed: asks the CPU for the memory that this takes. @again: for
 * what could be found only when the first call had been answered. Changes nothing. @handle is or
 * was a handle of the pool.
 */
static inline void zpool_prefetch(const struct zpool *zpool, unsigned long handle, bool again)
{
	if (zpool->driver->prefetch)
		zpool->driver->prefetch(zpool->pool, handle, again);
}

/* Copies @len bytes, what zpool_malloc was asked for, into the object (zpool_obj_write, 6.16). */
static inline void zpool_obj_write(struct zpool *zpool, unsigned long handle, const void *buf,
				   size_t len)
{
	zpool->driver->obj_write(zpool->pool, handle, buf, len);
}

/* The payload, linear: in place, or copied to @local_copy if it straddles (6.16). */
static inline void *zpool_obj_read_begin(struct zpool *zpool, unsigned long handle, size_t len,
					 void *local_copy)
{
	return zpool->driver->obj_read_begin(zpool->pool, handle, len, local_copy);
}

static inline void zpool_obj_read_end(struct zpool *zpool, unsigned long handle, size_t len,
				      void *mem)
{
	zpool->driver->obj_read_end(zpool->pool, handle, len, mem);
}

/* The payload as 1 or 2 entries of @sg[2] (as zsmalloc has it since 7.0); returns how many. */
static inline unsigned zpool_obj_read_sg_begin(struct zpool *zpool, unsigned long handle,
					       struct scatterlist *sg, size_t len)
{
	return zpool->driver->obj_read_sg_begin(zpool->pool, handle, sg, len);
}

static inline void zpool_obj_read_sg_end(struct zpool *zpool, unsigned long handle)
{
	zpool->driver->obj_read_sg_end(zpool->pool, handle);
}

/* To 6.15: the object, linear, for reading or writing. One at a time. */
static inline void *zpool_map_handle(struct zpool *zpool, unsigned long handle,
				     enum zpool_mapmode mode)
{
	return zpool->driver->map(zpool->pool, handle, mode);
}

static inline void zpool_unmap_handle(struct zpool *zpool, unsigned long handle)
{
	zpool->driver->unmap(zpool->pool, handle);
}

/* Pages that the pool holds now, as the allocator itself counts them. O(1). */
static inline uint64_t zpool_get_total_pages(const struct zpool *zpool)
{
	return zpool->driver->total_pages(zpool->pool);
}

/* O(1). */
static inline void zpool_usage(const struct zpool *zpool, struct zpool_usage *usage)
{
	zpool->driver->usage(zpool->pool, usage);
}

static inline void zpool_locate(const struct zpool *zpool, unsigned long handle,
				struct zpool_location *loc)
{
	zpool->driver->locate(zpool->pool, handle, loc);
}

/* Of the allocator's own records of its objects and pages, in use; 0 of one that does not say. */
static inline uint64_t zpool_metadata_bytes(const struct zpool *zpool)
{
	return zpool->driver->metadata_bytes ? zpool->driver->metadata_bytes(zpool->pool) : 0;
}

/* Objects that are being read or are mapped now: 0 between operations, or a leak. */
static inline uint64_t zpool_nr_mapped(const struct zpool *zpool)
{
	return zpool->driver->nr_mapped(zpool->pool);
}

/* What the allocator counts against what it holds. 0, or -EUCLEAN and one line in @err. */
static inline int zpool_check(const struct zpool *zpool, char *err, size_t err_size)
{
	return zpool->driver->check(zpool->pool, err, err_size);
}

/* Fault injection: the @nth zpool_malloc from now fails with -ENOMEM; 0 switches it off. */
static inline void zpool_fail_nth(struct zpool *zpool, uint64_t nth)
{
	zpool->driver->fail_nth(zpool->pool, nth);
}

#endif
