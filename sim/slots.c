// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/xarray.h"

#define TYPE_SHIFT 48

struct slots {
	struct kmem_cache *nodes;
	struct xarray xa; /* id << 1 | in_memory, as a value */
	uint64_t nr_used;
};

int slots_create(struct slots **out)
{
	struct slots *slots = calloc(1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	slots->nodes = xa_node_cache_create();
	if (!slots->nodes) {
		free(slots);
		return -ENOMEM;
	}
	xa_init(&slots->xa, slots->nodes);
	*out = slots;
	return 0;
}

void slots_destroy(struct slots *slots)
{
	if (!slots)
		return;
	kmem_cache_destroy(slots->nodes);
	free(slots);
}

int slots_reserve(struct slots *slots, unsigned nr)
{
	return kmem_cache_reserve(slots->nodes, nr + XA_MAX_NODES_PER_STORE);
}

static uint64_t index_of(unsigned type, uint64_t offset)
{
	return (uint64_t)type << TYPE_SHIFT | offset;
}

int slots_set(struct slots *slots, unsigned type, uint64_t offset, uint32_t id, bool in_memory)
{
	void *old;
	int ret = xa_store(&slots->xa, index_of(type, offset),
			   xa_mk_value((uint64_t)id << 1 | in_memory), &old);

	if (!ret && !old)
		slots->nr_used++;
	return ret;
}

bool slots_get(const struct slots *slots, unsigned type, uint64_t offset, uint32_t *id,
	       bool *in_memory)
{
	void *entry = xa_load(&slots->xa, index_of(type, offset));

	if (!entry)
		return false;
	*id = xa_to_value(entry) >> 1;
	*in_memory = xa_to_value(entry) & 1;
	return true;
}

bool slots_clear(struct slots *slots, unsigned type, uint64_t offset)
{
	if (!xa_erase(&slots->xa, index_of(type, offset)))
		return false;
	slots->nr_used--;
	return true;
}

uint64_t slots_nr_used(const struct slots *slots)
{
	return slots->nr_used;
}
