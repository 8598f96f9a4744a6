// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zs_class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_power_of_2(unsigned n)
{
	return n && !(n & (n - 1));
}

static unsigned div_round_up(unsigned n, unsigned d)
{
	return (n + d - 1) / d;
}

/* The fewest pages that leave the smallest tail behind the last chunk. */
static unsigned calculate_zspage_chain_size(const struct zs_class_table *table, unsigned size)
{
	unsigned best = 1, least = table->page_size;

	if (is_power_of_2(size))
		return 1;
	for (unsigned pages = 1; pages <= table->chain_size; pages++) {
		unsigned tail = pages * table->page_size % size;

		if (tail < least) {
			least = tail;
			best = pages;
		}
	}
	return best;
}

static unsigned raw_class_size(const struct zs_class_table *table, unsigned raw)
{
	unsigned size = ZS_MIN_ALLOC_SIZE + raw * table->class_delta;

	return size < table->page_size ? size : table->page_size;
}

/* Chunks that begin in one page and end in another. */
static unsigned count_straddling(const struct zs_class_geometry *c, unsigned page_size)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->objs; i++)
		n += i * c->size % page_size + c->size > page_size;
	return n;
}

static void fill_class(const struct zs_class_table *table, struct zs_class_geometry *c,
		       unsigned raw, unsigned pages)
{
	c->index = raw;
	c->size = raw_class_size(table, raw);
	c->pages = pages;
	c->objs = pages * table->page_size / c->size;
	c->wasted = pages * table->page_size - c->objs * c->size;
	c->raw_lo = c->raw_hi = raw;
	c->huge = c->pages == 1 && c->objs == 1;
	c->straddling = count_straddling(c, table->page_size);
}

/*
 * Every raw size from the top; one that packs like the class created last is served by that larger
 * class. Fills table->classes from its end and returns how many there are. (zs_create_pool)
 */
static unsigned create_classes(struct zs_class_table *table)
{
	struct zs_class_geometry *end = table->classes + table->nr_raw, *c = end;

	for (unsigned raw = table->nr_raw; raw-- > 0;) {
		unsigned size = raw_class_size(table, raw);
		unsigned pages = calculate_zspage_chain_size(table, size);
		unsigned objs = pages * table->page_size / size;

		if (pages != 1 && objs != 1 && !table->huge_class_size)
			table->huge_class_size = size - (ZS_HANDLE_SIZE - 1);
		if (c < end && c->pages == pages && c->objs == objs)
			c->raw_lo = raw;
		else
			fill_class(table, --c, raw, pages);
	}
	return end - c;
}

/* Which payloads and raw indices each class serves, now that it is known which there are. */
static void assign_sizes(struct zs_class_table *table)
{
	unsigned lo = 1;

	for (unsigned i = 0; i < table->nr; i++) {
		struct zs_class_geometry *c = &table->classes[i];

		c->request_lo = lo;
		c->request_hi = i + 1 < table->nr ? c->size - ZS_HANDLE_SIZE : table->page_size;
		lo = c->request_hi + 1;
		for (unsigned raw = c->raw_lo; raw <= c->raw_hi; raw++)
			table->raw_to_class[raw] = i;
	}
}

int zs_class_table_init(struct zs_class_table *table, unsigned page_size, unsigned chain_size,
			unsigned class_delta)
{
	memset(table, 0, sizeof(*table));
	if (!is_power_of_2(page_size) || page_size < 4096 || page_size > 65536 || chain_size < 4 ||
	    chain_size > 16 || class_delta % 16 || class_delta > page_size / 2)
		return -EINVAL;
	table->page_size = page_size;
	table->chain_size = chain_size;
	table->class_delta = class_delta ? class_delta : page_size >> 8;
	table->nr_raw = div_round_up(page_size - ZS_MIN_ALLOC_SIZE, table->class_delta) + 1;
	table->classes = calloc(table->nr_raw, sizeof(*table->classes));
	table->raw_to_class = calloc(table->nr_raw, sizeof(*table->raw_to_class));
	if (!table->classes || !table->raw_to_class) {
		zs_class_table_finish(table);
		return -ENOMEM;
	}
	table->nr = create_classes(table);
	memmove(table->classes, table->classes + table->nr_raw - table->nr,
		table->nr * sizeof(*table->classes));
	assign_sizes(table);
	return 0;
}

void zs_class_table_finish(struct zs_class_table *table)
{
	free(table->classes);
	free(table->raw_to_class);
	memset(table, 0, sizeof(*table));
}

const struct zs_class_geometry *zs_class_lookup(const struct zs_class_table *table, unsigned size)
{
	unsigned chunk = size + ZS_HANDLE_SIZE, raw = 0;

	if (chunk > ZS_MIN_ALLOC_SIZE)
		raw = div_round_up(chunk - ZS_MIN_ALLOC_SIZE, table->class_delta);
	if (raw >= table->nr_raw)
		raw = table->nr_raw - 1;
	return &table->classes[table->raw_to_class[raw]];
}
