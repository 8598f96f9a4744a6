// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/xarray.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/poison.h"

/* Of a leaf's range: addresses to reserve, at most and at least; what becomes usable at once. */
#define MOST_CLASS_BYTES  (2ull << 30)
#define LEAST_CLASS_BYTES (4ull << 20)
#define USABLE_STEP	  (64u << 10)
#define SPARE_LEAVES	  16u
/* What may lie unused behind a range's last leaf: this, and a part in 32. */
#define SLACK_BYTES (16u << 10)
#define SYSTEM_PAGE 4096u
/* Inner nodes that one store can make. */
#define XA_MAX_NODES_PER_STORE 22

/* ---- leaves ---- */

static size_t leaf_bytes(unsigned class)
{
	return class * (size_t)XA_LEAF_STEP;
}

static unsigned leaf_capacity(unsigned class)
{
	return (leaf_bytes(class) - offsetof(struct xa_leaf, values)) / sizeof(uint32_t);
}

static unsigned class_of_ref(uint32_t ref)
{
	return ref >> XA_CLASS_SHIFT;
}

static char *class_base(const struct xa_nodes *nodes, unsigned class)
{
	return nodes->base + (class - 1) * nodes->class_bytes;
}

/* Makes sure that the first @bytes of the class may be touched. */
static int class_extend(struct xa_nodes *nodes, unsigned class, size_t bytes)
{
	size_t usable = nodes->leaves[class - 1].usable, more;

	if (bytes <= usable)
		return 0;
	if (bytes > nodes->class_bytes)
		return -ENOMEM;
	more = bytes - usable + usable / 4;
	more = (more + USABLE_STEP - 1) & ~(size_t)(USABLE_STEP - 1);
	if (more > nodes->class_bytes - usable)
		more = nodes->class_bytes - usable;
	if (mprotect(class_base(nodes, class) + usable, more, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	poison(class_base(nodes, class) + usable, more);
	nodes->leaves[class - 1].usable += more;
	return 0;
}

static bool must_fail(struct xa_nodes *nodes)
{
	return nodes->fail_in && --nodes->fail_in == 0;
}

/* A leaf without values, at the end of its class; 0: out of memory. */
static uint32_t leaf_alloc(struct xa_nodes *nodes, unsigned class)
{
	uint32_t i = nodes->leaves[class - 1].nr, ref = class << XA_CLASS_SHIFT | i;
	size_t end = (i + 1) * leaf_bytes(class);

	if (must_fail(nodes) || i >> XA_CLASS_SHIFT || class_extend(nodes, class, end))
		return 0;
	unpoison(xa_leaf_of_ref(nodes, ref), leaf_bytes(class));
	xa_leaf_of_ref(nodes, ref)->used = 0;
	nodes->leaves[class - 1].nr++;
	if (end > nodes->leaves[class - 1].touched)
		nodes->leaves[class - 1].touched = end;
	nodes->credit -= !!nodes->credit;
	return ref;
}

/* The last leaf of the class takes its place. */
static void leaf_free(struct xa_nodes *nodes, uint32_t ref)
{
	unsigned class = class_of_ref(ref);
	uint32_t last = class << XA_CLASS_SHIFT | --nodes->leaves[class - 1].nr;
	size_t end = nodes->leaves[class - 1].nr * leaf_bytes(class);

	if (ref != last) {
		memcpy(xa_leaf_of_ref(nodes, ref), xa_leaf_of_ref(nodes, last), leaf_bytes(class));
		((uint32_t *)nodes->inner->base)[xa_leaf_of_ref(nodes, ref)->owner] = ref;
	}
	poison(xa_leaf_of_ref(nodes, last), leaf_bytes(class));
	if (nodes->leaves[class - 1].touched > end + end / 32 + SLACK_BYTES)
		nodes->trim = true;
}

/* The same values in a leaf of another size, at @slot. */
static int leaf_resize(struct xa_nodes *nodes, uint32_t *slot, unsigned class)
{
	uint32_t from = *slot, to = leaf_alloc(nodes, class);
	unsigned least = class_of_ref(from) < class ? class_of_ref(from) : class;

	if (!to)
		return -ENOMEM;
	memcpy(xa_leaf_of_ref(nodes, to), xa_leaf_of_ref(nodes, from), leaf_bytes(least));
	*slot = to;
	leaf_free(nodes, from);
	return 0;
}

/* ---- all nodes ---- */

struct xa_nodes *xa_nodes_create(void)
{
	struct xa_nodes *nodes = calloc(1, sizeof(*nodes));

	if (!nodes)
		return NULL;
	nodes->inner = kmem_cache_create("xa_node", sizeof(struct xa_node));
	if (!nodes->inner)
		goto err;
	for (nodes->class_bytes = MOST_CLASS_BYTES; nodes->class_bytes >= LEAST_CLASS_BYTES;
	     nodes->class_bytes /= 2) {
		nodes->base = mmap(NULL, nodes->class_bytes * XA_LEAF_CLASSES, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (nodes->base != MAP_FAILED)
			return nodes;
	}
err:
	kmem_cache_destroy(nodes->inner);
	free(nodes);
	return NULL;
}

void xa_nodes_destroy(struct xa_nodes *nodes)
{
	if (!nodes)
		return;
	for (unsigned class = 1; class <= XA_LEAF_CLASSES; class ++)
		unpoison(class_base(nodes, class), nodes->leaves[class - 1].usable);
	munmap(nodes->base, nodes->class_bytes * XA_LEAF_CLASSES);
	kmem_cache_destroy(nodes->inner);
	free(nodes);
}

void xa_nodes_trim(struct xa_nodes *nodes)
{
	if (!nodes->trim)
		return;
	nodes->trim = false;
	for (unsigned class = 1; class <= XA_LEAF_CLASSES; class ++) {
		size_t end = nodes->leaves[class - 1].nr * leaf_bytes(class);
		size_t from = end + SLACK_BYTES / 2, to = nodes->leaves[class - 1].touched;

		if (to <= end + end / 32 + SLACK_BYTES)
			continue;
		from = (from + SYSTEM_PAGE - 1) & ~(size_t)(SYSTEM_PAGE - 1);
		to = (to + SYSTEM_PAGE - 1) & ~(size_t)(SYSTEM_PAGE - 1);
		madvise(class_base(nodes, class) + from, to - from, MADV_DONTNEED);
		nodes->leaves[class - 1].touched = from;
	}
}

/* Touches room for @nr more leaves of every size. */
static int reserve_leaves(struct xa_nodes *nodes, unsigned nr)
{
	for (unsigned class = 1; class <= XA_LEAF_CLASSES; class ++) {
		size_t end = (nodes->leaves[class - 1].nr + (size_t)nr) * leaf_bytes(class);
		size_t *touched = &nodes->leaves[class - 1].touched;
		int ret = class_extend(nodes, class, end);

		if (ret)
			return ret;
		while (*touched < end) {
			char *p = class_base(nodes, class) + *touched;

			unpoison(p, 1);
			*(volatile char *)p = 0;
			poison(p, 1);
			*touched = (*touched / SYSTEM_PAGE + 1) * SYSTEM_PAGE;
		}
	}
	nodes->credit = nr;
	return 0;
}

int xa_nodes_reserve(struct xa_nodes *nodes, unsigned nr)
{
	unsigned leaves = nr / XA_WIDTH + 2;
	int ret = kmem_cache_reserve(nodes->inner, leaves + XA_MAX_NODES_PER_STORE);

	xa_nodes_trim(nodes);
	/* Each store makes one leaf at most, of which the next size takes the place. */
	if (!ret && nodes->credit < nr)
		ret = reserve_leaves(nodes, nr + SPARE_LEAVES);
	return ret;
}

uint64_t xa_nodes_nr_live(const struct xa_nodes *nodes)
{
	uint64_t nr = kmem_cache_nr_live(nodes->inner);

	for (unsigned class = 1; class <= XA_LEAF_CLASSES; class ++)
		nr += nodes->leaves[class - 1].nr;
	return nr;
}

uint64_t xa_nodes_live_bytes(const struct xa_nodes *nodes)
{
	uint64_t bytes = kmem_cache_live_bytes(nodes->inner);

	for (unsigned class = 1; class <= XA_LEAF_CLASSES; class ++)
		bytes += nodes->leaves[class - 1].nr * leaf_bytes(class);
	return bytes;
}

void xa_nodes_fail_nth(struct xa_nodes *nodes, uint64_t nth)
{
	nodes->fail_in = nth;
}

/* ---- the tree ---- */

void xa_init(struct xarray *xa, struct xa_nodes *nodes)
{
	xa->nodes = nodes;
	xa->root = 0;
	xa->height = 0;
}

static void free_subtree(struct xarray *xa, struct xa_node *node, unsigned level)
{
	for (unsigned i = 0; i < XA_WIDTH; i++) {
		if (node->slots[i] && level == 1)
			leaf_free(xa->nodes, node->slots[i]);
		else if (node->slots[i])
			free_subtree(xa, xa_node(xa->nodes, node->slots[i]), level - 1);
	}
	kmem_cache_free(xa->nodes->inner, node);
}

void xa_destroy(struct xarray *xa)
{
	if (xa->root)
		free_subtree(xa, xa_node(xa->nodes, xa->root), xa->height - 1);
	xa_init(xa, xa->nodes);
}

static struct xa_node *node_alloc(struct xarray *xa)
{
	struct xa_node *node;

	if (must_fail(xa->nodes))
		return NULL;
	node = kmem_cache_alloc(xa->nodes->inner);
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
	if (!xa->root && xa->height < 2)
		xa->height = 2;
	while (!xa->root && !xa_in_range(xa, index))
		xa->height++;
	while (!xa->root || !xa_in_range(xa, index)) {
		struct xa_node *node = node_alloc(xa);

		if (!node)
			return -ENOMEM;
		if (xa->root) {
			set_slot(node, 0, xa->root);
			xa->height++;
		}
		xa->root = kmem_cache_ref(xa->nodes->inner, node);
	}
	return 0;
}

/* Takes out empty nodes on the way to @index, and levels that are not needed any more. */
static void prune(struct xarray *xa, uint64_t index)
{
	struct xa_node *path[64 / XA_SHIFT + 1], *node = xa_node(xa->nodes, xa->root);
	unsigned level = xa->height;

	while (node && level > 1) {
		uint32_t ref;

		path[--level] = node;
		ref = level > 1 ? node->slots[xa_slot(index, level)] : 0;
		node = ref ? xa_node(xa->nodes, ref) : NULL;
	}
	for (; level < xa->height && !path[level]->used; level++) {
		kmem_cache_free(xa->nodes->inner, path[level]);
		if (level + 1 == xa->height) {
			xa_init(xa, xa->nodes);
			return;
		}
		clear_slot(path[level + 1], xa_slot(index, level + 1));
	}
	while (xa->height > 2 && xa_node(xa->nodes, xa->root)->used == 1) {
		node = xa_node(xa->nodes, xa->root);
		xa->root = node->slots[0];
		xa->height--;
		kmem_cache_free(xa->nodes->inner, node);
	}
}

/* Makes the way to @index, with a leaf that has no value yet. */
static int make_leaf(struct xarray *xa, uint64_t index, uint32_t **slot)
{
	struct xa_node *node;
	uint32_t ref;

	if (grow_height(xa, index))
		return -ENOMEM;
	node = xa_node(xa->nodes, xa->root);
	for (unsigned level = xa->height - 1; level > 1; level--) {
		unsigned i = xa_slot(index, level);

		if (!node->slots[i]) {
			struct xa_node *child = node_alloc(xa);

			if (!child)
				return -ENOMEM;
			set_slot(node, i, kmem_cache_ref(xa->nodes->inner, child));
		}
		node = xa_node(xa->nodes, node->slots[i]);
	}
	ref = leaf_alloc(xa->nodes, 1);
	if (!ref)
		return -ENOMEM;
	set_slot(node, xa_slot(index, 1), ref);
	*slot = &node->slots[xa_slot(index, 1)];
	xa_leaf_of_ref(xa->nodes, ref)->owner = *slot - (uint32_t *)xa->nodes->inner->base;
	return 0;
}

static int insert(struct xarray *xa, uint32_t *slot, uint64_t bit, uint32_t value)
{
	struct xa_leaf *leaf = xa_leaf_of_ref(xa->nodes, *slot);
	unsigned at = xa_leaf_place(leaf, bit), nr = xa_popcount(leaf->used);

	if (nr == leaf_capacity(class_of_ref(*slot))) {
		if (leaf_resize(xa->nodes, slot, class_of_ref(*slot) + 1))
			return -ENOMEM;
		leaf = xa_leaf_of_ref(xa->nodes, *slot);
	}
	for (unsigned i = nr; i > at; i--)
		leaf->values[i] = leaf->values[i - 1];
	leaf->values[at] = value;
	leaf->used |= bit;
	return 0;
}

int xa_store(struct xarray *xa, uint64_t index, uint32_t value, uint32_t *old)
{
	uint64_t bit = 1ull << xa_slot(index, 0);
	uint32_t *slot = xa_leaf_slot(xa, index);
	struct xa_leaf *leaf;

	*old = 0;
	if (!slot && make_leaf(xa, index, &slot)) {
		if (xa->root)
			prune(xa, index);
		else
			xa_init(xa, xa->nodes);
		return -ENOMEM;
	}
	leaf = xa_leaf_of_ref(xa->nodes, *slot);
	if (!(leaf->used & bit))
		return insert(xa, slot, bit, value);
	*old = leaf->values[xa_leaf_place(leaf, bit)];
	leaf->values[xa_leaf_place(leaf, bit)] = value;
	return 0;
}

uint32_t xa_erase(struct xarray *xa, uint64_t index)
{
	uint64_t bit = 1ull << xa_slot(index, 0);
	uint32_t *slot = xa_leaf_slot(xa, index), old;
	unsigned at, nr, class;
	struct xa_leaf *leaf;

	if (!slot)
		return 0;
	leaf = xa_leaf_of_ref(xa->nodes, *slot);
	if (!(leaf->used & bit))
		return 0;
	at = xa_leaf_place(leaf, bit);
	nr = xa_popcount(leaf->used) - 1;
	old = leaf->values[at];
	leaf->used &= ~bit;
	for (; at < nr; at++)
		leaf->values[at] = leaf->values[at + 1];
	class = class_of_ref(*slot);
	if (!nr) {
		struct xa_node *node = (struct xa_node *)((char *)(slot - xa_slot(index, 1)) -
							  offsetof(struct xa_node, slots));

		leaf_free(xa->nodes, *slot);
		clear_slot(node, xa_slot(index, 1));
		if (!node->used)
			prune(xa, index);
	} else if (class > 2 && nr <= leaf_capacity(class - 2)) {
		/* Not before there is room to grow again. If it cannot be, it stays as it is. */
		leaf_resize(xa->nodes, slot, class - 1);
	}
	return old;
}

uint32_t xa_find(const struct xarray *xa, uint64_t *index)
{
	while (xa->root && xa_in_range(xa, *index)) {
		uint32_t ref = xa->root;
		unsigned level = xa->height;
		uint64_t step, rest;

		while (ref && level > 1)
			ref = xa_node(xa->nodes, ref)->slots[xa_slot(*index, --level)];
		if (ref) {
			const struct xa_leaf *leaf = xa_leaf_of_ref(xa->nodes, ref);

			rest = leaf->used >> xa_slot(*index, 0);
			if (rest) {
				*index += __builtin_ctzll(rest);
				return xa_leaf_load(leaf, *index);
			}
		}
		/* Nothing below this slot: to the first index of the next one. */
		step = 1ull << (level * XA_SHIFT);
		*index = (*index | (step - 1)) + 1;
		if (*index == 0)
			return 0;
	}
	return 0;
}
