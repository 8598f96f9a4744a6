/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine without contents, for benchmarks: what a replay does with an event, and no more. */
#ifndef TESTS_POLICY_RIG_H
#define TESTS_POLICY_RIG_H

#include "sim/page_io.h"
#include "sim/slots.h"
#include "traces/reader.h"

struct policy_rig {
	struct kernel *k;
	struct memcgs memcgs;
	struct swapdev *dev;
	struct zswap *z;
	struct swap_io *io;
	struct slots *slots;
	const uint16_t *lengths;
	uint64_t out[SWAPOUT_NR], in[SWAPIN_NR];
};

/*
 * @lengths: bytes by page id, 0: zeros, TRACE_LENGTH_FAILED: incompressible; outlive it. The pool
 * has @limit_pages. Exits with a message when it cannot.
 */
void policy_rig_init(struct policy_rig *rig, const struct profile *profile, uint64_t limit_pages,
		     const uint16_t *lengths);
void policy_rig_finish(struct policy_rig *rig);
/* Events @from to @to - 1. 0, or a negative errno and a line in *err. */
int policy_rig_events(struct policy_rig *rig, struct trace_reader *reader, uint64_t from,
		      uint64_t to, struct trace_error *err);

#endif
