// SPDX-License-Identifier: GPL-2.0-or-later
#include "util.h"
#include "zram.h"

static void output_header(struct output *out)
{
	static const char *const names[] = {
		"seq",
		"op",
		"slot",
		"src",
		"orig_data_size",
		"compr_data_size",
		"mem_used_total",
		"mem_used_max",
		"same_pages",
		"pages_compacted",
		"huge_pages",
		"huge_pages_since",
		"zspages",
		"handles",
	};

	output_names(out, names, ARRAY_LEN(names));
	output_end_names(out);
}

static void output_operation(struct zram *zram, const char *op, int64_t slot, int64_t src)
{
	struct output *out = &zram->guest->out;

	zram_read_stats(zram);
	output_number(out, out->rows);
	output_text(out, op);
	output_number(out, slot);
	output_number(out, src);
	for (unsigned i = 0; i < NR_ZRAM_STATS; i++) {
		if (i != MEM_LIMIT)
			output_number(out, zram->stat[i]);
	}
	output_end_row(out);
}

static void write_page(struct zram *zram, uint64_t slot, uint32_t src)
{
	zram_write_slot(zram, slot, pages_at(&zram->guest->pages, src));
	output_operation(zram, "write", slot, src);
}

static void discard(struct zram *zram, uint64_t slot)
{
	zram_discard_slots(zram, slot, 1);
	output_operation(zram, "discard", slot, -1);
}

static void compact(struct zram *zram, const char *step)
{
	zram_compact(zram);
	output_operation(zram, "compact", -1, -1);
	zram_step(zram, step);
}

static void numbered_step(struct zram *zram, const char *what, uint64_t number)
{
	char step[64];

	snprintf(step, sizeof(step), "%s_%lu", what, number);
	zram_step(zram, step);
}

void zram_perpage(struct guest *guest)
{
	struct random random = {12345};
	uint32_t nr = guest->pages.nr;
	struct zram zram;

	zram_open(&zram, guest, nr);
	output_header(&guest->out);
	zram_step(&zram, "init");
	for (uint32_t i = 0; i < nr; i++) {
		write_page(&zram, i, i);
		if ((i + 1) % 512 == 0)
			numbered_step(&zram, "write", i + 1);
	}
	for (uint32_t i = 0; i < nr; i += 3)
		discard(&zram, i);
	zram_step(&zram, "discard_every_3rd");
	compact(&zram, "compact1");
	for (uint32_t i = 0; i < nr; i += 5)
		write_page(&zram, i, (i * 7 + 3) % nr);
	zram_step(&zram, "rewrite_every_5th");
	for (uint32_t i = 0; i < nr; i++) {
		if (random_next(&random) & 1)
			discard(&zram, i);
	}
	zram_step(&zram, "discard_random_half");
	compact(&zram, "compact2");
	for (uint32_t i = 1; i < nr; i += 4)
		write_page(&zram, i, (i * 11 + 5) % nr);
	zram_step(&zram, "rewrite_every_4th");
	compact(&zram, "compact3");
	zram_discard_slots(&zram, 0, nr);
	output_operation(&zram, "discard_all", -1, -1);
	zram_step(&zram, "discard_all");
}

/* Phases of 3000 operations fill and drain the device in turns. */
void zram_random(struct guest *guest)
{
	enum { OPERATIONS = 24000, PHASE = 3000 };
	struct random random = {777};
	uint32_t nr = guest->pages.nr;
	struct zram zram;

	zram_open(&zram, guest, nr);
	output_header(&guest->out);
	for (unsigned i = 0; i < OPERATIONS; i++) {
		unsigned percent_writes = i / PHASE % 2 ? 30 : 75;
		unsigned what = random_next(&random) % 100;
		uint32_t slot = random_next(&random) % nr, src = random_next(&random) % nr;

		if (what < percent_writes)
			write_page(&zram, slot, src);
		else
			discard(&zram, slot);
		if (i % 1500 == 1499)
			numbered_step(&zram, "op", i + 1);
		if (i % 2500 == 2499) {
			zram_compact(&zram);
			output_operation(&zram, "compact", -1, -1);
			numbered_step(&zram, "compact_after", i + 1);
		}
	}
}
