// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the next events will touch is asked for while the events before them run: memory is what a
 * replay without contents waits for. Nothing here changes anything, and an event that is not valid
 * is found out when its turn comes.
 *
 * What a load needs is found step by step, each at the end of the step before it: the slot's record
 * and the leaf of the tree, the entry, what the entry points to, and what lies behind that.
 */
#include <string.h>

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
	struct replay_ahead *a = &r->ahead[i % REPLAY_AHEAD];
	struct trace_event ev;

	a->is_read = false;
	a->entry = 0;
	if (i >= r->info->nr_events)
		return;
	trace_reader_peek(r->reader, i, &ev);
	if (!is_plain(&ev))
		return;
	if (ev.type == TRACE_STORE && ev.arg < r->info->nr_pages)
		__builtin_prefetch(&r->config->lengths->values[ev.arg]);
	else if (ev.type == TRACE_LOAD || ev.type == TRACE_INVALIDATE)
		a->is_read = true;
	else if (ev.type != TRACE_STORE)
		return;
	a->swap = (swp_entry_t){ev.swap_type, ev.offset};
	swap_slot_prefetch(r->io, a->swap);
}

static void second_step(struct replay *r, uint64_t i)
{
	struct replay_ahead *a = &r->ahead[i % REPLAY_AHEAD];

	if (a->is_read)
		a->entry = zswap_prefetch_entry(r->z, a->swap);
}

static void next_step(struct replay *r, uint64_t i, bool last)
{
	const struct replay_ahead *a = &r->ahead[i % REPLAY_AHEAD];

	if (a->entry)
		zswap_prefetch_object(r->z, a->entry, last);
}

void replay_look_ahead(struct replay *r, uint64_t i)
{
	first_step(r, i + FIRST_STEP);
	second_step(r, i + SECOND_STEP);
	next_step(r, i + THIRD_STEP, false);
	next_step(r, i + FOURTH_STEP, true);
}

void replay_look_ahead_begin(struct replay *r)
{
	memset(r->ahead, 0, sizeof(r->ahead));
}
