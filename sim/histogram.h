/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of times (or other counts) from 0 to 2^64 - 1, made for percentiles.
 *
 * Values below 256 have a bucket each. Above, every power of two is cut into 128 buckets of one
 * width, and a bucket stands for its middle: what a percentile gives is at most 1/256 of the true
 * value away from it (0.4 %). Count, sum, smallest and largest value are exact.
 *
 * The struct (58 KiB) is embedded where it is used. Adding is O(1) and allocates nothing.
 */
#ifndef SIM_HISTOGRAM_H
#define SIM_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_BUCKETS  ((64 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t sum; /* of all values; ns of 584 years fit */
	uint64_t min; /* UINT64_MAX if there is none */
	uint64_t max; /* 0 if there is none */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *h);

static inline unsigned histogram_bucket(uint64_t value)
{
	unsigned shift;

	if (value < 2u << HISTOGRAM_SUB_BITS)
		return value;
	shift = 63 - __builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return (shift << HISTOGRAM_SUB_BITS) + (value >> shift);
}

static inline void histogram_add(struct histogram *h, uint64_t value)
{
	h->count++;
	h->sum += value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->buckets[histogram_bucket(value)]++;
}

/* Adds all that is in @from to @h, as if its values had been added one by one. */
void histogram_merge(struct histogram *h, const struct histogram *from);

/* 0 if there are no values. */
double histogram_mean(const struct histogram *h);

/*
 * The quantile @num / @den (999, 1000 for p99.9): the smallest value that at least this part of all
 * values do not exceed (the nearest rank, no interpolation). 0 if there are no values. @den is not
 * 0,
 * @num is 0 to @den; 0 gives the smallest value, 1 the largest.
 */
uint64_t histogram_quantile(const struct histogram *h, unsigned num, unsigned den);

/* What reports print of a histogram. All 0 if there are no values. */
struct histogram_summary {
	uint64_t count, sum;
	double mean;
	uint64_t min, p50, p90, p99, p99_9, max;
};
void histogram_summarise(const struct histogram *h, struct histogram_summary *summary);

#endif
