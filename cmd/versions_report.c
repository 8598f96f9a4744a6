// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/versions_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/report_parts.h"
#include "cmd/report_private.h"
#include "cmd/version.h"

#define MAX_ROWS 64u

struct cell {
	char text[24];
	bool zero;
};

/* Rows are made kernel by kernel, each time in the same order. */
struct table {
	const char *name[MAX_ROWS]; /* a heading if it has no cells */
	bool heading[MAX_ROWS];
	struct cell cell[MAX_ROWS][VERSIONS_MAX];
	unsigned nr_rows, row, column;
};

static struct cell *next_cell(struct table *t, const char *name, bool heading)
{
	unsigned row = t->row++;

	t->name[row] = name;
	t->heading[row] = heading;
	t->nr_rows = t->row;
	return &t->cell[row][t->column];
}

static void count(struct table *t, const char *name, uint64_t value)
{
	struct cell *c = next_cell(t, name, false);

	snprintf(c->text, sizeof(c->text), "%" PRIu64, value);
	c->zero = !value;
}

static void real(struct table *t, const char *name, double value, int digits)
{
	struct cell *c = next_cell(t, name, false);

	snprintf(c->text, sizeof(c->text), "%.*f", digits, value);
	c->zero = value == 0;
}

static void heading(struct table *t, const char *name)
{
	next_cell(t, name, true)->zero = false;
}

static void count_rows(struct table *t, const struct replay_result *x)
{
	static const char *const refused[ZSWAP_NR_REJECTS] = {
		[ZSWAP_REJECT_LARGE_FOLIO] = "refused: large folio",
		[ZSWAP_REJECT_DISABLED] = "refused: disabled",
		[ZSWAP_REJECT_MEMCG_LIMIT] = "refused: memcg limit",
		[ZSWAP_REJECT_POOL_LIMIT] = "refused: pool limit",
		[ZSWAP_REJECT_COMPRESS_FAIL] = "refused: compress fail",
		[ZSWAP_REJECT_COMPRESS_POOR] = "refused: compress poor",
		[ZSWAP_REJECT_ALLOC_FAIL] = "refused: alloc fail",
		[ZSWAP_REJECT_KMEMCACHE_FAIL] = "refused: kmemcache fail",
	};
	const struct zswap_stats *z = &x->zswap;

	heading(t, "pages");
	count(t, "zswpout", z->zswpout);
	count(t, "zswpin", z->zswpin);
	count(t, "zswpwb (written back)", z->zswpwb);
	count(t, "swpout_zero", x->swap.swpout_zero);
	for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++)
		count(t, refused[i], x->rejected[i]);
	count(t, "kept in memory", x->counts.out_pages[SWAPOUT_ACTIVATED]);
	count(t, "stored raw", z->dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW]);
	count(t, "disk writes", x->dev.written_pages);
	count(t, "disk reads", x->dev.read_pages);
	count(t, "  of pages written back", x->counts.in_disk_written_back);
	count(t, "failed loads", x->counts.failed_loads + x->counts.mismatched_pages);
	count(t, "refused large loads", x->counts.refused_large_loads);
	heading(t, "limits and reclaim");
	count(t, "pool_limit_hit", z->pool_limit_hit);
	count(t, "shrink worker runs", z->shrink_worker_runs);
	count(t, "referenced bits cleared", z->lru_rotations);
	count(t, "reject_reclaim_fail", z->reject_reclaim_fail);
	heading(t, "pool at its largest");
	count(t, "pool pages", x->pool_peak.pages);
	count(t, "stored pages", x->stored_at_peak);
	real(t, "ratio",
	     x->pool_peak.pages ? (double)x->stored_at_peak / (double)x->pool_peak.pages : 0, 3);
	count(t, "objects over two pages", x->pool_peak.straddling_objs);
}

static uint64_t calls(const struct replay_result *x, enum acomp_call a, enum acomp_call b)
{
	uint64_t sum = 0;

	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++)
		sum += x->zswap.dir[dir].calls[a] + x->zswap.dir[dir].calls[b];
	return sum;
}

static double mean_of(uint64_t ns, const struct zswap_account *a)
{
	uint64_t pages = 0;

	for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
		pages += a->pages[path];
	return pages ? (double)ns / (double)pages : 0;
}

