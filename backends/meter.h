/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of a request goes, which of the kernel's functions it calls, and who watches. The
 * clock is read when the counter that is charged changes, not at every call.
 */
#ifndef BACKENDS_METER_H
#define BACKENDS_METER_H

#include "sim/acomp_trace.h"

struct meter {
	const struct kernel *k;
	struct acomp_cost *cost;
	uint64_t *charged;	   /* counter that time since @since belongs to; NULL: none yet */
	uint64_t since;		   /* ns */
	struct acomp_trace *trace; /* who watches the calls; NULL: nobody */
};

static inline void meter_start(struct meter *m, const struct kernel *k, struct acomp_cost *cost)
{
	m->k = k;
	m->cost = cost;
	m->charged = NULL;
	m->since = 0;
	m->trace = NULL;
}

/* From here on time belongs to @counter (of m->cost); NULL: to none, the request is done. */
static inline void meter_charge(struct meter *m, uint64_t *counter)
{
	uint64_t now;

	if (counter == m->charged)
		return;
	now = kernel_now(m->k);
	if (m->charged)
		*m->charged += now - m->since;
	m->charged = counter;
	m->since = now;
}

/* A call of the codec begins: it is counted, and its time is codec_ns. */
static inline void meter_begin(struct meter *m, enum acomp_call call)
{
	meter_charge(m, &m->cost->codec_ns);
	m->cost->calls[call]++;
}

/* It has ended. @in, @out: bytes taken and written. */
static inline void meter_end(struct meter *m, enum acomp_call call, size_t in, size_t out)
{
	acomp_trace_event(m->trace, .kind = ACOMP_EVENT_CALL, .call = call, .in_bytes = in,
			  .out_bytes = out, .result = out);
}

#endif
