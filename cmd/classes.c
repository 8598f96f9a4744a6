// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "sim/zs_class.h"

enum { OPT_CHAIN_SIZE = 256, OPT_PAGE_SIZE, OPT_CLASS_DELTA, OPT_JSON };

struct classes_options {
	unsigned page_size, chain_size, class_delta;
	bool json;
	struct zs_class_table table;
};

static void print_table(const struct zs_class_table *table)
{
	printf("zsmalloc size classes: pages of %u bytes, chain size %u, class delta %u\n"
	       "%u classes; payloads from %u bytes on have a page of their own\n\n",
	       table->page_size, table->chain_size, table->class_delta, table->nr,
	       table->huge_class_size);
	printf("%5s  %5s  %9s  %10s  %5s  %-11s  %10s\n", "", "chunk", "objects a", "pages a",
	       "tail", "payloads", "straddling");
	printf("%5s  %5s  %9s  %10s  %5s  %-11s  %10s\n", "index", "bytes", "zspage", "zspage",
	       "bytes", "bytes", "objects");
	for (unsigned i = 0; i < table->nr; i++) {
		const struct zs_class_geometry *c = &table->classes[i];
		char payloads[32];

		snprintf(payloads, sizeof(payloads), "%u-%u", c->request_lo, c->request_hi);
		printf("%5u  %5u  %9u  %10u  %5u  %-11s  %10u%s\n", c->index, c->size, c->objs,
		       c->pages, c->wasted, payloads, c->straddling, c->huge ? "  huge" : "");
	}
}

static json_t *class_to_json(const struct zs_class_geometry *c)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:i}", "index",
			 c->index, "size_bytes", c->size, "objs_per_zspage", c->objs,
			 "zspage_pages", c->pages, "tail_bytes", c->wasted, "raw_index_lo",
			 c->raw_lo, "raw_index_hi", c->raw_hi, "payload_min_bytes", c->request_lo,
			 "payload_max_bytes", c->request_hi, "huge", c->huge, "straddling_objs",
			 c->straddling);
}

static json_t *to_json(const struct zs_class_table *table)
{
	json_t *classes = json_array();

	for (unsigned i = 0; i < table->nr; i++)
		json_array_append_new(classes, class_to_json(&table->classes[i]));
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o}", "schema", "zswapsim-classes",
			 "schema_version", 1, "page_size_bytes", table->page_size,
			 "chain_size_pages", table->chain_size, "class_delta_bytes",
			 table->class_delta, "huge_class_size_bytes", table->huge_class_size,
			 "classes", classes);
}

static void make_table(struct classes_options *o, const struct argp_state *state)
{
	int ret = zs_class_table_init(&o->table, o->page_size, o->chain_size, o->class_delta);

	if (!ret)
		return;
	if (o->page_size & (o->page_size - 1))
		options_error(state, "--page-size %u: not a power of two", o->page_size);
	if (o->class_delta % 16)
		options_error(state, "--class-delta %u: not a multiple of 16", o->class_delta);
	options_error(state, "%s", strerror(-ret));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct classes_options *o = state->input;

	switch (key) {
	case OPT_CHAIN_SIZE:
		o->chain_size = options_u64(state, "--chain-size", arg, 4, 16);
		return 0;
	case OPT_PAGE_SIZE:
		o->page_size = options_size(state, "--page-size", arg, 4096, 65536);
		return 0;
	case OPT_CLASS_DELTA:
		o->class_delta = options_u64(state, "--class-delta", arg, 16, 2048);
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_END:
		make_table(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_classes(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"chain-size", OPT_CHAIN_SIZE, "N", 0,
		 "Most pages of a zspage, 4 to 16 (default 8; CONFIG_ZSMALLOC_CHAIN_SIZE)", 0},
		{"page-size", OPT_PAGE_SIZE, "N", 0,
		 "Bytes of a page, a power of two from 4K to 64K (default 4K)", 0},
		{"class-delta", OPT_CLASS_DELTA, "N", 0,
		 "Bytes from one size to the next, a multiple of 16 (default: page size / 256)", 0},
		{"json", OPT_JSON, NULL, 0, "Print one JSON document", 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Prints the size classes of zsmalloc: which there are, what they hold and "
		       "what they lose.\v"
		       "A chunk is a payload with its 8-byte header, rounded up. Straddling: "
		       "chunks "
		       "of a zspage that cross a page.\n\n"
		       "Examples:\n"
		       "  zswapsim classes\n"
		       "  zswapsim classes --chain-size 16\n"
		       "  zswapsim classes --page-size 16K --class-delta 16\n"
		       "  zswapsim classes --json | jq '.classes[] | select(.straddling_objs > "
		       "0)'\n",
	};
	struct classes_options o = {.page_size = 4096, .chain_size = 8};
	int ret = options_parse(&argp, argc, argv, &o);

	if (ret)
		return ret;
	if (o.json)
		output_json(to_json(&o.table));
	else
		print_table(&o.table);
	zs_class_table_finish(&o.table);
	return STATUS_OK;
}
