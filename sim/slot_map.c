// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/slot_map.h"

#include <errno.h>
#include <stdlib.h>

#define SMALLEST 64u

void slot_map_init(struct slot_map *map)
{
	*map = (struct slot_map){0};
}

void slot_map_finish(struct slot_map *map)
{
	free(map->cells);
	slot_map_init(map);
}

/* Slots come in runs: the multiplication spreads them, the high bits choose the cell. */
static uint64_t home_of(const struct slot_map *map, uint64_t key)
{
	return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & map->mask;
}

/* The cell of @key, or the free one where it would be put. */
static struct slot_map_cell *cell_of(const struct slot_map *map, uint64_t key)
{
	uint64_t i = home_of(map, key);

	while (map->cells[i].key != key && map->cells[i].key != SLOT_MAP_FREE)
		i = (i + 1) & map->mask;
	return &map->cells[i];
}

uint64_t *slot_map_find(const struct slot_map *map, uint64_t key)
{
	struct slot_map_cell *cell;

	if (!map->cells)
		return NULL;
	cell = cell_of(map, key);
	return cell->key == key ? &cell->value : NULL;
}

static int resize(struct slot_map *map, uint64_t size)
{
	struct slot_map bigger = {.mask = size - 1, .nr = map->nr};

	if (size > SIZE_MAX / sizeof(*bigger.cells))
		return -ENOMEM;
	bigger.cells = malloc(size * sizeof(*bigger.cells));
	if (!bigger.cells)
		return -ENOMEM;
	for (uint64_t i = 0; i < size; i++)
		bigger.cells[i].key = SLOT_MAP_FREE;
	for (uint64_t i = 0; map->cells && i <= map->mask; i++) {
		if (map->cells[i].key != SLOT_MAP_FREE)
			*cell_of(&bigger, map->cells[i].key) = map->cells[i];
	}
	free(map->cells);
	*map = bigger;
	return 0;
}

int slot_map_reserve(struct slot_map *map, uint64_t nr)
{
	uint64_t size = map->cells ? map->mask + 1 : SMALLEST;

	/* At most three quarters full. */
	while (map->nr + nr > size / 4 * 3)
		size *= 2;
	return map->cells && size == map->mask + 1 ? 0 : resize(map, size);
}

int slot_map_set(struct slot_map *map, uint64_t key, uint64_t value)
{
	uint64_t *there = slot_map_find(map, key);
	int ret;

	if (there) {
		*there = value;
		return 0;
	}
	ret = slot_map_reserve(map, 1);
	if (ret)
		return ret;
	*cell_of(map, key) = (struct slot_map_cell){key, value};
	map->nr++;
	return 0;
}

bool slot_map_erase(struct slot_map *map, uint64_t key)
{
	struct slot_map_cell *cell = map->cells ? cell_of(map, key) : NULL;
	uint64_t hole, i;

	if (!cell || cell->key != key)
		return false;
	hole = cell - map->cells;
	/* Who was pushed past the hole moves into it, so that no search ends too early. */
	for (i = (hole + 1) & map->mask; map->cells[i].key != SLOT_MAP_FREE;
	     i = (i + 1) & map->mask) {
		uint64_t home = home_of(map, map->cells[i].key);

		if (((i - home) & map->mask) < ((i - hole) & map->mask))
			continue;
		map->cells[hole] = map->cells[i];
		hole = i;
	}
	map->cells[hole].key = SLOT_MAP_FREE;
	map->nr--;
	return true;
}
