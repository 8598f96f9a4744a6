// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/policy_report.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/json.h"
#include "cmd/codec.h"
#include "cmd/report_parts.h"
#include "cmd/version.h"
#include "sim/page.h"

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

const char *policy_distance(uint64_t reads, uint64_t from, char buf[POLICY_DISTANCE_BYTES])
{
	int64_t more = (int64_t)(reads - from);

	if (from)
		snprintf(buf, POLICY_DISTANCE_BYTES, "%+" PRId64 " (%+.1f %%)", more,
			 100.0 * more / from);
	else
		snprintf(buf, POLICY_DISTANCE_BYTES, "%+" PRId64, more);
	return buf;
}

static void hit_rate(FILE *out, uint64_t hits, uint64_t reads)
{
	if (hits + reads)
		fprintf(out, " %7.2f %%", 100.0 * hits / (hits + reads));
	else
		fprintf(out, " %9s", "n/a");
}

static int name_width(const struct policy_table *t)
{
	size_t width = strlen("clairvoyant");

	for (unsigned i = 0; i < t->nr_rows; i++) {
		const char *name = t->rows[i].name;

		if (strlen(name) > width)
			width = strlen(name);
	}
	return width < 48 ? width : 48;
}

static void header_row(FILE *out, int width, const char *fourth)
{
	fprintf(out, "  %-*s disk reads  written back   refused  %9s  hit rate   %-20s %s\n", width,
		"policy", fourth, "above clairvoyant", "above the bound");
}

static void bound_row(FILE *out, int width, const struct bound_result *b)
{
	fprintf(out, "  %-*s %10" PRIu64 "\n", width, "the bound", b->reads);
	fprintf(out,
		"  that is %" PRIu64 " that no policy can keep, and of %" PRIu64
		" others the most of: PFOO-L %" PRIu64 ", PFOO-L in\n  congestion %" PRIu64
		", at single moments %" PRIu64 "\n",
		b->forced_reads, b->intervals, b->pfoo_l_reads, b->congested_reads,
		b->moment_reads);
}

static void ideal_row(FILE *out, int width, const struct policy_table *t,
		      const struct policy_row *row, bool reference)
{
	const struct ideal_counts *c = &row->ideal;
	char a[POLICY_DISTANCE_BYTES], b[POLICY_DISTANCE_BYTES], name[64];

	snprintf(name, sizeof(name), "%.48s", row->name);
	fprintf(out, "  %-*s %10" PRIu64 " %13" PRIu64 " %9" PRIu64 "  %9" PRIu64, width, name,
		c->disk_reads, c->written_back,
		c->refused_incompressible + c->refused_large + c->refused_policy, c->given_up);
	hit_rate(out, c->hits, c->disk_reads);
	fprintf(out, "   %-20s %s\n",
		reference ? "-"
			  : policy_distance(c->disk_reads, t->clairvoyant.ideal.disk_reads, a),
		policy_distance(c->disk_reads, t->ideal_bound.reads, b));
}

static void kernel_row(FILE *out, int width, const struct policy_table *t,
		       const struct policy_row *row, bool reference)
{
	const struct policy_kernel_counts *c = &row->kernel;
	char a[POLICY_DISTANCE_BYTES], b[POLICY_DISTANCE_BYTES], name[64];

	snprintf(name, sizeof(name), "%.48s", row->name);
	if (*c->stopped) {
		fprintf(out, "  %-*s stopped: %s\n", width, name, c->stopped);
		return;
	}
	fprintf(out, "  %-*s %10" PRIu64 " %13" PRIu64 " %9" PRIu64 "  %9" PRIu64, width, name,
		c->disk_reads, c->written_back, c->refused, c->peak_pages);
	hit_rate(out, c->hits, c->disk_reads);
	fprintf(out, "   %-20s %s\n",
		reference || *t->clairvoyant.kernel.stopped
			? "-"
			: policy_distance(c->disk_reads, t->clairvoyant.kernel.disk_reads, a),
		policy_distance(c->disk_reads, t->kernel_bound.reads, b));
}

