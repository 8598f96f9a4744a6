/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sparse array of 32-bit values other than 0 (references to objects of a kmem_cache, numbers) by
 * a 64-bit index: a radix tree of 64-way nodes, with the kernel's names for what it is used for
 * (include/linux/xarray.h). Nodes belong to a struct xa_nodes that several arrays may share; empty
 * nodes are given back at once.
 *
 * Leaves hold the values that there are, one behind the other, and a bit mask says whose they are:
 * 12 bytes and 4 a value, in steps of 16. They lie by size in arrays without gaps, for which a leaf
 * is moved when another one goes. So a pointer to a leaf is good until the next change of any array
 * of these nodes.
 */
#ifndef SIM_XARRAY_H
#define SIM_XARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/slab.h"

#define XA_SHIFT	6
#define XA_WIDTH	(1u << XA_SHIFT)
#define XA_LEAF_CLASSES 17u /* sizes of leaves: 16 bytes, 32, ... */
#define XA_LEAF_STEP	16u
#define XA_CLASS_SHIFT	27 /* a reference to a leaf: its class above, its place below */

struct xa_node {
	uint64_t used;		  /* a bit for each slot that is not 0 */
	uint32_t slots[XA_WIDTH]; /* references to nodes, or of the lowest level to leaves */
};

struct xa_leaf {
	uint64_t used;	   /* a bit for each index that has a value */
	uint32_t owner;	   /* where the slot that refers to it is, in words of the nodes' range */
	uint32_t values[]; /* in the order of their indices */
};

/* Of xarray.c and the functions below alone. */
struct xa_nodes {
	struct kmem_cache *inner;
	char *base;	    /* of the ranges of the leaves, one a class */
	size_t class_bytes; /* of each range */
	struct {
		uint32_t nr;	/* leaves */
		size_t usable;	/* bytes that may be touched */
		size_t touched; /* bytes that were, from the begin of the range on */
	} leaves[XA_LEAF_CLASSES];
	unsigned credit; /* leaves that may be made before a reserve has to look at all classes */
	bool trim;	 /* there is memory to give back */
	uint64_t fail_in;
};

struct xarray {
	struct xa_nodes *nodes;
	uint32_t root;
	unsigned height; /* levels; 0 when empty, else at least 2 */
};

/* NULL: out of memory. */
struct xa_nodes *xa_nodes_create(void);
void xa_nodes_destroy(struct xa_nodes *nodes); /* accepts NULL */
/*
 * Neither for a timed path: makes sure that storing at @nr indices in a row asks for no memory, 0
 * or -ENOMEM; gives back what was freed. A reserve does both.
 */
int xa_nodes_reserve(struct xa_nodes *nodes, unsigned nr);
void xa_nodes_trim(struct xa_nodes *nodes);
/* Nodes and leaves in use; their bytes. */
uint64_t xa_nodes_nr_live(const struct xa_nodes *nodes);
uint64_t xa_nodes_live_bytes(const struct xa_nodes *nodes);
/* Fault injection: the @nth node or leaf from now (1 = the next) fails; 0 switches it off. */
void xa_nodes_fail_nth(struct xa_nodes *nodes, uint64_t nth);

void xa_init(struct xarray *xa, struct xa_nodes *nodes);
/* Gives all nodes back; what the values refer to is the caller's. */
void xa_destroy(struct xarray *xa);

static inline bool xa_empty(const struct xarray *xa)
{
	return !xa->root;
}

static inline struct xa_node *xa_node(const struct xa_nodes *nodes, uint32_t ref)
{
	return kmem_cache_object(nodes->inner, ref);
}

static inline struct xa_leaf *xa_leaf_of_ref(const struct xa_nodes *nodes, uint32_t ref)
{
	size_t class = ref >> XA_CLASS_SHIFT, i = ref & ((1u << XA_CLASS_SHIFT) - 1);

	return (struct xa_leaf *)(nodes->base + (class - 1) * nodes->class_bytes +
				  i * class * XA_LEAF_STEP);
}

static inline bool xa_in_range(const struct xarray *xa, uint64_t index)
{
	return xa->height * XA_SHIFT >= 64 || index >> (xa->height * XA_SHIFT) == 0;
}

static inline unsigned xa_slot(uint64_t index, unsigned level)
{
	return index >> (level * XA_SHIFT) & (XA_WIDTH - 1);
}

/* The slot that refers to the leaf of @index; NULL if there is none. */
static inline uint32_t *xa_leaf_slot(const struct xarray *xa, uint64_t index)
{
	uint32_t ref = xa->root, *slot;

	if (!ref || !xa_in_range(xa, index))
		return NULL;
	for (unsigned level = xa->height - 1;; level--) {
		slot = &xa_node(xa->nodes, ref)->slots[xa_slot(index, level)];
		ref = *slot;
		if (!ref)
			return NULL;
		if (level == 1)
			return slot;
	}
}

/* The leaf of @index, whether or not it has a value there; NULL if there is none. */
static inline struct xa_leaf *xa_leaf(const struct xarray *xa, uint64_t index)
{
	const uint32_t *slot = xa_leaf_slot(xa, index);

	return slot ? xa_leaf_of_ref(xa->nodes, *slot) : NULL;
}

/* Bits that are set: without the instruction, which not every x86-64 has. */
static inline unsigned xa_popcount(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return x * 0x0101010101010101 >> 56;
}

/* Where in the leaf the value of @bit is, or would be. */
static inline unsigned xa_leaf_place(const struct xa_leaf *leaf, uint64_t bit)
{
	return xa_popcount(leaf->used & (bit - 1));
}

/* 0 if there is none. */
static inline uint32_t xa_leaf_load(const struct xa_leaf *leaf, uint64_t index)
{
	uint64_t bit = 1ull << xa_slot(index, 0);

	return leaf->used & bit ? leaf->values[xa_leaf_place(leaf, bit)] : 0;
}

static inline uint32_t xa_load(const struct xarray *xa, uint64_t index)
{
	const struct xa_leaf *leaf = xa_leaf(xa, index);

	return leaf ? xa_leaf_load(leaf, index) : 0;
}

/* @value is not 0. 0, with what was there before (or 0) in *@old; or -ENOMEM. */
int xa_store(struct xarray *xa, uint64_t index, uint32_t value, uint32_t *old);
/* What was there, or 0. */
uint32_t xa_erase(struct xarray *xa, uint64_t index);
/*
 * The first value at an index >= *@index, whose index is put there; 0 if there is none. To go on,
 * add one to *@index.
 */
uint32_t xa_find(const struct xarray *xa, uint64_t *index);

#endif
