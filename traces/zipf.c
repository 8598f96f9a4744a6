// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/zipf.h"

#include <math.h>

/* expm1(x) / x and log1p(x) / x, also at 0: what makes a = 1 no special case. */
static double expm1_over(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_over(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

/* The density h(x) = x^-a, its integral H(x) with H(1) = 0, and the inverse of H. */
static double density(const struct zipf *z, double x)
{
	return exp(-z->a * log(x));
}

static double integral(const struct zipf *z, double x)
{
	double l = log(x);

	return expm1_over((1 - z->a) * l) * l;
}

static double integral_inverse(const struct zipf *z, double y)
{
	double t = (1 - z->a) * y;

	/* For a > 1, H ends at 1 / (a - 1): rounding must not carry us over it. */
	if (t < -1)
		t = -1;
	return exp(log1p_over(t) * y);
}

void zipf_init(struct zipf *z, uint64_t n, double a)
{
	z->n = n;
	z->a = a;
	/* The first rank has exactly its own mass, so that its bar is never rejected. */
	z->h_first = integral(z, 1.5) - 1;
	z->h_last = integral(z, n + 0.5);
	z->accept = 2 - integral_inverse(z, integral(z, 2.5) - density(z, 2));
}

uint64_t zipf_draw(const struct zipf *z, struct random *r)
{
	for (;;) {
		double u = z->h_last + random_unit(r) * (z->h_first - z->h_last);
		double x = integral_inverse(z, u);
		double k = !(x >= 1.5) ? 1 : x >= (double)z->n ? (double)z->n : floor(x + 0.5);

		if (k - x <= z->accept || u >= integral(z, k + 0.5) - density(z, k))
			return k >= (double)z->n ? z->n : (uint64_t)k;
	}
}
