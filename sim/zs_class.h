/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zsmalloc's size classes: which there are for a chain size and page size, and which class a size
 * goes to (zs_create_pool, get_size_class_index, calculate_zspage_chain_size in mm/zsmalloc.c,
 * 6.12 to 7.3; kernel-spec D.1 to D.3). Pure arithmetic.
 */
#ifndef SIM_ZS_CLASS_H
#define SIM_ZS_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZS_ALIGN	  8u
#define ZS_HANDLE_SIZE	  8u
#define ZS_MIN_ALLOC_SIZE 32u
#define ZS_MAX_CLASSES	  257 /* raw ones, of 4 KiB pages */
#define ZS_NR_FULLNESS	  12  /* 0 = empty, 1..10, 11 = full */

struct zs_class_geometry {
	unsigned index;			 /* of the class as created */
	unsigned size;			 /* bytes of a chunk */
	unsigned objs;			 /* per zspage */
	unsigned pages;			 /* per zspage */
	unsigned wasted;		 /* bytes at the end of a zspage */
	unsigned raw_lo, raw_hi;	 /* raw indices served */
	unsigned request_lo, request_hi; /* payload sizes served, bytes */
	bool huge;			 /* one object a page, no header */
	unsigned straddling;		 /* chunks of a zspage that cross a page */
};

struct zs_class_table {
	unsigned page_size;   /* bytes */
	unsigned chain_size;  /* pages */
	unsigned class_delta; /* bytes between raw classes: page_size >> 8, or what was asked for */
	unsigned nr_raw;
	unsigned nr;			   /* effective classes */
	unsigned huge_class_size;	   /* smallest payload that gets a page of its own */
	struct zs_class_geometry *classes; /* [nr], smallest first */
	uint16_t *raw_to_class;		   /* [nr_raw] -> position in classes */
};

/*
 * @page_size a power of two from 4096 to 65536, @chain_size 4 to 16, @class_delta a multiple of 16
 * or 0 for the kernel's (page_size >> 8). 0, -EINVAL or -ENOMEM.
 */
int zs_class_table_init(struct zs_class_table *table, unsigned page_size, unsigned chain_size,
			unsigned class_delta);
void zs_class_table_finish(struct zs_class_table *table);

/* The class of a payload of @size bytes, 1 to page_size. */
const struct zs_class_geometry *zs_class_lookup(const struct zs_class_table *table, unsigned size);

/* Fullness group of a zspage with @inuse of @objs objects (get_fullness_group). */
static inline unsigned zs_fullness_group(unsigned inuse, unsigned objs)
{
	if (inuse == 0)
		return 0;
	if (inuse == objs)
		return ZS_NR_FULLNESS - 1;
	return 100 * inuse / objs / 10 + 1;
}

/* The same without a division, for up to 65535 objects: @scale is zs_fullness_scale(@objs). */
static inline uint32_t zs_fullness_scale(unsigned objs)
{
	return UINT32_MAX / objs + 1;
}

static inline unsigned zs_fullness_group_scaled(unsigned inuse, unsigned objs, uint32_t scale)
{
	if (inuse == 0)
		return 0;
	if (inuse == objs)
		return ZS_NR_FULLNESS - 1;
	return ((uint64_t)(10 * inuse) * scale >> 32) + 1;
}

#endif
