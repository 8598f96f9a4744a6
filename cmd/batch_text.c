// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/batch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/report_parts.h"

static void header(FILE *out, const struct batch_report *r)
{
	char title[32];

	fprintf(out, "zswapsim batch\n\ncommand   %s\n", r->command);
	report_trace_text(out, r->trace_path, r->trace);
	fprintf(out, "machine\n");
	machine_info_print(r->machine, "  ", out);
	fprintf(out,
		"pages     %" PRIu64 " of the trace's %" PRIu64
		", in the order of its stores, cut into folios\n",
		r->pages, r->trace->nr_stored_pages);
	fprintf(out, "kernel    %s, but for zswap.batching; the pool has no limit\n",
		profile_title(r->profile, title, sizeof(title)));
	report_profile_text(out, r->profile);
}

static const char *folio_column(const struct batch_report *r, unsigned size, unsigned mode,
				char buf[static 16])
{
	return mode ? "" : batch_size_name(r->order[size], buf);
}

/* ---- calls ---- */

static void call_row(FILE *out, const struct batch_report *r, unsigned codec, unsigned size,
		     unsigned mode)
{
	const struct batching_result *none = r->cell[codec][size].result[0];
	const struct batching_result *result = r->cell[codec][size].result[mode];
	bool modelled = batch_is_modelled(&r->codec[codec]);
	const struct histogram *call = modelled ? &result->device_ns : &result->call_ns;
	const struct histogram *page = modelled ? &result->device_page_ns : &result->call_page_ns;
	uint64_t before =
		histogram_quantile(modelled ? &none->device_page_ns : &none->call_page_ns, 1, 2);
	uint64_t p50 = histogram_quantile(page, 1, 2);
	char name[16];

	fprintf(out,
		"  %-6s %-10s %9" PRIu64 " %11.2f %10" PRIu64 " %10" PRIu64 " %9" PRIu64
		" %9" PRIu64,
		folio_column(r, size, mode, name), batching_mode_names[mode], call->count,
		(double)result->compress.units / (call->count ? call->count : 1),
		histogram_quantile(call, 1, 2), histogram_quantile(call, 99, 100), p50,
		histogram_quantile(page, 99, 100));
	if (modelled && p50)
		fprintf(out, " %8.2f", (double)before / p50);
	fprintf(out, "\n");
}

static void loads(FILE *out, const struct batch_report *r, unsigned codec)
{
	const struct histogram *load = &r->cell[codec][0].result[0]->load_device_ns;

	if (!load->count)
		fprintf(out, "  loads: how long they take is not known of this device\n");
	else
		fprintf(out,
			"  loads, a page each in every interface: p50 %" PRIu64 ", p99 %" PRIu64
			" ns, modelled\n",
			histogram_quantile(load, 1, 2), histogram_quantile(load, 99, 100));
}

static void calls(FILE *out, const struct batch_report *r, unsigned codec)
{
	bool modelled = batch_is_modelled(&r->codec[codec]);

	if (modelled)
		fprintf(out,
			"\n%s, MODELLED: calls of the device to compress; the time is that of "
			"model '%s', not measured\n  %s\n",
			r->codec[codec].name, r->device->name, r->device->source);
	else
		fprintf(out, "\n%s, measured: calls of zswap into the crypto API to compress\n",
			r->codec[codec].name);
	fprintf(out, "  %-6s %-10s %9s %11s %10s %10s %9s %9s%s\n", "", "", "", "", "ns a call", "",
		"ns a page", "", modelled ? "   none's" : "");
	fprintf(out, "  %-6s %-10s %9s %11s %10s %10s %9s %9s%s\n", "folio", "interface", "calls",
		"pages/call", "p50", "p99", "p50", "p99", modelled ? "  p50/p50" : "");
	for (unsigned size = 0; size < r->nr_sizes; size++) {
		for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++)
			call_row(out, r, codec, size, mode);
	}
	if (modelled)
		loads(out, r, codec);
}

/* ---- what it needs beside ---- */

static void needs_row(FILE *out, const struct batch_report *r, unsigned codec, unsigned size,
		      unsigned mode)
{
	const struct batching_result *result = r->cell[codec][size].result[mode];
	const struct batching_result *refusing = r->cell[codec][size].refusing[mode];
	const struct zswap_compress_stats *c = &result->compress;
	char name[16];

	fprintf(out,
		"  %-6s %-10s %4u %8.1f %9" PRIu64 " %8" PRIu64 " %8.1f %8.2f %9.1f %9" PRIu64
		" %9" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
		folio_column(r, size, mode, name), batching_mode_names[mode], c->requests,
		c->standing_bytes / 1024.0, c->pages, c->tables, c->peak_bytes / 1024.0,
		(double)c->results_copied / c->units, c->copied_bytes / 1024.0, c->mutex_locks,
		c->submissions, refusing ? refusing->zswap.rolled_back : 0,
		refusing ? refusing->compress.undone : 0);
}

