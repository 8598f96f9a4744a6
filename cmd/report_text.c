// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/policy_standing.h"
#include "cmd/report_counters.h"
#include "cmd/report_parts.h"
#include "cmd/report_private.h"

static void header(FILE *out, const struct report *r)
{
	char text[256];

	fprintf(out, "zswapsim replay\n\n");
	fprintf(out, "command   %s\n", r->command);
	report_trace_text(out, r->trace_path, r->trace);
	fprintf(out, "machine\n");
	machine_info_print(r->machine, "  ", out);
	report_mode_text(out, r);
	fprintf(out, "codec     %s\n", report_length_verdict(r, text, sizeof(text)));
	for (unsigned i = 1; i <= r->result->nr_codecs; i++)
		fprintf(out, "          %s: %s\n", r->result->codecs[i],
			codec_length_verdict(r->result->codecs[i], r->profile, text, sizeof(text)));
}

static void profile(FILE *out, const struct report *r)
{
	char title[32], codec[64];

	fprintf(out, "\nkernel %s\n", profile_title(r->profile, title, sizeof(title)));
	report_profile_text(out, r->profile);
	if (!report_has_zstd(r))
		fprintf(out, "  (zstd.* does not matter: the compressor is %s)\n",
			codec_spec(r->compressor).alg->cra_name);
	fprintf(out,
		"  %s cpus=%u nodes=%u totalram_pages=%" PRIu64
		" max_pool_percent=%u accept_threshold_percent=%u\n",
		codec_settings_text(r->compressor, codec, sizeof(codec)), r->result->nr_cpus,
		r->result->nr_nodes, r->result->totalram_pages, r->result->max_pool_percent,
		r->result->accept_threshold_percent);
	report_settings_text(out, r);
}

static void warnings(FILE *out, const struct report *r)
{
	char lines[REPORT_MAX_WARNINGS][256];
	unsigned n = report_warnings(r, lines, REPORT_MAX_WARNINGS);

	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%swarning: %s\n", i ? "" : "\n", lines[i]);
}

static void pages(FILE *out, const struct report *r)
{
	const struct replay_counts *c = &r->result->counts;

	fprintf(out,
		"\npages out   %10" PRIu64 "   to zswap %" PRIu64 ", zero %" PRIu64
		", to disk %" PRIu64 ", kept in memory %" PRIu64 "\n",
		c->stored_pages, c->out_pages[SWAPOUT_ZSWAP], c->out_pages[SWAPOUT_ZERO],
		c->out_pages[SWAPOUT_DISK], c->out_pages[SWAPOUT_ACTIVATED]);
	fprintf(out,
		"pages in    %10" PRIu64 "   from zswap %" PRIu64 ", zero %" PRIu64
		", from disk %" PRIu64 "; unknown slots %" PRIu64 "\n",
		c->loaded_pages, c->in_pages[SWAPIN_ZSWAP], c->in_pages[SWAPIN_ZERO],
		c->in_pages[SWAPIN_DISK], c->unknown_loads);
	report_swap_text(out, r);
	fprintf(out,
		"verified    %10" PRIu64 "   %smismatches %" PRIu64 ", failed loads %" PRIu64 "\n",
		c->verified_pages, r->lengths ? "by their ids; " : "", c->mismatched_pages,
		c->failed_loads);
	if (r->result->first_failure[0])
		fprintf(out, "            first: %s\n", r->result->first_failure);
}

static void counters(FILE *out, const struct report *r)
{
	const struct zswap_stats *z = &r->result->zswap;
	struct report_counter counter[REPORT_MAX_COUNTERS];
	unsigned nr = report_counters(r->result, r->profile, counter), shown = 0;

	fprintf(out, "\ncounters of the kernel, at the end");
	for (unsigned i = 0; i < nr; i++) {
		if (!counter[i].absent)
			fprintf(out, "%s  %-28s %10" PRIu64, shown++ % 2 ? "" : "\n",
				counter[i].name, counter[i].value);
	}
	fprintf(out,
		"\n  shrink worker runs %" PRIu64 ", calls of shrink_memcg %" PRIu64
		", referenced bits cleared %" PRIu64 "\n"
		"  stream contexts %" PRIu64
		" (one a CPU), requests that CPU 0's served instead %" PRIu64 "\n",
		z->shrink_worker_runs, z->shrink_memcg_calls, z->lru_rotations,
		r->result->stream_contexts, r->result->stream_fallbacks);
}

static void path_row(FILE *out, const char *name, const struct zswap_account *a)
{
	fprintf(out, "  %-13s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", name,
		a->pages[ZSWAP_PATH_ONESHOT], a->pages[ZSWAP_PATH_STREAM], a->pages[ZSWAP_PATH_RAW],
		a->pages[ZSWAP_PATH_FAILED]);
}

static void calls(FILE *out, const struct report *r, unsigned codec)
{
	const struct replay_result *x = r->result;
	const char *compressor = codec ? x->codecs[codec] : r->compressor;
	bool any = false;

	if (x->nr_codecs)
		fprintf(out, "\ncalls of %s\n", compressor);
	else
		fprintf(out, "\ncalls of the codec\n");
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
		uint64_t nr = 0;

		for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++)
			nr += replay_codec_calls(x, codec, dir)[i];
		if (nr)
			fprintf(out, "  %-28s %10" PRIu64 "\n", codec_call_name(compressor, i), nr);
		any = any || nr;
	}
	if (x->nr_codecs && !any)
		fprintf(out, "  none\n");
}

