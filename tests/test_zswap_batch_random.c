// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random folios (pages that do not shrink, pages of zeros, tiny ones, mixed), stored, loaded, freed
 * and stored again over stale copies: every interface holds what page by page holds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/poison.h"
#include "sim/zswap_batch.h"
#include "tests/batch_rig.h"
#include "tests/test.h"

#define SLOTS 1024

#ifdef SIM_ASAN
#define OPERATIONS 500
#else
#define OPERATIONS 3000
#endif

struct four {
	struct machine *m[NR_BATCHING];
	uint32_t content[SLOTS];
	bool used[SLOTS];
	uint64_t rng;
	bool nothing_refused;
	unsigned refused, stored, loaded, stale;
};

static unsigned below(struct four *f, unsigned n)
{
	f->rng ^= f->rng << 13;
	f->rng ^= f->rng >> 7;
	f->rng ^= f->rng << 17;
	return (f->rng >> 20) % n;
}

/* See content_fill(): zeros, random bytes, text, random in part. */
static uint32_t random_content(struct four *f)
{
	switch (below(f, 12)) {
	case 0:
		return 0;
	case 1:
		return 4 * below(f, 5000) + 3;
	case 2:
	case 3:
		return 4 * below(f, 5000) + 1;
	default:
		return 2 * below(f, 5000) + 2;
	}
}

static void do_store(struct four *f, bool may_refuse)
{
	unsigned order = below(f, 3) ? below(f, 5) : below(f, 8), nr = 1u << order;
	unsigned slot = below(f, SLOTS) & ~(nr - 1);
	bool writeback = !may_refuse || below(f, 4);
	enum swapout first = SWAPOUT_NR;
	uint32_t ids[256];

	for (unsigned i = 0; i < nr; i++) {
		ids[i] = random_content(f);
		f->stale += f->used[slot + i];
	}
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		enum swapout where;

		f->m[mode]->memcg->zswap_writeback = writeback;
		where = machine_store(f->m[mode], slot, order, ids);
		if (!mode)
			first = where;
		assert_int_equal(where, first);
	}
	f->stored += first == SWAPOUT_ZSWAP;
	f->refused += first == SWAPOUT_ACTIVATED;
	for (unsigned i = 0; i < nr; i++) {
		f->content[slot + i] = ids[i];
		f->used[slot + i] = first != SWAPOUT_ACTIVATED;
	}
}

static void do_load(struct four *f)
{
	unsigned slot = below(f, SLOTS);
	enum swapin from = SWAPIN_NR;

	if (!f->used[slot])
		return;
	for (unsigned mode = 0; mode < NR_BATCHING; mode++)
		assert_int_equal(machine_load(f->m[mode], slot, f->content[slot], &from), 0);
	f->loaded++;
	f->used[slot] = from != SWAPIN_ZSWAP;
}

static void do_free(struct four *f)
{
	unsigned slot = below(f, SLOTS) & ~15u;

	for (unsigned mode = 0; mode < NR_BATCHING; mode++)
		swap_slot_free(f->m[mode]->io, (swp_entry_t){0, slot}, 4);
	for (unsigned i = 0; i < 16; i++)
		f->used[slot + i] = false;
}

/* A store batch has all its objects before the first stale one is freed: other places. */
static void compare_counters(struct four *f, unsigned mode)
{
	if (mode == ZSWAP_BATCHING_FOLIO)
		assert_same_counters(f->m[0], f->m[mode]);
	else
		assert_same_counters_but_place(f->m[0], f->m[mode]);
}

static void check(struct four *f)
{
	for (unsigned mode = 1; mode < NR_BATCHING; mode++) {
		char err[256] = "";

		assert_same_objects(f->m[0], f->m[mode], SLOTS);
		zswap_check(f->m[mode]->z, err, sizeof(err));
		assert_string_equal(err, "");
		assert_int_equal(zswap_stats(f->m[0]->z)->stored_pages,
				 zswap_stats(f->m[mode]->z)->stored_pages);
		assert_int_equal(zswap_stats(f->m[0]->z)->zswpout,
				 zswap_stats(f->m[mode]->z)->zswpout);
		assert_int_equal(f->m[0]->memcg->zswap_bytes, f->m[mode]->memcg->zswap_bytes);
		if (f->nothing_refused)
			compare_counters(f, mode);
	}
}

static void run(const struct machine_config *config, bool may_refuse, uint64_t seed)
{
	struct four *f = calloc(1, sizeof(*f));

	f->rng = seed;
	/* 6.17 refuses what does not shrink. */
	f->nothing_refused = !config->kernel && !may_refuse;
	for (unsigned mode = 0; mode < NR_BATCHING; mode++)
		f->m[mode] = batch_machine(config, mode);
	for (unsigned i = 0; i < OPERATIONS; i++) {
		unsigned what = below(f, 10);

		if (what < 3)
			do_store(f, may_refuse);
		else if (what < 9)
			do_load(f);
		else
			do_free(f);
		if (i % 50 == 49)
			check(f);
	}
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		for (unsigned mode = 0; mode < NR_BATCHING && f->used[slot]; mode++)
			assert_int_equal(machine_load(f->m[mode], slot, f->content[slot], NULL), 0);
	}
	assert_true(f->stored > OPERATIONS / 10);
	assert_true(f->loaded > OPERATIONS / 10);
	assert_true(f->stale > OPERATIONS / 10);
	assert_int_equal(f->refused > OPERATIONS / 100, may_refuse);
	for (unsigned mode = 0; mode < NR_BATCHING; mode++)
		machine_destroy(f->m[mode]);
	free(f);
}

static void random_folios_are_stored_alike_by_7_3(void **state)
{
	run(&(struct machine_config){.max_pool_percent = 100}, false, 11);
}

static void random_folios_are_refused_alike_without_writeback(void **state)
{
	run(&(struct machine_config){.max_pool_percent = 100}, true, 12);
}

/* What does not shrink is refused, and goes to disk. */
static void random_folios_go_the_same_way_in_6_17(void **state)
{
	run(&(struct machine_config){.kernel = "6.17", .max_pool_percent = 100}, false, 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_folios_are_stored_alike_by_7_3),
		cmocka_unit_test(random_folios_are_refused_alike_without_writeback),
		cmocka_unit_test(random_folios_go_the_same_way_in_6_17),
	};

	return cmocka_run_group_tests_name("zswap_batch_random", tests, NULL, NULL);
}
