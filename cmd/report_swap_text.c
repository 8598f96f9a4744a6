// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "cmd/report_private.h"

#define MEMCGS_SHOWN  32
#define CHANGES_SHOWN 32

void report_settings_text(FILE *out, const struct report *r)
{
	const struct replay_result *x = r->result;

	fprintf(out,
		"  limit: %" PRIu64 " pages, accepting again at %" PRIu64
		" pages; shrinker_enabled=%u\n",
		x->max_pages, x->accept_thr_pages, x->shrinker_enabled);
	if (r->scenario)
		fprintf(out, "  scenario: %s\n", r->scenario);
	for (unsigned i = 0; i < x->nr_changes && i < CHANGES_SHOWN; i++)
		fprintf(out, "    before event %" PRIu64 ": %s\n", x->changes[i].event,
			x->changes[i].text);
	if (x->nr_changes > CHANGES_SHOWN)
		fprintf(out, "    and %u more changes (--json)\n", x->nr_changes - CHANGES_SHOWN);
}

static void refused(FILE *out, const struct replay_result *x)
{
	const char *separator = "   ";
	uint64_t all = 0;

	for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++)
		all += x->rejected[i];
	fprintf(out, "refused     %10" PRIu64, all);
	for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++) {
		if (!x->rejected[i])
			continue;
		fprintf(out, "%s%s %" PRIu64, separator, zswap_reject_names[i], x->rejected[i]);
		separator = ", ";
	}
	fprintf(out, "\n");
}

/* Where nothing reached the device, that is said in this line, and why. */
static void device(FILE *out, const struct replay_result *x)
{
	fprintf(out, "swap device: device writes %" PRIu64, x->dev.written_pages);
	if (!x->dev.written_pages && !x->zswap.pool_limit_hit)
		fprintf(out,
			" (the pool was never full; nothing was written back or refused to disk)");
	else if (x->dev.written_pages != x->dev.written_requests)
		fprintf(out, " pages in %" PRIu64 " requests", x->dev.written_requests);
	fprintf(out, ", reads %" PRIu64, x->dev.read_pages);
	if (x->dev.read_pages != x->dev.read_requests)
		fprintf(out, " pages in %" PRIu64 " requests", x->dev.read_requests);
	fprintf(out, "; at the end slots in use %" PRIu64 ", on disk %" PRIu64 "\n",
		x->slots_in_use, x->dev.pages);
}

void report_swap_text(FILE *out, const struct report *r)
{
	const struct replay_result *x = r->result;

	refused(out, x);
	device(out, x);
	if (x->counts.in_pages[SWAPIN_DISK])
		fprintf(out,
			"  read from disk: %" PRIu64 " pages that zswap had written back "
			"(refaults), %" PRIu64 " that it had refused; nr_disk_swapins now %" PRIu64
			"\n",
			x->counts.in_disk_written_back, x->counts.in_disk_refused,
			x->nr_disk_swapins);
}

static void model_line(FILE *out, const struct swap_model *m, enum swap_model_dir dir)
{
	fprintf(out, "%g us a request", (double)m->latency_ns[dir] / 1e3);
	if (m->bytes_per_second[dir])
		fprintf(out, " + %g MB/s", (double)m->bytes_per_second[dir] / 1e6);
}

void report_modelled_text(FILE *out, const struct report *r)
{
	const struct replay_result *x = r->result;
	const struct swap_model *m = &x->swap_model;
	uint64_t busy = x->dev.modelled_ns[SWAP_MODEL_READ] + x->dev.modelled_ns[SWAP_MODEL_WRITE];

	if (swap_model_is_none(m))
		return;
	fprintf(out, "\nmodelled: swap device %s, reading ", m->name);
	model_line(out, m, SWAP_MODEL_READ);
	fprintf(out, ", writing ");
	model_line(out, m, SWAP_MODEL_WRITE);
	fprintf(out, "; no queue\nswap-in, measured software + modelled device, ns\n"
		     "                                          calls     mean      p50      p90  "
		     "    p99    p99.9       max\n");
	report_latency_row(out, "all swap-ins", &x->in_modelled);
	report_latency_row(out, "swap-ins from disk", &x->in_disk_modelled);
	fprintf(out, "  the device alone: %.6f s reading, %.6f s writing",
		x->dev.modelled_ns[SWAP_MODEL_READ] / 1e9,
		x->dev.modelled_ns[SWAP_MODEL_WRITE] / 1e9);
	if (x->trace_ns)
		fprintf(out, "; %.1f %% of the trace's %.3f s", percent(busy, x->trace_ns),
			x->trace_ns / 1e9);
	fprintf(out, "\n");
}

static void bytes(FILE *out, uint64_t value)
{
	if (value == MEMCG_MAX)
		fprintf(out, " %11s", "max");
	else
		fprintf(out, " %11" PRIu64, value);
}

static void memcg_row(FILE *out, const struct replay_memcg *m, unsigned i)
{
	char name[32];
	uint64_t all = 0;

	for (unsigned reason = 0; reason < ZSWAP_NR_REJECTS; reason++)
		all += m->rejected[reason];
	if (!*m->path)
		snprintf(name, sizeof(name), "memcg %u", i);
	fprintf(out, "  %-24s", *m->path ? m->path : name);
	bytes(out, m->zswap_max);
	if (m->online)
		fprintf(out, " %2u %12" PRIu64 " %12" PRIu64 " %12" PRIu64, m->zswap_writeback,
			m->zswap_bytes, m->zswapped_pages * PAGE_SIZE,
			m->zswap_incomp_pages * PAGE_SIZE);
	else
		fprintf(out, " %2u %12s %12s %12s", m->zswap_writeback, "offline", "-", "-");
	fprintf(out,
		" %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
		" %8" PRIu64 "\n",
		m->zswpout, m->zswpin, m->zswpwb, m->pswpout, m->pswpin, all, m->zswap_max_hits);
}

void report_memcgs_text(FILE *out, const struct report *r)
{
	const struct replay_result *x = r->result;

	/* The root alone is what the counters above say already. */
	if (x->nr_memcgs < 2)
		return;
	fprintf(out,
		"\nmemcgs at the end: memory.stat (with all below it), its own limit, refused "
		"pages "
		"and limit hits\n"
		"  %-24s %11s %2s %12s %12s %12s %8s %8s %8s %8s %8s %8s %8s\n",
		"", "zswap.max", "wb", "zswap", "zswapped", "zswap_incomp", "zswpout", "zswpin",
		"zswpwb", "pswpout", "pswpin", "refused", "max hits");
	for (unsigned i = 0; i < x->nr_memcgs && i < MEMCGS_SHOWN; i++)
		memcg_row(out, &x->memcgs[i], i);
	if (x->nr_memcgs > MEMCGS_SHOWN)
		fprintf(out, "  and %u more (--json)\n", x->nr_memcgs - MEMCGS_SHOWN);
}
