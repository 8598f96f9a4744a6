// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/bench_acomp.h"
#include "cmd/report_parts.h"

static const char *const side_names[ZSTD_NR_SIDES] = {"compress", "decompress"};

/* What a request of this variant does: "2 initialisations". */
static void side(FILE *out, const struct bench_acomp_side *s, const char *name)
{
	if (!s->does)
		fprintf(out, ", does not %s", name);
	else
		fprintf(out, ", %u to %s%s", s->initialisations, name,
			s->ret ? " (refused: the page does not shrink)" : "");
}

static void variants(FILE *out, const struct bench_acomp_report *r)
{
	const struct bench_acomp_arguments *a = r->arguments;
	char title[32], differences[1024];

	for (unsigned v = 0; v < a->nr_variants; v++) {
		fprintf(out, "variant   %s: kernel %s", a->text[v],
			profile_title(&a->profile[v], title, sizeof(title)));
		if (v)
			fprintf(out, ", not as the baseline: %s",
				*report_profile_differences(&a->profile[0], &a->profile[v],
							    differences, sizeof(differences))
					? differences
					: "nothing");
		fprintf(out, "\n          contexts initialised by a request");
		for (unsigned s = 0; s < ZSTD_NR_SIDES; s++)
			side(out, &r->result->variant[v].side[s], side_names[s]);
		fprintf(out, "\n");
		if (!v)
			report_profile_text(out, &a->profile[0]);
	}
}

static void header(FILE *out, const struct bench_acomp_report *r)
{
	const struct bench_acomp_arguments *a = r->arguments;
	unsigned frame = r->result->variant[0].frame_bytes;

	fprintf(out, "zswapsim bench acomp\n\n");
	fprintf(out, "command   %s\n", r->command);
	fprintf(out, "machine\n");
	machine_info_print(r->machine, "  ", out);
	fprintf(out, "caller    %s: requests of %u bytes; contexts: %s\n", a->caller->name, a->size,
		a->caller->doc);
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
	fprintf(out, "times     ns a request: the mean of a round, the median of all rounds\n");
	fprintf(out, "intervals %.0f %%, bootstrapped over runs: %u resamples, seed %" PRIu64 "\n",
		100 * a->bootstrap.confidence, a->bootstrap.resamples, a->bootstrap.seed);
	variants(out, r);
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
		enum zstd_side s)
{
	const struct bench_acomp_arguments *a = r->arguments;
	struct bench_difference d;
	char name[64];

	if (bench_acomp_difference(r, pair, s, &d))
		return;
	snprintf(name, sizeof(name), "%s -> %s", a->text[pair->base], a->text[pair->changed]);
	fprintf(out, "measured  %-10s %-34s %9.0f %9.0f %+9.0f", side_names[s], name, d.base,
		d.changed, d.delta);
	interval(out, 20, 0, &d.delta_interval);
	fprintf(out, " %+7.2f %%", d.percent);
	interval(out, 18, 2, &d.percent_interval);
	fprintf(out, "\n");
}

void bench_acomp_text(FILE *out, const struct bench_acomp_report *report)
{
	struct bench_acomp_pair pairs[BENCH_ACOMP_MAX_PAIRS];
	unsigned nr = bench_acomp_pairs(report->arguments, pairs);

	header(out, report);
	if (report->warnings->nr)
		fprintf(out, "\n");
	machine_warnings_print(report->warnings, out);
	fprintf(out, "\n%-55s %9s %9s %9s %20s %9s\n", "ns a request", "baseline", "patched",
		"delta", "", "delta");
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned s = 0; s < ZSTD_NR_SIDES; s++)
			row(out, report, &pairs[i], s);
	}
}
