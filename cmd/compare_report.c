// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/compare_report.h"

#include <inttypes.h>
#include <string.h>

unsigned compare_counts(const struct compare_result *result, unsigned s,
			struct compare_count out[REPLAY_MAX_COUNTERS])
{
	struct replay_counter base[REPLAY_MAX_COUNTERS], changed[REPLAY_MAX_COUNTERS];
	unsigned nr = replay_counters(result->setting[0].replay, base), n = 0;

	replay_counters(result->setting[s].replay, changed);
	for (unsigned i = 0; i < nr; i++) {
		if (base[i].value == changed[i].value)
			continue;
		memcpy(out[n].name, base[i].name, sizeof(out[n].name));
		out[n].base = base[i].value;
		out[n].changed = changed[i].value;
		n++;
	}
	return n;
}

const char *compare_verdict(const struct compare_report *report, unsigned s, char *buf, size_t size)
{
	const struct compare_events *e = &report->result->setting[s].events;
	struct compare_count counts[REPLAY_MAX_COUNTERS];
	bool same = !compare_counts(report->result, s, counts);
	const struct profile *base = &report->profile[0], *changed = &report->profile[s];
	/* The same calls, of which some do other things. */
	bool contexts = base->zstd.cpuid != changed->zstd.cpuid ||
			base->zstd.bmi2 != changed->zstd.bmi2;
	const char *but = contexts ? "; contexts come to be in another way (zstd.cpuid, zstd.bmi2)"
				   : "";

	if (!compare_same_events(&report->result->setting[s]))
		snprintf(buf, size,
			 "of %" PRIu64 " pages %" PRIu64 " took another path, %" PRIu64
			 " made other calls of the codec, %" PRIu64 " have another length; %" PRIu64
			 " folios went to or came from another place; the first is event %" PRIu64,
			 report->result->pages, e->paths, e->calls, e->lengths, e->places,
			 e->first);
	else if (same)
		snprintf(buf, size,
			 "no event took a different path, and all counts are identical%s", but);
	else
		snprintf(buf, size, "no event took a different path, but counts differ%s", but);
	return buf;
}
