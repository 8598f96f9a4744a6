// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pool's limit and the threshold below which it accepts again: filled until it refuses, freed
 * page by page until it accepts, and filled again, with several settings. With writeback the shrink
 * worker helps; without it, only what is freed makes room.
 */
#include "util.h"
#include "zswap.h"

#define REGION_ROUNDS 4 /* times the input pages */

struct round {
	int max_pool_percent, accept_threshold_percent;
	bool writeback;
};

static const struct round rounds[] = {
	{1, 90, false}, {1, 50, false}, {1, 90, true}, {1, 100, false},
	{2, 70, false}, {1, 70, true},	{1, 25, true},
};

/* In each round. */
#define REFUSALS       16
#define REFUSALS_AGAIN 4
#define FREED_A_STORE  4
#define MAX_STORES     300

struct hysteresis {
	struct zswap zswap;
	uint32_t next_store, next_free;
	unsigned round;
};

enum { T };

static void begin(struct hysteresis *run, struct guest *guest)
{
	static const char *const memcgs[] = {"/t", NULL};
	const struct zswap_settings settings = {.nr_pages = REGION_ROUNDS * guest->pages.nr,
						.max_pool_percent = 1,
						.memcgs = memcgs};
	struct zswap *zswap = &run->zswap;

	zswap_setup(zswap, guest, &settings);
	zswap_output_header(zswap);
	zswap_make_memcg(zswap, T);
	memcgs_enter(&zswap->memcgs, T);
	zswap_fill(zswap, 0, zswap->nr_pages);
	zswap_step(zswap, "filled");
}

static uint32_t overwrite_next(struct hysteresis *run)
{
	struct zswap *zswap = &run->zswap;
	uint32_t page = run->next_store++ % zswap->nr_pages;

	zswap_dirty(zswap, page, (page * 5 + run->round) % zswap->guest->pages.nr);
	return page;
}

/* The next page in order that is in memory; of one that was freed, or if all are out, a new one. */
static uint32_t next_page(struct hysteresis *run)
{
	struct zswap *zswap = &run->zswap;

	for (uint32_t i = 0; i < zswap->nr_pages; i++) {
		switch (zswap_where(zswap, run->next_store % zswap->nr_pages)) {
		case ZSWAP_IN_MEMORY:
			return run->next_store++ % zswap->nr_pages;
		case ZSWAP_NOWHERE:
			return overwrite_next(run);
		case ZSWAP_SWAPPED_OUT:
			run->next_store++;
		}
	}
	return overwrite_next(run);
}

/* Whether the page went into zswap. */
static bool store_next(struct hysteresis *run)
{
	int64_t zswpout = run->zswap.counter[ZSWPOUT];

	zswap_store_and_settle(&run->zswap, next_page(run));
	return run->zswap.counter[ZSWPOUT] != zswpout;
}

static void store_until_refused(struct hysteresis *run, unsigned refusals)
{
	int64_t limit_hit = run->zswap.counter[POOL_LIMIT_HIT] + refusals;

	for (unsigned i = 0; run->zswap.counter[POOL_LIMIT_HIT] < limit_hit; i++) {
		if (i == MAX_STORES)
			break;
		store_next(run);
	}
}

static void free_next(struct hysteresis *run)
{
	struct zswap *zswap = &run->zswap;
	uint32_t page;

	do {
		/* Every other page, so that zspages do not become empty at once. */
		page = run->next_free % zswap->nr_pages;
		run->next_free += 2;
		if (run->next_free % zswap->nr_pages < 2)
			run->next_free ^= 1;
	} while (zswap_where(zswap, page) != ZSWAP_SWAPPED_OUT);
	zswap_free(zswap, page);
}

static void free_until_accepted(struct hysteresis *run)
{
	for (unsigned i = 0; i < run->zswap.nr_pages / FREED_A_STORE; i++) {
		for (unsigned f = 0; f < FREED_A_STORE; f++)
			free_next(run);
		if (store_next(run))
			return;
	}
	die("the pool never accepts again");
}

static void run_round(struct hysteresis *run, const struct round *round)
{
	struct zswap *zswap = &run->zswap;

	zswap_set_parameter(zswap, "max_pool_percent", round->max_pool_percent);
	zswap_set_parameter(zswap, "accept_threshold_percent", round->accept_threshold_percent);
	zswap_set_memcg(zswap, T, "memory.zswap.writeback", round->writeback);
	store_until_refused(run, REFUSALS);
	zswap_numbered_step(zswap, "refused", run->round);
	free_until_accepted(run);
	zswap_numbered_step(zswap, "accepted", run->round);
	store_until_refused(run, REFUSALS_AGAIN);
}

void zswap_hysteresis(struct guest *guest)
{
	static struct hysteresis run;
	struct zswap *zswap = &run.zswap;

	begin(&run, guest);
	for (run.round = 0; run.round < ARRAY_LEN(rounds); run.round++)
		run_round(&run, &rounds[run.round]);
	for (uint32_t i = 0; i < zswap->nr_pages; i += 3) {
		if (zswap_where(zswap, i) != ZSWAP_SWAPPED_OUT)
			continue;
		zswap_load(zswap, i);
		zswap_verify_page(zswap, i);
	}
	zswap_unmap_all(zswap);
	zswap_step(zswap, "munmap");
	zswap_finish(zswap);
}
