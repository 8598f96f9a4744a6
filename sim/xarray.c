// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/xarray.h"

#include <errno.h>
#include <string.h>

struct kmem_cache *xa_node_cache_create(void)
{
	return kmem_cache_create("xa_node", sizeof(struct xa_node));
}

void xa_init(struct xarray *xa, struct kmem_cache *nodes)
{
	xa->nodes = nodes;
	xa->root = 0;
	xa->height = 0;
}

static void free_subtree(struct xarray *xa, struct xa_node *node, unsigned height)
{
	for (unsigned i = 0; height > 1 && i < XA_WIDTH; i++) {
		if (node->slots[i])
			free_subtree(xa, xa_node(xa, node->slots[i]), height - 1);
	}
	kmem_cache_free(xa->nodes, node);
}

void xa_destroy(struct xarray *xa)
{
	if (xa->root)
		free_subtree(xa, xa_node(xa, xa->root), xa->height);
	xa_init(xa, xa->nodes);
}

static struct xa_node *node_alloc(struct xarray *xa)
{
	struct xa_node *node = kmem_cache_alloc(xa->nodes);

	if (node)
		memset(node, 0, sizeof(*node));
	return node;
}

static void set_slot(struct xa_node *node, unsigned i, uint32_t value)
{
	node->slots[i] = value;
	node->used |= 1ull << i;
}

static void clear_slot(struct xa_node *node, unsigned i)
{
	node->slots[i] = 0;
	node->used &= ~(1ull << i);
}

/* Adds levels above until @index has a place; an empty tree begins with as many as it takes. */
static int grow_height(struct xarray *xa, uint64_t index)
{
	while (!xa->root && !xa_in_range(xa, index))
		xa->height++;
	while (!xa->root || !xa_in_range(xa, index)) {
		struct xa_node *node = node_alloc(xa);

		if (!node)
			return -ENOMEM;
		if (xa->root) {
			set_slot(node, 0, xa->root);
			xa->height++;
		} else if (!xa->height) {
			xa->height = 1;
		}
		xa->root = kmem_cache_ref(xa->nodes, node);
	}
	return 0;
}

/* Takes out empty nodes on the way to @index, and levels that are not needed any more. */
void xa_prune(struct xarray *xa, uint64_t index)
{
	struct xa_node *path[64 / XA_SHIFT + 1], *node = xa_node(xa, xa->root);
	unsigned level = xa->height;

	while (node && level > 0) {
		uint32_t ref;

		path[--level] = node;
		ref = level ? node->slots[xa_slot(index, level)] : 0;
		node = ref ? xa_node(xa, ref) : NULL;
	}
	for (; level < xa->height && !path[level]->used; level++) {
		kmem_cache_free(xa->nodes, path[level]);
		if (level + 1 == xa->height) {
			xa_init(xa, xa->nodes);
			return;
		}
		clear_slot(path[level + 1], xa_slot(index, level + 1));
	}
	while (xa->height > 1 && xa_node(xa, xa->root)->used == 1) {
		node = xa_node(xa, xa->root);
		xa->root = node->slots[0];
		xa->height--;
		kmem_cache_free(xa->nodes, node);
	}
}

int xa_store_slow(struct xarray *xa, uint64_t index, uint32_t value)
{
	struct xa_node *node;

	if (grow_height(xa, index))
		goto err;
	node = xa_node(xa, xa->root);
	for (unsigned level = xa->height - 1; level > 0; level--) {
		unsigned i = xa_slot(index, level);

		if (!node->slots[i]) {
			struct xa_node *child = node_alloc(xa);

			if (!child)
				goto err;
			set_slot(node, i, kmem_cache_ref(xa->nodes, child));
		}
		node = xa_node(xa, node->slots[i]);
	}
	set_slot(node, xa_slot(index, 0), value);
	return 0;
err:
	if (xa->root)
		xa_prune(xa, index);
	else
		xa_init(xa, xa->nodes);
	return -ENOMEM;
}

uint32_t xa_find(const struct xarray *xa, uint64_t *index)
{
	while (xa->root && xa_in_range(xa, *index)) {
		const struct xa_node *node = xa_node(xa, xa->root);
		unsigned level = xa->height;
		uint64_t step;

		while (level-- > 0) {
			uint32_t ref = node->slots[xa_slot(*index, level)];

			if (!ref)
				break;
			if (level == 0)
				return ref;
			node = xa_node(xa, ref);
		}
		/* Nothing below this slot: to the first index of the next one. */
		step = 1ull << (level * XA_SHIFT);
		*index = (*index | (step - 1)) + 1;
		if (*index == 0)
			return 0;
	}
	return 0;
}
