/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary heap of things that know where in it they are, so that any of them can be taken out. */
#ifndef SIM_POLICY_HEAP_H
#define SIM_POLICY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_node {
	size_t at; /* index + 1; 0: in no heap */
};

struct heap {
	struct heap_node **nodes;
	size_t nr, cap;
};

/* Whether @a comes before @b: the first is at the top. Never true both ways. */
typedef bool (*heap_before_fn)(const struct heap_node *a, const struct heap_node *b);

/* 0 or -ENOMEM. */
int heap_push(struct heap *heap, struct heap_node *node, heap_before_fn before);
void heap_remove(struct heap *heap, struct heap_node *node, heap_before_fn before);
static inline struct heap_node *heap_top(const struct heap *heap)
{
	return heap->nr ? heap->nodes[0] : NULL;
}
void heap_finish(struct heap *heap); /* what is in it is not touched */

#endif
