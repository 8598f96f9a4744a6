// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bench_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	const struct bench_times *base, *changed;
	double *sorted; /* room for all rounds of one side */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @run: which runs, or NULL for all of them. */
static double median_of(const struct bench_times *t, const unsigned *run, double *sorted)
{
	size_t nr = (size_t)t->nr_runs * t->nr_rounds;

	for (unsigned i = 0; i < t->nr_runs; i++)
		memcpy(sorted + (size_t)i * t->nr_rounds,
		       t->ns + (size_t)(run ? run[i] : i) * t->nr_rounds,
		       t->nr_rounds * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_value);
	return (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2;
}

static void difference(void *arg, const unsigned *run, double *out)
{
	struct pair *p = arg;
	double base = median_of(p->base, run, p->sorted);
	double changed = median_of(p->changed, run, p->sorted);

	out[0] = changed - base;
	out[1] = 100 * (changed - base) / base;
}

int bench_compare(const struct bootstrap_config *config, const struct bench_times *base,
		  const struct bench_times *changed, struct bench_difference *out)
{
	struct pair pair = {.base = base, .changed = changed};
	struct bootstrap_sample sample = {
		.nr_units = base->nr_runs,
		.nr_statistics = 2,
		.statistics = difference,
		.arg = &pair,
	};
	struct interval interval[2];
	double value[2];
	int ret;

	if (!base->nr_runs || !base->nr_rounds || base->nr_runs != changed->nr_runs ||
	    base->nr_rounds != changed->nr_rounds)
		return -EINVAL;
	pair.sorted = calloc((size_t)base->nr_runs * base->nr_rounds, sizeof(*pair.sorted));
	if (!pair.sorted)
		return -ENOMEM;
	difference(&pair, NULL, value);
	ret = bootstrap_intervals(config, &sample, interval);
	if (!ret)
		*out = (struct bench_difference){
			.base = median_of(base, NULL, pair.sorted),
			.changed = median_of(changed, NULL, pair.sorted),
			.delta = value[0],
			.percent = value[1],
			.delta_interval = interval[0],
			.percent_interval = interval[1],
		};
	free(pair.sorted);
	return ret;
}
