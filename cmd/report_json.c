// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/expect.h"
#include "cmd/policy_standing.h"
#include "cmd/report_parts.h"
#include "cmd/report_counters.h"
#include "cmd/report_private.h"
#include "cmd/version.h"

json_t *report_settings_json(const struct report *r)
{
	json_t *o = json_object();
	char when[64];

	codec_settings_json(o, r->compressor);
	if (r->lengths && r->lengths->origin == LENGTHS_FROM_TRACE)
		json_object_set_new(o, "codec_library", json_null());
	put(o, "cpus", r->result->nr_cpus);
	put(o, "nodes", r->result->nr_nodes);
	put(o, "totalram_pages", r->result->totalram_pages);
	put(o, "max_pool_percent", r->result->max_pool_percent);
	put(o, "accept_threshold_percent", r->result->accept_threshold_percent);
	put(o, "max_pages", r->result->max_pages);
	put(o, "accept_thr_pages", r->result->accept_thr_pages);
	json_object_set_new(o, "shrinker_enabled", json_boolean(r->result->shrinker_enabled));
	json_object_set_new(o, "scenario", r->scenario ? json_string(r->scenario) : json_null());
	json_object_set_new(o, "changes", report_changes_json(r->result));
	put_string(o, "swap_device", r->result->swap_model.name);
	put_string(o, "compact_when", compact_when_print(&r->result->compact, when, sizeof(when)));
	return o;
}

json_t *report_warnings_json(const struct report *r)
{
	char lines[REPORT_MAX_WARNINGS][256];
	unsigned n = report_warnings(r, lines, REPORT_MAX_WARNINGS);
	json_t *a = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(a, json_string(lines[i]));
	return a;
}

static json_t *events_object(const struct replay_counts *c)
{
	json_t *o = json_object();

	put(o, "events", c->events);
	put(o, "stores", c->stores);
	put(o, "loads", c->loads);
	put(o, "invalidates", c->invalidates);
	put(o, "pressures", c->pressures);
	put(o, "stored_pages", c->stored_pages);
	put(o, "loaded_pages", c->loaded_pages);
	put(o, "out_zswap_pages", c->out_pages[SWAPOUT_ZSWAP]);
	put(o, "out_zero_pages", c->out_pages[SWAPOUT_ZERO]);
	put(o, "out_disk_pages", c->out_pages[SWAPOUT_DISK]);
	put(o, "out_kept_pages", c->out_pages[SWAPOUT_ACTIVATED]);
	put(o, "in_zswap_pages", c->in_pages[SWAPIN_ZSWAP]);
	put(o, "in_zero_pages", c->in_pages[SWAPIN_ZERO]);
	put(o, "in_disk_pages", c->in_pages[SWAPIN_DISK]);
	put(o, "in_disk_written_back_pages", c->in_disk_written_back);
	put(o, "in_disk_refused_pages", c->in_disk_refused);
	put(o, "unknown_load_pages", c->unknown_loads);
	put(o, "unknown_invalidate_pages", c->unknown_invalidates);
	put(o, "kept_load_pages", c->kept_loads);
	put(o, "refused_large_load_pages", c->refused_large_loads);
	put(o, "verified_pages", c->verified_pages);
	put(o, "mismatched_pages", c->mismatched_pages);
	put(o, "failed_load_pages", c->failed_loads);
	return o;
}

/* null where the kernel has no such counter. */
static json_t *kernel_counters(const struct replay_result *x, const struct profile *profile)
{
	struct report_counter counter[REPORT_MAX_COUNTERS];
	unsigned nr = report_counters(x, profile, counter);
	json_t *o = json_object();

	for (unsigned i = 0; i < nr; i++) {
		const struct report_counter *c = &counter[i];

		json_object_set_new(o, c->name,
				    c->absent ? json_null() : json_integer((json_int_t)c->value));
	}
	return o;
}

static json_t *zswap_object(const struct replay_result *x)
{
	const struct zswap_stats *z = &x->zswap;
	json_t *o = json_object();

	put(o, "refused_memcg_limit_folios", z->reject_memcg_limit);
	put(o, "refused_pool_limit_folios", z->reject_pool_limit);
	put(o, "refused_large_folios", z->reject_large_folio);
	put(o, "load_large_refused_folios", z->load_large_refused);
	put(o, "invalidated_pages", z->invalidated);
	put(o, "overwritten_pages", z->overwritten);
	put(o, "rolled_back_pages", z->rolled_back);
	put(o, "shrink_worker_runs", z->shrink_worker_runs);
	put(o, "shrink_memcg_calls", z->shrink_memcg_calls);
	put(o, "lru_rotations", z->lru_rotations);
	put(o, "stream_contexts", x->stream_contexts);
	put(o, "stream_fallbacks", x->stream_fallbacks);
	return o;
}

