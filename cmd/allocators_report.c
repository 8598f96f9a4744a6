// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/allocators_report.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/report_parts.h"
#include "cmd/report_private.h"
#include "cmd/version.h"
#include "sim/lengths.h"

/* What is no payload. */
static uint64_t lost_bytes(const struct zpool_usage *u)
{
	return u->pages * PAGE_SIZE - u->payload_bytes;
}

/* Of the jemalloc that runs, without what names its build; into @buf, returns @buf. */
static const char *jemalloc_version(char *buf, size_t size)
{
	struct version_part parts[VERSION_NR_PARTS];

	snprintf(buf, size, "unknown");
	version_get(parts);
	for (unsigned i = 0; i < VERSION_NR_PARTS; i++) {
		if (parts[i].name && !strcmp(parts[i].name, "jemalloc"))
			snprintf(buf, size, "%.*s", (int)strcspn(parts[i].version, "-"),
				 parts[i].version);
	}
	return buf;
}

static void header(FILE *out, const struct allocators_report *r)
{
	const struct replay_config *k = r->config->replay;
	char title[32], when[64], version[64];

	fprintf(out, "zswapsim allocators\n\n");
	fprintf(out, "command   %s\n", r->command);
	report_trace_text(out, r->trace_path, r->trace);
	fprintf(out, "kernel    %s, over each allocator; compressor %s; jemalloc %s\n",
		profile_title(k->profile, title, sizeof(title)), k->compressor,
		jemalloc_version(version, sizeof(version)));
	fprintf(out, "lengths   %s\n", r->config->lengths->key);
	if (k->compact.kind != COMPACT_NEVER)
		fprintf(out, "compacted zsmalloc, %s\n",
			compact_when_print(&k->compact, when, sizeof(when)));
}

static void cells(FILE *out, uint64_t stored, const struct zpool_usage *u)
{
	fprintf(out, " | %8" PRIu64 " %8" PRIu64, stored, u->pages);
	if (u->pages)
		fprintf(out, " %6.3f", (double)stored / (double)u->pages);
	else
		fprintf(out, " %6s", "n/a");
	fprintf(out, " %6.1f %6.1f", percent(lost_bytes(u), u->pages * PAGE_SIZE),
		percent(u->unused_bytes, u->pages * PAGE_SIZE));
}

void allocators_report_text(FILE *out, const struct allocators_report *r)
{
	const struct allocator_table *t = r->table;

	header(out, r);
	fprintf(out, "\n%10s", "");
	for (unsigned i = 0; i < t->nr; i++)
		fprintf(out, " | %*s", i + 1 < t->nr ? -38 : 0, t->columns[i].type);
	fprintf(out, "\n%10s", "event");
	for (unsigned i = 0; i < t->nr; i++)
		fprintf(out, " | %8s %8s %6s %6s %6s", "stored", "pages", "ratio", "lost%",
			"unused");
	fprintf(out, "\n");
	for (unsigned m = 0; m < t->columns[0].nr_moments; m++) {
		fprintf(out, "%10" PRIu64, t->columns[0].moments[m].event);
		for (unsigned i = 0; i < t->nr; i++)
			cells(out, t->columns[i].moments[m].stored_pages,
			      &t->columns[i].moments[m].pool);
		fprintf(out, "\n");
	}
	fprintf(out, "%10s", "peak");
	for (unsigned i = 0; i < t->nr; i++)
		cells(out, t->columns[i].stored_at_peak, &t->columns[i].peak);
	fprintf(out, "\n%10s", "mean");
	for (unsigned i = 0; i < t->nr; i++)
		fprintf(out, " | %8s %8.0f%*s", "", t->columns[i].mean_pages,
			i + 1 < t->nr ? 21 : 0, "");
	fprintf(out,
		"\n\nlost%%: of the pool's bytes, what is no payload; unused: the part of it in "
		"places without an object, %%\n");
	for (unsigned i = 0; i < t->nr; i++) {
		const struct allocator_column *c = &t->columns[i];

		fprintf(out, "%-9s refused %" PRIu64 " pages, wrote back %" PRIu64, c->type,
			c->refused_pages, c->written_back_pages);
		if (c->compaction.runs)
			fprintf(out,
				"; compacted %" PRIu64 " times: %" PRIu64 " pages freed, %" PRIu64
				" bytes copied",
				c->compaction.runs, c->compaction.freed_pages,
				c->compaction.copied_bytes);
		fprintf(out, "\n");
	}
}

static json_t *usage_json(const struct zpool_usage *u, uint64_t stored)
{
	json_t *o = json_object();

	put(o, "stored_pages", stored);
	put(o, "pool_pages", u->pages);
	put(o, "groups", u->groups);
	put(o, "objects", u->objects);
	put(o, "payload_bytes", u->payload_bytes);
	put(o, "rounding_bytes", u->rounding_bytes);
	put(o, "unused_bytes", u->unused_bytes);
	put(o, "tail_bytes", u->tail_bytes);
	return o;
}

static json_t *column_json(const struct allocator_column *c)
{
	json_t *o = json_object(), *moments = json_array(), *compaction = json_object();

	put_string(o, "allocator", c->type);
	for (unsigned m = 0; m < c->nr_moments; m++) {
		json_t *moment = usage_json(&c->moments[m].pool, c->moments[m].stored_pages);

		put(moment, "after_event", c->moments[m].event);
		json_array_append_new(moments, moment);
	}
	json_object_set_new(o, "moments", moments);
	json_object_set_new(o, "at_peak", usage_json(&c->peak, c->stored_at_peak));
	json_object_set_new(o, "pool_mean_pages", json_real(c->mean_pages));
	put(o, "refused_pages", c->refused_pages);
	put(o, "written_back_pages", c->written_back_pages);
	put(compaction, "runs", c->compaction.runs);
	put(compaction, "moved_objects", c->compaction.moved_objects);
	put(compaction, "copied_bytes", c->compaction.copied_bytes);
	put(compaction, "freed_pages", c->compaction.freed_pages);
	json_object_set_new(o, "compaction", compaction);
	return o;
}

json_t *allocators_report_json(const struct allocators_report *r)
{
	const struct replay_config *k = r->config->replay;
	json_t *o = json_object(), *settings = json_object(), *columns = json_array();
	char when[64];

	put_string(o, "schema", "zswapsim.allocators");
	put(o, "schema_version", 1);
	put_string(o, "command", r->command);
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "trace", report_trace_json(r->trace_path, r->trace));
	json_object_set_new(o, "profile", report_profile_json(k->profile));
	put_string(settings, "compressor", k->compressor);
	put_string(settings, "lengths", r->config->lengths->key);
	put_string(settings, "compact_when", compact_when_print(&k->compact, when, sizeof(when)));
	json_object_set_new(o, "settings", settings);
	for (unsigned i = 0; i < r->table->nr; i++)
		json_array_append_new(columns, column_json(&r->table->columns[i]));
	json_object_set_new(o, "allocators", columns);
	return o;
}
