// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/trace_arguments.h"
#include "traces/event.h"

/* Text shows as many memcgs and marks; JSON has them all. */
#define MAX_SHOWN 16u

static const char doc[] =
	"Says what TRACE is and holds: who made it and how, its hash, pages, events, memcgs.\v"
	"Examples:\n"
	"  zswapsim trace info silesia.bin\n"
	"  zswapsim trace info --json silesia.bin | jq .distinct_pages\n\n"
	"The header, the tables and all checksums but those of the pages are checked; 'zswapsim "
	"trace check' checks everything. docs/trace-format.md describes file and JSON.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

/* From the first event to the last; they are in order. */
static int duration(struct trace_reader *r, uint64_t *ns, struct trace_error *err)
{
	uint64_t nr = trace_reader_info(r)->nr_events;
	struct trace_event first, last;
	int ret;

	*ns = 0;
	if (!nr)
		return 0;
	ret = trace_reader_event(r, 0, &first, err);
	if (ret == 0)
		ret = trace_reader_event(r, nr - 1, &last, err);
	if (ret == 0)
		*ns = last.time_ns - first.time_ns;
	return ret;
}

static void row(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void row(const char *name, const char *format, ...)
{
	va_list args;

	printf("%-12s ", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void print_memcgs(const struct trace_reader *r, uint32_t nr)
{
	row("memcgs", "%" PRIu32, nr);
	for (uint32_t i = 0; i < nr && i < MAX_SHOWN; i++) {
		char buf[LIMIT_SIZE];
		struct trace_memcg m;

		trace_reader_memcg(r, i, &m);
		row("", "%" PRIu32 " %s: parent %u, zswap.max %s, zswap.writeback %d%s", i,
		    *m.path ? m.path : "(withheld)", m.parent, limit_text(m.zswap_max, buf),
		    m.zswap_writeback, m.online ? "" : ", created later");
	}
	if (nr > MAX_SHOWN)
		row("", "and %" PRIu32 " more", nr - MAX_SHOWN);
}

static void print_marks(const struct trace_reader *r, uint32_t nr)
{
	row("marks", "%" PRIu32, nr);
	for (uint32_t i = 0; i < nr && i < MAX_SHOWN; i++)
		row("", "%" PRIu32 " %s", i, trace_reader_mark(r, i));
	if (nr > MAX_SHOWN)
		row("", "and %" PRIu32 " more", nr - MAX_SHOWN);
}

static void print_text(const char *path, const struct trace_reader *r, uint64_t ns)
{
	const struct trace_info *t = trace_reader_info(r);

	row("file", "%s", path);
	row("title", "%s", *t->title ? t->title : "(untitled)");
	row("made by", "%s", *t->maker ? t->maker : "(unknown)");
	row("command", "%s", *t->command ? t->command : t->withheld ? "(withheld)" : "(unknown)");
	row("seed", "%" PRIu64, t->seed);
	row("format", "version %" PRIu32 ", pages of %u bytes%s", t->version, TRACE_PAGE_SIZE,
	    t->content_free ? ", content-free" : "");
	row("hash", "%s", t->hash);
	row("size", "%" PRIu64 " bytes", t->file_bytes);
	row("pages", "%" PRIu64 " distinct, %" PRIu64 " stored", t->nr_pages, t->nr_stored_pages);
	for (uint32_t i = 0; i < t->nr_compressors; i++)
		row("", "lengths by %s", trace_reader_compressor(r, i));
	row("events", "%" PRIu64 " in %.9f s", t->nr_events, ns / 1e9);
	for (unsigned type = TRACE_STORE; type < TRACE_EVENT_TYPES; type++)
		row("", "%-10s %" PRIu64, trace_event_type_name(type), t->nr_type[type]);
	row("CPUs", "%" PRIu32, t->nr_cpus);
	row("swap types", "%" PRIu32, t->nr_swap_types);
	print_memcgs(r, t->nr_memcgs);
	print_marks(r, t->nr_marks);
}

static json_t *memcgs_json(const struct trace_reader *r, uint32_t nr)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < nr; i++) {
		struct trace_memcg m;

		trace_reader_memcg(r, i, &m);
		json_array_append_new(array, json_pack("{s:s, s:i, s:o, s:b, s:b}", "path", m.path,
						       "parent", m.parent, "zswap_max_bytes",
						       limit_json(m.zswap_max), "zswap_writeback",
						       m.zswap_writeback, "online", m.online));
	}
	return array;
}

/* STORE counts as "store_events". */
static void put_events(json_t *root, const struct trace_info *t)
{
	for (unsigned type = TRACE_STORE; type < TRACE_EVENT_TYPES; type++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_events", trace_event_type_name(type));
		for (char *c = key; *c; c++)
			*c = tolower(*c);
		json_object_set_new(root, key, json_integer(t->nr_type[type]));
	}
}

static json_t *to_json(const char *path, const struct trace_reader *r, uint64_t ns)
{
	const struct trace_info *t = trace_reader_info(r);
	json_t *compressors = json_array(), *marks = json_array();
	json_t *root;

	root = json_pack(
		"{s:s, s:i, s:s, s:s, s:s, s:I, s:I, s:b, s:b, s:s, s:I, s:I, s:I, s:I, s:I}",
		"schema", "zswapsim-trace-info", "schema_version", 1, "title", t->title, "maker",
		t->maker, "command", t->command, "seed", (json_int_t)t->seed, "format_version",
		(json_int_t)t->version, "content_free", t->content_free, "withheld", t->withheld,
		"hash", t->hash, "file_bytes", (json_int_t)t->file_bytes, "page_size_bytes",
		(json_int_t)TRACE_PAGE_SIZE, "distinct_pages", (json_int_t)t->nr_pages,
		"stored_pages", (json_int_t)t->nr_stored_pages, "events", (json_int_t)t->nr_events);
	/* Fails, and is left out, if it is no UTF-8. */
	json_object_set_new(root, "path", json_string(path));
	put_events(root, t);
	for (uint32_t i = 0; i < t->nr_compressors; i++)
		json_array_append_new(compressors, json_string(trace_reader_compressor(r, i)));
	for (uint32_t i = 0; i < t->nr_marks; i++)
		json_array_append_new(marks, json_string(trace_reader_mark(r, i)));
	json_object_set_new(root, "duration_ns", json_integer(ns));
	json_object_set_new(root, "cpus", json_integer(t->nr_cpus));
	json_object_set_new(root, "swap_types", json_integer(t->nr_swap_types));
	json_object_set_new(root, "compressors", compressors);
	json_object_set_new(root, "memcgs", memcgs_json(r, t->nr_memcgs));
	json_object_set_new(root, "marks", marks);
	return root;
}

int cmd_trace_info(int argc, char **argv)
{
	static const struct argp_child children[] = {{&trace_arguments_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {NULL, parse, "TRACE", doc, children, NULL, NULL};
	struct trace_arguments a = {0};
	struct trace_reader *reader = NULL;
	struct trace_error err;
	uint64_t ns;
	int status = options_parse(&argp, argc, argv, &a);

	if (status)
		return status;
	if (trace_reader_open(a.path, &reader, &err) || duration(reader, &ns, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		status = STATUS_USAGE;
	} else if (a.json) {
		output_json(to_json(a.path, reader, ns));
	} else {
		print_text(a.path, reader, ns);
	}
	trace_reader_close(reader);
	return status;
}
