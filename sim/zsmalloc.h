/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zsmalloc (mm/zsmalloc.c, 6.12 to 7.3; kernel-spec D). Names, order of allocation, fullness groups
 * and the placement of every object are the kernel's, so that the same operations give the same
 * pages, zspages and straddling objects.
 *
 * The links of free lists are kept in side arrays and not in the chunks, so that the allocator runs
 * with and without page contents. It knows pages and nothing of compression.
 */
#ifndef SIM_ZSMALLOC_H
#define SIM_ZSMALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/err.h"
#include "sim/kernel.h"
#include "sim/scatterlist.h"
#include "sim/zs_class.h"

struct zs_pool;

enum zs_mapmode { ZS_MM_RW, ZS_MM_RO, ZS_MM_WO };

struct zs_pool_stats {
	uint64_t pages_compacted;
	/* Not the kernel's: what compaction moved, and copied for it, chunk by chunk. */
	uint64_t objs_moved, bytes_copied;
};

/* A pool on @k's page frames by @k's profile. NULL when out of memory. Sets k->zs_huge_class_size.
 */
struct zs_pool *zs_create_pool(struct kernel *k, const char *name);
/* Accepts NULL. Live objects are freed with it. */
void zs_destroy_pool(struct zs_pool *pool);

/*
 * An object of @size bytes (1 to 4096) whose pages, if it needs new ones, are on node @nid.
 * Returns a handle, or a negative errno in it (IS_ERR_VALUE): -EINVAL for 0, -ENOSPC above 4096,
 * -ENOMEM.
 */
unsigned long zs_malloc(struct zs_pool *pool, size_t size, int nid);
/* Accepts 0 and error values, as the kernel does. */
void zs_free(struct zs_pool *pool, unsigned long handle);

/*
 * Makes sure that the next @nr zs_malloc do not call malloc or jemalloc. 0 or -ENOMEM. Cheap if
 * there is enough; @nr is best the same in every call. The frames that it asks for are more
 * than page_frames keeps ready (8 MiB) only at chain sizes 15 and 16 with @nr above 185.
 */
int zs_reserve(struct zs_pool *pool, unsigned nr);

/* See zpool_prefetch(). @handle is or was one of the pool's. */
void zs_prefetch(const struct zs_pool *pool, unsigned long handle, bool again);

/* Copies @len bytes into the object, in one or two parts (zs_obj_write, 6.16). */
void zs_obj_write(struct zs_pool *pool, unsigned long handle, const void *buf, size_t len);
/* The payload, linear: in place, or copied to @local_copy if it crosses a page (6.16 to 7.3). */
void *zs_obj_read_begin(struct zs_pool *pool, unsigned long handle, size_t len, void *local_copy);
void zs_obj_read_end(struct zs_pool *pool, unsigned long handle, size_t len, void *mem);
/* The payload as 1 or 2 entries of @sg[2] (7.0); returns how many. */
unsigned zs_obj_read_sg_begin(struct zs_pool *pool, unsigned long handle, struct scatterlist *sg,
			      size_t len);
void zs_obj_read_sg_end(struct zs_pool *pool, unsigned long handle);
/* 6.12: the whole chunk is copied through a per-CPU buffer if it crosses a page. One at a time. */
void *zs_map_object(struct zs_pool *pool, unsigned long handle, enum zs_mapmode mode);
void zs_unmap_object(struct zs_pool *pool, unsigned long handle);

/* Objects whose read lock is held now: 0 between operations, or a leak. */
uint64_t zs_nr_mapped(const struct zs_pool *pool);

/* Where an object lies, for reports and tests. */
struct zs_obj_location {
	unsigned class_size; /* bytes of its chunk */
	unsigned index;	     /* of its chunk in the zspage */
	unsigned offset;     /* of its payload in its first page */
	unsigned length;     /* payload bytes that zs_malloc was asked for */
	bool huge;
	bool straddles; /* by the payload rule */
	int nid;
};
void zs_obj_locate(const struct zs_pool *pool, unsigned long handle, struct zs_obj_location *loc);

unsigned long zs_get_total_pages(const struct zs_pool *pool);
void zs_pool_stats(const struct zs_pool *pool, struct zs_pool_stats *stats);
/*
 * Compacts all classes, highest first (D.7); returns the pages freed. A class whose next source is
 * being read is given up, as 6.16 and later do; 6.12 would wait, which in one thread is for ever.
 */
unsigned long zs_compact(struct zs_pool *pool);
/* Pages that a compaction could free now (the shrinker's count). */
unsigned long zs_compactable_pages(const struct zs_pool *pool);
unsigned zs_huge_class_size(const struct zs_pool *pool);
unsigned zs_lookup_class_index(const struct zs_pool *pool, unsigned size);

/* What debugfs zsmalloc/<pool>/classes shows, for one class, and where its bytes go. */
struct zs_class_stats {
	struct zs_class_geometry geometry;
	uint64_t zspages[ZS_NR_FULLNESS]; /* in fullness groups 0 to 11 */
	uint64_t obj_allocated, obj_used;
	uint64_t pages_used;
	uint64_t freeable_pages;
	uint64_t payload_bytes;	  /* sum of the sizes asked for */
	uint64_t straddling_objs; /* live objects whose payload crosses a page */
};
unsigned zs_nr_classes(const struct zs_pool *pool);
/* @i from 0 (smallest) to zs_nr_classes - 1. */
void zs_class_stats(const struct zs_pool *pool, unsigned i, struct zs_class_stats *stats);
/*
 * For one who keeps a copy of all statistics: the first class from @i on whose may differ from when
 * it was last returned (at first, any); zs_nr_classes() if there is none.
 */
unsigned zs_next_changed_class(struct zs_pool *pool, unsigned i);

/*
 * The whole pool: pages * 4096 = payload + rounding + unused + tails, where rounding includes the
 * handle header of every non-huge chunk. All in bytes unless the name says else. O(1).
 */
struct zs_usage {
	uint64_t pages;
	uint64_t zspages;
	uint64_t objects;
	uint64_t straddling_objs;
	uint64_t payload_bytes;
	uint64_t rounding_bytes; /* chunk less payload, of live objects */
	uint64_t unused_bytes;	 /* chunks that no object uses */
	uint64_t tail_bytes;	 /* behind the last chunk of each zspage */
};
void zs_usage(const struct zs_pool *pool, struct zs_usage *usage);

/* How often each function was entered since the pool was made. */
struct zs_calls {
	uint64_t malloc, free, obj_write, obj_read_begin, obj_read_sg_begin, map_object;
};
const struct zs_calls *zs_calls(const struct zs_pool *pool);

/* Of handles, zspages and struct pages in use. */
uint64_t zs_metadata_bytes(const struct zs_pool *pool);

/* Fault injection: the @nth zs_malloc from now fails with -ENOMEM; 0 switches it off. */
void zs_fail_nth(struct zs_pool *pool, uint64_t nth);

#endif