/* Two codecs may call one function. */
static void add(json_t *object, const char *key, uint64_t value)
{
	const json_t *there = json_object_get(object, key);

	put(object, key, value + (there ? (uint64_t)json_integer_value(there) : 0));
}

static json_t *calls_object(const struct replay_result *x, enum zswap_dir dir,
			    const char *compressor)
{
	json_t *o = json_object();

	for (unsigned c = 0; c <= x->nr_codecs; c++) {
		const uint64_t *calls = replay_codec_calls(x, c, dir);
		const char *codec = c ? x->codecs[c] : compressor;

		for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
			if (codec_call_name(codec, i))
				add(o, codec_call_name(codec, i), calls[i]);
		}
	}
	return o;
}

static json_t *paths_object(const struct replay_result *x, enum zswap_dir dir,
			    const char *compressor)
{
	const struct zswap_account *a = &x->zswap.dir[dir];
	json_t *o = json_object();

	put(o, "oneshot_pages", a->pages[ZSWAP_PATH_ONESHOT]);
	put(o, "streamed_pages", a->pages[ZSWAP_PATH_STREAM]);
	put(o, "raw_pages", a->pages[ZSWAP_PATH_RAW]);
	put(o, "failed_pages", a->pages[ZSWAP_PATH_FAILED]);
	put(o, "straddling_pages", a->straddled);
	put(o, "copied_bytes", a->copied_bytes);
	json_object_set_new(o, "calls", calls_object(x, dir, compressor));
	return o;
}

static json_t *usage_object(const struct zpool_usage *u, uint64_t stored_pages)
{
	json_t *o = json_object();

	put(o, "pool_pages", u->pages);
	put(o, "stored_pages", stored_pages);
	put(o, "zspages", u->groups);
	put(o, "objects", u->objects);
	put(o, "straddling_objects", u->straddling_objs);
	put(o, "payload_bytes", u->payload_bytes);
	put(o, "rounding_bytes", u->rounding_bytes);
	put(o, "unused_bytes", u->unused_bytes);
	put(o, "tail_bytes", u->tail_bytes);
	json_object_set_new(o, "ratio",
			    u->pages ? json_real((double)stored_pages / (double)u->pages)
				     : json_null());
	return o;
}

