// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clairvoyant: the page whose memory is taken longest, size times the events until its next load,
 * goes first; one that is never loaded before all others. With pages of one size this is Belady's
 * choice (1966), which is optimal; with several it is the usual heuristic ("Belady-Size" in Berger,
 * Beckmann, Harchol-Balter, 2018).
 *
 * The order of two pages of one size never changes, that of two sizes does as time goes by. So
 * there is a heap for each size, and the tops are compared when a victim is wanted, in blocks of
 * sizes of which most are passed by on account of an upper bound.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/list.h"
#include "sim/policy_builtin.h"
#include "sim/policy_groups.h"
#include "sim/policy_heap.h"

#define PAGE_BYTES  4096u
#define MAX_SIZE    4096u
#define BLOCK_SIZES 64u
#define NR_BLOCKS   (MAX_SIZE / BLOCK_SIZES)

/* BLOCK_SIZES sizes, the first of which is a multiple of that and 1. */
struct block {
	uint64_t farthest;		/* of next_use; 0: the block is empty */
	uint64_t next_use[BLOCK_SIZES]; /* of each size's top; 0: none */
	struct heap heap[BLOCK_SIZES];
};

struct group {
	struct block *blocks[NR_BLOCKS]; /* NULL: never needed */
	struct heap never;		 /* never loaded: the largest first */
	struct list_head spare;		 /* could not be written back: when there are no others */
};

enum place { NOWHERE, IN_BLOCK, IN_NEVER, SPARE };

struct node {
	struct heap_node heap;
	struct list_head spare;
	const struct zswapsim_entry *entry;
	enum place place;
};

struct clairvoyant {
	struct groups groups;
	/* Victims that were chosen together, for one newcomer. */
	struct node **plan;
	size_t nr_plan, at_plan, cap_plan;
};

static struct node *node_of(struct heap_node *heap)
{
	return heap ? container_of(heap, struct node, heap) : NULL;
}

static const struct zswapsim_entry *entry_of(const struct heap_node *heap)
{
	return container_of(heap, const struct node, heap)->entry;
}

static bool used_later(const struct heap_node *a, const struct heap_node *b)
{
	if (entry_of(a)->next_use != entry_of(b)->next_use)
		return entry_of(a)->next_use > entry_of(b)->next_use;
	return entry_of(a)->slot < entry_of(b)->slot;
}

static bool is_larger(const struct heap_node *a, const struct heap_node *b)
{
	if (entry_of(a)->size != entry_of(b)->size)
		return entry_of(a)->size > entry_of(b)->size;
	if (entry_of(a)->event != entry_of(b)->event)
		return entry_of(a)->event < entry_of(b)->event;
	return entry_of(a)->slot < entry_of(b)->slot;
}

static void group_init(void *group)
{
	struct group *g = group;

	INIT_LIST_HEAD(&g->spare);
}

static void group_finish(void *group)
{
	struct group *g = group;

	for (unsigned i = 0; i < NR_BLOCKS; i++) {
		for (unsigned j = 0; g->blocks[i] && j < BLOCK_SIZES; j++)
			heap_finish(&g->blocks[i]->heap[j]);
		free(g->blocks[i]);
	}
	heap_finish(&g->never);
}

static int clairvoyant_create(const struct zswapsim_params *params, void **self)
{
	struct clairvoyant *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	groups_init(&c->groups, params, sizeof(struct group), group_init);
	*self = c;
	return 0;
}

static void clairvoyant_destroy(void *self)
{
	struct clairvoyant *c = self;

	groups_finish(&c->groups, group_finish);
	free(c->plan);
	free(c);
}

/* ---- in and out ---- */

/* The tops of a block after one of its heaps has changed. */
static void block_update(struct block *block, unsigned i)
{
	struct heap_node *top = heap_top(&block->heap[i]);

	block->next_use[i] = top ? entry_of(top)->next_use : 0;
	block->farthest = 0;
	for (unsigned j = 0; j < BLOCK_SIZES; j++) {
		if (block->next_use[j] > block->farthest)
			block->farthest = block->next_use[j];
	}
}

/* Without memory for it the page is never chosen. */
static void put_in(struct group *g, struct node *node)
{
	unsigned size = node->entry->size - 1;
	struct block **block = &g->blocks[size / BLOCK_SIZES];

	node->place = NOWHERE;
	if (node->entry->next_use == ZSWAPSIM_NEVER) {
		if (!heap_push(&g->never, &node->heap, is_larger))
			node->place = IN_NEVER;
		return;
	}
	if (!*block)
		*block = calloc(1, sizeof(**block));
	if (!*block || heap_push(&(*block)->heap[size % BLOCK_SIZES], &node->heap, used_later))
		return;
	node->place = IN_BLOCK;
	block_update(*block, size % BLOCK_SIZES);
}

