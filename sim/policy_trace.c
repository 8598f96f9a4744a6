// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/future.h"
#include "sim/page.h"
#include "sim/slot_map.h"
#include "sim/zbud.h"
#include "sim/zswap.h"
#include "traces/error.h"

struct walk {
	const struct policy_trace *trace;
	policy_event_fn fn;
	void *arg;
	uint64_t ordinal;
	bool has_stale;	       /* the profile turns large folios back */
	struct slot_map stale; /* then: slots that zswap may have a page of, enum stale */
	uint32_t ids[1u << TRACE_MAX_ORDER];
	int lengths[1u << TRACE_MAX_ORDER];
};

/* A page that is stored as it is where the kernel does that; else its length, or 0: refused. */
static uint32_t size_of(const struct profile *p, int length)
{
	unsigned dlen = length < 0 ? 0 : length;

	if (zswap_page_is_incompressible(p, length < 0 ? length : 0, dlen)) {
		if (!zswap_stores_raw(p, true))
			return 0;
		dlen = PAGE_SIZE;
	}
	if (p->pool.allocator == POOL_ALLOCATOR_ZBUD && dlen > ZBUD_MAX_SIZE)
		return 0;
	return dlen;
}

/* What becomes of the folio whose lengths are at hand: all its pages go the same way. */
static enum policy_class class_of(struct walk *w, unsigned nr)
{
	const struct profile *p = w->trace->profile;
	bool zero = true;

	for (unsigned i = 0; i < nr; i++)
		zero &= !w->lengths[i];
	if (zero)
		return POLICY_ZERO;
	if (nr > 1 && !p->zswap.large_folios)
		return POLICY_REFUSED;
	for (unsigned i = 0; i < nr; i++) {
		if (!w->lengths[i])
			w->lengths[i] = w->trace->zeros_length;
		w->lengths[i] = size_of(p, w->lengths[i]);
		if (!w->lengths[i])
			return POLICY_REFUSED;
	}
	return POLICY_POOL;
}

/* What zswap may have of a slot, where large folios are turned back without a look at it. */
enum stale { STALE, STALE_BEHIND_ZEROS };

static int note_stale(struct walk *w, struct policy_event *ev)
{
	uint64_t *stale;

	if (!w->has_stale)
		return 0;
	stale = slot_map_find(&w->stale, ev->slot);
	if (ev->type == POLICY_STORE && ev->class == POLICY_POOL)
		return slot_map_set(&w->stale, ev->slot, STALE);
	if (ev->type == POLICY_STORE && ev->class == POLICY_REFUSED && ev->order) {
		ev->keeps_stale = stale;
		return 0;
	}
	/* Zeros are marked elsewhere, and loaded from there: what zswap has, it keeps. */
	if (stale && ev->type == POLICY_STORE && ev->class == POLICY_ZERO)
		*stale = STALE_BEHIND_ZEROS;
	else if (stale && (ev->type != POLICY_LOAD || *stale == STALE))
		slot_map_erase(&w->stale, ev->slot);
	return 0;
}

static int walk_store(struct walk *w, const struct trace_event *ev, struct policy_event *out,
		      struct trace_error *err)
{
	unsigned nr = 1u << ev->order;
	int ret = trace_reader_store_pages(w->trace->reader, ev, w->ids, err);

	if (ret)
		return ret;
	for (unsigned i = 0; i < nr; i++)
		w->lengths[i] = w->trace->length(w->trace->length_arg, w->ids[i]);
	out->class = class_of(w, nr);
	for (unsigned i = 0; !ret && i < nr; i++) {
		out->slot = slot_key(ev->swap_type, ev->offset + i);
		out->ordinal = w->ordinal++;
		out->size = out->class == POLICY_POOL ? w->lengths[i] : 0;
		ret = note_stale(w, out);
		if (!ret)
			ret = w->fn(w->arg, out);
	}
	return ret;
}

static int walk_event(struct walk *w, uint64_t number, const struct trace_event *ev,
		      struct trace_error *err)
{
	struct policy_event out = {
		.number = number, .time_ns = ev->time_ns, .memcg = ev->memcg, .order = ev->order};
	int ret = 0;

	switch (ev->type) {
	case TRACE_STORE:
		out.type = POLICY_STORE;
		return walk_store(w, ev, &out, err);
	case TRACE_LOAD:
		if (ev->order)
			return 0;
		out.type = POLICY_LOAD;
		out.slot = slot_key(ev->swap_type, ev->offset);
		note_stale(w, &out);
		return w->fn(w->arg, &out);
	case TRACE_INVALIDATE:
		out.type = POLICY_FREE;
		for (unsigned i = 0; !ret && i < 1u << ev->order; i++) {
			out.slot = slot_key(ev->swap_type, ev->offset + i);
			note_stale(w, &out);
			ret = w->fn(w->arg, &out);
		}
		return ret;
	}
	return 0;
}

int policy_trace_walk(const struct policy_trace *trace, policy_event_fn fn, void *arg,
		      struct trace_error *err)
{
	uint64_t nr = trace_reader_info(trace->reader)->nr_events;
	struct walk *w = malloc(sizeof(*w));
	int ret = 0;

	if (!w)
		return trace_fail(err, trace_reader_path(trace->reader), TRACE_NO_OFFSET, -ENOMEM,
				  "out of memory");
	w->trace = trace;
	w->fn = fn;
	w->arg = arg;
	w->ordinal = 0;
	w->has_stale = !trace->profile->zswap.large_folios;
	slot_map_init(&w->stale);
	for (uint64_t i = 0; !ret && i < nr; i++) {
		struct trace_event ev;

		ret = trace_reader_event(trace->reader, i, &ev, err);
		if (!ret)
			ret = walk_event(w, i, &ev, err);
	}
	slot_map_finish(&w->stale);
	free(w);
	return ret;
}

/* ---- the future ---- */

static int note(void *arg, const struct policy_event *ev)
{
	struct future *future = arg;

	switch (ev->type) {
	case POLICY_STORE:
		return future_store(future, ev->slot);
	case POLICY_LOAD:
		future_load(future, ev->slot, ev->number);
		return 0;
	case POLICY_FREE:
		future_free(future, ev->slot);
		return 0;
	}
	return 0;
}

static int no_length(void *arg, uint32_t id)
{
	return PAGE_SIZE;
}

int policy_trace_future(const struct policy_trace *trace, struct future **out,
			struct trace_error *err)
{
	const struct trace_info *info = trace_reader_info(trace->reader);
	struct policy_trace walk = *trace;
	struct trace_error walk_err = {0};
	/* The header says how many; it is not believed beyond what the events can hold. */
	uint64_t most = info->nr_type[TRACE_STORE] << TRACE_MAX_ORDER;
	int ret = future_create(info->nr_events,
				info->nr_stored_pages < most ? info->nr_stored_pages : most, out);

	/* Nothing of it depends on lengths. */
	walk.length = no_length;
	if (!ret)
		ret = policy_trace_walk(&walk, note, *out, &walk_err);
	if (!ret) {
		future_finish(*out);
		return 0;
	}
	if (walk_err.message[0])
		*err = walk_err;
	else
		trace_fail(err, trace_reader_path(trace->reader), TRACE_NO_OFFSET, ret, "%s",
			   ret == -ENOMEM ? "out of memory" : "it stores more pages than it says");
	return ret;
}
