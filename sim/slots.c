// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/slot_bytes.h"
#include "sim/xarray.h"

/* The upper four bits of a slot's byte: a state, and the tag of its page. */
#define USED	     0x10u
#define IN_MEMORY    0x20u
#define WRITTEN_BACK 0x30u
#define STATE_MASK   0x30u
#define TAG_SHIFT    6u
#define OUR_MASK     0xf0u

struct slots {
	struct slot_bytes own, *bytes; /* its own, or those of another */
	uint64_t nr_used;
	/* By slot, where they are not 0: a page id, the number of a memcg. */
	struct xa_nodes *nodes;
	bool with_ids;
	struct xarray ids[SLOT_BYTES_TYPES], memcgs[SLOT_BYTES_TYPES];
};

int slots_create(bool with_ids, struct slot_bytes *shared, struct slots **out)
{
	struct slots *slots = calloc(1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	slots->with_ids = with_ids;
	slots->bytes = shared ? shared : &slots->own;
	slots->nodes = xa_nodes_create();
	if (!slots->nodes || (!shared && slot_bytes_init(&slots->own))) {
		slots_destroy(slots);
		return -ENOMEM;
	}
	for (unsigned type = 0; type < SLOT_BYTES_TYPES; type++) {
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
	slot_bytes_finish(&slots->own);
	xa_nodes_destroy(slots->nodes);
	free(slots);
}

int slots_reserve(struct slots *slots, unsigned type, uint64_t offset, unsigned nr)
{
	int ret = slot_bytes_reserve(slots->bytes, type, offset);

	if (!ret && slots->with_ids)
		ret = xa_nodes_reserve(slots->nodes, 2 * nr);
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

static unsigned state_of(const struct slots *slots, unsigned type, uint64_t offset)
{
	return slot_bytes_get(slots->bytes, type, offset) & STATE_MASK;
}

int slots_set(struct slots *slots, unsigned type, uint64_t offset, uint32_t id, bool in_memory)
{
	unsigned tag = id & ((1u << SLOTS_TAG_BITS) - 1);
	int old = slot_bytes_set(slots->bytes, type, offset, OUR_MASK,
				 tag << TAG_SHIFT | (in_memory ? IN_MEMORY : USED));

	if (old < 0)
		return old;
	slots->nr_used += !(old & STATE_MASK);
	if (!xa_empty(&slots->memcgs[type]))
		xa_erase(&slots->memcgs[type], offset);
	return slots->with_ids ? set_number(&slots->ids[type], offset, id) : 0;
}

bool slots_get(const struct slots *slots, unsigned type, uint64_t offset, uint32_t *id,
	       bool *in_memory)
{
	unsigned byte = slot_bytes_get(slots->bytes, type, offset);

	if (!(byte & STATE_MASK))
		return false;
	*id = slots->with_ids ? xa_load(&slots->ids[type], offset) : byte >> TAG_SHIFT;
	*in_memory = (byte & STATE_MASK) == IN_MEMORY;
	return true;
}

int slots_note_memcg(struct slots *slots, unsigned type, uint64_t offset, unsigned memcg)
{
	if (!state_of(slots, type, offset))
		return 0;
	return set_number(&slots->memcgs[type], offset, memcg);
}

void slots_note_written_back(struct slots *slots, unsigned type, uint64_t offset)
{
	/* What is there already is replaced without any memory. */
	if (state_of(slots, type, offset))
		slot_bytes_set(slots->bytes, type, offset, STATE_MASK, WRITTEN_BACK);
}

unsigned slots_memcg(const struct slots *slots, unsigned type, uint64_t offset)
{
	return xa_load(&slots->memcgs[type], offset);
}

bool slots_written_back(const struct slots *slots, unsigned type, uint64_t offset)
{
	return state_of(slots, type, offset) == WRITTEN_BACK;
}

bool slots_clear(struct slots *slots, unsigned type, uint64_t offset)
{
	if (!(slot_bytes_set(slots->bytes, type, offset, OUR_MASK, 0) & STATE_MASK))
		return false;
	slots->nr_used--;
	if (slots->with_ids)
		xa_erase(&slots->ids[type], offset);
	if (!xa_empty(&slots->memcgs[type]))
		xa_erase(&slots->memcgs[type], offset);
	return true;
}

uint64_t slots_nr_used(const struct slots *slots)
{
	return slots->nr_used;
}
