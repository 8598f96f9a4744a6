// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/trace_arguments.h"
#include "traces/event.h"

enum { OPT_FIRST = 256, OPT_COUNT };

struct arguments {
	struct trace_arguments trace;
	uint64_t first, count;
};

static const struct argp_option options[] = {
	{"first", OPT_FIRST, "N", 0, "Begin with event N; default 0", 0},
	{"count", OPT_COUNT, "N", 0, "At most N events; default all", 0},
	{0},
};

static const char doc[] =
	"Prints the events of TRACE, one a line: its number, its time in ns, its CPU and memcg, "
	"what "
	"it is. With --json every line is a JSON object.\v"
	"Examples:\n"
	"  zswapsim trace dump --count 20 silesia.bin\n"
	"  zswapsim trace dump --json silesia.bin | jq -c 'select(.type == \"LOAD\")'";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->trace;
		return 0;
	case OPT_FIRST:
		a->first = options_u64(state, "--first", arg, 0, UINT64_MAX);
		return 0;
	case OPT_COUNT:
		a->count = options_u64(state, "--count", arg, 0, UINT64_MAX);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void print_memcg_op(const struct trace_event *ev)
{
	char buf[LIMIT_SIZE];

	printf(" %s", trace_memcg_op_name(ev->what));
	if (ev->what == TRACE_MEMCG_ZSWAP_MAX || ev->what == TRACE_MEMCG_ZSWAP_WRITEBACK)
		printf(" %s", limit_text(ev->arg, buf));
}

static void print_text(const struct trace_reader *r, uint64_t i, const struct trace_event *ev,
		       const uint32_t *ids)
{
	printf("%" PRIu64 " %" PRIu64 " cpu %u memcg %u %s", i, ev->time_ns, ev->cpu, ev->memcg,
	       trace_event_type_name(ev->type));
	switch (ev->type) {
	case TRACE_STORE:
	case TRACE_LOAD:
	case TRACE_INVALIDATE:
		printf(" type %u offset %" PRIu64 " order %u", ev->swap_type, ev->offset,
		       ev->order);
		break;
	case TRACE_PRESSURE:
		printf(" scan %" PRIu64, ev->arg);
		break;
	case TRACE_MEMCG:
		print_memcg_op(ev);
		break;
	case TRACE_MARK:
		printf(" %s", trace_reader_mark(r, ev->arg));
		break;
	}
	if (ev->type == TRACE_STORE) {
		printf(" pages");
		for (unsigned k = 0; k < 1u << ev->order; k++)
			printf(" %" PRIu32, ids[k]);
	}
	putchar('\n');
}

static void put(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

static void put_memcg_op(json_t *o, const struct trace_event *ev)
{
	json_object_set_new(o, "operation", json_string(trace_memcg_op_name(ev->what)));
	if (ev->what == TRACE_MEMCG_ZSWAP_MAX)
		json_object_set_new(o, "zswap_max_bytes", limit_json(ev->arg));
	if (ev->what == TRACE_MEMCG_ZSWAP_WRITEBACK)
		json_object_set_new(o, "zswap_writeback", json_boolean(ev->arg));
}

static json_t *to_json(const struct trace_reader *r, uint64_t i, const struct trace_event *ev,
		       const uint32_t *ids)
{
	json_t *o = json_object(), *pages;

	put(o, "event", i);
	put(o, "time_ns", ev->time_ns);
	put(o, "cpu", ev->cpu);
	put(o, "memcg", ev->memcg);
	json_object_set_new(o, "type", json_string(trace_event_type_name(ev->type)));
	switch (ev->type) {
	case TRACE_STORE:
	case TRACE_LOAD:
	case TRACE_INVALIDATE:
		put(o, "swap_type", ev->swap_type);
		put(o, "offset_pages", ev->offset);
		put(o, "order", ev->order);
		break;
	case TRACE_PRESSURE:
		put(o, "scan_pages", ev->arg);
		break;
	case TRACE_MEMCG:
		put_memcg_op(o, ev);
		break;
	case TRACE_MARK:
		json_object_set_new(o, "mark", json_string(trace_reader_mark(r, ev->arg)));
		break;
	}
	if (ev->type == TRACE_STORE) {
		pages = json_array();
		for (unsigned k = 0; k < 1u << ev->order; k++)
			json_array_append_new(pages, json_integer(ids[k]));
		json_object_set_new(o, "page_ids", pages);
	}
	return o;
}

static int dump(const struct arguments *a, struct trace_reader *r, struct trace_error *err)
{
	uint64_t nr = trace_reader_info(r)->nr_events, first = a->first, end;
	uint32_t ids[1u << TRACE_MAX_ORDER];
	struct trace_event ev;

	if (first > nr)
		first = nr;
	end = a->count < nr - first ? first + a->count : nr;
	for (uint64_t i = first; i < end; i++) {
		int ret = trace_reader_event(r, i, &ev, err);

		if (ret == 0 && ev.type == TRACE_STORE)
			ret = trace_reader_store_pages(r, &ev, ids, err);
		if (ret)
			return ret;
		if (a->trace.json)
			output_json_line(to_json(r, i, &ev, ids));
		else
			print_text(r, i, &ev, ids);
	}
	return 0;
}

int cmd_trace_dump(int argc, char **argv)
{
	static const struct argp_child children[] = {{&trace_arguments_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "TRACE", doc, children, NULL, NULL};
	struct arguments a = {.count = UINT64_MAX};
	struct trace_reader *reader = NULL;
	struct trace_error err;
	int status = options_parse(&argp, argc, argv, &a);

	if (status)
		return status;
	if (trace_reader_open(a.trace.path, &reader, &err) || dump(&a, reader, &err)) {
		/* The error comes after the lines before it. */
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", argv[0], err.message);
		status = STATUS_USAGE;
	}
	trace_reader_close(reader);
	return status;
}
