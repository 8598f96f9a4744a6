// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slot_bytes.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_TABLE 1024u /* leaves of a device */

int slot_bytes_init(struct slot_bytes *sb)
{
	memset(sb, 0, sizeof(*sb));
	sb->leaves = kmem_cache_create("slot_bytes", sizeof(struct slot_bytes_leaf));
	return sb->leaves ? 0 : -ENOMEM;
}

void slot_bytes_finish(struct slot_bytes *sb)
{
	for (unsigned type = 0; type < SLOT_BYTES_TYPES; type++)
		free(sb->type[type].leaves);
	kmem_cache_destroy(sb->leaves);
	memset(sb, 0, sizeof(*sb));
}

/* Room for the leaf of @offset in the table. What calloc() gives is not touched, but copied to. */
static int grow_table(struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	uint64_t need = (offset >> SLOT_BYTES_LEAF_SHIFT) + 1, nr = sb->type[type].nr;
	uint32_t *leaves;

	if (need <= nr)
		return 0;
	nr = nr ? nr : LEAST_TABLE;
	while (nr < need)
		nr *= 2;
	leaves = calloc(nr, sizeof(*leaves));
	if (!leaves)
		return -ENOMEM;
	if (sb->type[type].nr)
		memcpy(leaves, sb->type[type].leaves, sb->type[type].nr * sizeof(*leaves));
	free(sb->type[type].leaves);
	sb->type[type].leaves = leaves;
	sb->type[type].nr = nr;
	return 0;
}

int slot_bytes_reserve_slow(struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	int ret = grow_table(sb, type, offset);

	return ret ? ret : kmem_cache_reserve(sb->leaves, 1);
}

struct slot_bytes_leaf *slot_bytes_add_leaf(struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	struct slot_bytes_leaf *leaf;

	if (grow_table(sb, type, offset))
		return NULL;
	leaf = kmem_cache_alloc(sb->leaves);
	if (!leaf)
		return NULL;
	memset(leaf, 0, sizeof(*leaf));
	sb->type[type].leaves[offset >> SLOT_BYTES_LEAF_SHIFT] = kmem_cache_ref(sb->leaves, leaf);
	return leaf;
}

void slot_bytes_drop_leaf(struct slot_bytes *sb, unsigned type, uint64_t offset)
{
	uint32_t *ref = &sb->type[type].leaves[offset >> SLOT_BYTES_LEAF_SHIFT];

	kmem_cache_free(sb->leaves, kmem_cache_object(sb->leaves, *ref));
	*ref = 0;
}
