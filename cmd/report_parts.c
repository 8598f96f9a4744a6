// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report_parts.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/json.h"

void report_trace_text(FILE *out, const char *path, const struct trace_info *trace)
{
	fprintf(out, "trace     %s: %s, %" PRIu64 " events, %" PRIu64 " distinct pages\n", path,
		*trace->title ? trace->title : "untitled", trace->nr_events, trace->nr_pages);
	fprintf(out, "          hash %s, seed %" PRIu64 "\n", trace->hash, trace->seed);
}

json_t *report_trace_json(const char *path, const struct trace_info *trace)
{
	json_t *o = json_object();

	put_string(o, "path", path);
	put_string(o, "title", trace->title);
	put_string(o, "hash", trace->hash);
	put_string(o, "maker", trace->maker);
	put_string(o, "command", trace->command);
	put(o, "seed", trace->seed);
	put(o, "events", trace->nr_events);
	put(o, "distinct_pages", trace->nr_pages);
	put(o, "file_bytes", trace->file_bytes);
	return o;
}

/* One more of a paragraph, whose lines have up to 98 columns. */
static void assignment(FILE *out, unsigned *column, const char *key, const char *value)
{
	if (*column && *column + strlen(key) + strlen(value) + 2 > 96) {
		fprintf(out, "\n");
		*column = 0;
	}
	*column += fprintf(out, "%s%s=%s", *column ? " " : "  ", key, value);
}

void report_profile_text(FILE *out, const struct profile *profile)
{
	const struct profile_key *key;
	unsigned column = 0;
	char value[64];

	profile_for_each_key (key)
		assignment(out, &column, key->key,
			   profile_value(profile, key, value, sizeof(value)));
	fprintf(out, "\n");
}

void report_parameters_text(FILE *out, const struct settings *settings)
{
	struct setting_key key;
	unsigned column = 0;
	char value[512];

	for (unsigned i = 0; settings_key(i, &key); i++) {
		if (!settings_is_profile(key.key))
			assignment(out, &column, key.key,
				   settings_value(settings, key.key, value, sizeof(value)));
	}
	fprintf(out, "\n");
}

const char *report_profile_differences(const struct profile *base, const struct profile *profile,
				       char *buf, size_t size)
{
	const struct profile_key *key;
	char was[64], is[64];
	size_t n = 0;

	buf[0] = '\0';
	profile_for_each_key (key) {
		profile_value(base, key, was, sizeof(was));
		profile_value(profile, key, is, sizeof(is));
		if (strcmp(was, is) && n < size)
			n += snprintf(buf + n, size - n, "%s%s=%s", n ? ", " : "", key->key, is);
	}
	return buf;
}

json_t *report_profile_json(const struct profile *profile)
{
	const struct profile_key *key;
	json_t *o = json_object();
	char buf[64];

	put_string(o, "kernel", profile_title(profile, buf, sizeof(buf)));
	profile_for_each_key (key)
		put_string(o, key->key, profile_value(profile, key, buf, sizeof(buf)));
	return o;
}
