/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One byte of each swap slot, 0 where nothing was set: what the swap device knows of it in the
 * lower four bits, and what the replay does in the upper ones. They are together because they are
 * looked at together, and reading memory is most of what a replay without contents does.
 *
 * Memory goes with the slots in use, by the 4096, and with the largest one: 4 bytes a 4096 slots up
 * to it, of which only those are touched that are asked for.
 */
#ifndef SIM_SLOT_BYTES_H
#define SIM_SLOT_BYTES_H

#include <errno.h>

#include "sim/slab.h"

#define SLOT_BYTES_TYPES      32u /* devices */
#define SLOT_BYTES_LEAF_SHIFT 12
#define SLOT_BYTES_LEAF	      (1u << SLOT_BYTES_LEAF_SHIFT)

struct slot_bytes_leaf {
	uint64_t nr_used; /* bytes that are not 0 */
	uint8_t bytes[SLOT_BYTES_LEAF];
};

struct slot_bytes {
	struct kmem_cache *leaves;
	/* By slot >> SLOT_BYTES_LEAF_SHIFT: a reference to a leaf, or 0. */
	struct {
		uint32_t *leaves;
		uint64_t nr;
	} type[SLOT_BYTES_TYPES];
};

int slot_bytes_init(struct slot_bytes *sb);    /* 0 or -ENOMEM */
void slot_bytes_finish(struct slot_bytes *sb); /* also of one that is all zero bytes */

/* For the functions below: where there is no leaf yet; where it has become empty. */
int slot_bytes_reserve_slow(struct slot_bytes *sb, unsigned type, uint64_t offset);
struct slot_bytes_leaf *slot_bytes_add_leaf(struct slot_bytes *sb, unsigned type, uint64_t offset);
void slot_bytes_drop_leaf(struct slot_bytes *sb, unsigned type, uint64_t offset);

/* @type < SLOT_BYTES_TYPES, here and below. */
static inline struct slot_bytes_leaf *slot_bytes_leaf(const struct slot_bytes *sb, unsigned type,
						      uint64_t offset)
{
	uint64_t i = offset >> SLOT_BYTES_LEAF_SHIFT;
	uint32_t ref = i < sb->type[type].nr ? sb->type[type].leaves[i] : 0;

	return ref ? kmem_cache_object(sb->leaves, ref) : NULL;
}

/*
 * Makes sure that setting the slots of a folio from @offset on, which have one leaf, asks for no
 * memory. 0 or -ENOMEM.
 */
static inline int slot_bytes_reserve(struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	return slot_bytes_leaf(sb, type, offset) ? 0 : slot_bytes_reserve_slow(sb, type, offset);
}

static inline uint8_t slot_bytes_get(const struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	const struct slot_bytes_leaf *leaf = slot_bytes_leaf(sb, type, offset);

	return leaf ? leaf->bytes[offset & (SLOT_BYTES_LEAF - 1)] : 0;
}

static inline void slot_bytes_prefetch(const struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	struct slot_bytes_leaf *leaf = slot_bytes_leaf(sb, type, offset);

	if (leaf)
		__builtin_prefetch(&leaf->bytes[offset & (SLOT_BYTES_LEAF - 1)], 1);
}

/* Sets the bits of @mask to those of @value. Returns the whole byte as it was, or -ENOMEM. */
static inline int slot_bytes_set(struct slot_bytes *sb, unsigned type, uint64_t offset,
				 uint8_t mask, uint8_t value)
{
	struct slot_bytes_leaf *leaf = slot_bytes_leaf(sb, type, offset);
	uint8_t *byte, old;

	if (!leaf) {
		if (!value)
			return 0;
		leaf = slot_bytes_add_leaf(sb, type, offset);
		if (!leaf)
			return -ENOMEM;
	}
	byte = &leaf->bytes[offset & (SLOT_BYTES_LEAF - 1)];
	old = *byte;
	*byte = (old & ~mask) | value;
	leaf->nr_used += !!*byte - !!old;
	if (!leaf->nr_used)
		slot_bytes_drop_leaf(sb, type, offset);
	return old;
}

#endif
