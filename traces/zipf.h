/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranks with P(k) proportional to k^-a, for any a > 0, in constant time and memory: rejection-
 * inversion (W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from monotone
 * discrete distributions", ACM TOMACS 6(3), 1996).
 */
#ifndef TRACES_ZIPF_H
#define TRACES_ZIPF_H

#include "traces/random.h"

struct zipf {
	double a, h_first, h_last, accept;
	uint64_t n;
};

/* @n >= 1 ranks, @a > 0 and finite. */
void zipf_init(struct zipf *z, uint64_t n, double a);
/* 1 (the most frequent) to n. */
uint64_t zipf_draw(const struct zipf *z, struct random *r);

#endif
