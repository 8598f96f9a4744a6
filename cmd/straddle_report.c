// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/straddle_report.h"

#include <inttypes.h>
#include <math.h>

#include "cmd/report_parts.h"
#include "cmd/report_private.h"
#include "cmd/version.h"
#include "sim/lengths.h"

static void header(FILE *out, const struct straddle_report *r)
{
	const struct straddle_config *c = r->config;
	char title[32];

	fprintf(out, "zswapsim straddle\n\n");
	fprintf(out, "command   %s\n", r->command);
	report_trace_text(out, r->trace_path, r->trace);
	fprintf(out, "machine\n");
	machine_info_print(r->machine, "  ", out);
	fprintf(out, "kernel    %s, under each chain size; compressor %s\n",
		profile_title(c->replay->profile, title, sizeof(title)), c->replay->compressor);
	fprintf(out, "lengths   %s\n", c->lengths->key);
	if (!c->pages) {
		fprintf(out, "measured  nothing (--pages 0)\n");
		return;
	}
	fprintf(out,
		"measured  of each chain size %u loads that straddled, drawn with seed %" PRIu64
		"; each load and\n          one of the same page from a chunk that does not, %u "
		"times "
		"in turn: the medians;\n          intervals %.0f %%, bootstrapped over the loads\n",
		c->pages, c->seed, c->rounds, 100 * c->bootstrap.confidence);
}

static void number(FILE *out, int width, int digits, double value)
{
	if (isnan(value))
		fprintf(out, " %*s", width, "n/a");
	else
		fprintf(out, " %*.*f", width, digits, value);
}

static void interval(FILE *out, int width, const struct interval *i)
{
	char text[64] = "[n/a]";

	if (!isnan(i->low))
		snprintf(text, sizeof(text), "[%.0f, %.0f]", i->low, i->high);
	fprintf(out, " %*s", width, text);
}

static void row(FILE *out, const struct straddle_row *x)
{
	fprintf(out,
		"%5u %10" PRIu64 " %9.0f %9" PRIu64 " %10" PRIu64 " %7.2f %% %8" PRIu64 " %8" PRIu64
		" |",
		x->chain_size, x->peak_pages, x->mean_pages, x->loads, x->straddling,
		percent(x->straddling, x->loads), x->streamed, x->copied);
	number(out, 8, 0, x->cost.linear);
	number(out, 8, 0, x->cost.straddling);
	number(out, 7, 0, x->cost.tax);
	interval(out, 16, &x->cost.tax_interval);
	fprintf(out, " |");
	number(out, 8, 0, x->per_load_ns);
	interval(out, 14, &x->per_load_interval);
	number(out, 9, 1, x->total_ns / 1e6);
	fprintf(out, "\n");
}

void straddle_report_text(FILE *out, const struct straddle_report *r)
{
	header(out, r);
	fprintf(out,
		"\n      counted                                                                 "
		"      | measured, ns a load                       | computed\n");
	fprintf(out, "chain  peak pool mean pool     loads straddling     share streamed   copied |"
		     "   linear straddl.     tax         interval |  ns a load       interval  "
		     "all, ms\n");
	for (unsigned i = 0; i < r->result->nr_rows; i++)
		row(out, &r->result->rows[i]);
	fprintf(out, "\npool in pages; loads are pages that came from zswap; the tax a load is "
		     "spread over "
		     "all of them\n");
}

static json_t *real_or_null(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *interval_json(const struct interval *i)
{
	json_t *a = json_array();

	if (isnan(i->low)) {
		json_decref(a);
		return json_null();
	}
	json_array_append_new(a, json_real(i->low));
	json_array_append_new(a, json_real(i->high));
	return a;
}

static json_t *row_json(const struct straddle_row *x)
{
	json_t *o = json_object(), *counted = json_object(), *measured = json_object(),
	       *computed = json_object();

	put(o, "chain_size_pages", x->chain_size);
	put(counted, "pool_peak_pages", x->peak_pages);
	json_object_set_new(counted, "pool_mean_pages", json_real(x->mean_pages));
	put(counted, "loaded_pages", x->loads);
	put(counted, "straddling_pages", x->straddling);
	put(counted, "streamed_pages", x->streamed);
	put(counted, "copied_pages", x->copied);
	json_object_set_new(o, "counted", counted);
	put(measured, "loads", x->cost.loads);
	json_object_set_new(measured, "linear_ns", real_or_null(x->cost.linear));
	json_object_set_new(measured, "straddling_ns", real_or_null(x->cost.straddling));
	json_object_set_new(measured, "tax_ns", real_or_null(x->cost.tax));
	json_object_set_new(measured, "tax_interval_ns", interval_json(&x->cost.tax_interval));
	json_object_set_new(o, "measured", measured);
	json_object_set_new(computed, "tax_a_load_ns", real_or_null(x->per_load_ns));
	json_object_set_new(computed, "tax_a_load_interval_ns",
			    interval_json(&x->per_load_interval));
	json_object_set_new(computed, "tax_total_ns", real_or_null(x->total_ns));
	json_object_set_new(o, "computed", computed);
	return o;
}

json_t *straddle_report_json(const struct straddle_report *r)
{
	const struct straddle_config *c = r->config;
	json_t *o = json_object(), *rows = json_array(), *settings = json_object();

	put_string(o, "schema", "zswapsim.straddle");
	put(o, "schema_version", 1);
	put_string(o, "command", r->command);
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "machine", machine_info_json(r->machine));
	json_object_set_new(o, "trace", report_trace_json(r->trace_path, r->trace));
	json_object_set_new(o, "profile", report_profile_json(c->replay->profile));
	put_string(settings, "compressor", c->replay->compressor);
	put_string(settings, "lengths", c->lengths->key);
	put(settings, "pages", c->pages);
	put(settings, "rounds", c->rounds);
	put(settings, "seed", c->seed);
	put(settings, "resamples", c->bootstrap.resamples);
	json_object_set_new(settings, "confidence", json_real(c->bootstrap.confidence));
	json_object_set_new(o, "settings", settings);
	for (unsigned i = 0; i < r->result->nr_rows; i++)
		json_array_append_new(rows, row_json(&r->result->rows[i]));
	json_object_set_new(o, "chain_sizes", rows);
	return o;
}
