// SPDX-License-Identifier: GPL-2.0-or-later
/* Policies whose order never changes while a page is stored: FIFO, and the largest first. */
#include <errno.h>
#include <stdlib.h>

#include "sim/list.h"
#include "sim/policy_builtin.h"
#include "sim/policy_groups.h"
#include "sim/policy_heap.h"

struct node {
	struct heap_node heap;
	const struct zswapsim_entry *entry;
	uint32_t kept; /* how often it could not be written back */
};

struct ranked {
	struct groups groups; /* of struct heap */
	heap_before_fn before;
};

static const struct node *node_of(const struct heap_node *heap)
{
	return container_of(heap, const struct node, heap);
}

/* Those that stored at the same event: pages of a folio, in order of their slots. */
static bool older(const struct node *a, const struct node *b)
{
	if (a->entry->event != b->entry->event)
		return a->entry->event < b->entry->event;
	return a->entry->slot < b->entry->slot;
}

static bool came_before(const struct heap_node *x, const struct heap_node *y)
{
	const struct node *a = node_of(x), *b = node_of(y);

	if (a->kept != b->kept)
		return a->kept < b->kept;
	if (a->entry->born != b->entry->born)
		return a->entry->born < b->entry->born;
	return older(a, b);
}

static bool is_larger(const struct heap_node *x, const struct heap_node *y)
{
	const struct node *a = node_of(x), *b = node_of(y);

	if (a->kept != b->kept)
		return a->kept < b->kept;
	if (a->entry->size != b->entry->size)
		return a->entry->size > b->entry->size;
	return older(a, b);
}

static void heap_init(void *group)
{
}

static void finish(void *group)
{
	heap_finish(group);
}

static int ranked_create(const struct zswapsim_params *params, void **self, heap_before_fn before)
{
	struct ranked *r = malloc(sizeof(*r));

	if (!r)
		return -ENOMEM;
	groups_init(&r->groups, params, sizeof(struct heap), heap_init);
	r->before = before;
	*self = r;
	return 0;
}

static int fifo_create(const struct zswapsim_params *params, void **self)
{
	return ranked_create(params, self, came_before);
}

static int size_create(const struct zswapsim_params *params, void **self)
{
	return ranked_create(params, self, is_larger);
}

static void ranked_destroy(void *self)
{
	struct ranked *r = self;

	groups_finish(&r->groups, finish);
	free(r);
}

static void ranked_stored(void *self, const struct zswapsim_entry *entry)
{
	struct ranked *r = self;
	struct heap *heap = group_of(&r->groups, entry->memcg, entry->node);
	struct node *node = entry->priv;

	node->entry = entry;
	/* Without memory for it the page is never chosen. */
	if (heap)
		heap_push(heap, &node->heap, r->before);
}

static void ranked_gone(void *self, const struct zswapsim_entry *entry)
{
	struct ranked *r = self;
	struct node *node = entry->priv;

	if (node->heap.at)
		heap_remove(group_find(&r->groups, entry->memcg, entry->node), &node->heap,
			    r->before);
}

/* Others are tried before it is met again. */
static void ranked_kept(void *self, const struct zswapsim_entry *entry)
{
	struct node *node = entry->priv;

	ranked_gone(self, entry);
	node->kept++;
	ranked_stored(self, entry);
}

static void ranked_reparented(void *self, uint32_t memcg, uint32_t parent)
{
	struct ranked *r = self;

	for (unsigned nid = 0; !r->groups.one && nid < r->groups.nr_nodes; nid++) {
		struct heap *from = group_find(&r->groups, memcg, nid);
		struct heap *to = group_of(&r->groups, parent, nid);

		while (from && to && from->nr) {
			struct heap_node *last = from->nodes[from->nr - 1];

			heap_remove(from, last, r->before);
			heap_push(to, last, r->before);
		}
	}
}

static uint64_t ranked_victim(void *self, struct zswapsim_want *want,
			      const struct zswapsim_pool *pool)
{
	struct ranked *r = self;
	struct heap *heap = group_find(&r->groups, want->memcg, want->node);

	return heap && heap->nr ? node_of(heap_top(heap))->entry->id : ZSWAPSIM_NONE;
}

#define RANKED_POLICY(symbol, word, on_create)                                                     \
	const struct zswapsim_policy_ops symbol = {                                                \
		.abi_version = ZSWAPSIM_POLICY_ABI,                                                \
		.struct_size = sizeof(struct zswapsim_policy_ops),                                 \
		.name = word,                                                                      \
		.entry_bytes = sizeof(struct node),                                                \
		.create = on_create,                                                               \
		.destroy = ranked_destroy,                                                         \
		.stored = ranked_stored,                                                           \
		.loaded = ranked_gone,                                                             \
		.invalidated = ranked_gone,                                                        \
		.written_back = ranked_gone,                                                       \
		.kept = ranked_kept,                                                               \
		.reparented = ranked_reparented,                                                   \
		.victim = ranked_victim,                                                           \
	}

RANKED_POLICY(policy_fifo, "fifo", fifo_create);
RANKED_POLICY(policy_size, "size", size_create);