static void codec_rows(struct table *t, const struct replay_result *x)
{
	const struct zswap_account *dir = x->zswap.dir;

	heading(t, "codec");
	count(t, "compressions, streamed", dir[ZSWAP_STORE].pages[ZSWAP_PATH_STREAM]);
	count(t, "loads, one-shot", dir[ZSWAP_LOAD].pages[ZSWAP_PATH_ONESHOT]);
	count(t, "loads, streamed", dir[ZSWAP_LOAD].pages[ZSWAP_PATH_STREAM]);
	count(t, "context inits, compress",
	      calls(x, ACOMP_CALL_INIT_CCTX, ACOMP_CALL_INIT_CSTREAM));
	count(t, "context inits, decompress",
	      calls(x, ACOMP_CALL_INIT_DCTX, ACOMP_CALL_INIT_DSTREAM));
}

static void time_rows(struct table *t, const struct replay_result *x)
{
	const struct zswap_account *dir = x->zswap.dir;
	struct histogram_summary s;

	heading(t, "time, measured");
	real(t, "store, ns a page", mean_of(x->dir_ns[ZSWAP_STORE], &dir[ZSWAP_STORE]), 0);
	real(t, "load, ns a page", mean_of(x->dir_ns[ZSWAP_LOAD], &dir[ZSWAP_LOAD]), 0);
	real(t, "write back, ns a page", mean_of(x->dir_ns[ZSWAP_WRITEBACK], &dir[ZSWAP_WRITEBACK]),
	     0);
	real(t, "all calls, ms", (double)x->op_ns / 1e6, 1);
	real(t, "worker and shrinker, ms", (double)x->worker_ns / 1e6, 1);
	if (swap_model_is_none(&x->swap_model))
		return;
	heading(t, "swap-in, measured + modelled device");
	histogram_summarise(&x->in_modelled, &s);
	real(t, "mean, ns", s.mean, 0);
	count(t, "p50, ns", s.p50);
	count(t, "p99, ns", s.p99);
	count(t, "p99.9, ns", s.p99_9);
}

/* The least that a column may be wide, and the rows that say something. */
static unsigned width_of(const struct table *t, unsigned nr)
{
	unsigned width = 9;

	for (unsigned row = 0; row < t->nr_rows; row++) {
		for (unsigned i = 0; i < nr; i++) {
			if (strlen(t->cell[row][i].text) + 2 > width)
				width = strlen(t->cell[row][i].text) + 2;
		}
	}
	return width;
}

static bool says_something(const struct table *t, unsigned row, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!t->cell[row][i].zero)
			return true;
	}
	return false;
}

static void print_table(FILE *out, const struct table *t, const struct versions_report *v)
{
	unsigned width = width_of(t, v->nr);
	char title[32];

	fprintf(out, "\n%-28s", "kernel");
	for (unsigned i = 0; i < v->nr; i++)
		fprintf(out, "%*s", width, profile_title(&v->profile[i], title, sizeof(title)));
	fprintf(out, "\n");
	for (unsigned row = 0; row < t->nr_rows; row++) {
		if (t->heading[row]) {
			fprintf(out, "%s\n", t->name[row]);
			continue;
		}
		if (!says_something(t, row, v->nr))
			continue;
		fprintf(out, "  %-26s", t->name[row]);
		for (unsigned i = 0; i < v->nr; i++)
			fprintf(out, "%*s", width, t->cell[row][i].text);
		fprintf(out, "\n");
	}
}

static struct report report_of(const struct versions_report *v, unsigned i)
{
	return (struct report){
		.command = v->command,
		.compressor = v->compressor,
		.profile = &v->profile[i],
		.trace = v->trace,
		.trace_path = v->trace_path,
		.scenario = v->scenario,
		.machine = v->machine,
		.result = v->result[i],
		.lengths = v->lengths[i],
		.replay_ns = v->replay_ns[i],
	};
}

/* A warning that holds for several kernels is printed once, with their names. */
static void print_warnings(FILE *out, const struct versions_report *v)
{
	static char lines[VERSIONS_MAX][REPORT_MAX_WARNINGS][256];
	unsigned nr[VERSIONS_MAX];

	for (unsigned i = 0; i < v->nr; i++) {
		struct report report = report_of(v, i);

		nr[i] = report_warnings(&report, lines[i], REPORT_MAX_WARNINGS);
	}
	for (unsigned i = 0; i < v->nr; i++) {
		for (unsigned w = 0; w < nr[i]; w++) {
			if (!*lines[i][w])
				continue;
			fprintf(out, "warning (%s", v->profile[i].name);
			for (unsigned j = i + 1; j < v->nr; j++) {
				for (unsigned k = 0; k < nr[j]; k++) {
					if (strcmp(lines[i][w], lines[j][k]))
						continue;
					fprintf(out, ", %s", v->profile[j].name);
					lines[j][k][0] = '\0';
				}
			}
			fprintf(out, "): %s\n", lines[i][w]);
		}
	}
}

