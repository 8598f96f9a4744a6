// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/histogram.h"

#include <string.h>

void histogram_init(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void histogram_merge(struct histogram *h, const struct histogram *from)
{
	h->count += from->count;
	h->sum += from->sum;
	if (from->min < h->min)
		h->min = from->min;
	if (from->max > h->max)
		h->max = from->max;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		h->buckets[i] += from->buckets[i];
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? (double)h->sum / h->count : 0;
}

/* The middle of a bucket, rounded down. */
static uint64_t bucket_value(unsigned bucket)
{
	unsigned shift;
	uint64_t low;

	if (bucket < 2u << HISTOGRAM_SUB_BITS)
		return bucket;
	shift = (bucket >> HISTOGRAM_SUB_BITS) - 1;
	low = (uint64_t)(bucket - (shift << HISTOGRAM_SUB_BITS)) << shift;
	return low + ((1ull << shift) - 1) / 2;
}

uint64_t histogram_quantile(const struct histogram *h, unsigned num, unsigned den)
{
	/* Integers, for a rank that is off by one is another value. */
	uint64_t rank = ((unsigned __int128)h->count * num + den - 1) / den, seen = 0, value;
	unsigned i;

	if (!h->count)
		return 0;
	if (rank <= 1)
		return h->min;
	if (rank == h->count)
		return h->max;
	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			break;
	}
	value = bucket_value(i);
	return value < h->min ? h->min : value > h->max ? h->max : value;
}

void histogram_summarise(const struct histogram *h, struct histogram_summary *summary)
{
	*summary = (struct histogram_summary){
		.count = h->count,
		.sum = h->sum,
		.mean = histogram_mean(h),
		.min = h->count ? h->min : 0,
		.p50 = histogram_quantile(h, 1, 2),
		.p90 = histogram_quantile(h, 9, 10),
		.p99 = histogram_quantile(h, 99, 100),
		.p99_9 = histogram_quantile(h, 999, 1000),
		.max = h->max,
	};
}
