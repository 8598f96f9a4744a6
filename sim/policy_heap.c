// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_heap.h"

#include <errno.h>
#include <stdlib.h>

static void put(struct heap *heap, size_t i, struct heap_node *node)
{
	heap->nodes[i] = node;
	node->at = i + 1;
}

static void rise(struct heap *heap, size_t i, heap_before_fn before)
{
	struct heap_node *node = heap->nodes[i];

	while (i && before(node, heap->nodes[(i - 1) / 2])) {
		put(heap, i, heap->nodes[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(heap, i, node);
}

static void sink(struct heap *heap, size_t i, heap_before_fn before)
{
	struct heap_node *node = heap->nodes[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < heap->nr && before(heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (child >= heap->nr || !before(heap->nodes[child], node))
			break;
		put(heap, i, heap->nodes[child]);
		i = child;
	}
	put(heap, i, node);
}

int heap_push(struct heap *heap, struct heap_node *node, heap_before_fn before)
{
	if (heap->nr == heap->cap) {
		size_t cap = heap->cap ? heap->cap * 2 : 8;
		struct heap_node **nodes = realloc(heap->nodes, cap * sizeof(*nodes));

		if (!nodes)
			return -ENOMEM;
		heap->nodes = nodes;
		heap->cap = cap;
	}
	put(heap, heap->nr++, node);
	rise(heap, heap->nr - 1, before);
	return 0;
}

void heap_remove(struct heap *heap, struct heap_node *node, heap_before_fn before)
{
	size_t i = node->at - 1;
	struct heap_node *last = heap->nodes[--heap->nr];

	node->at = 0;
	if (last == node)
		return;
	put(heap, i, last);
	rise(heap, i, before);
	sink(heap, last->at - 1, before);
}

void heap_finish(struct heap *heap)
{
	free(heap->nodes);
	*heap = (struct heap){0};
}
