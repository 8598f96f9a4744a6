// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slot_bits.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_TABLE 1024u /* leaves of a device */

int slot_bits_init(struct slot_bits *bits, unsigned width)
{
	size_t bytes = ((size_t)width << SLOT_BITS_LEAF_SHIFT) / 8;

	memset(bits, 0, sizeof(*bits));
	bits->width_shift = width == 1 ? 0 : 2;
	bits->leaves = kmem_cache_create("slot_bits", sizeof(struct slot_bits_leaf) + bytes);
	return bits->leaves ? 0 : -ENOMEM;
}

void slot_bits_finish(struct slot_bits *bits)
{
	for (unsigned type = 0; type < SLOT_BITS_TYPES; type++)
		free(bits->type[type].leaves);
	kmem_cache_destroy(bits->leaves);
	memset(bits, 0, sizeof(*bits));
}

/* Room for the leaf of @offset in the table. What calloc() gives is not touched, but copied to. */
static int grow_table(struct slot_bits *bits, unsigned type, uint64_t offset)
{
	uint64_t need = (offset >> SLOT_BITS_LEAF_SHIFT) + 1, nr = bits->type[type].nr;
	uint32_t *leaves;

	if (need <= nr)
		return 0;
	nr = nr ? nr : LEAST_TABLE;
	while (nr < need)
		nr *= 2;
	leaves = calloc(nr, sizeof(*leaves));
	if (!leaves)
		return -ENOMEM;
	if (bits->type[type].nr)
		memcpy(leaves, bits->type[type].leaves, bits->type[type].nr * sizeof(*leaves));
	free(bits->type[type].leaves);
	bits->type[type].leaves = leaves;
	bits->type[type].nr = nr;
	return 0;
}

int slot_bits_reserve_slow(struct slot_bits *bits, unsigned type, uint64_t offset, unsigned nr)
{
	int ret = grow_table(bits, type, offset + nr);

	return ret ? ret : kmem_cache_reserve(bits->leaves, (nr >> SLOT_BITS_LEAF_SHIFT) + 2);
}

struct slot_bits_leaf *slot_bits_add_leaf(struct slot_bits *bits, unsigned type, uint64_t offset)
{
	struct slot_bits_leaf *leaf;

	if (grow_table(bits, type, offset))
		return NULL;
	leaf = kmem_cache_alloc(bits->leaves);
	if (!leaf)
		return NULL;
	memset(leaf, 0, bits->leaves->size);
	bits->type[type].leaves[offset >> SLOT_BITS_LEAF_SHIFT] =
		kmem_cache_ref(bits->leaves, leaf);
	return leaf;
}

void slot_bits_drop_leaf(struct slot_bits *bits, unsigned type, uint64_t offset)
{
	uint32_t *ref = &bits->type[type].leaves[offset >> SLOT_BITS_LEAF_SHIFT];

	kmem_cache_free(bits->leaves, kmem_cache_object(bits->leaves, *ref));
	*ref = 0;
}
