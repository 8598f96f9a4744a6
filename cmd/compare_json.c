// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "cmd/json.h"
#include "cmd/codec.h"
#include "cmd/compare_report.h"
#include "cmd/report.h"
#include "cmd/report_parts.h"
#include "cmd/version.h"

static json_t *real(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *interval_array(const struct interval *i)
{
	json_t *a;

	if (isnan(i->low))
		return json_null();
	a = json_array();
	json_array_append_new(a, json_real(i->low));
	json_array_append_new(a, json_real(i->high));
	return a;
}

static json_t *value_object(const struct compare_value *value)
{
	json_t *o = json_object();

	put(o, "pages", value->pages);
	json_object_set_new(o, "ns", real(value->ns));
	return o;
}

static json_t *delta_object(const struct compare_delta *delta)
{
	json_t *o;

	if (isnan(delta->ns))
		return json_null();
	o = json_object();
	json_object_set_new(o, "ns", real(delta->ns));
	json_object_set_new(o, "ns_interval", interval_array(&delta->ns_interval));
	json_object_set_new(o, "percent", real(delta->percent));
	json_object_set_new(o, "percent_interval", interval_array(&delta->percent_interval));
	return o;
}

/* Rows that neither side has are left out. */
static json_t *rows_object(const struct compare_result *x, unsigned s)
{
	json_t *o = json_object();

	for (unsigned n = 0; n < COMPARE_NR_ROWS; n++) {
		const struct compare_value *base = &x->setting[0].value[n];
		const struct compare_value *changed = &x->setting[s].value[n];
		json_t *row;

		if (!base->pages && !changed->pages)
			continue;
		row = json_object();
		json_object_set_new(row, "baseline", value_object(base));
		json_object_set_new(row, "changed", value_object(changed));
		json_object_set_new(row, "delta", delta_object(&x->setting[s].delta[n]));
		json_object_set_new(o, compare_row_names[n].key, row);
	}
	return o;
}

static json_t *counts_object(const struct compare_report *r, unsigned s)
{
	struct compare_count count[COMPARE_MAX_COUNTS];
	unsigned nr = compare_counts(r, s, count);
	json_t *o = json_object();

	for (unsigned i = 0; i < nr; i++)
		json_object_set_new(o, count[i].name,
				    json_pack("{s:I, s:I}", "baseline", (json_int_t)count[i].base,
					      "changed", (json_int_t)count[i].changed));
	return o;
}

static json_t *events_object(const struct compare_setting *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "same_paths", json_boolean(compare_same_events(s)));
	put(o, "other_path_pages", s->events.paths);
	put(o, "other_calls_pages", s->events.calls);
	put(o, "other_length_pages", s->events.lengths);
	put(o, "other_place_folios", s->events.places);
	json_object_set_new(o, "first_event",
			    compare_same_events(s) ? json_null()
						   : json_integer((json_int_t)s->events.first));
	return o;
}

/* The settings that are none of the profile's. */
static json_t *parameters_object(const struct settings *settings)
{
	json_t *o = json_object();
	struct setting_key key;
	char value[512];

	for (unsigned i = 0; settings_key(i, &key); i++) {
		if (!settings_is_profile(key.key))
			put_string(o, key.key,
				   settings_value(settings, key.key, value, sizeof(value)));
	}
	return o;
}

static json_t *setting_object(const struct compare_report *r, unsigned s)
{
	const struct compare_setting *setting = &r->result->setting[s];
	json_t *o = json_object();

	put_string(o, "settings", r->text[s]);
	json_object_set_new(o, "profile", report_profile_json(&r->settings[s].profile));
	json_object_set_new(o, "parameters", parameters_object(&r->settings[s]));
	codec_settings_json(o, r->settings[s].replay.compressor);
	json_object_set_new(o, "lengths_exact",
			    json_boolean(codec_lengths_exact(r->config->settings[s].compressor,
							     &r->settings[s].profile)));
	put(o, "mismatched_pages", setting->mismatched_pages);
	put(o, "failed_load_pages", setting->failed_loads);
	if (setting->replay->first_failure[0])
		put_string(o, "first_failure", setting->replay->first_failure);
	if (s) {
		char verdict[512];

		put_string(o, "verdict", compare_verdict(r, s, verdict, sizeof(verdict)));
		json_object_set_new(o, "events", events_object(setting));
		json_object_set_new(o, "counts_that_differ", counts_object(r, s));
		json_object_set_new(o, "measured", rows_object(r->result, s));
	}
	json_object_set_new(o, "modelled", report_modelled_json(setting->replay));
	return o;
}

static json_t *method_object(const struct compare_report *r)
{
	const struct bootstrap_config *b = &r->config->bootstrap;
	json_t *o = json_object();

	put(o, "rounds", r->result->rounds);
	put(o, "chunks", r->result->nr_chunks);
	put(o, "units", r->result->nr_units);
	put(o, "resamples", b->resamples);
	json_object_set_new(o, "confidence", json_real(b->confidence));
	put(o, "seed", b->seed);
	put(o, "pages", r->result->pages);
	put(o, "wall_ns", r->result->wall_ns);
	put(o, "clock_reading_ns", r->result->setting[0].replay->clock_ns);
	return o;
}

json_t *compare_report_json(const struct compare_report *report)
{
	const struct replay_config *base = &report->config->settings[0];
	json_t *o = json_object(), *settings = json_array();

	put_string(o, "schema", COMPARE_SCHEMA);
	put(o, "schema_version", COMPARE_SCHEMA_VERSION);
	put_string(o, "command", report->command);
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "machine", machine_info_json(report->machine));
	json_object_set_new(o, "warnings", machine_warnings_json(report->warnings));
	json_object_set_new(o, "trace", report_trace_json(report->trace_path, report->trace));
	codec_settings_json(o, base->compressor);
	json_object_set_new(o, "method", method_object(report));
	for (unsigned s = 0; s < report->result->nr_settings; s++)
		json_array_append_new(settings, setting_object(report, s));
	json_object_set_new(o, "settings", settings);
	return o;
}
