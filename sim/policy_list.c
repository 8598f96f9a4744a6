// SPDX-License-Identifier: GPL-2.0-or-later
/* Policies that are a list in order of the stores: second chance, LRU, CLOCK. */
#include <errno.h>
#include <stdlib.h>

#include "sim/list.h"
#include "sim/policy_builtin.h"
#include "sim/policy_groups.h"

struct node {
	struct list_head lru;
	const struct zswapsim_entry *entry;
	bool referenced;
};

static void list_init(void *group)
{
	INIT_LIST_HEAD(group);
}

static int list_create(const struct zswapsim_params *params, void **self)
{
	struct groups *groups = malloc(sizeof(*groups));

	if (!groups)
		return -ENOMEM;
	groups_init(groups, params, sizeof(struct list_head), list_init);
	*self = groups;
	return 0;
}

static void list_destroy(void *self)
{
	groups_finish(self, NULL);
	free(self);
}

static void add(void *self, const struct zswapsim_entry *entry, bool referenced)
{
	struct list_head *list = group_of(self, entry->memcg, entry->node);
	struct node *node = entry->priv;

	INIT_LIST_HEAD(&node->lru);
	node->entry = entry;
	node->referenced = referenced;
	/* Without memory for a list the page is never chosen. */
	if (list)
		list_add_tail(&node->lru, list);
}

static void lru_stored(void *self, const struct zswapsim_entry *entry)
{
	add(self, entry, false);
}

static void second_chance_stored(void *self, const struct zswapsim_entry *entry)
{
	add(self, entry, true);
}

static void clock_stored(void *self, const struct zswapsim_entry *entry)
{
	add(self, entry, entry->hits > 0);
}

static void list_gone(void *self, const struct zswapsim_entry *entry)
{
	struct node *node = entry->priv;

	list_del_init(&node->lru);
}

/* Others are tried before it is met again. */
static void list_kept(void *self, const struct zswapsim_entry *entry)
{
	struct list_head *list = group_find(self, entry->memcg, entry->node);
	struct node *node = entry->priv;

	if (list)
		list_move_tail(&node->lru, list);
}

/* As the kernel does it: to the head of the parent's list. */
static void list_reparented(void *self, uint32_t memcg, uint32_t parent)
{
	struct groups *groups = self;

	for (unsigned nid = 0; !groups->one && nid < groups->nr_nodes; nid++) {
		struct list_head *from = group_find(groups, memcg, nid);
		struct list_head *to = group_of(groups, parent, nid);

		while (from && to && !list_empty(from))
			list_move(from->prev, to);
	}
}

static uint64_t list_victim(void *self, struct zswapsim_want *want,
			    const struct zswapsim_pool *pool)
{
	struct list_head *list = group_find(self, want->memcg, want->node);

	while (list && !list_empty(list) && want->budget) {
		struct node *node = list_first_entry(list, struct node, lru);
		bool alone = node->lru.next == list;

		if (!node->referenced)
			return node->entry->id;
		node->referenced = false;
		list_move_tail(&node->lru, list);
		want->budget--;
		/* The kernel's walk goes on with the next, and finds the end of the list. */
		if (alone)
			break;
	}
	return ZSWAPSIM_NONE;
}

#define LIST_POLICY(symbol, word, on_store)                                                        \
	const struct zswapsim_policy_ops symbol = {                                                \
		.abi_version = ZSWAPSIM_POLICY_ABI,                                                \
		.struct_size = sizeof(struct zswapsim_policy_ops),                                 \
		.name = word,                                                                      \
		.entry_bytes = sizeof(struct node),                                                \
		.create = list_create,                                                             \
		.destroy = list_destroy,                                                           \
		.stored = on_store,                                                                \
		.loaded = list_gone,                                                               \
		.invalidated = list_gone,                                                          \
		.written_back = list_gone,                                                         \
		.kept = list_kept,                                                                 \
		.reparented = list_reparented,                                                     \
		.victim = list_victim,                                                             \
	}

LIST_POLICY(policy_second_chance, "second-chance", second_chance_stored);
LIST_POLICY(policy_lru, "lru", lru_stored);
LIST_POLICY(policy_clock, "clock", clock_stored);
