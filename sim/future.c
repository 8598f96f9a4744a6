// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/future.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/slot_map.h"

struct future {
	uint64_t nr, cap;
	uint32_t *narrow; /* of both, one is there; the largest number is FUTURE_NEVER */
	uint64_t *wide;
	struct slot_map last; /* the page that is in a slot, by its number */
};

int future_create(uint64_t nr_events, uint64_t nr_stored_pages, struct future **out)
{
	struct future *future = calloc(1, sizeof(*future));

	if (!future)
		return -ENOMEM;
	slot_map_init(&future->last);
	future->cap = nr_stored_pages;
	if (nr_events < UINT32_MAX)
		future->narrow = calloc(nr_stored_pages + 1, sizeof(*future->narrow));
	else
		future->wide = calloc(nr_stored_pages + 1, sizeof(*future->wide));
	if (!future->narrow && !future->wide) {
		free(future);
		return -ENOMEM;
	}
	*out = future;
	return 0;
}

void future_destroy(struct future *future)
{
	if (!future)
		return;
	slot_map_finish(&future->last);
	free(future->narrow);
	free(future->wide);
	free(future);
}

static void set(struct future *future, uint64_t ordinal, uint64_t event)
{
	if (future->narrow)
		future->narrow[ordinal] = event;
	else
		future->wide[ordinal] = event;
}

int future_store(struct future *future, uint64_t slot)
{
	if (future->nr == future->cap)
		return -EINVAL;
	set(future, future->nr, FUTURE_NEVER);
	return slot_map_set(&future->last, slot, future->nr++);
}

void future_load(struct future *future, uint64_t slot, uint64_t event)
{
	const uint64_t *ordinal = slot_map_find(&future->last, slot);

	if (!ordinal)
		return;
	set(future, *ordinal, event);
	slot_map_erase(&future->last, slot);
}

void future_free(struct future *future, uint64_t slot)
{
	slot_map_erase(&future->last, slot);
}

void future_finish(struct future *future)
{
	slot_map_finish(&future->last);
}

uint64_t future_next_use(const struct future *future, uint64_t ordinal)
{
	if (ordinal >= future->nr)
		return FUTURE_NEVER;
	if (future->wide)
		return future->wide[ordinal];
	return future->narrow[ordinal] == UINT32_MAX ? FUTURE_NEVER : future->narrow[ordinal];
}

uint64_t future_bytes(const struct future *future)
{
	return future->cap * (future->narrow ? sizeof(*future->narrow) : sizeof(*future->wide));
}
