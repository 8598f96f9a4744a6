// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench_acomp.h"
#include "cmd/codec.h"

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

unsigned bench_acomp_nr_initialisations(const struct bench_acomp_arguments *a,
					const struct bench_acomp_side *side)
{
	unsigned nr = side->calls[ACOMP_CALL_INIT_CCTX] + side->calls[ACOMP_CALL_INIT_DCTX];

	/* Of deflate these are resets. */
	if (codec_is_zstd(a->compressor))
		nr += side->calls[ACOMP_CALL_INIT_CSTREAM] + side->calls[ACOMP_CALL_INIT_DSTREAM];
	return nr;
}

unsigned bench_acomp_nr_cpuids(const struct bench_acomp_side *side,
			       const struct cpuid_census *census)
{
	unsigned nr = 0;

	/* The first of a machine was long ago. */
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		nr += side->calls[i] * census->kind[i].later.cpuids;
	return nr;
}

/* Whether nothing is between them but CPUIDs; without BMI2 other code runs, too (skip). */
static bool only_cpuids_differ(const struct profile *asks, const struct profile *knows)
{
	struct profile same = *knows;

	if (asks->zstd.cpuid != ZSTD_CPUID_PROBE ||
	    (knows->zstd.cpuid != ZSTD_CPUID_ONCE && knows->zstd.cpuid != ZSTD_CPUID_STATIC))
		return false;
	same.zstd.cpuid = asks->zstd.cpuid;
	same.changed = asks->changed;
	return !memcmp(&same, asks, sizeof(same));
}

/* What @pair says a CPUID takes: time saved by CPUIDs saved, of both sides. 0: nothing. */
static double cpuid_ns_of(const struct bench_acomp_report *r, const struct bench_acomp_pair *pair)
{
	double ns = 0, cpuids = 0;

	for (unsigned s = 0; s < ZSTD_NR_SIDES; s++) {
		unsigned nr[2], variant[2] = {pair->base, pair->changed};
		struct bench_difference d;

		for (unsigned i = 0; i < 2; i++)
			nr[i] = bench_acomp_nr_cpuids(&r->result->variant[variant[i]].side[s],
						      &r->result->variant[variant[i]].census);
		if (nr[0] <= nr[1] || bench_acomp_difference(r, pair, s, NULL, &d))
			continue;
		ns -= d.delta;
		cpuids += nr[0] - nr[1];
	}
	return cpuids && ns > 0 ? ns / cpuids : 0;
}

double bench_acomp_cpuid_ns(const struct bench_acomp_report *report, struct bench_acomp_pair *pair)
{
	const struct bench_acomp_arguments *a = report->arguments;

	for (pair->base = 0; pair->base < a->nr_variants; pair->base++) {
		for (pair->changed = 0; pair->changed < a->nr_variants; pair->changed++) {
			double ns = only_cpuids_differ(&a->profile[pair->base],
						       &a->profile[pair->changed])
					    ? cpuid_ns_of(report, pair)
					    : 0;

			if (ns)
				return ns;
		}
	}
	*pair = (struct bench_acomp_pair){0, 0};
	return report->result->variant[0].census.cpuid_ns;
}

/* The times of a variant, each with its CPUIDs priced anew. */
static double *priced(const struct bench_acomp_report *r, unsigned v, enum zstd_side s,
		      const struct machine_model *model)
{
	struct bench_acomp_pair unused;
	double here_ns = bench_acomp_cpuid_ns(r, &unused);
	const struct cpuid_census *census = &r->result->variant[v].census;
	const struct bench_acomp_side *side = &r->result->variant[v].side[s];
	size_t nr = (size_t)r->arguments->runs * r->arguments->rounds;
	double *ns = calloc(nr, sizeof(*ns));

	for (size_t i = 0; ns && i < nr; i++)
		ns[i] = machine_model_ns(model, side->ns[i], bench_acomp_nr_cpuids(side, census),
					 here_ns);
	return ns;
}

static int modelled(const struct bench_acomp_report *r, const struct bench_acomp_pair *pair,
		    enum zstd_side side, const struct machine_model *model,
		    struct bench_difference *out)
{
	const struct bench_acomp_arguments *a = r->arguments;
	double *base = priced(r, pair->base, side, model);
	double *changed = priced(r, pair->changed, side, model);
	struct bench_times base_times = {base, a->runs, a->rounds};
	struct bench_times changed_times = {changed, a->runs, a->rounds};
	int ret = -ENOMEM;

	if (base && changed)
		ret = bench_compare(&a->bootstrap, &base_times, &changed_times, out);
	free(base);
	free(changed);
	return ret;
}

int bench_acomp_difference(const struct bench_acomp_report *report,
			   const struct bench_acomp_pair *pair, enum zstd_side side,
			   const struct machine_model *model, struct bench_difference *out)
{
	const struct bench_acomp_arguments *a = report->arguments;
	const struct bench_acomp_side *base = &report->result->variant[pair->base].side[side];
	const struct bench_acomp_side *changed = &report->result->variant[pair->changed].side[side];
	struct bench_times base_times = {base->ns, a->runs, a->rounds};
	struct bench_times changed_times = {changed->ns, a->runs, a->rounds};

	if (!base->does || !changed->does)
		return -EINVAL;
	if (!model)
		return bench_compare(&a->bootstrap, &base_times, &changed_times, out);
	if (!report->result->variant[pair->base].census.counted ||
	    !report->result->variant[pair->changed].census.counted)
		return -ENOTSUP;
	return modelled(report, pair, side, model, out);
}
