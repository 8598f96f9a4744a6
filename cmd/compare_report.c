// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/compare_report.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/report.h"

struct counts {
	struct compare_count *out;
	unsigned nr;
};

/* Whole numbers alone, and of no list: memcgs and size classes are for a replay's own report. */
static void list_differences(json_t *base, json_t *changed, const char *path, struct counts *counts)
{
	const char *key;
	json_t *a, *b;
	char name[64];

	json_object_foreach(base, key, a)
	{
		b = json_object_get(changed, key);
		snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", key);
		if (json_is_object(a)) {
			list_differences(a, b, name, counts);
		} else if (json_is_integer(a) && json_is_integer(b) && !json_equal(a, b) &&
			   counts->nr < COMPARE_MAX_COUNTS) {
			struct compare_count *c = &counts->out[counts->nr++];

			memcpy(c->name, name, sizeof(name));
			c->base = json_integer_value(a);
			c->changed = json_integer_value(b);
		}
	}
}

void compare_differences(const struct compare_report *report, unsigned s, compare_difference_fn fn,
			 void *arg)
{
	char base[512], value[512];
	struct setting_key key;

	for (unsigned i = 0; settings_key(i, &key); i++) {
		settings_value(&report->settings[0], key.key, base, sizeof(base));
		settings_value(&report->settings[s], key.key, value, sizeof(value));
		if (strcmp(key.key, "kernel") && strcmp(base, value))
			fn(arg, key.key, value);
	}
}

unsigned compare_counts(const struct compare_report *report, unsigned s,
			struct compare_count out[COMPARE_MAX_COUNTS])
{
	const struct compare_setting *setting = report->result->setting;
	json_t *base = report_counts_json(setting[0].replay, &report->settings[0].profile,
					  report->config->settings[0].compressor);
	json_t *changed = report_counts_json(setting[s].replay, &report->settings[s].profile,
					     report->config->settings[s].compressor);
	struct counts counts = {.out = out};

	list_differences(base, changed, "", &counts);
	json_decref(base);
	json_decref(changed);
	return counts.nr;
}

const char *compare_verdict(const struct compare_report *report, unsigned s, char *buf, size_t size)
{
	const struct compare_events *e = &report->result->setting[s].events;
	struct compare_count counts[COMPARE_MAX_COUNTS];
	bool same = !compare_counts(report, s, counts);
	const struct profile *base = &report->settings[0].profile,
			     *changed = &report->settings[s].profile;
	/* The same calls, of which some do other things. */
	bool contexts =
		codec_is_zstd(report->settings[0].replay.compressor) &&
		codec_is_zstd(report->settings[s].replay.compressor) &&
		(base->zstd.cpuid != changed->zstd.cpuid || base->zstd.bmi2 != changed->zstd.bmi2);
	const char *but =
		contexts ? "; contexts come to be in another way (zstd.cpuid, zstd.bmi2)" : "";

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