static bool has_clairvoyant(const struct policy_table *t)
{
	for (unsigned i = 0; i < t->nr_rows; i++) {
		if (!strcmp(t->rows[i].name, t->clairvoyant.name))
			return true;
	}
	return false;
}

typedef void (*row_fn)(FILE *out, int width, const struct policy_table *t,
		       const struct policy_row *row, bool reference);

static void rows(FILE *out, const struct policy_table *t, row_fn row)
{
	int width = name_width(t);

	for (unsigned i = 0; i < t->nr_rows; i++)
		row(out, width, t, &t->rows[i], !strcmp(t->rows[i].name, t->clairvoyant.name));
	if (!has_clairvoyant(t))
		row(out, width, t, &t->clairvoyant, true);
}

static void ideal_text(FILE *out, const struct policy_report *r)
{
	const struct policy_table *t = r->table;

	fprintf(out,
		"\nobjective ideal: fewest disk reads; capacity %" PRIu64
		" bytes (%.1f MiB) of objects, no hysteresis,\n  any page may be refused or given "
		"up\n",
		t->capacity, mib(t->capacity));
	header_row(out, name_width(t), "given up");
	rows(out, t, ideal_row);
	bound_row(out, name_width(t), &t->ideal_bound);
	for (unsigned i = 0; i < t->nr_rows; i++) {
		if (strcmp(t->rows[i].name, t->rows[i].ideal_name))
			fprintf(out, "  %s: its choice alone, %s\n", t->rows[i].name,
				t->rows[i].ideal_name);
	}
}

static void kernel_text(FILE *out, const struct policy_report *r)
{
	const struct policy_table *t = r->table;
	const struct replay_config *k = r->config->kernel;
	char title[32];

	fprintf(out,
		"\nobjective kernel: %s, a pool of up to %" PRIu64
		" pages, accepting again at %" PRIu64 "; shrinker_enabled=%u\n",
		profile_title(k->profile, title, sizeof(title)), t->max_pages, t->accept_thr_pages,
		k->shrinker_enabled);
	header_row(out, name_width(t), "pool peak");
	rows(out, t, kernel_row);
	if (!t->kernel_known) {
		fprintf(out, "  the bound is not known: no replay came to its end\n");
		return;
	}
	bound_row(out, name_width(t), &t->kernel_bound);
	fprintf(out,
		"  the bound is of %" PRIu64 " bytes of objects, all that the limit ever allows\n",
		t->kernel_capacity);
	fprintf(out, POLICY_HEURISTIC);
}

void policy_report_text(FILE *out, const struct policy_report *r)
{
	fprintf(out, "zswapsim policy\n\n");
	fprintf(out, "command   %s\n", r->command);
	report_trace_text(out, r->trace_path, r->trace);
	fprintf(out, "lengths   %s\n", r->config->lengths->key);
	for (unsigned i = 0; i < r->config->kernel->nr_codecs; i++)
		fprintf(out, "          %s\n", r->config->kernel->codec_lengths[i]->key);
	if (r->config->ideal)
		ideal_text(out, r);
	if (r->config->real)
		kernel_text(out, r);
}

/* ---- JSON ---- */

static void put_distance(json_t *o, const char *key, uint64_t reads, uint64_t from)
{
	json_object_set_new(o, key, json_integer((json_int_t)(reads - from)));
}

json_t *policy_bound_json(const struct bound_result *b, uint64_t capacity)
{
	json_t *o = json_object();

	put(o, "capacity_bytes", capacity);
	put(o, "disk_read_pages", b->reads);
	put(o, "forced_disk_read_pages", b->forced_reads);
	put(o, "pfoo_l_pages", b->pfoo_l_reads);
	put(o, "congested_pages", b->congested_reads);
	put(o, "moments_pages", b->moment_reads);
	put(o, "intervals", b->intervals);
	return o;
}