static void needs(FILE *out, const struct batch_report *r, unsigned codec)
{
	fprintf(out, "\n%s, counted: what the interfaces need beside the compressor\n",
		r->codec[codec].name);
	fprintf(out, "  %-6s %-10s %-13s %-27s %-18s %-19s %s\n", "", "", "there a CPU",
		"allocated for a store", "results copied", "locks", "without writeback");
	fprintf(out, "  %-6s %-10s %4s %8s %9s %8s %8s %8s %9s %9s %9s %8s %8s\n", "folio",
		"interface", "reqs", "KiB", "pages", "tables", "peak KiB", "a page", "KiB", "mutex",
		"stream", "rolled", "in vain");
	for (unsigned size = 0; size < r->nr_sizes; size++) {
		for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++)
			needs_row(out, r, codec, size, mode);
	}
}

/* ---- overhead ---- */

static void interval(FILE *out, const struct interval *i, const char *format)
{
	char low[32], high[32], both[72];

	if (isnan(i->low)) {
		fprintf(out, " %18s", "[n/a]");
		return;
	}
	snprintf(low, sizeof(low), format, i->low);
	snprintf(high, sizeof(high), format, i->high);
	snprintf(both, sizeof(both), "[%s, %s]", low, high);
	fprintf(out, " %18s", both);
}

static void overhead_row(FILE *out, const struct batch_report *r, unsigned codec, unsigned size,
			 unsigned mode)
{
	const struct batching_overhead *o = &r->cell[codec][size].overhead;
	char name[16];

	fprintf(out, "  %-6s %-10s %9.0f", folio_column(r, size, mode, name),
		batching_mode_names[mode], o->ns[mode]);
	interval(out, &o->interval[mode], "%.0f");
	if (mode) {
		fprintf(out, " %+9.0f", o->delta_ns[mode]);
		interval(out, &o->delta_interval[mode], "%+.0f");
	} else {
		fprintf(out, " %9s %18s", "", "");
	}
	fprintf(out, " %12.0f\n", o->codec_ns[mode]);
}

static void overheads(FILE *out, const struct batch_report *r, unsigned codec)
{
	bool modelled = batch_is_modelled(&r->codec[codec]);

	if (!r->rounds)
		return;
	fprintf(out,
		"\n%s, measured: software overhead, ns a page: zswap_store() without the "
		"algorithm\n",
		r->codec[codec].name);
	fprintf(out, "  %-6s %-10s %9s %18s %9s %18s %12s\n", "folio", "interface", "overhead",
		"95 % interval", "less none", "95 % interval", modelled ? "stand-in" : "taken out");
	for (unsigned size = 0; size < r->nr_sizes; size++) {
		for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++)
			overhead_row(out, r, codec, size, mode);
	}
}

static void overhead_notes(FILE *out, const struct batch_report *r)
{
	if (!r->rounds)
		return;
	fprintf(out,
		"\nmedians of %u rounds, each of about %u pages a mode, in turn; intervals "
		"bootstrapped over rounds, seed %" PRIu64 "\n",
		r->rounds, r->cell[0][0].overhead.pages, r->bootstrap->seed);
	fprintf(out,
		"one reading of the clock costs %.0f ns, which was taken out; locks are counted "
		"above and not taken here:\n"
		"an uncontended lock and unlock of a mutex takes %.0f ns on this machine, "
		"measured\n",
		r->cell[0][0].overhead.clock_ns, r->mutex_ns);
}

/* ---- what was checked ---- */

/* "the same", or which interfaces differ: in capitals if that must not be. */
static const char *verdict(const bool same[BATCHING_NR_MODES], const char *differ, char buf[96])
{
	unsigned n = 0, at = 0;

	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		if (!same[mode])
			at += snprintf(buf + at, 96 - at, "%s%s", n++ ? ", " : differ,
				       batching_mode_names[mode]);
	}
	snprintf(buf + at, 96 - at, "%s", n ? ")" : "the same");
	return buf;
}

static void verdict_row(FILE *out, const struct batch_report *r, unsigned codec, unsigned size)
{
	const struct batch_cell *cell = &r->cell[codec][size];
	char name[16], objects[96], counters[96];
	uint64_t verified = 0, bad = 0;

	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		verified += batch_verified(cell, mode);
		bad += batch_mismatched(cell, mode);
	}
	fprintf(out,
		"  %-12s %-6s folios %" PRIu64 " of %" PRIu64 " pages (left out, of zeros: %" PRIu64
		" folios); stored raw %" PRIu64 "\n"
		"  %-19s objects %s, counters %s; loads verified %" PRIu64 ", wrong %" PRIu64 "\n",
		r->codec[codec].name, batch_size_name(r->order[size], name), cell->folios,
		cell->pages, cell->zero_folios,
		cell->result[0]->zswap.dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW], "",
		verdict(cell->same_objects, "DIFFER (", objects),
		verdict(cell->same_counters, "differ (", counters), verified, bad);
}

void batch_text(FILE *out, const struct batch_report *r)
{
	header(out, r);
	if (r->warnings->nr)
		fprintf(out, "\n");
	machine_warnings_print(r->warnings, out);
	fprintf(out, "\nchecked: what is stored and counted, in all interfaces\n");
	for (unsigned codec = 0; codec < r->nr_codecs; codec++) {
		for (unsigned size = 0; size < r->nr_sizes; size++)
			verdict_row(out, r, codec, size);
	}
	for (unsigned codec = 0; codec < r->nr_codecs; codec++) {
		calls(out, r, codec);
		needs(out, r, codec);
		overheads(out, r, codec);
	}
	overhead_notes(out, r);
}
