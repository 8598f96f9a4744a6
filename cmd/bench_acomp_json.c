// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "cmd/json.h"
#include "cmd/bench_acomp.h"
#include "cmd/codec.h"
#include "cmd/report_parts.h"
#include "cmd/version.h"

static const char *const side_keys[ZSTD_NR_SIDES] = {"compress", "decompress"};

static json_t *interval_array(const struct interval *i)
{
	return isnan(i->low) ? json_null() : json_pack("[f, f]", i->low, i->high);
}

/* [runs][rounds] */
static json_t *times_array(const struct bench_acomp_arguments *a, const double *ns)
{
	json_t *runs = json_array();

	for (unsigned run = 0; run < a->runs; run++) {
		json_t *rounds = json_array();

		for (unsigned i = 0; i < a->rounds; i++)
			json_array_append_new(rounds, json_real(ns[(size_t)run * a->rounds + i]));
		json_array_append_new(runs, rounds);
	}
	return runs;
}

static json_t *side_object(const struct bench_acomp_report *r, unsigned v, enum zstd_side side)
{
	const struct cpuid_census *census = &r->result->variant[v].census;
	const struct bench_acomp_side *s = &r->result->variant[v].side[side];
	const struct bench_acomp_arguments *a = r->arguments;
	json_t *o;

	if (!s->does)
		return json_null();
	o = json_object();
	put(o, "initialisations", bench_acomp_nr_initialisations(a, s));
	json_object_set_new(o, "cpuids_computed",
			    census->counted ? json_integer(bench_acomp_nr_cpuids(s, census))
					    : json_null());
	json_object_set_new(o, "refused", json_boolean(s->ret));
	json_object_set_new(o, "rounds_ns", times_array(a, s->ns));
	return o;
}

static json_t *variants_array(const struct bench_acomp_report *r)
{
	const struct bench_acomp_arguments *a = r->arguments;
	json_t *array = json_array();

	for (unsigned v = 0; v < a->nr_variants; v++) {
		json_t *o = json_object();

		put_string(o, "name", a->text[v]);
		json_object_set_new(o, "profile", report_profile_json(&a->profile[v]));
		for (unsigned s = 0; s < ZSTD_NR_SIDES; s++)
			json_object_set_new(o, side_keys[s], side_object(r, v, s));
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *difference_object(const struct bench_difference *d)
{
	json_t *o = json_object();

	json_object_set_new(o, "baseline_ns", json_real(d->base));
	json_object_set_new(o, "patched_ns", json_real(d->changed));
	json_object_set_new(o, "delta_ns", json_real(d->delta));
	json_object_set_new(o, "delta_ns_interval", interval_array(&d->delta_interval));
	json_object_set_new(o, "percent", json_real(d->percent));
	json_object_set_new(o, "percent_interval", interval_array(&d->percent_interval));
	return o;
}

/* Of both sides, measured or by a model. */
static json_t *sides_object(const struct bench_acomp_report *r, const struct bench_acomp_pair *pair,
			    const struct machine_model *model)
{
	json_t *o = json_object();
	struct bench_difference d;

	for (unsigned s = 0; s < ZSTD_NR_SIDES; s++)
		json_object_set_new(o, side_keys[s],
				    bench_acomp_difference(r, pair, s, model, &d)
					    ? json_null()
					    : difference_object(&d));
	return o;
}

static json_t *differences_array(const struct bench_acomp_report *r)
{
	const struct machine_options *machine = &r->arguments->machine;
	struct bench_acomp_pair pairs[BENCH_ACOMP_MAX_PAIRS];
	unsigned nr = bench_acomp_pairs(r->arguments, pairs);
	json_t *array = json_array();

	for (unsigned i = 0; i < nr; i++) {
		json_t *o = json_object(), *modelled = json_object();

		put_string(o, "baseline", r->arguments->text[pairs[i].base]);
		put_string(o, "patched", r->arguments->text[pairs[i].changed]);
		json_object_set_new(o, "measured", sides_object(r, &pairs[i], NULL));
		for (unsigned m = 0; m < machine->nr; m++)
			json_object_set_new(modelled, machine->chosen[m]->name,
					    sides_object(r, &pairs[i], machine->chosen[m]));
		json_object_set_new(o, "modelled", modelled);
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *machines_array(const struct bench_acomp_report *r)
{
	const struct machine_options *machine = &r->arguments->machine;
	json_t *array = json_array();

	for (unsigned m = 0; m < machine->nr; m++) {
		const struct machine_model *model = machine->chosen[m];

		json_array_append_new(
			array, json_pack("{s:s, s:o, s:s}", "machine", model->name, "cpuid_ns",
					 model->here ? json_null() : json_real(model->cpuid_ns),
					 "source", model->source));
	}
	return array;
}

static json_t *cpuid_object(const struct bench_acomp_report *r)
{
	const struct cpuid_census *census = &r->result->variant[0].census;
	struct bench_acomp_pair pair;
	double in_place = bench_acomp_cpuid_ns(r, &pair);

	return json_pack("{s:b, s:s?, s:f, s:o}", "counted", census->counted, "reason",
			 census->counted ? NULL : census->reason, "cpuid_ns", census->cpuid_ns,
			 "in_place_ns_computed",
			 pair.base == pair.changed ? json_null() : json_real(in_place));
}

static json_t *method_object(const struct bench_acomp_report *r)
{
	const struct bench_acomp_arguments *a = r->arguments;
	json_t *o = json_object();

	put(o, "runs", a->runs);
	put(o, "rounds", a->rounds);
	put(o, "operations", a->operations);
	put(o, "cpu", a->cpu);
	put_string(o, "clock", a->wall ? "wall" : "cpu");
	put(o, "resamples", a->bootstrap.resamples);
	json_object_set_new(o, "confidence", json_real(a->bootstrap.confidence));
	put(o, "seed", a->bootstrap.seed);
	put(o, "interruptions", r->result->interruptions);
	put(o, "wall_ns", r->result->wall_ns);
	return o;
}

json_t *bench_acomp_json(const struct bench_acomp_report *report)
{
	const struct bench_acomp_arguments *a = report->arguments;
	unsigned frame = report->result->variant[0].frame_bytes;
	json_t *o = json_object();

	put_string(o, "schema", BENCH_ACOMP_SCHEMA);
	put(o, "schema_version", BENCH_ACOMP_SCHEMA_VERSION);
	put_string(o, "command", report->command);
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "machine", machine_info_json(report->machine));
	json_object_set_new(o, "warnings", machine_warnings_json(report->warnings));
	put_string(o, "caller", a->caller->name);
	codec_settings_json(o, a->compressor);
	put(o, "request_bytes", a->size);
	put_string(o, "page", a->page);
	json_object_set_new(o, "frame_bytes", frame ? json_integer(frame) : json_null());
	json_object_set_new(o, "method", method_object(report));
	json_object_set_new(o, "cpuid", cpuid_object(report));
	json_object_set_new(o, "machines", machines_array(report));
	json_object_set_new(o, "variants", variants_array(report));
	json_object_set_new(o, "differences", differences_array(report));
	return o;
}
