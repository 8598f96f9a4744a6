// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/xarray.h"

#define TYPE_SHIFT 48

/* An entry of 63 bits: page id, memcg, two flags. */
#define IN_MEMORY    1u
#define WRITTEN_BACK 2u
#define MEMCG_SHIFT  2
#define ID_SHIFT     31

struct slots {
	struct kmem_cache *nodes;
	struct xarray xa;
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
	int ret =
		xa_store(&slots->xa, index_of(type, offset),
			 xa_mk_value((uint64_t)id << ID_SHIFT | (in_memory ? IN_MEMORY : 0)), &old);

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
	*id = xa_to_value(entry) >> ID_SHIFT;
	*in_memory = xa_to_value(entry) & IN_MEMORY;
	return true;
}

static void slots_or(struct slots *slots, unsigned type, uint64_t offset, uint64_t bits)
{
	void *entry = xa_load(&slots->xa, index_of(type, offset)), *old;

	/* What is there already is replaced without any memory. */
	if (entry)
		xa_store(&slots->xa, index_of(type, offset), xa_mk_value(xa_to_value(entry) | bits),
			 &old);
}

void slots_note_memcg(struct slots *slots, unsigned type, uint64_t offset, unsigned memcg)
{
	slots_or(slots, type, offset, (uint64_t)memcg << MEMCG_SHIFT);
}

void slots_note_written_back(struct slots *slots, unsigned type, uint64_t offset)
{
	slots_or(slots, type, offset, WRITTEN_BACK);
}

unsigned slots_memcg(const struct slots *slots, unsigned type, uint64_t offset)
{
	void *entry = xa_load(&slots->xa, index_of(type, offset));

	return entry ? (xa_to_value(entry) >> MEMCG_SHIFT) % SLOTS_MAX_MEMCGS : 0;
}

bool slots_written_back(const struct slots *slots, unsigned type, uint64_t offset)
{
	void *entry = xa_load(&slots->xa, index_of(type, offset));

	return entry && xa_to_value(entry) & WRITTEN_BACK;
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
