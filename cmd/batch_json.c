// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/batch.h"

#include <math.h>

#include "cmd/json.h"
#include "cmd/report_parts.h"
#include "cmd/version.h"

static json_t *times_object(const struct histogram *h)
{
	struct histogram_summary s;

	if (!h->count)
		return json_null();
	histogram_summarise(h, &s);
	return json_pack("{s:I, s:f, s:I, s:I, s:I}", "count", (json_int_t)s.count, "mean_ns",
			 s.mean, "p50_ns", (json_int_t)s.p50, "p99_ns", (json_int_t)s.p99, "max_ns",
			 (json_int_t)s.max);
}

/* Measured and modelled are two objects, of which one is null. */
static json_t *calls_object(const struct batch_report *r, unsigned codec,
			    const struct batching_result *result)
{
	json_t *measured = NULL, *modelled = NULL;

	if (batch_is_modelled(&r->codec[codec]))
		modelled = json_pack("{s:o, s:o, s:o}", "call", times_object(&result->device_ns),
				     "page", times_object(&result->device_page_ns), "load",
				     times_object(&result->load_device_ns));
	else
		measured = json_pack("{s:o, s:o}", "call", times_object(&result->call_ns), "page",
				     times_object(&result->call_page_ns));
	return json_pack("{s:I, s:I, s:I, s:o*, s:o*}", "api", (json_int_t)result->compress.calls,
			 "algorithm", (json_int_t)result->compress.submissions, "pages",
			 (json_int_t)result->compress.units, "measured", measured, "modelled",
			 modelled);
}

static json_t *needs_object(const struct zswap_compress_stats *c)
{
	json_t *o = json_object();

	put(o, "requests_a_cpu", c->requests);
	put(o, "standing_bytes_a_cpu", c->standing_bytes);
	put(o, "pages_allocated", c->pages);
	put(o, "tables_allocated", c->tables);
	put(o, "peak_bytes", c->peak_bytes);
	put(o, "results_copied", c->results_copied);
	put(o, "copied_bytes", c->copied_bytes);
	put(o, "crossings", c->crossings);
	put(o, "mutex_locks", c->mutex_locks);
	put(o, "stream_locks", c->submissions);
	return o;
}

static json_t *interval_array(const struct interval *i)
{
	return isnan(i->low) ? json_null() : json_pack("[f, f]", i->low, i->high);
}

static json_t *overhead_object(const struct batching_overhead *o, unsigned mode)
{
	json_t *object, *samples;

	if (!o->rounds)
		return json_null();
	samples = json_array();
	for (unsigned i = 0; i < o->rounds; i++)
		json_array_append_new(samples, json_real(o->samples[(size_t)mode * o->rounds + i]));
	object = json_pack("{s:f, s:o, s:f, s:o, s:f, s:o}", "page_ns", o->ns[mode],
			   "page_ns_interval", interval_array(&o->interval[mode]), "less_none_ns",
			   o->delta_ns[mode], "less_none_ns_interval",
			   interval_array(&o->delta_interval[mode]), "algorithm_ns",
			   o->codec_ns[mode], "rounds_ns", samples);
	return object;
}

static json_t *refusing_object(const struct batching_result *result)
{
	json_t *o;

	if (!result)
		return json_null();
	o = json_object();
	put(o, "refused_folios", result->refused_folios);
	put(o, "refused_pages", result->refused_pages);
	put(o, "rolled_back_pages", result->zswap.rolled_back);
	put(o, "compressed_in_vain_pages", result->compress.undone);
	put(o, "reject_compress_poor", result->zswap.reject_compress_poor);
	put(o, "reject_compress_fail", result->zswap.reject_compress_fail);
	return o;
}