static void codec(FILE *out, const struct report *r)
{
	const struct zswap_account *st = &r->result->zswap.dir[ZSWAP_STORE];
	const struct zswap_account *ld = &r->result->zswap.dir[ZSWAP_LOAD];
	const struct zswap_account *wb = &r->result->zswap.dir[ZSWAP_WRITEBACK];

	fprintf(out, "\npaths             one-shot   streamed        raw     failed\n");
	path_row(out, "compress", st);
	path_row(out, "decompress", ld);
	/* Those that the loads above do not have. */
	if (wb->pages[ZSWAP_PATH_ONESHOT] || wb->pages[ZSWAP_PATH_STREAM] ||
	    wb->pages[ZSWAP_PATH_RAW] || wb->pages[ZSWAP_PATH_FAILED])
		path_row(out, "write back", wb);
	report_straddled_text(out, r);
	for (unsigned c = 0; c <= r->result->nr_codecs; c++)
		calls(out, r, c);
}

void report_latency_row(FILE *out, const char *name, const struct histogram *h)
{
	struct histogram_summary s;

	if (!h->count)
		return;
	histogram_summarise(h, &s);
	fprintf(out,
		"  %-36s %8" PRIu64 " %8.0f %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
		" %9" PRIu64 "\n",
		name, s.count, s.mean, s.p50, s.p90, s.p99, s.p99_9, s.max);
}

static const char *const page_row_names[ZSWAP_NR_DIRS][ZSWAP_NR_PATHS] = {
	[ZSWAP_STORE] = {"store a page, one-shot", "store a page, streamed", "store a page, raw",
			 "store a page, refused"},
	[ZSWAP_LOAD] = {"load a page, one-shot", "load a page, streamed", "load a page, raw",
			"load a page, failed"},
	[ZSWAP_WRITEBACK] = {"write back a page, one-shot", "write back a page, streamed",
			     "write back a page, raw", "write back a page, failed"},
};

static void latencies(FILE *out, const struct report *r)
{
	fprintf(out,
		"\nlatency, measured, ns                     calls     mean      p50      p90  "
		"    p99    p99.9       max\n");
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++)
		report_latency_row(out, replay_op_names[op], &r->result->op[op]);
	fprintf(out, "  of which within zswap\n");
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
			report_latency_row(out, page_row_names[dir][path],
					   &r->result->page[dir][path]);
	}
}

static void split_row(FILE *out, const char *name, const struct zswap_account *a, uint64_t total)
{
	uint64_t other = total - a->init_ns - a->codec_ns - a->copy_ns;
	uint64_t nr = 0;

	for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
		nr += a->pages[path];
	if (!nr)
		return;
	fprintf(out,
		"  %-12s %9.0f %12.0f (%4.1f %%) %9.0f (%4.1f %%) %6.0f (%4.1f %%) %6.0f (%4.1f "
		"%%)\n",
		name, (double)total / nr, (double)a->init_ns / nr, percent(a->init_ns, total),
		(double)a->codec_ns / nr, percent(a->codec_ns, total), (double)a->copy_ns / nr,
		percent(a->copy_ns, total), (double)other / nr, percent(other, total));
}

static void splits(FILE *out, const struct report *r)
{
	static const char *const names[] = {"store", "load", "write back"};

	fprintf(out,
		"\nwhere the time goes, measured, ns a page\n"
		"                   total  context init             codec             copy      "
		"     other\n");
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++)
		split_row(out, names[dir], &r->result->zswap.dir[dir], r->result->dir_ns[dir]);
}

static void wall(FILE *out, const struct report *r)
{
	const struct replay_result *x = r->result;
	uint64_t rest = x->wall_ns - x->op_ns - x->read_ns - x->verify_ns - x->worker_ns -
			x->compact_ns - x->file_ns;

	fprintf(out,
		"\nwall time %.3f s: in store and load calls %.3f s (%.1f %%), reading the trace "
		"%.3f s (%.1f %%),\n          comparing %.3f s, shrink worker %.3f s, ",
		x->wall_ns / 1e9, x->op_ns / 1e9, percent(x->op_ns, x->wall_ns), x->read_ns / 1e9,
		percent(x->read_ns, x->wall_ns), x->verify_ns / 1e9, x->worker_ns / 1e9);
	if (x->compact.kind != COMPACT_NEVER)
		fprintf(out, "compaction %.3f s, ", x->compact_ns / 1e9);
	fprintf(out,
		"the file that stands for the swap device %.3f s,\n          the replay itself "
		"%.3f s\n",
		x->file_ns / 1e9, rest / 1e9);
}

void report_text(FILE *out, const struct report *report)
{
	header(out, report);
	profile(out, report);
	warnings(out, report);
	pages(out, report);
	if (report->policy)
		policy_standing_text(out, report->policy);
	counters(out, report);
	codec(out, report);
	if (report->lengths) {
		report_policy_mode_modelled_text(out, report);
	} else {
		latencies(out, report);
		report_modelled_text(out, report);
		splits(out, report);
		report_cpuid_text(out, report->cpuid, report->result);
	}
	report_memcgs_text(out, report);
	report_pool_text(out, report);
	if (report->lengths)
		report_policy_mode_run_text(out, report);
	else
		wall(out, report);
}
