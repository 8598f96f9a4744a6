// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>

#include "util.h"
#include "zswap.h"

#define MEMORY_MAX (8 << 20)
/* That a memcg may have of each of its pages: much less than they take. */
#define BYTES_A_PAGE 384

struct limits {
	unsigned rounds; /* times the input pages */
	int max_pool_percent;
	const char *file; /* of the memcg; NULL: none is set */
	int64_t value;
};

static void begin(struct zswap *zswap, struct guest *guest, const struct limits *limits)
{
	const struct zswap_settings settings = {
		.nr_pages = limits->rounds * guest->pages.nr,
		.max_pool_percent = limits->max_pool_percent,
		.facts = limits->file ? json_pack("{s:I}", limits->file, (json_int_t)limits->value)
				      : NULL};

	zswap_setup(zswap, guest, &settings);
	zswap_output_header(zswap);
	if (limits->file)
		memcgs_set(&zswap->memcgs, 0, limits->file, limits->value);
}

static void fill(struct zswap *zswap)
{
	zswap_fill(zswap, 0, zswap->nr_pages);
	zswap_step(zswap, "filled");
}

static void output_settled(struct zswap *zswap)
{
	const struct zswap_row row = {.op = "settle", .page = -1, .src = -1};

	zswap_output_row(zswap, &row);
}

/*
 * The row of the store is what was seen before the worker came to its end. A row "settle" follows
 * if the worker wrote anything back after that.
 */
static void store_then_settle(struct zswap *zswap, uint32_t page)
{
	int64_t limit_hit = zswap->counter[POOL_LIMIT_HIT], zswpout = zswap->counter[ZSWPOUT];
	int64_t written_back;

	zswap_store(zswap, page);
	if (zswap->counter[POOL_LIMIT_HIT] == limit_hit && zswap->counter[ZSWPOUT] != zswpout)
		return;
	written_back = zswap->counter[WRITTEN_BACK_PAGES];
	zswap_settle(zswap);
	if (zswap->counter[WRITTEN_BACK_PAGES] != written_back)
		output_settled(zswap);
}

static void load_every_7th(struct zswap *zswap)
{
	for (uint32_t i = 0; i < zswap->nr_pages; i += 7)
		zswap_load(zswap, i);
	zswap_step(zswap, "load_every_7th");
}

void zswap_limit(struct guest *guest)
{
	struct zswap zswap;

	begin(&zswap, guest, &(struct limits){.rounds = 3, .max_pool_percent = 1});
	fill(&zswap);
	for (uint32_t i = 0; i < zswap.nr_pages; i++) {
		store_then_settle(&zswap, i);
		if ((i + 1) % 1024 == 0)
			zswap_numbered_step(&zswap, "store", i + 1);
	}
	zswap_step(&zswap, "all_stored");
	load_every_7th(&zswap);
	zswap_unmap_all(&zswap);
	zswap_step(&zswap, "munmap");
	zswap_finish(&zswap);
}

/* 64 pages at once and no waiting: what the worker does in between is a matter of timing. */
void zswap_burst(struct guest *guest)
{
	struct zswap zswap;

	begin(&zswap, guest, &(struct limits){.rounds = 3, .max_pool_percent = 1});
	fill(&zswap);
	for (uint32_t i = 0; i < zswap.nr_pages; i += 64) {
		const struct zswap_row row = {.op = "store64", .page = i, .src = zswap.src[i]};

		zswap_pageout(&zswap, i, 64);
		zswap_read_counters(&zswap);
		zswap_output_row(&zswap, &row);
	}
	zswap_step(&zswap, "all_stored");
	zswap_settle(&zswap);
	output_settled(&zswap);
	zswap_step(&zswap, "settled");
	zswap_finish(&zswap);
}

void zswap_memcgmax(struct guest *guest)
{
	struct zswap zswap;

	begin(&zswap, guest,
	      &(struct limits){2, 90, "memory.zswap.max", 2 * guest->pages.nr * BYTES_A_PAGE});
	fill(&zswap);
	for (uint32_t i = 0; i < zswap.nr_pages; i++) {
		zswap_store(&zswap, i);
		if ((i + 1) % 1024 == 0)
			zswap_numbered_step(&zswap, "store", i + 1);
	}
	load_every_7th(&zswap);
	zswap_finish(&zswap);
}

/* The pool's limit where nothing may reach the disk. */
void zswap_nowb(struct guest *guest)
{
	struct zswap zswap;

	begin(&zswap, guest, &(struct limits){3, 1, "memory.zswap.writeback", 0});
	fill(&zswap);
	for (uint32_t i = 0; i < zswap.nr_pages; i++)
		zswap_store(&zswap, i);
	zswap_settle(&zswap);
	zswap_step(&zswap, "all_stored");
	zswap_finish(&zswap);
}

static void output_64(struct zswap *zswap, const char *op, uint32_t page, uint32_t src)
{
	const struct zswap_row row = {.op = op, .page = page, .src = src};

	zswap_read_counters(zswap);
	zswap_output_row(zswap, &row);
}

static void read_all(struct zswap *zswap, const char *step)
{
	for (uint32_t i = 0; i < zswap->nr_pages; i++) {
		zswap_verify_page(zswap, i);
		if (i % 64 == 63)
			output_64(zswap, "read64", i, zswap->src[i]);
	}
	zswap_step(zswap, step);
}

/* Half of the region has room: the kernel reclaims what it likes. */
static void under_memory_max(struct guest *guest, bool shrinker)
{
	const struct zswap_settings settings = {.nr_pages = 2 * MEMORY_MAX / PAGE_SIZE,
						.max_pool_percent = 20,
						.shrinker = shrinker};
	struct random random = {4242};
	struct zswap zswap;

	/* Not what looks: a page of its own that is swapped in moves the counters that it reads. */
	if (mlockall(MCL_CURRENT))
		die("cannot lock the program's memory");
	zswap_setup(&zswap, guest, &settings);
	zswap_output_header(&zswap);
	memcgs_set(&zswap.memcgs, 0, "memory.max", MEMORY_MAX);
	for (uint32_t i = 0; i < zswap.nr_pages; i++) {
		zswap_fill_page(&zswap, i, i);
		if (i % 64 == 63)
			output_64(&zswap, "touch64", i, zswap.src[i]);
	}
	zswap_step(&zswap, "first_pass");
	read_all(&zswap, "read_pass1");
	read_all(&zswap, "read_pass2");
	for (uint32_t i = 0; i < 8192; i++) {
		uint32_t page = random_next(&random) % zswap.nr_pages;

		zswap_verify_page(&zswap, page);
		if (i % 64 == 63)
			output_64(&zswap, "rand64", i, zswap.src[page]);
	}
	zswap_step(&zswap, "random_reads");
	zswap_finish(&zswap);
}

void zswap_memmax(struct guest *guest)
{
	under_memory_max(guest, false);
}

void zswap_shrinker(struct guest *guest)
{
	under_memory_max(guest, true);
}
