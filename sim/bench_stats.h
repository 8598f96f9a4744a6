/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a benchmark of runs and rounds says: a figure is the median over all rounds of all runs, a
 * difference has an interval that is bootstrapped over the runs, both sides drawn together.
 */
#ifndef SIM_BENCH_STATS_H
#define SIM_BENCH_STATS_H

#include "sim/bootstrap.h"

/* Times of one variant, in ns: [nr_runs][nr_rounds]. */
struct bench_times {
	const double *ns;
	unsigned nr_runs, nr_rounds;
};

struct bench_difference {
	double base, changed;  /* medians, ns */
	double delta, percent; /* of the medians */
	struct interval delta_interval, percent_interval;
};

/*
 * Both have the same runs and rounds, and run @i of the one was run @i of the other. 0, -EINVAL
 * (they have not, or there are none) or -ENOMEM. With one run there are no intervals (NAN).
 */
int bench_compare(const struct bootstrap_config *config, const struct bench_times *base,
		  const struct bench_times *changed, struct bench_difference *out);

#endif
