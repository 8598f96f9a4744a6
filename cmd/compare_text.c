// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/compare_report.h"
#include "cmd/report_parts.h"
#include "cmd/report_private.h"

struct list {
	FILE *out;
	unsigned nr;
};

static void list_difference(void *arg, const char *key, const char *value)
{
	struct list *list = arg;

	fprintf(list->out, "%s%s=%s", list->nr++ ? ", " : "", key, value);
}

static void codec(FILE *out, const char *compressor)
{
	char text[64];

	fprintf(out, "codec     %s, by %s\n", codec_settings_text(compressor, text, sizeof(text)),
		codec_spec(compressor).alg->library());
}

static void setting(FILE *out, const struct compare_report *r, unsigned s)
{
	const struct settings *settings = &r->settings[s];
	struct list list = {.out = out};
	char title[32], name[16];

	snprintf(name, sizeof(name), s ? "with %u" : "base", s);
	fprintf(out, "%-9s kernel %s", name,
		profile_title(&settings->profile, title, sizeof(title)));
	if (s) {
		fprintf(out, "; not as base: ");
		compare_differences(r, s, list_difference, &list);
		fprintf(out, "%s\n", list.nr ? "" : "nothing");
		if (strcmp(settings->replay.compressor, r->settings[0].replay.compressor))
			codec(out, settings->replay.compressor);
	} else {
		fprintf(out, "\n");
		report_profile_text(out, &settings->profile);
		report_parameters_text(out, settings);
	}
}

static void header(FILE *out, const struct compare_report *r)
{
	fprintf(out, "zswapsim compare\n\n");
	fprintf(out, "command   %s\n", r->command);
	report_trace_text(out, r->trace_path, r->trace);
	fprintf(out, "machine\n");
	machine_info_print(r->machine, "  ", out);
	codec(out, r->settings[0].replay.compressor);
	fprintf(out,
		"clock     one reading costs about %" PRIu64 " ns, which every time includes\n",
		r->result->setting[0].replay->clock_ns);
	for (unsigned s = 0; s < r->result->nr_settings; s++)
		setting(out, r, s);
	fprintf(out,
		"rounds    %u, the settings in turn in each of %" PRIu64
		" chunks of events; wall time "
		"%.1f s\n",
		r->result->rounds, r->result->nr_chunks, (double)r->result->wall_ns / 1e9);
	fprintf(out,
		"times     means over pages and rounds; above %.1f times the median of its rounds "
		"a "
		"time counts as that\n",
		COMPARE_INTERRUPTED);
	fprintf(out,
		"intervals %.0f %%, bootstrapped over rounds and %u units of chunks: %u resamples, "
		"seed %" PRIu64 "\n",
		100 * r->config->bootstrap.confidence, r->result->nr_units,
		r->config->bootstrap.resamples, r->config->bootstrap.seed);
}

static void failures(FILE *out, const struct compare_report *r)
{
	for (unsigned s = 0; s < r->result->nr_settings; s++) {
		const struct compare_setting *setting = &r->result->setting[s];

		if (setting->mismatched_pages || setting->failed_loads)
			fprintf(out,
				"FAILED: %s%.0u: %" PRIu64 " pages came back changed, %" PRIu64
				" not at all; %s\n",
				s ? "with " : "base", s, setting->mismatched_pages,
				setting->failed_loads, setting->replay->first_failure);
	}
}

