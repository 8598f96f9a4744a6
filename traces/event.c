// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const type_names[TRACE_EVENT_TYPES] = {
	[TRACE_STORE] = "STORE",       [TRACE_LOAD] = "LOAD",	[TRACE_INVALIDATE] = "INVALIDATE",
	[TRACE_PRESSURE] = "PRESSURE", [TRACE_MEMCG] = "MEMCG", [TRACE_MARK] = "MARK",
};

static const char *const op_names[TRACE_MEMCG_OPS] = {
	[TRACE_MEMCG_ONLINE] = "online",
	[TRACE_MEMCG_OFFLINE] = "offline",
	[TRACE_MEMCG_ZSWAP_MAX] = "zswap.max",
	[TRACE_MEMCG_ZSWAP_WRITEBACK] = "zswap.writeback",
};

const char *trace_event_type_name(unsigned type)
{
	return type < TRACE_EVENT_TYPES ? type_names[type] : NULL;
}

const char *trace_memcg_op_name(unsigned op)
{
	return op < TRACE_MEMCG_OPS ? op_names[op] : NULL;
}

__attribute__((cold, format(printf, 2, 3))) static int invalid(char *cause, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(cause, TRACE_CAUSE_BYTES, fmt, args);
	va_end(args);
	return -EINVAL;
}

static int check_slots(const struct trace_event *ev, const struct trace_bounds *b, char *cause)
{
	uint64_t nr;

	if (ev->order > TRACE_MAX_ORDER)
		return invalid(cause, "order %u is above %u", ev->order, TRACE_MAX_ORDER);
	nr = 1ull << ev->order;
	if (ev->swap_type >= b->nr_swap_types)
		return invalid(cause, "swap type %u does not exist (there are %" PRIu32 ")",
			       ev->swap_type, b->nr_swap_types);
	if (ev->offset & (nr - 1))
		return invalid(cause, "swap offset %" PRIu64 " is not a multiple of %" PRIu64,
			       ev->offset, nr);
	if (ev->offset > TRACE_MAX_OFFSET - nr)
		return invalid(cause, "swap offset %" PRIu64 " is too large", ev->offset);
	if (ev->what)
		return invalid(cause, "operation %u in an event that has none", ev->what);
	if (ev->type != TRACE_STORE) {
		if (ev->arg)
			return invalid(cause, "argument %" PRIu64 " in an event that has none",
				       ev->arg);
		return 0;
	}
	if (ev->order == 0) {
		if (ev->arg >= b->nr_pages)
			return invalid(cause,
				       "page %" PRIu64 " does not exist (there are %" PRIu64 ")",
				       ev->arg, b->nr_pages);
	} else if (ev->arg > b->nr_list_ids || nr > b->nr_list_ids - ev->arg) {
		return invalid(cause,
			       "%" PRIu64 " page ids at %" PRIu64
			       " are outside the page lists (%" PRIu64 " ids)",
			       nr, ev->arg, b->nr_list_ids);
	}
	return 0;
}

static int check_memcg(const struct trace_event *ev, char *cause)
{
	switch (ev->what) {
	case TRACE_MEMCG_ONLINE:
	case TRACE_MEMCG_OFFLINE:
		if (ev->arg)
			return invalid(cause, "argument %" PRIu64 " in an event that has none",
				       ev->arg);
		break;
	case TRACE_MEMCG_ZSWAP_MAX:
		if (!trace_limit_valid(ev->arg))
			return invalid(cause, "argument %" PRIu64 " is too large", ev->arg);
		break;
	case TRACE_MEMCG_ZSWAP_WRITEBACK:
		if (ev->arg > 1)
			return invalid(cause, "zswap.writeback is 0 or 1, not %" PRIu64, ev->arg);
		return 0; /* the only one of these that the root has, too */
	default:
		return invalid(cause, "memcg operation %u does not exist", ev->what);
	}
	if (ev->memcg == 0)
		return invalid(cause, "the root memcg has no %s", op_names[ev->what]);
	return 0;
}

int trace_event_check(const struct trace_event *ev, const struct trace_bounds *b,
		      uint64_t not_before, char cause[static TRACE_CAUSE_BYTES])
{
	if (ev->time_ns < not_before)
		return invalid(cause, "time goes back from %" PRIu64 " to %" PRIu64 " ns",
			       not_before, ev->time_ns);
	if (ev->time_ns > TRACE_MAX_NUMBER)
		return invalid(cause, "time %" PRIu64 " ns is too large", ev->time_ns);
	if (ev->cpu >= b->nr_cpus)
		return invalid(cause, "CPU %u does not exist (there are %" PRIu32 ")", ev->cpu,
			       b->nr_cpus);
	if (ev->memcg >= b->nr_memcgs)
		return invalid(cause, "memcg %u does not exist (there are %" PRIu32 ")", ev->memcg,
			       b->nr_memcgs);
	switch (ev->type) {
	case TRACE_STORE:
	case TRACE_LOAD:
	case TRACE_INVALIDATE:
		return check_slots(ev, b, cause);
	case TRACE_PRESSURE:
	case TRACE_MEMCG:
	case TRACE_MARK:
		break;
	default:
		return invalid(cause, "event type %u does not exist", ev->type);
	}
	if (ev->offset || ev->swap_type || ev->order)
		return invalid(cause, "swap slots in an event that has none");
	if (ev->type == TRACE_MEMCG)
		return check_memcg(ev, cause);
	if (ev->what)
		return invalid(cause, "operation %u in an event that has none", ev->what);
	if (ev->arg > TRACE_MAX_NUMBER)
		return invalid(cause, "argument %" PRIu64 " is too large", ev->arg);
	if (ev->type == TRACE_MARK && ev->arg >= b->nr_marks)
		return invalid(cause, "mark %" PRIu64 " does not exist (there are %" PRIu32 ")",
			       ev->arg, b->nr_marks);
	return 0;
}
