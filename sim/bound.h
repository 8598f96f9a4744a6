/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number of disk reads that no policy can do without, whatever it knows: the best of three
 * bounds, each of which holds alone.
 *
 * 1. The interval relaxation for objects of different sizes (PFOO-L; Berger, Beckmann,
 *    Harchol-Balter, "Practical Bounds on Optimal Caching with Variable Object Sizes", 2018). A
 * page that is loaded from the pool was there from its store to that load: it took its size times
 * so many events. All that were kept took no more than the area of the pool: its capacity times all
 *    events. So no more can have been kept than fit into that area when the smallest are taken
 *    first. The relaxation is that a kept page may then take its area whenever it likes.
 * 2. The same, counting only the events after which all that is of use to keep is more than the
 *    capacity: at the others there is room for everyone, and nothing to be saved up for later.
 * 3. Without relaxation, but at single moments: of the pages that are of use then, no more are kept
 *    than fit when the smallest are taken first. The others are read from disk, each counted at one
 *    moment at most.
 *
 * Memory: at most 2 * 1.4 MB for sums of like intervals, and a cell for each page that is swapped
 * out. Where the area ends among intervals that differ by less than 1 in 1024, all of these are
 * taken to be as the smallest of them: the bound is then lower by less than that part of them.
 */
#ifndef SIM_BOUND_H
#define SIM_BOUND_H

#include <stdbool.h>
#include <stdint.h>

struct bound;
struct policy_event;

struct bound_result {
	uint64_t reads; /* disk reads at least: forced_reads, and the best of the next three */
	uint64_t pfoo_l_reads, congested_reads, moment_reads;
	/* Of pages that no policy can keep: refused by the kernel, or larger than the capacity. */
	uint64_t forced_reads;
	uint64_t intervals; /* stores with a next load that a policy can do something about */
};

/* @capacity: bytes of objects. 0 or -ENOMEM. */
int bound_create(uint64_t capacity, struct bound **out);
void bound_destroy(struct bound *bound); /* accepts NULL */

/*
 * An event, in order; @next_use of a page that is stored, from the trace's future. 0, -ENOMEM, or
 * -EOVERFLOW: a page is kept for more than 2^40 events.
 */
int bound_event(struct bound *bound, const struct policy_event *ev, uint64_t next_use);
/* After the last event. */
void bound_result(const struct bound *bound, struct bound_result *result);

#endif
