/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sparse array of 32-bit values other than 0 (references to objects of a kmem_cache, numbers) by
 * a 64-bit index: a radix tree of 64-way nodes, with the kernel's names for what it is used for
 * (include/linux/xarray.h). Nodes come from a kmem_cache that several arrays may share; empty nodes
 * are given back at once.
 */
#ifndef SIM_XARRAY_H
#define SIM_XARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/slab.h"

#define XA_SHIFT 6
#define XA_WIDTH (1u << XA_SHIFT)

struct xa_node {
	uint64_t used;		  /* a bit for each slot that is not 0 */
	uint32_t slots[XA_WIDTH]; /* references to nodes; at the lowest level, the values */
};

struct xarray {
	struct kmem_cache *nodes;
	uint32_t root;
	unsigned height; /* levels; 0 when empty */
};

/* The most nodes that one xa_store can allocate: what to kmem_cache_reserve(). */
#define XA_MAX_NODES_PER_STORE 22

/* A cache for nodes; the caller destroys it with kmem_cache_destroy(). NULL: out of memory. */
struct kmem_cache *xa_node_cache_create(void);

void xa_init(struct xarray *xa, struct kmem_cache *nodes);
/* Gives all nodes back; what the values refer to is the caller's. */
void xa_destroy(struct xarray *xa);

static inline bool xa_empty(const struct xarray *xa)
{
	return !xa->root;
}

static inline struct xa_node *xa_node(const struct xarray *xa, uint32_t ref)
{
	return kmem_cache_object(xa->nodes, ref);
}

static inline bool xa_in_range(const struct xarray *xa, uint64_t index)
{
	return xa->height * XA_SHIFT >= 64 || index >> (xa->height * XA_SHIFT) == 0;
}

static inline unsigned xa_slot(uint64_t index, unsigned level)
{
	return index >> (level * XA_SHIFT) & (XA_WIDTH - 1);
}

/* The node of the lowest level where @index is, or would be; NULL if there is none. */
static inline struct xa_node *xa_leaf(const struct xarray *xa, uint64_t index)
{
	struct xa_node *node;

	if (!xa->root || !xa_in_range(xa, index))
		return NULL;
	node = xa_node(xa, xa->root);
	for (unsigned level = xa->height - 1; level; level--) {
		uint32_t ref = node->slots[xa_slot(index, level)];

		if (!ref)
			return NULL;
		node = xa_node(xa, ref);
	}
	return node;
}

/* 0 if there is none. */
static inline uint32_t xa_load(const struct xarray *xa, uint64_t index)
{
	const struct xa_node *leaf = xa_leaf(xa, index);

	return leaf ? leaf->slots[xa_slot(index, 0)] : 0;
}

/* Where there is no way to @index yet, or none is needed any more. */
int xa_store_slow(struct xarray *xa, uint64_t index, uint32_t value);
void xa_prune(struct xarray *xa, uint64_t index);

/* @value is not 0. 0, with what was there before (or 0) in *@old; or -ENOMEM. */
static inline int xa_store(struct xarray *xa, uint64_t index, uint32_t value, uint32_t *old)
{
	struct xa_node *leaf = xa_leaf(xa, index);

	*old = 0;
	if (!leaf)
		return xa_store_slow(xa, index, value);
	*old = leaf->slots[xa_slot(index, 0)];
	leaf->slots[xa_slot(index, 0)] = value;
	leaf->used |= 1ull << xa_slot(index, 0);
	return 0;
}

/* What was there, or 0. */
static inline uint32_t xa_erase(struct xarray *xa, uint64_t index)
{
	struct xa_node *leaf = xa_leaf(xa, index);
	uint32_t old = leaf ? leaf->slots[xa_slot(index, 0)] : 0;

	if (!old)
		return 0;
	leaf->slots[xa_slot(index, 0)] = 0;
	leaf->used &= ~(1ull << xa_slot(index, 0));
	if (!leaf->used)
		xa_prune(xa, index);
	return old;
}

/*
 * The first value at an index >= *@index, whose index is put there; 0 if there is none. To go on,
 * add one to *@index.
 */
uint32_t xa_find(const struct xarray *xa, uint64_t *index);

#endif
