/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Areas of intervals (bytes times events), summed up so that the smallest can be taken first. */
#ifndef SIM_BOUND_AREAS_H
#define SIM_BOUND_AREAS_H

#include <stdint.h>

/*
 * Areas below 2^52 (4096 bytes for 2^40 events) are kept in buckets, SUBS to an octave: one for
 * each number below SUBS, from there on SUBS to a power of two.
 */
#define AREAS_SUB_BITS	 10
#define AREAS_SUBS	 (1u << AREAS_SUB_BITS)
#define AREAS_BITS	 52
#define AREAS_NR_OCTAVES (AREAS_BITS - AREAS_SUB_BITS + 1)

__extension__ typedef unsigned __int128 area_t;

struct areas_bucket {
	uint64_t nr, least; /* how many; the smallest of them */
	area_t sum;
};

struct areas {
	uint64_t nr;
	struct areas_bucket *octave[AREAS_NR_OCTAVES]; /* [SUBS]; NULL: nothing in it */
};

/* 0, -ENOMEM, -EOVERFLOW. */
int areas_add(struct areas *areas, uint64_t area);
/* How many fit into @room, the smallest first; never fewer than do. */
uint64_t areas_fit(const struct areas *areas, area_t room);
void areas_finish(struct areas *areas);

#endif
