// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cmd/bench_acomp.h"

/* Whether @text is @prefix and something added to it. */
static bool extends(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(text, prefix, len) && text[len] == '+';
}

unsigned bench_acomp_pairs(const struct bench_acomp_arguments *a,
			   struct bench_acomp_pair pairs[BENCH_ACOMP_MAX_PAIRS])
{
	unsigned nr = 0;

	for (unsigned v = 1; v < a->nr_variants; v++)
		pairs[nr++] = (struct bench_acomp_pair){0, v};
	for (unsigned v = 1; v < a->nr_variants; v++) {
		for (unsigned base = 1; base < a->nr_variants; base++) {
			if (extends(a->text[v], a->text[base]))
				pairs[nr++] = (struct bench_acomp_pair){base, v};
		}
	}
	return nr;
}

int bench_acomp_difference(const struct bench_acomp_report *report,
			   const struct bench_acomp_pair *pair, enum zstd_side side,
			   struct bench_difference *out)
{
	const struct bench_acomp_arguments *a = report->arguments;
	const struct bench_acomp_side *base = &report->result->variant[pair->base].side[side];
	const struct bench_acomp_side *changed = &report->result->variant[pair->changed].side[side];
	struct bench_times base_times = {base->ns, a->runs, a->rounds};
	struct bench_times changed_times = {changed->ns, a->runs, a->rounds};

	if (!base->does || !changed->does)
		return -EINVAL;
	return bench_compare(&a->bootstrap, &base_times, &changed_times, out);
}
