// SPDX-License-Identifier: GPL-2.0-or-later
/* The forms of which the recorder made the pages itself: zeros, and at the end random bytes. */
#include <errno.h>
#include <string.h>

#include "sim/verify_zram_private.h"
#include "sim/zsmalloc.h"

/* Both as in the recorder. */
#define SWEEP_SEED 99
#define FIXED_SEED 1000

/* splitmix64, as in the recorder */
static uint8_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* ---- sweep: one compressed length a row ---- */

enum { SW_K, SW_LEN, SW_HUGE, SW_PAGES, SW_OBJS, SW_ZSPAGES, NR_SWEEP_COLUMNS };

static int sweep_row(struct zram_run *run, const int *columns, int64_t *v)
{
	for (int i = 0; i < NR_SWEEP_COLUMNS; i++) {
		int ret;

		/* Only for the first few huge pages did the recorder count the objects. */
		if (i == SW_OBJS && !*csv_text(run->csv, columns[i])) {
			v[i] = -1;
			continue;
		}
		ret = csv_int(run->csv, columns[i], &v[i], run->err);
		if (ret)
			return ret;
	}
	if (v[SW_K] < 1 || v[SW_K] > PAGE_SIZE)
		return csv_fail(run->csv, columns[SW_K], run->err, "not within 1 to 4096");
	if (v[SW_LEN] < 1 || v[SW_LEN] > PAGE_SIZE)
		return csv_fail(run->csv, columns[SW_LEN], run->err, "not within 1 to 4096");
	return 0;
}

/* The pages of the sweep share one random tail, of which each has the beginning. */
static int codec_length(struct zram_run *run, const uint8_t *tail, unsigned k)
{
	uint8_t page[PAGE_SIZE] = {0};
	int len;

	memcpy(page + PAGE_SIZE - k, tail, k);
	len = run->config->length(run->config->length_arg, page, VERIFY_ZRAM_NO_SRC);
	return len >= (int)zs_huge_class_size(zram_pool(run->zram)) ? (int)PAGE_SIZE : len;
}

static int write_again(struct zram_run *run, int column)
{
	int ret = zram_write(run->zram, run->used_slots, NULL, VERIFY_ZRAM_NO_SRC);

	if (ret)
		return verify_zram_write_failed(run, column, ret);
	run->used_slots++;
	return 0;
}

/* Writes pages of one length until they need another zspage, as the recorder did. */
static int compare_zspage(struct zram_run *run, const int *columns, const int64_t *v)
{
	uint64_t line = csv_line(run->csv);
	struct zram_stats first, now;
	struct zs_usage usage;
	unsigned objs = 0;
	int ret;

	run->fixed_length = v[SW_LEN];
	ret = write_again(run, columns[SW_LEN]);
	zram_stats(run->zram, &first);
	zs_usage(zram_pool(run->zram), &usage);
	for (now = first; !ret && now.mem_used_total == first.mem_used_total; objs++) {
		ret = write_again(run, columns[SW_LEN]);
		zram_stats(run->zram, &now);
	}
	if (ret)
		return ret;
	verify_compare(run->report, line, "huge", v[SW_HUGE], first.huge_pages);
	verify_compare(run->report, line, "pages_per_zspage", v[SW_PAGES],
		       first.mem_used_total / PAGE_SIZE);
	if (v[SW_OBJS] != -1)
		verify_compare(run->report, line, "objs_per_zspage", v[SW_OBJS], objs);
	if (v[SW_ZSPAGES] != -1)
		verify_compare(run->report, line, "zspages_at_first", v[SW_ZSPAGES], usage.zspages);
	verify_zram_discard_all(run);
	return 0;
}

int verify_zram_sweep(struct zram_run *run)
{
	static const char *const names[NR_SWEEP_COLUMNS] = {
		"k_random_bytes",   "comp_len",	       "huge",
		"pages_per_zspage", "objs_per_zspage", "zspages_at_first",
	};
	int columns[NR_SWEEP_COLUMNS];
	int64_t v[NR_SWEEP_COLUMNS];
	uint64_t random = SWEEP_SEED;
	uint8_t tail[PAGE_SIZE];
	int ret = csv_require(run->csv, names, NR_SWEEP_COLUMNS, columns, run->err);

	if (ret)
		return ret;
	for (unsigned i = 0; i < PAGE_SIZE; i++)
		tail[i] = next_random(&random);
	while ((ret = csv_next(run->csv, run->err)) > 0) {
		ret = sweep_row(run, columns, v);
		if (ret)
			return ret;
		verify_row(run->report);
		if (run->config->length)
			verify_compare(run->report, csv_line(run->csv), "comp_len", v[SW_LEN],
				       codec_length(run, tail, v[SW_K]));
		ret = compare_zspage(run, columns, v);
		if (ret)
			return ret;
	}
	return ret;
}

/* ---- fixed: groups of pages with the same number of random bytes ---- */

enum { FX_K, FX_WRITTEN, FX_MEM_USED, NR_FIXED_COLUMNS };

struct fixed_group {
	unsigned k;
	unsigned nr; /* how many groups there were before */
	uint64_t random;
};

static void begin_group(struct zram_run *run, struct fixed_group *group, unsigned k)
{
	group->random = FIXED_SEED + group->nr++;
	group->k = k;
	verify_zram_discard_all(run);
}

static int write_random_page(struct zram_run *run, struct fixed_group *group, int column)
{
	uint8_t page[PAGE_SIZE] = {0};
	int ret;

	for (unsigned i = PAGE_SIZE - group->k; i < PAGE_SIZE; i++)
		page[i] = next_random(&group->random);
	ret = zram_write(run->zram, run->used_slots, page, VERIFY_ZRAM_NO_SRC);
	if (ret)
		return verify_zram_write_failed(run, column, ret);
	run->used_slots++;
	return 0;
}

static int fixed_row(struct zram_run *run, const int *columns, struct fixed_group *group)
{
	int64_t k, written;
	int ret = csv_int_within(run->csv, columns[FX_K], 1, PAGE_SIZE, &k, run->err);

	if (ret)
		return ret;
	if (k != group->k)
		begin_group(run, group, k);
	ret = csv_int_within(run->csv, columns[FX_WRITTEN], run->used_slots, VERIFY_ZRAM_SLOTS - 1,
			     &written, run->err);
	while (!ret && run->used_slots < written)
		ret = write_random_page(run, group, columns[FX_K]);
	return ret ? ret : verify_zram_stats(run);
}

int verify_zram_fixed(struct zram_run *run)
{
	static const char *const names[NR_FIXED_COLUMNS] = {"k_random_bytes", "n_written",
							    "mem_used_total"};
	struct fixed_group group = {0};
	int columns[NR_FIXED_COLUMNS];
	int ret = csv_require(run->csv, names, NR_FIXED_COLUMNS, columns, run->err);

	if (ret)
		return ret;
	if (!run->config->length)
		return verify_zram_fail(run, -EINVAL,
					"needs a codec: its pages are in no file of lengths");
	while ((ret = csv_next(run->csv, run->err)) > 0) {
		ret = fixed_row(run, columns, &group);
		if (ret)
			return ret;
	}
	return ret;
}
