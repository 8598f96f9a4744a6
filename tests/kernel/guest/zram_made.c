// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "util.h"
#include "zram.h"

#define SLOTS 4096

/* Zeros, with @nr random bytes at the end. */
static void make_page(unsigned char *page, const unsigned char *random_bytes, unsigned nr)
{
	memset(page, 0, PAGE_SIZE - nr);
	memcpy(page + PAGE_SIZE - nr, random_bytes, nr);
}

static void output_row(struct output *out, const int64_t *fields, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		output_number(out, fields[i]);
	output_end_row(out);
}

/* Of raw pages: one to a zspage, so that there is nothing to count. */
static void output_huge(struct output *out, int64_t random_bytes, const struct zram *zram)
{
	output_number(out, random_bytes);
	output_number(out, zram->stat[COMPR_DATA_SIZE]);
	output_number(out, zram->stat[HUGE_PAGES]);
	output_number(out, zram->stat[MEM_USED_TOTAL] / PAGE_SIZE);
	output_text(out, "");
	output_number(out, zram->stat[ZSPAGES]);
	output_end_row(out);
}

/* Slot 0 holds one object: stores more of them until the pool needs a second zspage. */
static uint64_t objects_per_zspage(struct zram *zram, const unsigned char *page)
{
	int64_t one_zspage = zram->stat[MEM_USED_TOTAL];
	uint64_t nr = 1;

	for (;; nr++) {
		zram_write_slot(zram, nr, page);
		zram_read_stats(zram);
		if (zram->stat[MEM_USED_TOTAL] != one_zspage)
			return nr;
	}
}

static void measure(struct zram *zram, const unsigned char *page, unsigned random_bytes)
{
	int64_t length = zram->stat[COMPR_DATA_SIZE],
		pages = zram->stat[MEM_USED_TOTAL] / PAGE_SIZE;
	int64_t huge = zram->stat[HUGE_PAGES], zspages = zram->stat[ZSPAGES];
	int64_t objects = objects_per_zspage(zram, page);
	const int64_t fields[] = {random_bytes, length, huge, pages, objects, zspages};

	output_row(&zram->guest->out, fields, ARRAY_LEN(fields));
	zram_discard_slots(zram, 0, objects + 1);
	zram_read_stats(zram);
	if (zram->stat[MEM_USED_TOTAL])
		die("the pool is not empty after a discard (%u random bytes)", random_bytes);
}

/* Pages and objects of a zspage, for each compressed length that can be had. */
void zram_sweep(struct guest *guest)
{
	static const char *const names[] = {
		"k_random_bytes",   "comp_len",	       "huge",
		"pages_per_zspage", "objs_per_zspage", "zspages_at_first"};
	unsigned char page[PAGE_SIZE], random_bytes[PAGE_SIZE];
	unsigned seen[2 * PAGE_SIZE] = {0};
	struct random random = {99};
	struct zram zram;

	zram_open(&zram, guest, SLOTS);
	output_names(&guest->out, names, ARRAY_LEN(names));
	output_end_names(&guest->out);
	for (unsigned i = 0; i < PAGE_SIZE; i++)
		random_bytes[i] = random_next(&random);
	for (unsigned k = 1; k <= PAGE_SIZE; k++) {
		int64_t length;

		make_page(page, random_bytes, k);
		zram_write_slot(&zram, 0, page);
		zram_read_stats(&zram);
		length = zram.stat[COMPR_DATA_SIZE];
		if (zram.stat[HUGE_PAGES] && seen[length] > 3) {
			zram_discard_slots(&zram, 0, 1);
			output_huge(&guest->out, k, &zram);
		} else if (!length || (seen[length] && !zram.stat[HUGE_PAGES])) {
			zram_discard_slots(&zram, 0, 1);
		} else {
			seen[length]++;
			measure(&zram, page, k);
		}
	}
	zram_step(&zram, "end");
}

/* 1000 distinct pages with the same number of random bytes. */
void zram_fixed(struct guest *guest)
{
	static const char *const names[] = {"k_random_bytes",  "n_written",	 "orig_data_size",
					    "compr_data_size", "mem_used_total", "huge_pages",
					    "zspages"};
	static const unsigned sizes[] = {40,   100,  200,  333,	 500,  700,  900,  1000, 1200,
					 1365, 1500, 1700, 2000, 2048, 2300, 2500, 2700, 2731,
					 3000, 3200, 3264, 3400, 3600, 3900, 4096};
	unsigned char page[PAGE_SIZE], random_bytes[PAGE_SIZE];
	struct zram zram;
	char step[32];

	zram_open(&zram, guest, 1024);
	output_names(&guest->out, names, ARRAY_LEN(names));
	output_end_names(&guest->out);
	for (unsigned s = 0; s < ARRAY_LEN(sizes); s++) {
		struct random random = {1000 + s};

		for (unsigned i = 1; i <= 1000; i++) {
			for (unsigned b = 0; b < sizes[s]; b++)
				random_bytes[b] = random_next(&random);
			make_page(page, random_bytes, sizes[s]);
			zram_write_slot(&zram, i - 1, page);
			if (i != 10 && i != 100 && i != 500 && i != 1000)
				continue;
			zram_read_stats(&zram);
			const int64_t fields[] = {sizes[s],
						  i,
						  zram.stat[ORIG_DATA_SIZE],
						  zram.stat[COMPR_DATA_SIZE],
						  zram.stat[MEM_USED_TOTAL],
						  zram.stat[HUGE_PAGES],
						  zram.stat[ZSPAGES]};
			output_row(&guest->out, fields, ARRAY_LEN(fields));
		}
		snprintf(step, sizeof(step), "k_%u", sizes[s]);
		zram_step(&zram, step);
		zram_discard_slots(&zram, 0, 1000);
	}
}
