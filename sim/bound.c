// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/bound_areas.h"
#include "sim/future.h"
#include "sim/policy_trace.h"
#include "sim/slot_map.h"

#define MAX_SIZE 4096u

/* Pages that are of use now and were not counted at a moment yet, by size: two Fenwick trees. */
struct crowd {
	uint64_t nr, bytes;
	uint64_t nr_by_size[MAX_SIZE + 1], bytes_by_size[MAX_SIZE + 1];
	uint64_t since;	  /* stores before this one have been counted */
	uint64_t worst;	  /* how many did not fit, at the worst moment since then */
	uint64_t counted; /* at the moments before */
};

/* A page that is of use while it is in its slot. */
struct useful {
	uint64_t congested; /* events before it was stored */
	uint64_t stored;    /* its number among all of these */
	uint32_t size;
	uint32_t next_free;
};

struct bound {
	uint64_t capacity, demand; /* demand: bytes that are of use now */
	uint64_t first, last;	   /* events */
	uint64_t congested;	   /* events after which demand was above capacity */
	bool begun;
	uint64_t forced, nr_stored;
	struct areas whole, in_congestion;
	struct crowd crowd;
	struct slot_map slots; /* index of struct useful */
	struct useful *useful;
	uint32_t nr_useful, cap_useful, first_free; /* index + 1 */
};

int bound_create(uint64_t capacity, struct bound **out)
{
	struct bound *bound = calloc(1, sizeof(*bound));

	if (!bound)
		return -ENOMEM;
	bound->capacity = capacity;
	slot_map_init(&bound->slots);
	*out = bound;
	return 0;
}

void bound_destroy(struct bound *bound)
{
	if (!bound)
		return;
	areas_finish(&bound->whole);
	areas_finish(&bound->in_congestion);
	slot_map_finish(&bound->slots);
	free(bound->useful);
	free(bound);
}

/* ---- moments ---- */

static void crowd_change(struct crowd *crowd, uint32_t size, int sign)
{
	crowd->nr += sign;
	crowd->bytes += (int64_t)sign * size;
	for (uint32_t i = size; i <= MAX_SIZE; i += i & -i) {
		crowd->nr_by_size[i] += sign;
		crowd->bytes_by_size[i] += (int64_t)sign * size;
	}
}

/* How many fit into @capacity, the smallest first. */
static uint64_t crowd_fit(const struct crowd *crowd, uint64_t capacity)
{
	uint64_t nr = 0, bytes = 0;
	uint32_t size = 0; /* all up to it fit */

	if (crowd->bytes <= capacity)
		return crowd->nr;
	for (uint32_t step = MAX_SIZE; step; step /= 2) {
		if (size + step > MAX_SIZE || bytes + crowd->bytes_by_size[size + step] > capacity)
			continue;
		size += step;
		nr += crowd->nr_by_size[size];
		bytes += crowd->bytes_by_size[size];
	}
	/* Of the next size there are some, and not all fit. */
	return nr + (capacity - bytes) / (size + 1);
}

/* When all fit again, the worst moment since is written down, and the next ones are others'. */
static void crowd_count(struct bound *bound)
{
	struct crowd *crowd = &bound->crowd;
	uint64_t too_many = crowd->nr - crowd_fit(crowd, bound->capacity);

	if (too_many > crowd->worst)
		crowd->worst = too_many;
	if (too_many || !crowd->worst)
		return;
	*crowd =
		(struct crowd){.since = bound->nr_stored, .counted = crowd->counted + crowd->worst};
}

/* ---- events ---- */

static void pass_time(struct bound *bound, uint64_t now)
{
	if (!bound->begun)
		bound->first = now;
	else if (bound->demand > bound->capacity)
		bound->congested += now - bound->last;
	bound->begun = true;
	bound->last = now;
}

static struct useful *take_useful(struct bound *bound)
{
	uint32_t index = bound->first_free;

	if (index) {
		bound->first_free = bound->useful[index - 1].next_free;
		return &bound->useful[index - 1];
	}
	if (bound->nr_useful == bound->cap_useful) {
		uint32_t cap = bound->cap_useful ? bound->cap_useful * 2 : 256;
		struct useful *useful = realloc(bound->useful, cap * sizeof(*useful));

		if (!useful)
			return NULL;
		bound->useful = useful;
		bound->cap_useful = cap;
	}
	return &bound->useful[bound->nr_useful++];
}

/* @slot is loaded, if anything of use is in it. */
static int leave(struct bound *bound, uint64_t slot)
{
	const uint64_t *index = slot_map_find(&bound->slots, slot);
	struct useful *useful;
	int ret;

	if (!index)
		return 0;
	useful = &bound->useful[*index];
	bound->demand -= useful->size;
	ret = areas_add(&bound->in_congestion,
			useful->size * (bound->congested - useful->congested));
	if (useful->stored >= bound->crowd.since) {
		crowd_change(&bound->crowd, useful->size, -1);
		crowd_count(bound);
	}
	useful->next_free = bound->first_free;
	bound->first_free = *index + 1;
	slot_map_erase(&bound->slots, slot);
	return ret;
}

static int enter(struct bound *bound, const struct policy_event *ev)
{
	struct useful *useful = take_useful(bound);

	if (!useful)
		return -ENOMEM;
	*useful = (struct useful){
		.congested = bound->congested, .stored = bound->nr_stored++, .size = ev->size};
	bound->demand += ev->size;
	crowd_change(&bound->crowd, ev->size, 1);
	crowd_count(bound);
	return slot_map_set(&bound->slots, ev->slot, useful - bound->useful);
}

int bound_event(struct bound *bound, const struct policy_event *ev, uint64_t next_use)
{
	int ret;

	pass_time(bound, ev->number);
	ret = leave(bound, ev->slot);
	if (ret || ev->type != POLICY_STORE || next_use == FUTURE_NEVER || ev->class == POLICY_ZERO)
		return ret;
	if (ev->class == POLICY_REFUSED || ev->size > bound->capacity) {
		bound->forced += !ev->keeps_stale;
		return 0;
	}
	ret = areas_add(&bound->whole, ev->size * (next_use - ev->number));
	return ret ? ret : enter(bound, ev);
}

void bound_result(const struct bound *bound, struct bound_result *result)
{
	area_t whole = (area_t)bound->capacity * (bound->last - bound->first);
	area_t congested = (area_t)bound->capacity * bound->congested;
	uint64_t most;

	*result = (struct bound_result){
		.forced_reads = bound->forced,
		.intervals = bound->whole.nr,
		.pfoo_l_reads = bound->whole.nr - areas_fit(&bound->whole, whole),
		.congested_reads =
			bound->in_congestion.nr - areas_fit(&bound->in_congestion, congested),
		.moment_reads = bound->crowd.counted + bound->crowd.worst,
	};
	most = result->pfoo_l_reads;
	if (result->congested_reads > most)
		most = result->congested_reads;
	if (result->moment_reads > most)
		most = result->moment_reads;
	result->reads = result->forced_reads + most;
}
