// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/bench_acomp.h"
#include "cmd/codec.h"
#include "cmd/report_parts.h"

static const char *const side_names[ZSTD_NR_SIDES] = {"compress", "decompress"};

static void variant(FILE *out, const struct bench_acomp_report *r, unsigned v)
{
	const struct bench_acomp_arguments *a = r->arguments;
	const struct cpuid_census *census = &r->result->variant[v].census;
	char title[32], differences[1024];

	fprintf(out, "variant   %s: kernel %s", a->text[v],
		profile_title(&a->profile[v], title, sizeof(title)));
	if (v)
		fprintf(out, ", not as the baseline: %s",
			*report_profile_differences(&a->profile[0], &a->profile[v], differences,
						    sizeof(differences))
				? differences
				: "nothing");
	fprintf(out, "\n");
	for (unsigned s = 0; s < ZSTD_NR_SIDES; s++) {
		const struct bench_acomp_side *side = &r->result->variant[v].side[s];

		if (!side->does)
			continue;
		fprintf(out, "          to %s: %u contexts initialised", side_names[s],
			bench_acomp_nr_initialisations(a, side));
		if (census->counted)
			fprintf(out, ", %u CPUIDs", bench_acomp_nr_cpuids(side, census));
		fprintf(out, "%s\n", side->ret ? "; refused: the page does not shrink" : "");
	}
	if (!v)
		report_profile_text(out, &a->profile[0]);
}

static void cpuids(FILE *out, const struct bench_acomp_report *r)
{
	const struct machine_options *machine = &r->arguments->machine;
	const struct cpuid_census *census = &r->result->variant[0].census;
	struct bench_acomp_pair pair;
	double in_place;

	if (!census->counted) {
		fprintf(out, "CPUID     not counted, so that nothing is modelled: %s\n",
			census->reason);
		return;
	}
	in_place = bench_acomp_cpuid_ns(r, &pair);
	fprintf(out, "CPUID     %.0f ns by itself, measured", census->cpuid_ns);
	if (pair.base != pair.changed)
		fprintf(out, "; %.0f ns within these requests, computed from %s -> %s", in_place,
			r->arguments->text[pair.base], r->arguments->text[pair.changed]);
	fprintf(out,
		"\n          CPUIDs are computed: contexts, times what one was counted to execute "
		"by stepping\n");
	for (unsigned i = 0; i < machine->nr; i++) {
		const struct machine_model *m = machine->chosen[i];

		if (m->here)
			fprintf(out, "model     %s: nothing changes\n", m->name);
		else
			fprintf(out,
				"model     %s: %.0f ns a CPUID, all else as measured here; source: "
				"%s\n",
				m->name, m->cpuid_ns, *m->source ? m->source : "none given");
	}
}

static void header(FILE *out, const struct bench_acomp_report *r)
{
	const struct bench_acomp_arguments *a = r->arguments;
	unsigned frame = r->result->variant[0].frame_bytes;
	char codec[64];

	fprintf(out, "zswapsim bench acomp\n\n");
	fprintf(out, "command   %s\n", r->command);
	fprintf(out, "machine\n");
	machine_info_print(r->machine, "  ", out);
	fprintf(out, "caller    %s: requests of %u bytes; contexts: %s\n", a->caller->name, a->size,
		a->caller->doc);
	if (a->compressor)
		fprintf(out, "codec     %s, by %s\n",
			codec_settings_text(a->compressor, codec, sizeof(codec)),
			codec_spec(a->compressor).alg->library());
	if (frame)
		fprintf(out, "page      %s: %u bytes when compressed\n", a->page, frame);
	else
		fprintf(out,
			"page      %s: does not shrink, so that there is nothing to decompress\n",
			a->page);
	fprintf(out,
		"runs      %u, each a process of its own on CPU %u: %u rounds of %u requests, of "
		"each "
		"variant\n",
		a->runs, a->cpu, a->rounds, a->operations);
	fprintf(out,
		"          and side; wall time %.1f s; interrupted by other tasks %" PRIu64
		" times\n",
		(double)r->result->wall_ns / 1e9, r->result->interruptions);
	fprintf(out, "times     %s: the mean of a round, the median of all rounds\n",
		a->wall ? "by the wall clock" : "CPU time, without what other tasks took");
	fprintf(out, "intervals %.0f %%, bootstrapped over runs: %u resamples, seed %" PRIu64 "\n",
		100 * a->bootstrap.confidence, a->bootstrap.resamples, a->bootstrap.seed);
	cpuids(out, r);
	for (unsigned v = 0; v < a->nr_variants; v++)
		variant(out, r, v);
}

static void interval(FILE *out, int width, int digits, const struct interval *i)
{
	char text[64];

	if (isnan(i->low))
		snprintf(text, sizeof(text), "[n/a]");
	else
		snprintf(text, sizeof(text), "[%+.*f, %+.*f]", digits, i->low, digits, i->high);
	fprintf(out, " %*s", width, text);
}

static void row(FILE *out, const struct bench_acomp_report *r, const struct bench_acomp_pair *pair,
		enum zstd_side s, const struct machine_model *model)
{
	const struct bench_acomp_arguments *a = r->arguments;
	struct bench_difference d;
	char name[96];

	if (bench_acomp_difference(r, pair, s, model, &d))
		return;
	snprintf(name, sizeof(name), "%s -> %s%s%s", a->text[pair->base], a->text[pair->changed],
		 model ? " on " : "", model ? model->name : "");
	fprintf(out, "%s  %-10s %-38s %9.0f %9.0f %+9.0f", model ? "modelled" : "measured",
		side_names[s], name, d.base, d.changed, d.delta);
	interval(out, 20, 0, &d.delta_interval);
	fprintf(out, " %+7.2f %%", d.percent);
	interval(out, 18, 2, &d.percent_interval);
	fprintf(out, "\n");
}

void bench_acomp_text(FILE *out, const struct bench_acomp_report *report)
{
	const struct machine_options *machine = &report->arguments->machine;
	struct bench_acomp_pair pairs[BENCH_ACOMP_MAX_PAIRS];
	unsigned nr = bench_acomp_pairs(report->arguments, pairs);

	header(out, report);
	if (report->warnings->nr)
		fprintf(out, "\n");
	machine_warnings_print(report->warnings, out);
	fprintf(out, "\n%-59s %9s %9s %9s %20s %9s\n", "ns a request", "baseline", "patched",
		"delta", "", "delta");
	/* All that is measured first: models are not to be taken for it. */
	for (unsigned m = 0; m <= machine->nr; m++) {
		for (unsigned i = 0; i < 2 * nr; i++)
			row(out, report, &pairs[i / 2], i % 2, m ? machine->chosen[m - 1] : NULL);
	}
}
