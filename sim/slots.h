/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the trace says is in each swap slot: the id of the page, whether the page was kept in memory
 * because it was refused and may not go to disk, whether zswap had it and wrote it back, and whose
 * it was. This is the replay's own record, from which loads are verified; the port never sees it.
 */
#ifndef SIM_SLOTS_H
#define SIM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct slots;
struct slot_bytes;

/*
 * @with_ids: false if the lowest SLOTS_TAG_BITS of each page id will do. @shared: where to keep
 * what is kept of each slot, which outlives it; NULL: in bytes of its own. 0 or -ENOMEM.
 */
#define SLOTS_TAG_BITS 2
int slots_create(bool with_ids, struct slot_bytes *shared, struct slots **out);
void slots_destroy(struct slots *slots); /* accepts NULL */
/* Makes sure that slots_set() of the @nr slots from @offset on asks for no memory. */
int slots_reserve(struct slots *slots, unsigned type, uint64_t offset, unsigned nr);

int slots_set(struct slots *slots, unsigned type, uint64_t offset, uint32_t id, bool in_memory);
/* False if the slot was never stored, or was freed. *@id: all of it, or its tag. */
bool slots_get(const struct slots *slots, unsigned type, uint64_t offset, uint32_t *id,
	       bool *in_memory);

#define SLOTS_MAX_MEMCGS (1u << 29)
/*
 * More about a slot that was set, until it is set again: its memcg's number in struct memcgs (the
 * root's, 0, before that), and that zswap wrote it back. Nothing happens if it was never set.
 * 0 or -ENOMEM.
 */
int slots_note_memcg(struct slots *slots, unsigned type, uint64_t offset, unsigned memcg);
void slots_note_written_back(struct slots *slots, unsigned type, uint64_t offset);
/* 0 and false if the slot was never set. */
unsigned slots_memcg(const struct slots *slots, unsigned type, uint64_t offset);
bool slots_written_back(const struct slots *slots, unsigned type, uint64_t offset);

/* Whether there was something. */
bool slots_clear(struct slots *slots, unsigned type, uint64_t offset);

uint64_t slots_nr_used(const struct slots *slots);

#endif
