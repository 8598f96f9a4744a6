// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bare_lru.h"

#include <errno.h>
#include <stdlib.h>

/* Index 0 is the list's head: no entry. */
struct entry {
	uint32_t prev, next;
	uint32_t slot;
	uint16_t bytes;
};

struct bucket {
	uint32_t slot;
	uint32_t entry; /* 0: empty */
};

struct bare_lru {
	struct entry *entries;
	struct bucket *table;
	uint32_t mask;
	unsigned shift;
	uint32_t free,
		nr_fresh; /* list of free ones, by next; those from nr_fresh on never were used */
	uint64_t nr_entries;
	uint64_t limit_bytes;
	const uint16_t *lengths;
	struct bare_lru_stats stats;
};

struct bare_lru *bare_lru_create(uint64_t nr_slots, uint64_t limit_bytes, const uint16_t *lengths)
{
	struct bare_lru *b = calloc(1, sizeof(*b));
	unsigned bits = 1;

	if (!b || nr_slots >= UINT32_MAX / 4)
		goto err;
	while (1ull << bits < nr_slots * 2)
		bits++;
	b->mask = (1u << bits) - 1;
	b->shift = 32 - bits;
	b->nr_entries = nr_slots + 2;
	b->nr_fresh = 1;
	b->limit_bytes = limit_bytes;
	b->lengths = lengths;
	b->entries = calloc(b->nr_entries, sizeof(*b->entries));
	b->table = calloc(1ull << bits, sizeof(*b->table));
	if (!b->entries || !b->table)
		goto err;
	return b;
err:
	bare_lru_destroy(b);
	return NULL;
}

void bare_lru_destroy(struct bare_lru *b)
{
	if (!b)
		return;
	free(b->entries);
	free(b->table);
	free(b);
}

static inline uint32_t bucket_of(const struct bare_lru *b, uint32_t slot)
{
	return slot * 2654435769u >> b->shift;
}

/* The bucket of the slot, or the empty one where it would be. */
static inline uint32_t find(const struct bare_lru *b, uint32_t slot)
{
	uint32_t i = bucket_of(b, slot);

	while (b->table[i].entry && b->table[i].slot != slot)
		i = (i + 1) & b->mask;
	return i;
}

/* Those behind it move up, so that no marks of deleted ones are needed. */
static inline void erase_bucket(struct bare_lru *b, uint32_t i)
{
	uint32_t j = i;

	for (;;) {
		uint32_t home;

		j = (j + 1) & b->mask;
		if (!b->table[j].entry)
			break;
		home = bucket_of(b, b->table[j].slot);
		if (((j - home) & b->mask) >= ((j - i) & b->mask)) {
			b->table[i] = b->table[j];
			i = j;
		}
	}
	b->table[i].entry = 0;
}

static inline void drop(struct bare_lru *b, uint32_t bucket)
{
	uint32_t i = b->table[bucket].entry;
	struct entry *e = &b->entries[i];

	b->entries[e->prev].next = e->next;
	b->entries[e->next].prev = e->prev;
	b->stats.bytes -= e->bytes;
	b->stats.entries--;
	e->next = b->free;
	b->free = i;
	erase_bucket(b, bucket);
}

static inline void store(struct bare_lru *b, uint32_t slot, uint16_t bytes)
{
	uint32_t bucket = find(b, slot), i;
	struct entry *e;

	b->stats.stores++;
	if (b->table[bucket].entry) {
		b->stats.replaced++;
		drop(b, bucket);
		bucket = find(b, slot);
	}
	i = b->free;
	if (i)
		b->free = b->entries[i].next;
	else
		i = b->nr_fresh++;
	e = &b->entries[i];
	e->slot = slot;
	e->bytes = bytes;
	e->next = 0;
	e->prev = b->entries[0].prev;
	b->entries[e->prev].next = i;
	b->entries[0].prev = i;
	b->table[bucket] = (struct bucket){slot, i};
	b->stats.bytes += bytes;
	b->stats.entries++;
	while (b->stats.bytes > b->limit_bytes) {
		drop(b, find(b, b->entries[b->entries[0].next].slot));
		b->stats.evictions++;
	}
	if (b->stats.entries > b->stats.peak_entries)
		b->stats.peak_entries = b->stats.entries;
}

int bare_lru_events(struct bare_lru *b, struct trace_reader *reader, uint64_t from, uint64_t to,
		    struct trace_error *err)
{
	for (uint64_t i = from; i < to; i++) {
		struct trace_event ev;
		uint32_t bucket;
		int ret = trace_reader_event(reader, i, &ev, err);

		if (ret)
			return ret;
		/* Its entries are as many as it has slots. */
		if (ev.order || ev.swap_type || ev.offset >= b->nr_entries - 2)
			return -EINVAL;
		switch (ev.type) {
		case TRACE_STORE:
			store(b, ev.offset, b->lengths[ev.arg]);
			break;
		case TRACE_LOAD:
			b->stats.loads++;
			/* fall through */
		case TRACE_INVALIDATE:
			bucket = find(b, ev.offset);
			if (!b->table[bucket].entry)
				break;
			b->stats.hits += ev.type == TRACE_LOAD;
			drop(b, bucket);
			break;
		}
	}
	return 0;
}

const struct bare_lru_stats *bare_lru_stats(const struct bare_lru *b)
{
	return &b->stats;
}

uint64_t bare_lru_memory(const struct bare_lru *b)
{
	return b->nr_entries * sizeof(*b->entries) + ((uint64_t)b->mask + 1) * sizeof(*b->table);
}
