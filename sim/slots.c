// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/slot_bits.h"
#include "sim/xarray.h"

/* Of a slot's four bits the lower two; the upper two are the tag of its page. */
enum { UNUSED, USED, IN_MEMORY, WRITTEN_BACK };
#define STATE_MASK 3u
#define TAG_SHIFT  2u

struct slots {
	struct slot_bits state;
	/* By slot, where they are not 0: a page id, the number of a memcg. */
	struct kmem_cache *nodes;
	bool with_ids;
	struct xarray ids[SLOT_BITS_TYPES], memcgs[SLOT_BITS_TYPES];
};

int slots_create(bool with_ids, struct slots **out)
{
	struct slots *slots = calloc(1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	slots->with_ids = with_ids;
	slots->nodes = xa_node_cache_create();
	if (!slots->nodes || slot_bits_init(&slots->state, 4)) {
		slots_destroy(slots);
		return -ENOMEM;
	}
	for (unsigned type = 0; type < SLOT_BITS_TYPES; type++) {
		xa_init(&slots->ids[type], slots->nodes);
		xa_init(&slots->memcgs[type], slots->nodes);
	}
	*out = slots;
	return 0;
}

void slots_destroy(struct slots *slots)
{
	if (!slots)
		return;
	slot_bits_finish(&slots->state);
	kmem_cache_destroy(slots->nodes);
	free(slots);
}

int slots_reserve(struct slots *slots, unsigned type, uint64_t offset, unsigned nr)
{
	int ret = slot_bits_reserve(&slots->state, type, offset, nr);

	if (!ret && slots->with_ids)
		ret = kmem_cache_reserve(slots->nodes, 2 * (nr + XA_MAX_NODES_PER_STORE));
	return ret;
}

static int set_number(struct xarray *xa, uint64_t offset, uint32_t value)
{
	uint32_t old;

	if (value)
		return xa_store(xa, offset, value, &old);
	xa_erase(xa, offset);
	return 0;
}

int slots_set(struct slots *slots, unsigned type, uint64_t offset, uint32_t id, bool in_memory)
{
	unsigned tag = id & ((1u << SLOTS_TAG_BITS) - 1);
	int ret = slot_bits_set(&slots->state, type, offset,
				tag << TAG_SHIFT | (in_memory ? IN_MEMORY : USED));

	if (ret < 0)
		return ret;
	if (!xa_empty(&slots->memcgs[type]))
		xa_erase(&slots->memcgs[type], offset);
	return slots->with_ids ? set_number(&slots->ids[type], offset, id) : 0;
}

bool slots_get(const struct slots *slots, unsigned type, uint64_t offset, uint32_t *id,
	       bool *in_memory)
{
	unsigned state = slot_bits_get(&slots->state, type, offset);

	if (!state)
		return false;
	*id = slots->with_ids ? xa_load(&slots->ids[type], offset) : state >> TAG_SHIFT;
	*in_memory = (state & STATE_MASK) == IN_MEMORY;
	return true;
}

int slots_note_memcg(struct slots *slots, unsigned type, uint64_t offset, unsigned memcg)
{
	if (!slot_bits_get(&slots->state, type, offset))
		return 0;
	return set_number(&slots->memcgs[type], offset, memcg);
}

void slots_note_written_back(struct slots *slots, unsigned type, uint64_t offset)
{
	unsigned state = slot_bits_get(&slots->state, type, offset);

	/* What is there already is replaced without any memory. */
	if (state)
		slot_bits_set(&slots->state, type, offset, state | WRITTEN_BACK);
}

unsigned slots_memcg(const struct slots *slots, unsigned type, uint64_t offset)
{
	return xa_load(&slots->memcgs[type], offset);
}

bool slots_written_back(const struct slots *slots, unsigned type, uint64_t offset)
{
	return (slot_bits_get(&slots->state, type, offset) & STATE_MASK) == WRITTEN_BACK;
}

bool slots_clear(struct slots *slots, unsigned type, uint64_t offset)
{
	if (slot_bits_set(&slots->state, type, offset, 0) <= 0)
		return false;
	if (slots->with_ids)
		xa_erase(&slots->ids[type], offset);
	if (!xa_empty(&slots->memcgs[type]))
		xa_erase(&slots->memcgs[type], offset);
	return true;
}

void slots_prefetch(const struct slots *slots, unsigned type, uint64_t offset)
{
	slot_bits_prefetch(&slots->state, type, offset);
}

uint64_t slots_nr_used(const struct slots *slots)
{
	return slots->state.nr_used;
}
