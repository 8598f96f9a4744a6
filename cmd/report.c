// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/version.h"

const char *report_length_verdict(const struct report *report, char *buf, size_t size)
{
	if (report->lengths && report->lengths->origin == LENGTHS_FROM_TRACE)
		snprintf(buf, size, "none here: what made the trace compressed its pages");
	else
		codec_length_verdict(report->compressor, report->profile, buf, size);
	return buf;
}

static void warn(char lines[][256], unsigned *n, unsigned max, const char *text)
{
	if (*n < max)
		snprintf(lines[(*n)++], 256, "%.255s", text);
}

/* A limit that was set is meant to be met. */
static void warn_of_limits(const struct replay_result *x, char lines[][256], unsigned *n,
			   unsigned max)
{
	char text[256];

	if (x->pool_limit_given && !x->zswap.pool_limit_hit) {
		snprintf(text, sizeof(text),
			 "the pool's limit of %" PRIu64
			 " pages was set, and never reached: the pool "
			 "had %" PRIu64 " pages at most",
			 x->max_pages, x->pool_peak.pages);
		warn(lines, n, max, text);
	}
	for (unsigned i = 0; i < x->nr_memcgs; i++) {
		const struct replay_memcg *m = &x->memcgs[i];

		if (m->zswap_max == MEMCG_MAX || m->zswap_max_hits)
			continue;
		snprintf(text, sizeof(text),
			 "zswap.max of memcg %u %.150s was set to %" PRIu64 ", and never reached",
			 i, m->path, m->zswap_max);
		warn(lines, n, max, text);
	}
}

bool report_has_zstd(const struct report *report)
{
	bool any = codec_is_zstd(report->compressor);

	for (unsigned i = 1; i <= report->result->nr_codecs; i++)
		any = any || codec_is_zstd(report->result->codecs[i]);
	return any;
}

static void warn_of_codec(const struct report *report, const char *compressor, char lines[][256],
			  unsigned *n, unsigned max)
{
	char codec[CODEC_MAX_WARNINGS][256];
	unsigned nr = codec_warnings(compressor, report->profile, report_has_zstd(report), codec);

	for (unsigned i = 0; i < nr; i++) {
		bool there = false;

		for (unsigned j = 0; j < *n; j++)
			there |= !strcmp(lines[j], codec[i]);
		if (!there)
			warn(lines, n, max, codec[i]);
	}
}

unsigned report_warnings(const struct report *report, char lines[][256], unsigned max)
{
	const struct replay_counts *c = &report->result->counts;
	const char *slow = report->lengths ? NULL : version_slow_build();
	bool of_trace = report->lengths && report->lengths->origin == LENGTHS_FROM_TRACE;
	char text[256];
	unsigned n = 0;

	if (!c->stored_pages)
		warn(lines, &n, max, "the trace stores nothing: there are no ratios to speak of");
	else if (!report->result->zswap.zswpout)
		warn(lines, &n, max, "nothing was stored in zswap: ratios and latencies are empty");
	if (of_trace && *report->lengths->unlike) {
		snprintf(text, sizeof(text),
			 "the trace's lengths are by '%.100s'; '%.100s' was meant",
			 report->lengths->key, report->lengths->unlike);
		warn(lines, &n, max, text);
	}
	for (unsigned i = 0; !of_trace && i <= report->result->nr_codecs; i++)
		warn_of_codec(report, i ? report->result->codecs[i] : report->compressor, lines, &n,
			      max);
	if (report->profile->zswap.shrinker == ZSWAP_SHRINKER_PROTECTED)
		warn(lines, &n, max,
		     "zswap.shrinker=protected is modelled from descriptions of 6.8 to 6.11, not "
		     "ported from their sources");
	if (slow) {
		snprintf(text, sizeof(text), "times mean little: %s", slow);
		warn(lines, &n, max, text);
	}
	if (c->unknown_loads) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " pages were loaded from slots that the trace never stored "
			 "(recording began late?)",
			 c->unknown_loads);
		warn(lines, &n, max, text);
	}
	if (report->result->zswap.reject_large_folio) {
		snprintf(text, sizeof(text),
			 "this kernel does not store large folios: %" PRIu64
			 " of them were refused and went to disk",
			 report->result->zswap.reject_large_folio);
		warn(lines, &n, max, text);
	}
	if (c->refused_large_loads) {
		snprintf(text, sizeof(text),
			 "%" PRIu64
			 " pages of large loads were not read: the kernel ends them in an "
			 "I/O error",
			 c->refused_large_loads);
		warn(lines, &n, max, text);
	}
	warn_of_limits(report->result, lines, &n, max);
	if (!swap_model_is_none(&report->result->swap_model) &&
	    !report->result->dev.written_requests && !report->result->dev.read_requests)
		warn(lines, &n, max,
		     "device writes 0, device reads 0: no request reached the swap device, and its "
		     "model played no part");
	return n;
}
