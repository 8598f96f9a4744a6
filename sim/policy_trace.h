/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as a policy's objective sees it: pages that are stored, loaded and freed, one by one,
 * with what the kernel would make of each whatever the policy is.
 *
 * Loads of large folios are left out: no kernel here reads one from zswap (zswap.load_large), and
 * the pages stay where they are.
 */
#ifndef SIM_POLICY_TRACE_H
#define SIM_POLICY_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/profile.h"
#include "traces/reader.h"

struct future;

enum policy_event_type { POLICY_STORE, POLICY_LOAD, POLICY_FREE };

/* Of a page that is stored. */
enum policy_class {
	POLICY_POOL,	/* it is the policy's to decide */
	POLICY_ZERO,	/* the folio is all zeros, and never reaches zswap */
	POLICY_REFUSED, /* not compressible enough, or a large folio: no kernel of this profile has
			   it */
};

struct policy_event {
	enum policy_event_type type;
	enum policy_class class; /* POLICY_STORE; so the next ones but slot */
	uint64_t number, time_ns;
	uint64_t slot;
	uint64_t ordinal; /* among all pages that are stored, from 0 */
	uint32_t size;	  /* bytes in the pool; POLICY_POOL */
	uint32_t memcg;	  /* index in the trace's table; also of a load */
	uint8_t order;
	/*
	 * POLICY_REFUSED: the kernel of this profile turns the folio back without looking at its
	 * slots (a large one, 6.12), and zswap may still have this one's earlier page: nothing
	 * certain can be said of the next load.
	 */
	bool keeps_stale;
};

/* A negative errno ends the walk. */
typedef int (*policy_event_fn)(void *arg, const struct policy_event *ev);

struct policy_trace {
	struct trace_reader *reader;
	const struct profile *profile;
	/* Of a page: 1 to 4096 bytes; 0: zeros; or the negative errno of its compression. */
	int (*length)(void *arg, uint32_t id);
	void *length_arg;
	int zeros_length; /* of a page of zeros in a folio that is not all zeros */
};

/* 0; what @fn returned (*err is its own); or what reading the trace gave, and a line in *err. */
int policy_trace_walk(const struct policy_trace *trace, policy_event_fn fn, void *arg,
		      struct trace_error *err);

/* The future of the trace's pages. 0, or a negative errno and a line in *err. */
int policy_trace_future(const struct policy_trace *trace, struct future **out,
			struct trace_error *err);

#endif