static void take_out(struct group *g, struct node *node)
{
	unsigned size = node->entry->size - 1;
	struct block *block = g->blocks[size / BLOCK_SIZES];

	switch (node->place) {
	case IN_BLOCK:
		heap_remove(&block->heap[size % BLOCK_SIZES], &node->heap, used_later);
		block_update(block, size % BLOCK_SIZES);
		break;
	case IN_NEVER:
		heap_remove(&g->never, &node->heap, is_larger);
		break;
	case SPARE:
		list_del_init(&node->spare);
		break;
	case NOWHERE:
		break;
	}
	node->place = NOWHERE;
}

static void clairvoyant_stored(void *self, const struct zswapsim_entry *entry)
{
	struct clairvoyant *c = self;
	struct group *g = group_of(&c->groups, entry->memcg, entry->node);
	struct node *node = entry->priv;

	node->entry = entry;
	INIT_LIST_HEAD(&node->spare);
	if (g)
		put_in(g, node);
}

static void clairvoyant_gone(void *self, const struct zswapsim_entry *entry)
{
	struct clairvoyant *c = self;
	struct node *node = entry->priv;

	if (node->place != NOWHERE)
		take_out(group_find(&c->groups, entry->memcg, entry->node), node);
}

static void clairvoyant_kept(void *self, const struct zswapsim_entry *entry)
{
	struct clairvoyant *c = self;
	struct group *g = group_find(&c->groups, entry->memcg, entry->node);
	struct node *node = entry->priv;

	if (!g || node->place == NOWHERE)
		return;
	take_out(g, node);
	list_add_tail(&node->spare, &g->spare);
	node->place = SPARE;
}

static void restore_spare(struct group *g)
{
	while (!list_empty(&g->spare)) {
		struct node *node = list_first_entry(&g->spare, struct node, spare);

		list_del_init(&node->spare);
		put_in(g, node);
	}
}

static void move_all(struct heap *from, struct group *old, struct group *new)
{
	while (from->nr) {
		struct node *node = node_of(from->nodes[from->nr - 1]);

		take_out(old, node);
		put_in(new, node);
	}
}

static void clairvoyant_reparented(void *self, uint32_t memcg, uint32_t parent)
{
	struct clairvoyant *c = self;

	for (unsigned nid = 0; !c->groups.one && nid < c->groups.nr_nodes; nid++) {
		struct group *old = group_find(&c->groups, memcg, nid);
		struct group *new = group_of(&c->groups, parent, nid);

		if (!old || !new)
			continue;
		restore_spare(old);
		for (unsigned i = 0; i < NR_BLOCKS; i++) {
			for (unsigned j = 0; old->blocks[i] && j < BLOCK_SIZES; j++)
				move_all(&old->blocks[i]->heap[j], old, new);
		}
		move_all(&old->never, old, new);
	}
}

/* ---- the choice ---- */

/* Bytes times events: below 2^64 up to 2^52 events. */
static uint64_t cost(uint64_t size, uint64_t next_use, uint64_t now)
{
	return next_use > now ? size * (next_use - now) : 0;
}

/* The best of the sizes of a block, if it is better than @best. */
static struct node *best_of_block(struct block *block, unsigned first, uint64_t now, uint64_t *best)
{
	struct node *node = NULL;

	for (unsigned j = BLOCK_SIZES; j-- > 0;) {
		uint64_t c = cost(first + j, block->next_use[j], now);

		if (block->next_use[j] && (c > *best || !*best)) {
			*best = c ? c : 1;
			node = node_of(heap_top(&block->heap[j]));
		}
	}
	return node;
}

/* What should go first of a group; NULL: it is empty. Its cost is at least 1. */
static struct node *best_of_group(struct group *g, uint64_t now, uint64_t *cost_of_it)
{
	struct node *node = node_of(heap_top(&g->never));
	uint64_t best = 0;

	*cost_of_it = UINT64_MAX;
	if (node)
		return node;
	for (unsigned i = NR_BLOCKS; i-- > 0;) {
		struct block *block = g->blocks[i];
		struct node *better;

		if (!block || !block->farthest)
			continue;
		if (best && cost((i + 1) * BLOCK_SIZES, block->farthest, now) <= best)
			continue;
		better = best_of_block(block, i * BLOCK_SIZES + 1, now, &best);
		node = better ? better : node;
	}
	*cost_of_it = best;
	return node;
}

static bool wants_group(const struct clairvoyant *c, const struct zswapsim_want *want, size_t i)
{
	if (!c->groups.all[i])
		return false;
	if (c->groups.one)
		return i == 0;
	return (want->memcg == ZSWAPSIM_ANY || i / c->groups.nr_nodes == want->memcg) &&
	       (want->node == ZSWAPSIM_ANY || i % c->groups.nr_nodes == want->node);
}

