// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slot_bits.h"

#include <string.h>

int slot_bits_init(struct slot_bits *bits)
{
	memset(bits, 0, sizeof(*bits));
	bits->nodes = xa_node_cache_create();
	bits->leaves = kmem_cache_create("slot_bits", sizeof(struct slot_bits_leaf));
	for (unsigned type = 0; type < SLOT_BITS_TYPES; type++)
		xa_init(&bits->xa[type], bits->nodes);
	if (bits->nodes && bits->leaves)
		return 0;
	slot_bits_finish(bits);
	return -ENOMEM;
}

void slot_bits_finish(struct slot_bits *bits)
{
	kmem_cache_destroy(bits->leaves);
	kmem_cache_destroy(bits->nodes);
	memset(bits, 0, sizeof(*bits));
}

int slot_bits_reserve(struct slot_bits *bits, unsigned nr)
{
	unsigned leaves = (nr >> SLOT_BITS_LEAF_SHIFT) + 2;
	int ret = kmem_cache_reserve(bits->leaves, leaves);

	return ret ? ret : kmem_cache_reserve(bits->nodes, leaves + XA_MAX_NODES_PER_STORE);
}

struct slot_bits_leaf *slot_bits_add_leaf(struct slot_bits *bits, unsigned type, uint64_t offset)
{
	struct slot_bits_leaf *leaf = kmem_cache_alloc(bits->leaves);
	uint32_t old;

	if (!leaf)
		return NULL;
	memset(leaf, 0, sizeof(*leaf));
	if (xa_store(&bits->xa[type], offset >> SLOT_BITS_LEAF_SHIFT,
		     kmem_cache_ref(bits->leaves, leaf), &old)) {
		kmem_cache_free(bits->leaves, leaf);
		return NULL;
	}
	return leaf;
}

void slot_bits_drop_leaf(struct slot_bits *bits, unsigned type, uint64_t offset)
{
	uint32_t ref = xa_erase(&bits->xa[type], offset >> SLOT_BITS_LEAF_SHIFT);

	kmem_cache_free(bits->leaves, kmem_cache_object(bits->leaves, ref));
}