/* Kernels with one key share their lengths. */
static void print_lengths(FILE *out, const struct versions_report *v)
{
	if (v->lengths[0])
		fprintf(out, "mode      policy: no page is compressed or compared, and nothing is "
			     "timed\n");
	for (unsigned i = 0; v->lengths[0] && i < v->nr; i++) {
		bool shown = false;

		for (unsigned j = 0; j < i; j++)
			shown |= v->lengths[j] == v->lengths[i];
		if (!shown)
			report_lengths_text(out, v->lengths[i]);
	}
}

void versions_report_text(FILE *out, const struct versions_report *v)
{
	const struct replay_result *x = v->result[0];
	struct report first = report_of(v, 0);
	static struct table t;
	char codec[64];

	fprintf(out, "zswapsim versions\n\ncommand   %s\n", v->command);
	report_trace_text(out, v->trace_path, v->trace);
	fprintf(out, "machine\n");
	machine_info_print(v->machine, "  ", out);
	fprintf(out,
		"codec     by %s\n"
		"settings  %s cpus=%u nodes=%u totalram_pages=%" PRIu64
		" max_pool_percent=%u accept_threshold_percent=%u\n",
		codec_spec(v->compressor).alg->library(),
		codec_settings_text(v->compressor, codec, sizeof(codec)), x->nr_cpus, x->nr_nodes,
		x->totalram_pages, x->max_pool_percent, x->accept_threshold_percent);
	report_settings_text(out, &first);
	if (!swap_model_is_none(&x->swap_model))
		fprintf(out, "  swap device: %s, modelled\n", x->swap_model.name);
	print_lengths(out, v);
	fprintf(out, "\n");
	print_warnings(out, v);
	memset(&t, 0, sizeof(t));
	for (t.column = 0; t.column < v->nr; t.column++) {
		t.row = 0;
		count_rows(&t, v->result[t.column]);
		codec_rows(&t, v->result[t.column]);
		if (!v->lengths[t.column])
			time_rows(&t, v->result[t.column]);
	}
	print_table(out, &t, v);
	fprintf(out,
		"\nRows that are 0 for every kernel are left out.%s\n'zswapsim profiles' says "
		"what differs between the kernels.\n",
		v->lengths[0] ? ""
			      : " Times are of one run each: 'zswapsim compare' tells whether they "
				"differ.");
}

static json_t *kernel_json(const struct versions_report *v, unsigned i)
{
	struct report report = report_of(v, i);
	json_t *o = json_object();

	put_string(o, "kernel", v->profile[i].name);
	json_object_set_new(o, "policy_mode", report_policy_mode_json(&report));
	json_object_set_new(o, "lengths_exact", report_lengths_exact_json(&report));
	json_object_set_new(o, "profile", report_profile_json(&v->profile[i]));
	json_object_set_new(o, "settings", report_settings_json(&report));
	json_object_set_new(o, "warnings", report_warnings_json(&report));
	json_object_set_new(o, "counts",
			    report_counts_json(v->result[i], &v->profile[i], v->compressor));
	json_object_set_new(o, "measured", report_measured_json(&report));
	json_object_set_new(o, "modelled", report_modelled_of_json(&report));
	return o;
}

json_t *versions_report_json(const struct versions_report *v)
{
	json_t *o = json_object(), *kernels = json_array();

	put_string(o, "schema", VERSIONS_SCHEMA);
	put(o, "schema_version", VERSIONS_SCHEMA_VERSION);
	put_string(o, "command", v->command);
	put_string(o, "mode", v->lengths[0] ? "policy" : "measure");
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "machine", machine_info_json(v->machine));
	json_object_set_new(o, "trace", report_trace_json(v->trace_path, v->trace));
	for (unsigned i = 0; i < v->nr; i++)
		json_array_append_new(kernels, kernel_json(v, i));
	json_object_set_new(o, "kernels", kernels);
	return o;
}