static struct node *best(struct clairvoyant *c, const struct zswapsim_want *want, uint64_t now)
{
	struct node *node = NULL;
	uint64_t most = 0;

	if (want->memcg != ZSWAPSIM_ANY && want->node != ZSWAPSIM_ANY) {
		struct group *g = group_find(&c->groups, want->memcg, want->node);

		return g ? best_of_group(g, now, &most) : NULL;
	}
	for (size_t i = 0; i < c->groups.nr; i++) {
		struct node *other;
		uint64_t its_cost;

		if (!wants_group(c, want, i))
			continue;
		other = best_of_group(c->groups.all[i], now, &its_cost);
		if (other && (!node || its_cost > most)) {
			node = other;
			most = its_cost;
		}
	}
	return node;
}

/* What could not be written back gets another chance, later. */
static void restore_all_spare(struct clairvoyant *c, const struct zswapsim_want *want)
{
	for (size_t i = 0; i < c->groups.nr; i++) {
		if (wants_group(c, want, i))
			restore_spare(c->groups.all[i]);
	}
}

/* ---- several at once, for a page that does not fit ---- */

static bool plan_add(struct clairvoyant *c, struct node *node)
{
	if (c->nr_plan == c->cap_plan) {
		size_t cap = c->cap_plan ? c->cap_plan * 2 : 64;
		struct node **plan = realloc(c->plan, cap * sizeof(*plan));

		if (!plan)
			return false;
		c->plan = plan;
		c->cap_plan = cap;
	}
	c->plan[c->nr_plan++] = node;
	return true;
}

/* Back to where it was: it need not go. */
static void plan_drop(struct clairvoyant *c, size_t i)
{
	struct node *node = c->plan[i];

	put_in(group_find(&c->groups, node->entry->memcg, node->entry->node), node);
	memmove(&c->plan[i], &c->plan[i + 1], (--c->nr_plan - i) * sizeof(*c->plan));
}

/* In order of cost until there is room; then without those that are not needed for it. */
static void make_plan(struct clairvoyant *c, const struct zswapsim_want *want, uint64_t now)
{
	uint64_t freed = 0;

	c->nr_plan = c->at_plan = 0;
	while (freed < want->bytes) {
		struct node *node = best(c, want, now);

		if (!node || !plan_add(c, node))
			break;
		take_out(group_find(&c->groups, node->entry->memcg, node->entry->node), node);
		freed += node->entry->size;
		if (node->entry->id != want->newcomer)
			continue;
		/* Without the newcomer there is room enough. */
		while (c->nr_plan > 1)
			plan_drop(c, 0);
		return;
	}
	for (size_t i = c->nr_plan; i-- > 0;) {
		uint32_t size = c->plan[i]->entry->size;

		if (freed - size < want->bytes)
			continue;
		freed -= size;
		plan_drop(c, i);
	}
}

static uint64_t clairvoyant_victim(void *self, struct zswapsim_want *want,
				   const struct zswapsim_pool *pool)
{
	struct clairvoyant *c = self;
	struct node *node;

	if (want->newcomer != ZSWAPSIM_NONE) {
		if (c->at_plan == c->nr_plan)
			make_plan(c, want, pool->event);
		return c->at_plan < c->nr_plan ? c->plan[c->at_plan++]->entry->id : ZSWAPSIM_NONE;
	}
	node = best(c, want, pool->event);
	if (!node)
		restore_all_spare(c, want);
	return node ? node->entry->id : ZSWAPSIM_NONE;
}

/*
 * As much as the pool may have without being full: what is refused by a full pool, and what the
 * kernel writes back down to the accept threshold, would cost more reads.
 */
static uint64_t clairvoyant_target(void *self, const struct zswapsim_pool *pool)
{
	return pool->used < pool->limit || !pool->limit ? UINT64_MAX : pool->limit - PAGE_BYTES;
}

const struct zswapsim_policy_ops policy_clairvoyant = {
	.abi_version = ZSWAPSIM_POLICY_ABI,
	.struct_size = sizeof(struct zswapsim_policy_ops),
	.name = "clairvoyant",
	.flags = ZSWAPSIM_FUTURE | ZSWAPSIM_GLOBAL,
	.entry_bytes = sizeof(struct node),
	.create = clairvoyant_create,
	.destroy = clairvoyant_destroy,
	.stored = clairvoyant_stored,
	.loaded = clairvoyant_gone,
	.invalidated = clairvoyant_gone,
	.written_back = clairvoyant_gone,
	.kept = clairvoyant_kept,
	.reparented = clairvoyant_reparented,
	.victim = clairvoyant_victim,
	.target = clairvoyant_target,
};
