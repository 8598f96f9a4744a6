/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a swap slot to a number: open addressing with linear probing, without tombstones. For what
 * keeps a record of its own beside the port.
 */
#ifndef SIM_SLOT_MAP_H
#define SIM_SLOT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slot_map_cell {
	uint64_t key; /* SLOT_MAP_FREE: none */
	uint64_t value;
};

#define SLOT_MAP_FREE UINT64_MAX

struct slot_map {
	struct slot_map_cell *cells; /* a power of two; NULL: none yet */
	uint64_t mask, nr;
};

/* The slot of a device as a key. */
static inline uint64_t slot_key(unsigned swap_type, uint64_t offset)
{
	return (uint64_t)swap_type << 56 | offset;
}

void slot_map_init(struct slot_map *map);
void slot_map_finish(struct slot_map *map);

/* The value of @key, to read or change until the map is next changed; NULL: not there. */
uint64_t *slot_map_find(const struct slot_map *map, uint64_t key);
/* Sets it. 0 or -ENOMEM; after slot_map_reserve(), or if the key is there, 0. */
int slot_map_set(struct slot_map *map, uint64_t key, uint64_t value);
/* Makes room for @nr more keys. 0 or -ENOMEM. */
int slot_map_reserve(struct slot_map *map, uint64_t nr);
/* Whether it was there. */
bool slot_map_erase(struct slot_map *map, uint64_t key);

#endif
