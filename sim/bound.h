/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number of disk reads that no policy can do without, whatever it knows: the interval relaxation
 * for objects of different sizes (PFOO-L; Berger, Beckmann, Harchol-Balter, "Practical Bounds on
 * Optimal Caching with Variable Object Sizes", 2018).
 *
 * A page that is loaded from the pool was there from its store to that load: it took its size times
 * so many events. All that were kept took no more than the area of the pool: its capacity at each
 * event. So no more can have been kept than fit into that area when the smallest are taken first.
 * The relaxation is that a kept page may then take its area whenever it likes.
 *
 * Two areas: capacity times all events, as in the paper; and, never larger, at each event the
 * capacity or all that it would be of use to keep then, whichever is less. Either bound holds; the
 * second is the better one.
 *
 * Memory: at most 1.4 MB for sums of like intervals, and a cell for each page that is swapped out.
 * Where the area ends among intervals that differ by less than 1 in 1024, all of these are taken to
 * be as the smallest of them: the bound is then lower by less than that part of them.
 */
#ifndef SIM_BOUND_H
#define SIM_BOUND_H

#include <stdbool.h>
#include <stdint.h>

struct bound;
struct policy_event;
struct future;

struct bound_result {
	uint64_t reads;	       /* disk reads at least; the better bound */
	uint64_t pfoo_l_reads; /* the same with the area as in the paper */
	/* Of both: of pages that no policy can keep (refused by the kernel, or larger than all). */
	uint64_t forced_reads;
	uint64_t intervals; /* stores with a next load that a policy can do something about */
	uint64_t max_hits;  /* of those, kept at most */
};

/* @capacity: bytes of objects. 0 or -ENOMEM. */
int bound_create(uint64_t capacity, struct bound **out);
void bound_destroy(struct bound *bound); /* accepts NULL */

/*
 * An event, in order; @next_use of a page that is stored, from the trace's future. 0,
 * -ENOMEM, or -EOVERFLOW: a page is kept for more than 2^40 events.
 */
int bound_event(struct bound *bound, const struct policy_event *ev, uint64_t next_use);
void bound_result(const struct bound *bound, struct bound_result *result);

#endif