static json_t *mode_object(const struct batch_report *r, unsigned codec, unsigned size,
			   unsigned mode)
{
	const struct batch_cell *cell = &r->cell[codec][size];
	const struct batching_result *result = cell->result[mode];
	json_t *o = json_object();

	json_object_set_new(o, "interface", json_string(batching_mode_names[mode]));
	json_object_set_new(o, "same_objects", json_boolean(cell->same_objects[mode]));
	json_object_set_new(o, "same_counters", json_boolean(cell->same_counters[mode]));
	json_object_set_new(o, "objects_hash", json_string(result->objects));
	put(o, "stored_bytes", result->stored_bytes);
	put(o, "verified_pages", batch_verified(cell, mode));
	put(o, "mismatched_pages", batch_mismatched(cell, mode));
	json_object_set_new(o, "calls", calls_object(r, codec, result));
	json_object_set_new(o, "needs", needs_object(&result->compress));
	json_object_set_new(o, "overhead_measured", overhead_object(&cell->overhead, mode));
	json_object_set_new(o, "without_writeback", refusing_object(cell->refusing[mode]));
	return o;
}

static json_t *cell_object(const struct batch_report *r, unsigned codec, unsigned size)
{
	const struct batch_cell *cell = &r->cell[codec][size];
	json_t *o = json_object(), *modes = json_array();
	char name[16];

	json_object_set_new(o, "codec", json_string(r->codec[codec].name));
	json_object_set_new(o, "folio", json_string(batch_size_name(r->order[size], name)));
	put(o, "folios", cell->folios);
	put(o, "pages", cell->pages);
	put(o, "zero_folios", cell->zero_folios);
	put(o, "raw_pages", cell->result[0]->zswap.dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW]);
	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++)
		json_array_append_new(modes, mode_object(r, codec, size, mode));
	json_object_set_new(o, "interfaces", modes);
	return o;
}

static json_t *curve_array(const struct iaa_curve *curve)
{
	json_t *array;

	if (!curve->nr)
		return json_null();
	array = json_array();
	for (unsigned i = 0; i < curve->nr; i++) {
		const struct iaa_point *p = &curve->point[i];

		json_array_append_new(
			array, json_pack("{s:i, s:f, s:o}", "batch", (int)p->batch, "page_p50_ns",
					 p->p50_ns, "page_p99_ns",
					 curve->has_p99 ? json_real(p->p99_ns) : json_null()));
	}
	return array;
}

static json_t *device_object(const struct iaa_model *m)
{
	return json_pack("{s:s, s:s, s:b, s:i, s:i, s:i, s:f, s:f, s:o, s:o}", "name", m->name,
			 "source", m->source, "modelled", 1, "engines", (int)m->engines,
			 "queue_depth_pages", (int)m->queue_depth, "batch_size_pages",
			 (int)m->batch_size, "submit_ns", m->submit_ns, "complete_ns",
			 m->complete_ns, "compress", curve_array(&m->curve[IAA_COMPRESS]),
			 "decompress", curve_array(&m->curve[IAA_DECOMPRESS]));
}

json_t *batch_json(const struct batch_report *r)
{
	json_t *root = json_object(), *cells = json_array();

	json_object_set_new(root, "schema", json_string(BATCH_SCHEMA));
	put(root, "schema_version", BATCH_SCHEMA_VERSION);
	json_object_set_new(root, "version", version_json());
	json_object_set_new(root, "command", json_string(r->command));
	json_object_set_new(root, "machine", machine_info_json(r->machine));
	json_object_set_new(root, "trace", report_trace_json(r->trace_path, r->trace));
	json_object_set_new(root, "profile", report_profile_json(r->profile));
	json_object_set_new(root, "warnings", machine_warnings_json(r->warnings));
	json_object_set_new(root, "device", device_object(r->device));
	put(root, "pages", r->pages);
	put(root, "rounds", r->rounds);
	put(root, "seed", r->bootstrap->seed);
	json_object_set_new(root, "clock_ns", json_real(r->cell[0][0].overhead.clock_ns));
	json_object_set_new(root, "mutex_ns", json_real(r->mutex_ns));
	for (unsigned codec = 0; codec < r->nr_codecs; codec++) {
		for (unsigned size = 0; size < r->nr_sizes; size++)
			json_array_append_new(cells, cell_object(r, codec, size));
	}
	json_object_set_new(root, "cells", cells);
	return root;
}
