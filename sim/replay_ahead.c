// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the next events will touch is asked for while the events before them run: memory is what a
 * replay without contents waits for. Nothing here changes anything, and an event that is not valid
 * is found out when its turn comes.
 *
 * What a load needs is found step by step, each at the end of the step before it: the slot's record
 * and the leaf of the tree, the entry, what the entry points to, and what lies behind that.
 */
#include "sim/replay_private.h"

/* How many events ahead each step is taken. */
#define FIRST_STEP  24u
#define SECOND_STEP 18u
#define THIRD_STEP  12u
#define FOURTH_STEP 6u

static bool is_plain(const struct trace_event *ev)
{
	return ev->order == 0 && ev->swap_type < ZSWAP_MAX_SWAP_TYPES &&
	       ev->offset < TRACE_MAX_OFFSET;
}

static void first_step(struct replay *r, uint64_t i)
{
	struct trace_event ev;
	swp_entry_t *swap = &r->ahead[i % REPLAY_AHEAD];

	swap->type = REPLAY_AHEAD_NONE;
	if (i >= r->info->nr_events)
		return;
	trace_reader_peek(r->reader, i, &ev);
	if (!is_plain(&ev))
		return;
	switch (ev.type) {
	case TRACE_STORE:
		if (ev.arg < r->info->nr_pages)
			__builtin_prefetch(&r->config->lengths->values[ev.arg]);
		break;
	case TRACE_LOAD:
	case TRACE_INVALIDATE:
		*swap = (swp_entry_t){ev.swap_type, ev.offset};
		break;
	default:
		return;
	}
	swap_slot_prefetch(r->io, (swp_entry_t){ev.swap_type, ev.offset});
}

static void next_step(struct replay *r, uint64_t i, enum zswap_prefetch step)
{
	swp_entry_t swap = r->ahead[i % REPLAY_AHEAD];

	if (swap.type != REPLAY_AHEAD_NONE)
		zswap_prefetch(r->z, swap, step);
}

void replay_look_ahead(struct replay *r, uint64_t i)
{
	first_step(r, i + FIRST_STEP);
	next_step(r, i + SECOND_STEP, ZSWAP_PREFETCH_ENTRY);
	next_step(r, i + THIRD_STEP, ZSWAP_PREFETCH_OBJECT);
	next_step(r, i + FOURTH_STEP, ZSWAP_PREFETCH_REST);
}

void replay_look_ahead_begin(struct replay *r)
{
	for (unsigned i = 0; i < REPLAY_AHEAD; i++)
		r->ahead[i].type = REPLAY_AHEAD_NONE;
}
