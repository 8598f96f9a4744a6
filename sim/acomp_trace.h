/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watching one acomp request: an observer that the request carries is told of every call that the
 * driver makes to the walk and to the codec, as it is made. From their order follows which steps of
 * the driver's state machine were taken (kernel-spec B.3, B.4). A request without an observer pays
 * for a test of a pointer.
 */
#ifndef SIM_ACOMP_TRACE_H
#define SIM_ACOMP_TRACE_H

#include "sim/acomp.h"

enum acomp_event_kind {
	ACOMP_EVENT_LOCK, /* the stream of the current CPU, taken and given back */
	ACOMP_EVENT_UNLOCK,
	ACOMP_EVENT_SET_UP, /* acomp_walk_virt() */
	ACOMP_EVENT_NEXT_SRC,
	ACOMP_EVENT_NEXT_DST,
	ACOMP_EVENT_DONE_SRC,
	ACOMP_EVENT_DONE_DST,
	ACOMP_EVENT_CALL,    /* of a kernel function of the codec */
	ACOMP_EVENT_RESTART, /* a context that is kept was made ready */
	ACOMP_EVENT_COPY,    /* a side was linearised, or copied back (scomp) */
	ACOMP_NR_EVENTS,
};

/* Only what belongs to the kind is set. */
struct acomp_event {
	enum acomp_event_kind kind;
	int ret;		       /* SET_UP */
	const struct acomp_walk *walk; /* SET_UP, NEXT: after it; DONE: before it */
	unsigned bytes;		       /* NEXT: of the fragment; DONE: used; COPY */
	unsigned left;		       /* NEXT, DONE: of the side, before it */
	enum acomp_call call;	       /* CALL, RESTART (of the init that it replaces) */
	bool builds;		       /* CALL of an init: the library builds a context */
	size_t in_bytes, out_bytes;    /* CALL: of source taken, of output written */
	size_t result; /* CALL: what the codec returned; of an init 1, or 0 (NULL) */
};

struct acomp_trace {
	void (*observe)(struct acomp_trace *trace, const struct acomp_event *event);
};

static inline void acomp_observe(struct acomp_trace *trace, const struct acomp_event *event)
{
	trace->observe(trace, event);
}

/* acomp_trace_event(trace, .kind = ..., ...); @trace may be NULL: nothing is evaluated. */
#define acomp_trace_event(trace, ...)                                                              \
	do {                                                                                       \
		if (__builtin_expect((trace) != NULL, 0))                                          \
			acomp_observe(trace, &(const struct acomp_event){__VA_ARGS__});            \
	} while (0)

#endif
