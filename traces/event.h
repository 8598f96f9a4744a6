/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes an event valid, the same for reader and writer, and its form in the file. */
#ifndef TRACES_EVENT_H
#define TRACES_EVENT_H

#include "traces/format.h"
#include "traces/layout.h"

/* What exists in a trace: an event may name nothing else. */
struct trace_bounds {
	uint64_t nr_pages;
	uint64_t nr_list_ids;
	uint32_t nr_memcgs;
	uint32_t nr_cpus;
	uint32_t nr_swap_types;
	uint32_t nr_marks;
};

#define TRACE_CAUSE_BYTES 160

/* No number of a trace, but TRACE_NO_LIMIT, needs the sign bit: JSON has it exactly. */
#define TRACE_MAX_NUMBER ((uint64_t)INT64_MAX)

/* Whether @bytes may be a zswap.max. */
static inline bool trace_limit_valid(uint64_t bytes)
{
	return bytes <= TRACE_MAX_NUMBER || bytes == TRACE_NO_LIMIT;
}

/*
 * Checks @ev, but for the page ids of a folio. @not_before is the time of the event before it, in
 * ns. Returns -EINVAL and the cause in words.
 */
int trace_event_check(const struct trace_event *ev, const struct trace_bounds *bounds,
		      uint64_t not_before, char cause[static TRACE_CAUSE_BYTES]);

/* Whether @ev is a valid event of one page: most are, and no more has to be asked then. */
static inline bool trace_event_is_plain(const struct trace_event *ev,
					const struct trace_bounds *bounds, uint64_t not_before)
{
	uint64_t args = ev->type == TRACE_STORE ? bounds->nr_pages : 1;

	return ev->type >= TRACE_STORE && ev->type <= TRACE_INVALIDATE && ev->order == 0 &&
	       ev->what == 0 && ev->arg < args && ev->offset < TRACE_MAX_OFFSET &&
	       ev->swap_type < bounds->nr_swap_types && ev->cpu < bounds->nr_cpus &&
	       ev->memcg < bounds->nr_memcgs && ev->time_ns >= not_before &&
	       ev->time_ns <= TRACE_MAX_NUMBER;
}

/* "STORE"; NULL if there is no such type. */
const char *trace_event_type_name(unsigned type);
/* "online"; NULL if there is no such operation. */
const char *trace_memcg_op_name(unsigned op);

static inline void trace_event_decode(const struct zswt_event *in, struct trace_event *ev)
{
	ev->time_ns = le64toh(in->time_ns);
	ev->type = in->type;
	ev->order = in->order;
	ev->swap_type = in->swap_type;
	ev->what = in->what;
	ev->cpu = le16toh(in->cpu);
	ev->memcg = le16toh(in->memcg);
	ev->offset = le64toh(in->offset);
	ev->arg = le64toh(in->arg);
}

static inline void trace_event_encode(const struct trace_event *ev, struct zswt_event *out)
{
	out->time_ns = htole64(ev->time_ns);
	out->type = ev->type;
	out->order = ev->order;
	out->swap_type = ev->swap_type;
	out->what = ev->what;
	out->cpu = htole16(ev->cpu);
	out->memcg = htole16(ev->memcg);
	out->offset = htole64(ev->offset);
	out->arg = htole64(ev->arg);
}

#endif