/* "-1250" and "[-1300, -1200]": "-" where there is none. */
static void number(FILE *out, int width, int digits, double value)
{
	if (isnan(value))
		fprintf(out, " %*s", width, "n/a");
	else
		fprintf(out, " %*.*f", width, digits, value);
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

static uint64_t pages(const struct compare_report *r, unsigned s, unsigned n)
{
	return r->result->setting[0].value[n].pages + r->result->setting[s].value[n].pages;
}

static void row(FILE *out, const struct compare_report *r, unsigned s, unsigned n)
{
	const struct compare_value *base = &r->result->setting[0].value[n];
	const struct compare_value *changed = &r->result->setting[s].value[n];
	const struct compare_delta *delta = &r->result->setting[s].delta[n];

	if (!pages(r, s, n))
		return;
	fprintf(out, "measured  %-26s %8" PRIu64, compare_row_names[n].name, base->pages);
	if (changed->pages == base->pages)
		fprintf(out, " %8s", "same");
	else
		fprintf(out, " %8" PRIu64, changed->pages);
	number(out, 9, 1, base->ns);
	number(out, 9, 1, changed->ns);
	if (isnan(delta->ns)) {
		fprintf(out, "  n/a\n");
		return;
	}
	fprintf(out, " %+9.1f", delta->ns);
	interval(out, 20, 1, &delta->ns_interval);
	fprintf(out, " %+7.2f %%", delta->percent);
	interval(out, 18, 2, &delta->percent_interval);
	fprintf(out, "\n");
}

/* The sum of paths says nothing if there is but one, whichever that is. */
static bool is_repetition(const struct compare_report *r, unsigned s, unsigned n)
{
	if (n != COMPARE_COMPRESS_ALL && n != COMPARE_DECOMPRESS_ALL && n != COMPARE_STORE_ALL &&
	    n != COMPARE_LOAD_ALL)
		return false;
	for (unsigned path = 1; path <= ZSWAP_NR_PATHS; path++) {
		if (pages(r, s, n) == pages(r, s, n - path))
			return true;
	}
	return false;
}

static void rows(FILE *out, const struct compare_report *r, unsigned s, const char *title,
		 unsigned first, unsigned last)
{
	uint64_t any = 0;

	for (unsigned n = first; n <= last; n++)
		any += pages(r, s, n);
	if (!any)
		return;
	fprintf(out, "%s\n", title);
	for (unsigned n = first; n <= last; n++) {
		if (!is_repetition(r, s, n))
			row(out, r, s, n);
	}
}

static void counts(FILE *out, const struct compare_report *r, unsigned s)
{
	struct compare_count count[COMPARE_MAX_COUNTS];
	unsigned nr = compare_counts(r, s, count);

	if (!nr)
		return;
	fprintf(out, "\ncounts that differ, of one round              %14s %14s %14s\n", "baseline",
		"changed", "delta");
	for (unsigned i = 0; i < nr; i++)
		fprintf(out, "counted   %-36s %14" PRId64 " %14" PRId64 " %+14" PRId64 "\n",
			count[i].name, count[i].base, count[i].changed,
			count[i].changed - count[i].base);
}

/* A device that is modelled has its times in a block of their own. */
static void modelled(FILE *out, const struct compare_report *r, unsigned s)
{
	const struct replay_result *base = r->result->setting[0].replay;
	const struct replay_result *changed = r->result->setting[s].replay;

	if (swap_model_is_none(&base->swap_model) && swap_model_is_none(&changed->swap_model))
		return;
	fprintf(out, "\nswap-in, measured software + modelled device, ns, of the last round\n"
		     "                                          calls     mean      p50      p90  "
		     "    p99    p99.9       max\n");
	report_latency_row(out, "baseline, all swap-ins", &base->in_modelled);
	report_latency_row(out, "baseline, from disk", &base->in_disk_modelled);
	report_latency_row(out, "changed, all swap-ins", &changed->in_modelled);
	report_latency_row(out, "changed, from disk", &changed->in_disk_modelled);
	fprintf(out, "modelled: baseline swap device %s, changed %s\n", base->swap_model.name,
		changed->swap_model.name);
}

static void comparison(FILE *out, const struct compare_report *r, unsigned s)
{
	char verdict[512];

	fprintf(out, "\nwith %u: %s\n", s, *r->text[s] ? r->text[s] : "(as base)");
	fprintf(out, "%s\n\n", compare_verdict(r, s, verdict, sizeof(verdict)));
	fprintf(out, "%-34s %9s %9s %9s %9s %9s %20s %9s %18s\n", "ns a page", "pages", "(changed)",
		"baseline", "changed", "delta", "", "delta", "");
	rows(out, r, s, "the acomp request: contexts, codec, linearising", COMPARE_COMPRESS,
	     COMPARE_DECOMPRESS_ALL);
	rows(out, r, s, "the page in zswap", COMPARE_STORE, COMPARE_WRITEBACK);
	rows(out, r, s, "in total, a page of the trace", COMPARE_OUT, COMPARE_WORKER);
	counts(out, r, s);
	modelled(out, r, s);
}

void compare_report_text(FILE *out, const struct compare_report *report)
{
	header(out, report);
	if (report->warnings->nr)
		fprintf(out, "\n");
	machine_warnings_print(report->warnings, out);
	failures(out, report);
	for (unsigned s = 1; s < report->result->nr_settings; s++)
		comparison(out, report, s);
}
