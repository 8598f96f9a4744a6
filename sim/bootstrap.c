// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "traces/random.h"

void bootstrap_config_init(struct bootstrap_config *config)
{
	config->resamples = 2000;
	config->confidence = 0.95;
	config->seed = 1;
}

/* For whole degrees of freedom it is a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
double bootstrap_t_cdf(double t, unsigned df)
{
	double theta = atan2(t, sqrt(df)), c2 = cos(theta) * cos(theta), term, sum = 0, a;

	if (df % 2) {
		term = cos(theta);
		for (unsigned i = 1; i + 2 <= df; i += 2) {
			sum += term;
			term *= c2 * (i + 1) / (i + 2);
		}
		a = (theta + sin(theta) * sum) * 2 / M_PI;
	} else {
		term = 1;
		for (unsigned i = 0; i + 2 <= df; i += 2) {
			sum += term;
			term *= c2 * (i + 1) / (i + 2);
		}
		a = sin(theta) * sum;
	}
	return (1 + a) / 2;
}

double bootstrap_t_quantile(double p, unsigned df)
{
	double low = -1, high = 1;

	while (bootstrap_t_cdf(low, df) > p)
		low *= 2;
	while (bootstrap_t_cdf(high, df) < p)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * fabs(low); i++) {
		double middle = low + (high - low) / 2;

		if (bootstrap_t_cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

static double normal_cdf(double z)
{
	return erfc(-z / sqrt(2)) / 2;
}

/* Beyond this the normal distribution is as good, and the sum above long. */
#define MANY_UNITS 1000u

double bootstrap_tail(double confidence, unsigned n)
{
	double tail = (1 - confidence) / 2;

	if (n < 2 || n > MANY_UNITS)
		return tail;
	return normal_cdf(sqrt((double)n / (n - 1)) * bootstrap_t_quantile(tail, n - 1));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of sorted values, with interpolation between two. */
static double quantile(const double *value, unsigned nr, double p)
{
	double at = p * (nr - 1);
	unsigned below = floor(at);

	if (below + 1 >= nr)
		return value[nr - 1];
	return value[below] + (at - below) * (value[below + 1] - value[below]);
}

static struct interval interval_of(double *value, unsigned resamples, double tail)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < resamples; i++) {
		if (!isnan(value[i]))
			value[nr++] = value[i];
	}
	if (nr <= resamples / 2)
		return (struct interval){NAN, NAN};
	qsort(value, nr, sizeof(*value), by_value);
	return (struct interval){quantile(value, nr, tail), quantile(value, nr, 1 - tail)};
}

static void draw(struct random *r, unsigned *which, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		which[i] = random_below(r, nr);
}

struct draws {
	unsigned *block, *unit;
	double *one;   /* [nr_statistics] of one draw */
	double *value; /* [nr_statistics][resamples] */
};

static void resample(const struct bootstrap_config *config, const struct bootstrap_sample *sample,
		     struct draws *d)
{
	bool blocks = sample->nr_blocks > 1;
	struct random of_blocks, of_units;

	random_init(&of_blocks, config->seed, 0);
	random_init(&of_units, config->seed, 1);
	for (unsigned i = 0; i < config->resamples; i++) {
		if (blocks && i % BOOTSTRAP_UNITS_A_BLOCK == 0) {
			draw(&of_blocks, d->block, sample->nr_blocks);
			sample->draw_blocks(sample->arg, d->block);
		}
		draw(&of_units, d->unit, sample->nr_units);
		sample->statistics(sample->arg, d->unit, d->one);
		for (unsigned s = 0; s < sample->nr_statistics; s++)
			d->value[(size_t)s * config->resamples + i] = d->one[s];
	}
}

/* How many there are of what there is least of, among what is drawn. 0: nothing can be. */
static unsigned least(const struct bootstrap_sample *sample)
{
	unsigned n = sample->nr_units;

	if (sample->nr_blocks > 1 && (sample->nr_blocks < n || n < 2))
		n = sample->nr_blocks;
	return n < 2 ? 0 : n;
}

int bootstrap_intervals(const struct bootstrap_config *config,
			const struct bootstrap_sample *sample, struct interval *out)
{
	unsigned nr = sample->nr_statistics, n = least(sample);
	struct draws d = {0};
	int ret = -ENOMEM;
	double tail;

	if (config->resamples < BOOTSTRAP_MIN_RESAMPLES ||
	    config->resamples > BOOTSTRAP_MAX_RESAMPLES ||
	    !(config->confidence > 0 && config->confidence < 1))
		return -EINVAL;
	for (unsigned s = 0; s < nr; s++)
		out[s] = (struct interval){NAN, NAN};
	if (!n || !nr || !sample->nr_units)
		return 0;
	d.block = calloc(sample->nr_blocks ? sample->nr_blocks : 1, sizeof(*d.block));
	d.unit = calloc(sample->nr_units, sizeof(*d.unit));
	d.one = calloc(nr, sizeof(*d.one));
	d.value = calloc(nr, config->resamples * sizeof(*d.value));
	if (!d.block || !d.unit || !d.one || !d.value)
		goto out;
	resample(config, sample, &d);
	tail = bootstrap_tail(config->confidence, n);
	for (unsigned s = 0; s < nr; s++)
		out[s] = interval_of(d.value + (size_t)s * config->resamples, config->resamples,
				     tail);
	ret = 0;
out:
	free(d.value);
	free(d.one);
	free(d.unit);
	free(d.block);
	return ret;
}
