/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One item of a sweep's list of values: a value as it is, or a range of numbers:
 *
 *	A..B		A, A+1, ... up to B
 *	A..B:STEP	A, A+STEP, ... as long as it is not above B
 *	A..B*FACTOR	A, A*FACTOR, ... likewise
 *
 * A, B and STEP may be sizes (64M..1G*2). What stands before a ':' in front of A belongs to each
 * value: zstd:1..3 is zstd:1, zstd:2, zstd:3. Whatever does not look like a range is one value.
 */
#ifndef SIM_SWEEP_LIST_H
#define SIM_SWEEP_LIST_H

#include <stddef.h>
#include <stdint.h>

#define SWEEP_MAX_VALUE 160 /* bytes, with the NUL */

struct sweep_range {
	char prefix[SWEEP_MAX_VALUE / 2]; /* "zstd:"; "" if there is none */
	uint64_t first, last;
	uint64_t step;	 /* 1 or more; 0: it is a geometric one */
	uint64_t factor; /* 2 or more; of a geometric one */
	int sizes;	 /* values are written with K, M, G or T where they can */
	uint64_t nr;	 /* values */
};

/* 1: a range, in *range. 0: none. -EINVAL: it is meant as one, and one line in @err says what is
 * wrong. */
int sweep_range_read(const char *item, struct sweep_range *range, char *err, size_t err_size);

/* Value @i < nr in words, into @buf (SWEEP_MAX_VALUE). */
void sweep_range_value(const struct sweep_range *range, uint64_t i, char *buf);

#endif
