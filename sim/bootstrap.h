/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confidence intervals by resampling: the units that a statistic was computed from are drawn again,
 * with replacement, as many as there were, over and over; the interval is what the statistic does
 * then. Everything that belongs to one unit (both sides of a comparison) is drawn with it, which is
 * what pairs them.
 *
 * Units may be crossed with blocks: every unit was measured once in every block (chunks of a trace,
 * rounds). Both are then drawn, each by itself (A. Owen, "The pigeonhole bootstrap", 2007), so that
 * what a whole block has in common does not pass for certainty.
 *
 * Few units make percentiles too narrow. They are widened as Student's t is wider than the normal
 * distribution (T. Hesterberg, "What teachers should know about the bootstrap", 2015, the expanded
 * percentile interval), for the number of units or blocks, whichever is less.
 */
#ifndef SIM_BOOTSTRAP_H
#define SIM_BOOTSTRAP_H

#include <stdbool.h>
#include <stdint.h>

#define BOOTSTRAP_MIN_RESAMPLES 100u
#define BOOTSTRAP_MAX_RESAMPLES 1000000u

struct bootstrap_config {
	unsigned resamples; /* of the units; within the limits above */
	double confidence;  /* above 0, below 1: 0.95 */
	uint64_t seed;	    /* the same seed gives the same intervals */
};

/* 2000 resamples, 0.95, seed 1. */
void bootstrap_config_init(struct bootstrap_config *config);

struct interval {
	double low, high; /* both NAN: not known */
};

struct bootstrap_sample {
	unsigned nr_units;
	/*
	 * 0 or 1: there are none. Otherwise the blocks are drawn once for every
	 * BOOTSTRAP_UNITS_A_BLOCK draws of the units, and @draw_blocks is told which:
	 * @block[nr_blocks].
	 */
	unsigned nr_blocks;
	void (*draw_blocks)(void *arg, const unsigned *block);
	/*
	 * The statistics of the units @unit[nr_units], of the blocks drawn last, into
	 * @value[nr_statistics]. NAN: there is none for these units.
	 */
	unsigned nr_statistics;
	void (*statistics)(void *arg, const unsigned *unit, double *value);
	void *arg;
};

#define BOOTSTRAP_UNITS_A_BLOCK 20u

/*
 * An interval for each statistic into @out[nr_statistics]. A statistic that is NAN for more than
 * half of the draws has none; nor has any if there are less than two units and less than two
 * blocks. 0, -EINVAL (a limit above) or -ENOMEM.
 */
int bootstrap_intervals(const struct bootstrap_config *config,
			const struct bootstrap_sample *sample, struct interval *out);

static inline bool interval_contains(const struct interval *i, double value)
{
	return i->low <= value && value <= i->high;
}

/* ---- parts, for tests ---- */

/* P(T <= t) of Student's t; @df >= 1 degrees of freedom. */
double bootstrap_t_cdf(double t, unsigned df);
/* The t that P(T <= t) = @p; 0 < @p < 1. */
double bootstrap_t_quantile(double p, unsigned df);
/* The tail, of each side, that percentiles of @n units are taken at: 0.025 for many units. */
double bootstrap_tail(double confidence, unsigned n);

#endif