static json_t *classes_array(const struct replay_result *x)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < x->nr_classes; i++) {
		const struct zs_class_stats *c = &x->classes_at_peak[i];
		json_t *o;

		if (!c->obj_allocated)
			continue;
		o = json_object();
		put(o, "class", c->geometry.index);
		put(o, "size_bytes", c->geometry.size);
		put(o, "objs_per_zspage", c->geometry.objs);
		put(o, "pages_per_zspage", c->geometry.pages);
		put(o, "obj_allocated", c->obj_allocated);
		put(o, "obj_used", c->obj_used);
		put(o, "pages_used", c->pages_used);
		put(o, "straddling_objects", c->straddling_objs);
		put(o, "payload_bytes", c->payload_bytes);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *compaction_object(const struct replay_compaction *c)
{
	json_t *o = json_object();

	put(o, "runs", c->runs);
	put(o, "moved_objects", c->moved_objects);
	put(o, "copied_bytes", c->copied_bytes);
	put(o, "freed_pages", c->freed_pages);
	return o;
}

/* The same to the byte for one trace, profile, settings and library. */
json_t *report_counts_json(const struct replay_result *x, const struct profile *profile,
			   const char *compressor)
{
	json_t *o = json_object(), *peak = usage_object(&x->pool_peak, x->stored_at_peak);

	json_object_set_new(o, "events", events_object(&x->counts));
	json_object_set_new(o, "kernel", kernel_counters(x, profile));
	json_object_set_new(o, "zswap", zswap_object(x));
	json_object_set_new(o, "refused_pages", report_refused_json(x->rejected));
	json_object_set_new(o, "swap", report_swap_json(x));
	json_object_set_new(o, "compress", paths_object(x, ZSWAP_STORE, compressor));
	json_object_set_new(o, "decompress", paths_object(x, ZSWAP_LOAD, compressor));
	json_object_set_new(o, "writeback", paths_object(x, ZSWAP_WRITEBACK, compressor));
	put(peak, "after_event", x->peak_event);
	json_object_set_new(peak, "classes", classes_array(x));
	json_object_set_new(o, "pool_at_peak", peak);
	json_object_set_new(o, "pool_mean_pages", json_real(report_pool_mean_pages(x)));
	json_object_set_new(o, "compaction", compaction_object(&x->compaction));
	json_object_set_new(o, "pool_at_end", usage_object(&x->pool_end, x->zswap.stored_pages));
	json_object_set_new(o, "memcgs", report_memcgs_json(x));
	return o;
}

json_t *report_latency_json(const struct histogram *h)
{
	struct histogram_summary s;
	json_t *o = json_object();

	histogram_summarise(h, &s);
	put(o, "count", s.count);
	put(o, "sum_ns", s.sum);
	json_object_set_new(o, "mean_ns", json_real(s.mean));
	put(o, "min_ns", s.min);
	put(o, "p50_ns", s.p50);
	put(o, "p90_ns", s.p90);
	put(o, "p99_ns", s.p99);
	put(o, "p99_9_ns", s.p99_9);
	put(o, "max_ns", s.max);
	return o;
}

static json_t *split_object(const struct replay_result *x, enum zswap_dir dir)
{
	const struct zswap_account *a = &x->zswap.dir[dir];
	json_t *o = json_object();

	put(o, "total_ns", x->dir_ns[dir]);
	put(o, "init_ns", a->init_ns);
	put(o, "codec_ns", a->codec_ns);
	put(o, "copy_ns", a->copy_ns);
	put(o, "other_ns", x->dir_ns[dir] - a->init_ns - a->codec_ns - a->copy_ns);
	return o;
}

static const char *const op_keys[REPLAY_NR_OPS] = {
	"out_zswap", "out_zswap_large", "out_zero", "out_disk",
	"out_kept",  "in_zswap",	"in_zero",  "in_disk",
};
static const char *const dir_keys[ZSWAP_NR_DIRS] = {"store", "load", "writeback"};
static const char *const path_keys[ZSWAP_NR_PATHS] = {"oneshot", "streamed", "raw", "failed"};

static bool lengths_exact(const struct report *r)
{
	bool exact = codec_lengths_exact(r->compressor, r->profile);

	for (unsigned i = 1; i <= r->result->nr_codecs; i++)
		exact = exact && codec_lengths_exact(r->result->codecs[i], r->profile);
	return exact;
}

/* null: the lengths are not this program's. */
json_t *report_lengths_exact_json(const struct report *r)
{
	if (r->lengths && r->lengths->origin == LENGTHS_FROM_TRACE)
		return json_null();
	return json_boolean(lengths_exact(r));
}

static json_t *measured_object(const struct replay_result *x)
{
	json_t *o = json_object(), *ops = json_object(), *pages = json_object(),
	       *split = json_object();

	put(o, "wall_ns", x->wall_ns);
	put(o, "in_calls_ns", x->op_ns);
	put(o, "reading_trace_ns", x->read_ns);
	put(o, "comparing_ns", x->verify_ns);
	put(o, "shrink_worker_ns", x->worker_ns);
	put(o, "compaction_ns", x->compact_ns);
	put(o, "swap_file_ns", x->file_ns);
	put(o, "clock_reading_ns", x->clock_ns);
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++) {
		if (x->op[op].count)
			json_object_set_new(ops, op_keys[op], report_latency_json(&x->op[op]));
	}
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		json_t *paths = json_object();

		for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++) {
			if (x->page[dir][path].count)
				json_object_set_new(paths, path_keys[path],
						    report_latency_json(&x->page[dir][path]));
		}
		json_object_set_new(pages, dir_keys[dir], paths);
		json_object_set_new(split, dir_keys[dir], split_object(x, dir));
	}
	json_object_set_new(o, "calls", ops);
	json_object_set_new(o, "pages", pages);
	json_object_set_new(o, "split", split);
	return o;
}

json_t *report_measured_json(const struct report *r)
{
	return r->lengths ? json_null() : measured_object(r->result);
}

json_t *report_json(const struct report *report)
{
	json_t *o = json_object();

	put_string(o, "schema", REPORT_SCHEMA);
	put(o, "schema_version", REPORT_SCHEMA_VERSION);
	put_string(o, "command", report->command);
	json_object_set_new(o, "versions", version_json());
	put_string(o, "mode", report->lengths ? "policy" : "measure");
	json_object_set_new(o, "policy_mode", report_policy_mode_json(report));
	json_object_set_new(o, "lengths_exact", report_lengths_exact_json(report));
	json_object_set_new(o, "machine", machine_info_json(report->machine));
	json_object_set_new(o, "trace", report_trace_json(report->trace_path, report->trace));
	json_object_set_new(o, "profile", report_profile_json(report->profile));
	json_object_set_new(o, "settings", report_settings_json(report));
	json_object_set_new(o, "warnings", report_warnings_json(report));
	json_object_set_new(
		o, "counts",
		report_counts_json(report->result, report->profile, report->compressor));
	json_object_set_new(o, "policy",
			    report->policy ? policy_standing_json(report->policy) : json_null());
	json_object_set_new(o, "measured", report_measured_json(report));
	json_object_set_new(o, "modelled", report_modelled_of_json(report));
	if (report->lengths)
		json_object_set_new(o, "cpuid", json_null());
	else
		report_cpuid_json(o, report->cpuid, report->result);
	json_object_set_new(o, "expectations",
			    report->expect
				    ? expect_json(report->expect, json_object_get(o, "counts"))
				    : json_array());
	json_object_set_new(o, "first_failure",
			    *report->result->first_failure
				    ? json_string(report->result->first_failure)
				    : json_null());
	return o;
}
