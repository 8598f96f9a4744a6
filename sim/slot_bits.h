/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One or four bits of each swap slot: a sparse array of small numbers by device and slot, 0 where
 * nothing was set. Memory goes with the slots in use, by the 4096, and with the largest one: 4
 * bytes a 4096 slots up to it, of which only those are touched that are asked for.
 */
#ifndef SIM_SLOT_BITS_H
#define SIM_SLOT_BITS_H

#include <errno.h>

#include "sim/slab.h"

#define SLOT_BITS_TYPES	     32u /* devices */
#define SLOT_BITS_LEAF_SHIFT 12

struct slot_bits_leaf {
	uint64_t nr_used; /* slots whose number is not 0 */
	uint64_t words[];
};

struct slot_bits {
	struct kmem_cache *leaves;
	/* By slot >> SLOT_BITS_LEAF_SHIFT: a reference to a leaf, or 0. */
	struct {
		uint32_t *leaves;
		uint64_t nr;
	} type[SLOT_BITS_TYPES];
	unsigned width_shift; /* 0 or 2: bits of a slot are 1 << width_shift */
	uint64_t nr_used;
};

/* @width: bits of a slot, 1 or 4. 0 or -ENOMEM. */
int slot_bits_init(struct slot_bits *bits, unsigned width);
void slot_bits_finish(struct slot_bits *bits); /* also of one that is all zero bytes */

/* What follows does: makes sure that setting the @nr slots from @offset on asks for no memory. */
int slot_bits_reserve_slow(struct slot_bits *bits, unsigned type, uint64_t offset, unsigned nr);

/* For slot_bits_set(): where there is no leaf yet; where it has become empty. */
struct slot_bits_leaf *slot_bits_add_leaf(struct slot_bits *bits, unsigned type, uint64_t offset);
void slot_bits_drop_leaf(struct slot_bits *bits, unsigned type, uint64_t offset);

/* @type < SLOT_BITS_TYPES, here and below. */
static inline struct slot_bits_leaf *slot_bits_leaf(const struct slot_bits *bits, unsigned type,
						    uint64_t offset)
{
	uint64_t i = offset >> SLOT_BITS_LEAF_SHIFT;
	uint32_t ref = i < bits->type[type].nr ? bits->type[type].leaves[i] : 0;

	return ref ? kmem_cache_object(bits->leaves, ref) : NULL;
}

/* 0 or -ENOMEM. */
static inline int slot_bits_reserve(struct slot_bits *bits, unsigned type, uint64_t offset,
				    unsigned nr)
{
	/* All slots of a folio have one leaf. */
	return slot_bits_leaf(bits, type, offset) ? 0
						  : slot_bits_reserve_slow(bits, type, offset, nr);
}

/* Where in its leaf a slot's lowest bit is. */
static inline unsigned slot_bits_at(const struct slot_bits *bits, uint64_t offset)
{
	return (offset & ((1u << SLOT_BITS_LEAF_SHIFT) - 1)) << bits->width_shift;
}

static inline unsigned slot_bits_mask(const struct slot_bits *bits)
{
	return (1u << (1u << bits->width_shift)) - 1;
}

static inline void slot_bits_prefetch(const struct slot_bits *bits, unsigned type, uint64_t offset)
{
	struct slot_bits_leaf *leaf = slot_bits_leaf(bits, type, offset);

	if (leaf)
		__builtin_prefetch(&leaf->words[slot_bits_at(bits, offset) / 64], 1);
}

static inline unsigned slot_bits_get(const struct slot_bits *bits, unsigned type, uint64_t offset)
{
	struct slot_bits_leaf *leaf = slot_bits_leaf(bits, type, offset);
	unsigned at = slot_bits_at(bits, offset);

	return leaf ? leaf->words[at / 64] >> at % 64 & slot_bits_mask(bits) : 0;
}

/* @value: 0 to 1, or 15. Returns what it was before, or -ENOMEM. */
static inline int slot_bits_set(struct slot_bits *bits, unsigned type, uint64_t offset,
				unsigned value)
{
	struct slot_bits_leaf *leaf = slot_bits_leaf(bits, type, offset);
	unsigned at = slot_bits_at(bits, offset), old;
	uint64_t *word;

	if (!leaf) {
		if (!value)
			return 0;
		leaf = slot_bits_add_leaf(bits, type, offset);
		if (!leaf)
			return -ENOMEM;
	}
	word = &leaf->words[at / 64];
	old = *word >> at % 64 & slot_bits_mask(bits);
	*word ^= (uint64_t)(old ^ value) << at % 64;
	leaf->nr_used += !!value - !!old;
	bits->nr_used += !!value - !!old;
	if (!leaf->nr_used)
		slot_bits_drop_leaf(bits, type, offset);
	return old;
}

#endif
