/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ideal objective: fewest disk reads, with a capacity in bytes of objects, no hysteresis, and a
 * policy that may refuse any page. A page that is stored, whatever the others of its folio, is
 * shown to the policy; if it does not fit, the policy names victims until it does. A page that is
 * loaded is gone from the pool, as in the kernel.
 *
 * What never reaches zswap (zeros) or what no kernel of the profile accepts is out of the policy's
 * hands, and so are pages larger than the capacity: they go to disk.
 */
#ifndef SIM_IDEAL_H
#define SIM_IDEAL_H

#include <stddef.h>
#include <stdint.h>

#include "sim/policy_run.h"
#include "sim/policy_trace.h"

struct ideal;

/* All in pages. */
struct ideal_counts {
	uint64_t stores, loads;
	/* What became of the stores: stored at least for a moment; zeros; or on disk at once. */
	uint64_t stored, zero, refused_incompressible, refused_large, refused_policy;
	/* Of those stored: written back to make room for another, or for itself (given up). */
	uint64_t written_back, given_up;
	uint64_t invalidated, overwritten;
	/* What became of the loads. */
	uint64_t hits, disk_reads, zero_loads;
	/* Not counted as any of these: of a slot that was never stored, or loaded since it was. */
	uint64_t unknown_loads, repeated_loads;
	uint64_t peak_bytes; /* in the pool, after an event */
};

/* @run, made for ZSWAPSIM_IDEAL, outlives it. 0 or -ENOMEM. */
int ideal_create(struct policy_run *run, uint64_t capacity, struct ideal **out);
void ideal_destroy(struct ideal *ideal); /* accepts NULL */

/* 0, -ENOMEM, or -EINVAL: the policy has failed (policy_run_failed()). */
int ideal_event(struct ideal *ideal, const struct policy_event *ev);
const struct ideal_counts *ideal_counts(const struct ideal *ideal);

/* 0, or -EUCLEAN and one line in @err. O(entries). */
int ideal_check(const struct ideal *ideal, char *err, size_t err_size);

#endif
