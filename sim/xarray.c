// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/xarray.h"

#include <errno.h>
#include <string.h>

#define SHIFT 6
#define WIDTH (1u << SHIFT)

struct xa_node {
	unsigned count;
	void *slots[WIDTH];
};

struct kmem_cache *xa_node_cache_create(void)
{
	return kmem_cache_create("xa_node", sizeof(struct xa_node));
}

void xa_init(struct xarray *xa, struct kmem_cache *nodes)
{
	xa->nodes = nodes;
	xa->root = NULL;
	xa->height = 0;
}

static void free_subtree(struct xarray *xa, struct xa_node *node, unsigned height)
{
	for (unsigned i = 0; height > 1 && i < WIDTH; i++) {
		if (node->slots[i])
			free_subtree(xa, node->slots[i], height - 1);
	}
	kmem_cache_free(xa->nodes, node);
}

void xa_destroy(struct xarray *xa)
{
	if (xa->root)
		free_subtree(xa, xa->root, xa->height);
	xa_init(xa, xa->nodes);
}

bool xa_empty(const struct xarray *xa)
{
	return !xa->root;
}

static bool in_range(const struct xarray *xa, uint64_t index)
{
	return xa->height * SHIFT >= 64 || index >> (xa->height * SHIFT) == 0;
}

static unsigned slot_of(uint64_t index, unsigned level)
{
	return index >> (level * SHIFT) & (WIDTH - 1);
}

void *xa_load(const struct xarray *xa, uint64_t index)
{
	void *p = xa->root;

	if (!p || !in_range(xa, index))
		return NULL;
	for (unsigned level = xa->height; p && level-- > 0;)
		p = ((struct xa_node *)p)->slots[slot_of(index, level)];
	return p;
}

static struct xa_node *node_alloc(struct xarray *xa)
{
	struct xa_node *node = kmem_cache_alloc(xa->nodes);

	if (node)
		memset(node, 0, sizeof(*node));
	return node;
}

/* Adds levels above until @index has a place. */
static int grow_height(struct xarray *xa, uint64_t index)
{
	while (!xa->root || !in_range(xa, index)) {
		struct xa_node *node = node_alloc(xa);

		if (!node)
			return -ENOMEM;
		if (xa->root) {
			node->slots[0] = xa->root;
			node->count = 1;
		}
		xa->root = node;
		xa->height++;
	}
	return 0;
}

/* Takes out empty nodes on the way to @index, and levels that are not needed any more. */
static void prune(struct xarray *xa, uint64_t index)
{
	struct xa_node *path[64 / SHIFT + 1], *node = xa->root;
	unsigned level = xa->height;

	while (node && level > 0) {
		path[--level] = node;
		node = level ? node->slots[slot_of(index, level)] : NULL;
	}
	for (; level < xa->height && !path[level]->count; level++) {
		kmem_cache_free(xa->nodes, path[level]);
		if (level + 1 == xa->height) {
			xa_init(xa, xa->nodes);
			return;
		}
		path[level + 1]->slots[slot_of(index, level + 1)] = NULL;
		path[level + 1]->count--;
	}
	while (xa->height > 1 && xa->root->count == 1 && xa->root->slots[0]) {
		node = xa->root;
		xa->root = node->slots[0];
		xa->height--;
		kmem_cache_free(xa->nodes, node);
	}
}

int xa_store(struct xarray *xa, uint64_t index, void *entry, void **old)
{
	struct xa_node *node;
	void **slot;

	*old = NULL;
	if (grow_height(xa, index))
		goto err;
	node = xa->root;
	for (unsigned level = xa->height - 1; level > 0; level--) {
		slot = &node->slots[slot_of(index, level)];
		if (!*slot) {
			*slot = node_alloc(xa);
			if (!*slot)
				goto err;
			node->count++;
		}
		node = *slot;
	}
	slot = &node->slots[slot_of(index, 0)];
	*old = *slot;
	node->count += !*slot;
	*slot = entry;
	return 0;
err:
	if (xa->root)
		prune(xa, index);
	return -ENOMEM;
}

void *xa_erase(struct xarray *xa, uint64_t index)
{
	struct xa_node *node = xa->root;
	void *old;

	if (!node || !in_range(xa, index))
		return NULL;
	for (unsigned level = xa->height - 1; node && level > 0; level--)
		node = node->slots[slot_of(index, level)];
	if (!node)
		return NULL;
	old = node->slots[slot_of(index, 0)];
	if (!old)
		return NULL;
	node->slots[slot_of(index, 0)] = NULL;
	node->count--;
	prune(xa, index);
	return old;
}

void *xa_find(const struct xarray *xa, uint64_t *index)
{
	while (xa->root && in_range(xa, *index)) {
		const struct xa_node *node = xa->root;
		unsigned level = xa->height;
		uint64_t step;

		while (level-- > 0) {
			void *p = node->slots[slot_of(*index, level)];

			if (!p)
				break;
			if (level == 0)
				return p;
			node = p;
		}
		/* Nothing below this slot: to the first index of the next one. */
		step = 1ull << (level * SHIFT);
		*index = (*index | (step - 1)) + 1;
		if (*index == 0)
			return NULL;
	}
	return NULL;
}
