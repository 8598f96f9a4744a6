// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/future.h"
#include "sim/policy_trace.h"
#include "sim/slot_map.h"

/*
 * Areas of intervals, below 2^52 (4096 bytes for 2^40 events), are kept in buckets, SUBS to an
 * octave: one for each number below SUBS, from there on SUBS to a power of two.
 */
#define SUB_BITS   10
#define SUBS	   (1u << SUB_BITS)
#define AREA_BITS  52
#define NR_OCTAVES (AREA_BITS - SUB_BITS + 1)

__extension__ typedef unsigned __int128 area_t;

struct bucket {
	uint64_t nr, least; /* intervals; the smallest of them */
	area_t sum;
};

struct bound {
	uint64_t capacity, demand; /* demand: bytes that are of use now */
	uint64_t first, last;	   /* events */
	bool begun;
	area_t area; /* of the pool, where there is something to keep */
	uint64_t forced, intervals;
	struct slot_map useful;		   /* size of the page that is in a slot, if it is of use */
	struct bucket *octave[NR_OCTAVES]; /* [SUBS]; NULL: nothing in it */
};

int bound_create(uint64_t capacity, struct bound **out)
{
	struct bound *bound = calloc(1, sizeof(*bound));

	if (!bound)
		return -ENOMEM;
	bound->capacity = capacity;
	slot_map_init(&bound->useful);
	*out = bound;
	return 0;
}

void bound_destroy(struct bound *bound)
{
	if (!bound)
		return;
	slot_map_finish(&bound->useful);
	for (unsigned i = 0; i < NR_OCTAVES; i++)
		free(bound->octave[i]);
	free(bound);
}

static int add_interval(struct bound *bound, uint64_t area)
{
	unsigned shift = area < SUBS ? 0 : 63 - __builtin_clzll(area) - SUB_BITS;
	unsigned octave = area < SUBS ? 0 : shift + 1;
	struct bucket *bucket;

	if (octave >= NR_OCTAVES)
		return -EOVERFLOW;
	if (!bound->octave[octave])
		bound->octave[octave] = calloc(SUBS, sizeof(struct bucket));
	if (!bound->octave[octave])
		return -ENOMEM;
	bucket = &bound->octave[octave][(area >> shift) % SUBS];
	if (!bucket->nr || area < bucket->least)
		bucket->least = area;
	bucket->nr++;
	bucket->sum += area;
	bound->intervals++;
	return 0;
}

/* What is kept after one event takes its place until the next. */
static void pass_time(struct bound *bound, uint64_t now)
{
	uint64_t kept = bound->demand < bound->capacity ? bound->demand : bound->capacity;

	if (!bound->begun)
		bound->first = now;
	else
		bound->area += (area_t)kept * (now - bound->last);
	bound->begun = true;
	bound->last = now;
}

static void leaves(struct bound *bound, uint64_t slot)
{
	const uint64_t *size = slot_map_find(&bound->useful, slot);

	if (!size)
		return;
	bound->demand -= *size;
	slot_map_erase(&bound->useful, slot);
}

int bound_event(struct bound *bound, const struct policy_event *ev, uint64_t next_use)
{
	int ret;

	pass_time(bound, ev->number);
	leaves(bound, ev->slot);
	if (ev->type != POLICY_STORE || next_use == FUTURE_NEVER || ev->class == POLICY_ZERO)
		return 0;
	if (ev->class == POLICY_REFUSED || ev->size > bound->capacity) {
		bound->forced += !ev->keeps_stale;
		return 0;
	}
	ret = add_interval(bound, ev->size * (next_use - ev->number));
	if (ret)
		return ret;
	bound->demand += ev->size;
	return slot_map_set(&bound->useful, ev->slot, ev->size);
}

static uint64_t most_hits(const struct bound *bound, area_t area)
{
	uint64_t hits = 0;

	for (unsigned i = 0; i < NR_OCTAVES * SUBS; i++) {
		const struct bucket *b;

		if (!bound->octave[i / SUBS])
			continue;
		b = &bound->octave[i / SUBS][i % SUBS];
		if (b->sum > area) {
			uint64_t more = area / b->least;

			return hits + (more < b->nr ? more : b->nr);
		}
		area -= b->sum;
		hits += b->nr;
	}
	return hits;
}

void bound_result(const struct bound *bound, struct bound_result *result)
{
	uint64_t events = bound->begun ? bound->last - bound->first : 0;

	result->forced_reads = bound->forced;
	result->intervals = bound->intervals;
	result->max_hits = most_hits(bound, bound->area);
	result->reads = bound->forced + bound->intervals - result->max_hits;
	result->pfoo_l_reads = bound->forced + bound->intervals -
			       most_hits(bound, (area_t)bound->capacity * events);
}
