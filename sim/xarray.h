/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sparse array of non-NULL pointers (or tagged integers) by a 64-bit index: a radix tree of 64-way
 * nodes, with the kernel's names for what it is used for (include/linux/xarray.h). Nodes come from
 * a kmem_cache that several arrays may share; empty nodes are given back at once.
 */
#ifndef SIM_XARRAY_H
#define SIM_XARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/slab.h"

struct xa_node;

struct xarray {
	struct kmem_cache *nodes;
	struct xa_node *root;
	unsigned height; /* levels; 0 when empty */
};

/* The most nodes that one xa_store can allocate: what to kmem_cache_reserve(). */
#define XA_MAX_NODES_PER_STORE 22

/* A cache for nodes; the caller destroys it with kmem_cache_destroy(). NULL: out of memory. */
struct kmem_cache *xa_node_cache_create(void);

void xa_init(struct xarray *xa, struct kmem_cache *nodes);
/* Gives all nodes back; the entries are the caller's. */
void xa_destroy(struct xarray *xa);

/* NULL if there is none. */
void *xa_load(const struct xarray *xa, uint64_t index);
/* @entry is not NULL. 0, with what was there before (or NULL) in *@old; or -ENOMEM. */
int xa_store(struct xarray *xa, uint64_t index, void *entry, void **old);
/* What was there, or NULL. */
void *xa_erase(struct xarray *xa, uint64_t index);
bool xa_empty(const struct xarray *xa);
/*
 * The first entry at an index >= *@index, whose index is put there; NULL if there is none. To go
 * on, add one to *@index.
 */
void *xa_find(const struct xarray *xa, uint64_t *index);

/* Small integers as entries: up to 63 bits. */
static inline void *xa_mk_value(uint64_t v)
{
	return (void *)(uintptr_t)(v << 1 | 1);
}

static inline uint64_t xa_to_value(const void *entry)
{
	return (uintptr_t)entry >> 1;
}

#endif
