/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four bits of each swap slot: a sparse array of small numbers by device and slot, 0 where nothing
 * was set. Memory goes with the slots in use, by the 4096.
 */
#ifndef SIM_SLOT_BITS_H
#define SIM_SLOT_BITS_H

#include <errno.h>

#include "sim/xarray.h"

#define SLOT_BITS_TYPES	     32u /* devices */
#define SLOT_BITS_LEAF_SHIFT 12
#define SLOT_BITS_WORD_SHIFT 4 /* slots of a word */
#define SLOT_BITS_LEAF_WORDS (1u << (SLOT_BITS_LEAF_SHIFT - SLOT_BITS_WORD_SHIFT))

struct slot_bits_leaf {
	uint64_t nr_used; /* slots whose number is not 0 */
	uint64_t words[SLOT_BITS_LEAF_WORDS];
};

struct slot_bits {
	struct kmem_cache *nodes, *leaves;
	struct xarray xa[SLOT_BITS_TYPES]; /* of leaves, by slot >> SLOT_BITS_LEAF_SHIFT */
	uint64_t nr_used;
};

int slot_bits_init(struct slot_bits *bits);    /* 0 or -ENOMEM */
void slot_bits_finish(struct slot_bits *bits); /* also of one that is all zero bytes */
/* Makes sure that setting @nr slots in a row asks for no memory. 0 or -ENOMEM. */
int slot_bits_reserve(struct slot_bits *bits, unsigned nr);

/* For slot_bits_set(): where there is no leaf yet; where it has become empty. */
struct slot_bits_leaf *slot_bits_add_leaf(struct slot_bits *bits, unsigned type, uint64_t offset);
void slot_bits_drop_leaf(struct slot_bits *bits, unsigned type, uint64_t offset);

static inline struct slot_bits_leaf *slot_bits_leaf(const struct slot_bits *bits, unsigned type,
						    uint64_t offset)
{
	uint32_t ref = xa_load(&bits->xa[type], offset >> SLOT_BITS_LEAF_SHIFT);

	return ref ? kmem_cache_object(bits->leaves, ref) : NULL;
}

static inline uint64_t *slot_bits_word(struct slot_bits_leaf *leaf, uint64_t offset)
{
	return &leaf->words[offset >> SLOT_BITS_WORD_SHIFT & (SLOT_BITS_LEAF_WORDS - 1)];
}

static inline unsigned slot_bits_shift(uint64_t offset)
{
	return (offset & ((1u << SLOT_BITS_WORD_SHIFT) - 1)) * 4;
}

/* @type < SLOT_BITS_TYPES, here and below. */
static inline unsigned slot_bits_get(const struct slot_bits *bits, unsigned type, uint64_t offset)
{
	struct slot_bits_leaf *leaf = slot_bits_leaf(bits, type, offset);

	return leaf ? *slot_bits_word(leaf, offset) >> slot_bits_shift(offset) & 15 : 0;
}

/* @value: 0 to 15. Returns what it was before, or -ENOMEM. */
static inline int slot_bits_set(struct slot_bits *bits, unsigned type, uint64_t offset,
				unsigned value)
{
	struct slot_bits_leaf *leaf = slot_bits_leaf(bits, type, offset);
	unsigned shift = slot_bits_shift(offset), old;
	uint64_t *word;

	if (!leaf) {
		if (!value)
			return 0;
		leaf = slot_bits_add_leaf(bits, type, offset);
		if (!leaf)
			return -ENOMEM;
	}
	word = slot_bits_word(leaf, offset);
	old = *word >> shift & 15;
	*word ^= (uint64_t)(old ^ value) << shift;
	leaf->nr_used += !!value - !!old;
	bits->nr_used += !!value - !!old;
	if (!leaf->nr_used)
		slot_bits_drop_leaf(bits, type, offset);
	return old;
}

#endif