static json_t *ideal_json(const struct policy_table *t, const struct policy_row *row)
{
	const struct ideal_counts *c = &row->ideal;
	json_t *o = json_object();

	json_object_set_new(o, "as", json_string(row->ideal_name));
	put(o, "disk_read_pages", c->disk_reads);
	put(o, "hit_pages", c->hits);
	put(o, "zero_load_pages", c->zero_loads);
	put(o, "unknown_load_pages", c->unknown_loads);
	put(o, "repeated_load_pages", c->repeated_loads);
	put(o, "stored_pages", c->stored);
	put(o, "zero_pages", c->zero);
	put(o, "refused_incompressible_pages", c->refused_incompressible);
	put(o, "refused_larger_than_capacity_pages", c->refused_large);
	put(o, "refused_policy_pages", c->refused_policy);
	put(o, "written_back_pages", c->written_back);
	put(o, "given_up_pages", c->given_up);
	put(o, "peak_bytes", c->peak_bytes);
	put_distance(o, "above_clairvoyant_pages", c->disk_reads, t->clairvoyant.ideal.disk_reads);
	put_distance(o, "above_bound_pages", c->disk_reads, t->ideal_bound.reads);
	return o;
}

static json_t *kernel_json(const struct policy_table *t, const struct policy_row *row)
{
	const struct policy_kernel_counts *c = &row->kernel;
	json_t *o = json_object();

	put(o, "disk_read_pages", c->disk_reads);
	put(o, "hit_pages", c->hits);
	put(o, "written_back_pages", c->written_back);
	put(o, "refused_pages", c->refused);
	put(o, "refused_policy_pages", c->refused_policy);
	put(o, "pool_peak_pages", c->peak_pages);
	put(o, "compactions", c->compactions);
	put(o, "compacted_pages", c->compacted_pages);
	if (*t->clairvoyant.kernel.stopped)
		json_object_set_new(o, "above_clairvoyant_pages", json_null());
	else
		put_distance(o, "above_clairvoyant_pages", c->disk_reads,
			     t->clairvoyant.kernel.disk_reads);
	put_distance(o, "above_bound_pages", c->disk_reads, t->kernel_bound.reads);
	return o;
}

static json_t *row_json(const struct policy_report *r, const struct policy_row *row)
{
	json_t *o = json_object();

	json_object_set_new(o, "policy", json_string(row->name));
	json_object_set_new(o, "ideal", r->config->ideal ? ideal_json(r->table, row) : json_null());
	json_object_set_new(o, "kernel",
			    r->config->real && !*row->kernel.stopped ? kernel_json(r->table, row)
								     : json_null());
	json_object_set_new(o, "kernel_stopped",
			    *row->kernel.stopped ? json_string(row->kernel.stopped) : json_null());
	return o;
}

json_t *policy_report_json(const struct policy_report *r)
{
	const struct policy_table *t = r->table;
	const struct policy_table_config *c = r->config;
	json_t *o = json_object(), *rows = json_array(), *bounds = json_object();
	json_t *codecs = json_array();

	json_object_set_new(o, "schema", json_string(POLICY_SCHEMA));
	put(o, "schema_version", POLICY_SCHEMA_VERSION);
	json_object_set_new(o, "command", json_string(r->command));
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "trace", report_trace_json(r->trace_path, r->trace));
	json_object_set_new(o, "profile", report_profile_json(c->kernel->profile));
	codec_settings_json(o, c->kernel->compressor);
	json_object_set_new(o, "lengths", json_string(c->lengths->key));
	for (unsigned i = 0; i < c->kernel->nr_codecs; i++)
		json_array_append_new(codecs, json_string(c->kernel->codec_lengths[i]->key));
	json_object_set_new(o, "policy_codec_lengths", codecs);
	put(o, "max_pages", t->max_pages);
	put(o, "accept_thr_pages", t->accept_thr_pages);
	json_object_set_new(bounds, "ideal",
			    c->ideal ? policy_bound_json(&t->ideal_bound, t->capacity)
				     : json_null());
	json_object_set_new(bounds, "kernel",
			    c->real && t->kernel_known
				    ? policy_bound_json(&t->kernel_bound, t->kernel_capacity)
				    : json_null());
	json_object_set_new(o, "bounds", bounds);
	json_object_set_new(o, "clairvoyant", row_json(r, &t->clairvoyant));
	for (unsigned i = 0; i < t->nr_rows; i++)
		json_array_append_new(rows, row_json(r, &t->rows[i]));
	json_object_set_new(o, "policies", rows);
	return o;
}
