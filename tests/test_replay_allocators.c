// SPDX-License-Identifier: GPL-2.0-or-later
/* zswap over each of the allocators: every load verified, limits, failures, without contents. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/test.h"

/* ---- replays ---- */

static void draft_random(struct draft *d, unsigned nr_slots, unsigned nr_events)
{
	bool *stored = calloc(nr_slots, sizeof(*stored));

	assert_non_null(stored);
	srand(4);
	for (unsigned i = 0; i < nr_events; i++) {
		unsigned slot = rand() % nr_slots;

		if (!stored[slot] || rand() % 8 == 0)
			draft_store(d, slot, rand() % 400);
		else if (rand() % 4)
			draft_load(d, slot);
		else
			draft_event(d, TRACE_INVALIDATE, slot, 0, NULL);
		stored[slot] = !stored[slot];
	}
	for (unsigned slot = 0; slot < nr_slots; slot++)
		draft_event(d, TRACE_INVALIDATE, slot, 0, NULL);
	free(stored);
}

static void every_load_is_verified_over_every_allocator_under_every_preset(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	draft_random(&d, 250, 1800);
	for (const char *const *type = zpool_types(); *type; type++) {
		char set[64];

		snprintf(set, sizeof(set), "pool.allocator=%s", *type);
		for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
			assert_int_equal(draft_run(&d, *kernel, set, result), 0);
			assert_true(result->counts.verified_pages > 300);
			assert_int_equal(result->counts.mismatched_pages, 0);
			assert_int_equal(result->counts.failed_loads, 0);
			assert_true(result->pool_peak.pages > 50);
			assert_int_equal(result->pool_end.pages, 0);
			assert_int_equal(result->pool_end.objects, 0);
			assert_int_equal(result->zswap.dir[ZSWAP_LOAD].straddled > 0,
					 !strcmp(*type, "zsmalloc"));
			assert_int_equal(result->nr_classes > 0, !strcmp(*type, "zsmalloc"));
			replay_result_finish(result);
		}
	}
	draft_end(&d);
	free(result);
}

static void what_zbud_does_not_take_is_refused_as_compressed_poorly(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	/* Of each four contents one is of random bytes: 7.3 would store those raw. */
	draft_begin(&d);
	for (uint32_t i = 1; i <= 200; i++)
		draft_store(&d, i, i);
	for (uint32_t i = 1; i <= 200; i++)
		draft_load(&d, i);
	assert_int_equal(draft_run(&d, "7.3", "pool.allocator=zbud", result), 0);
	assert_int_equal(result->zswap.dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW], 0);
	assert_in_range(result->zswap.reject_compress_poor, 50, 60);
	assert_int_equal(result->counts.out_pages[SWAPOUT_DISK],
			 result->zswap.reject_compress_poor);
	assert_int_equal(result->counts.verified_pages, 200);
	assert_int_equal(result->counts.mismatched_pages, 0);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

static void a_full_pool_is_written_back_whatever_it_is_made_of(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 1500; i++)
		draft_store(&d, i, 1 + 4 * (i % 300) + i % 2);
	for (uint32_t i = 0; i < 1500; i++)
		draft_load(&d, i);
	for (const char *const *type = zpool_types(); *type; type++) {
		for (unsigned k = 0; k < 2; k++) {
			struct replay_config config;
			char set[64];

			replay_config_init(&config);
			config.totalram_pages = 1500;
			snprintf(set, sizeof(set), "pool.allocator=%s", *type);
			assert_int_equal(
				draft_run_set(&d, k ? "7.3" : "6.12", set, &config, result), 0);
			assert_true(result->zswap.pool_limit_hit > 0);
			assert_true(result->zswap.written_back_pages > 0);
			/* A folio is let in while the pool is below its limit of 300 pages. */
			assert_in_range(result->pool_peak.pages, 300, 308);
			assert_int_equal(result->counts.verified_pages, 1500);
			assert_int_equal(result->counts.mismatched_pages, 0);
			replay_result_finish(result);
		}
	}
	draft_end(&d);
	free(result);
}

/* ---- machines ---- */

static void an_allocation_that_fails_is_a_store_that_fails(void **state)
{
	for (const char *const *type = zpool_types(); *type; type++) {
		char set[64];
		struct machine *m;

		snprintf(set, sizeof(set), "pool.allocator=%s", *type);
		m = machine_create(&(struct machine_config){.kernel = "7.3", .set = {set}});
		assert_string_equal(zpool_get_type(zswap_zpool(m->z)), *type);
		for (unsigned nth = 1; nth <= 3; nth++) {
			zpool_fail_nth(zswap_zpool(m->z), nth);
			for (unsigned i = 1; i <= 3; i++)
				assert_int_equal(machine_store1(m, 10 * nth + i, 4 * i + 1),
						 i == nth ? SWAPOUT_DISK : SWAPOUT_ZSWAP);
		}
		assert_int_equal(zswap_stats(m->z)->reject_alloc_fail, 3);
		assert_int_equal(zswap_stats(m->z)->stored_pages, 6);
		for (unsigned nth = 1; nth <= 3; nth++) {
			for (unsigned i = 1; i <= 3; i++)
				assert_int_equal(machine_load(m, 10 * nth + i, 4 * i + 1, NULL), 0);
		}
		assert_int_equal(zswap_total_pages(m->z), 0);
		machine_destroy(m);
	}
}

/* The stored length of a content, or the error of its compression: what a page is without bytes. */
static uint32_t length_of(struct machine *m, uint32_t content)
{
	if (!content)
		return ZSWAP_ZERO_ID;
	machine_store1(m, 0, content);
	if (m->last.path != ZSWAP_PATH_FAILED)
		return m->last.length;
	return m->last.ret == -ENOSPC ? PAGE_SIZE : m->last.ret;
}

static void same_counts(struct machine *a, struct machine *b)
{
	const struct zswap_stats *x = zswap_stats(a->z), *y = zswap_stats(b->z);
	struct zpool_usage u, v;

	zpool_usage(zswap_zpool(a->z), &u);
	zpool_usage(zswap_zpool(b->z), &v);
	assert_memory_equal(&u, &v, sizeof(u));
	assert_int_equal(x->stored_pages, y->stored_pages);
	assert_int_equal(x->zswpin, y->zswpin);
	assert_int_equal(x->zswpout, y->zswpout);
	assert_int_equal(x->written_back_pages, y->written_back_pages);
	assert_int_equal(x->pool_limit_hit, y->pool_limit_hit);
	assert_int_equal(x->reject_compress_poor, y->reject_compress_poor);
	assert_int_equal(x->reject_compress_fail, y->reject_compress_fail);
	assert_int_equal(x->reject_alloc_fail, y->reject_alloc_fail);
	assert_int_equal(x->lru_rotations, y->lru_rotations);
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++)
		assert_memory_equal(x->dir[dir].pages, y->dir[dir].pages,
				    sizeof(x->dir[dir].pages));
}

#define CONTENTS 120
#define SLOTS	 400

static void same_with_contents_and_without(const char *kernel, const char *set)
{
	struct machine_config config = {
		.kernel = kernel, .set = {set}, .totalram_pages = 200, .shrinker_enabled = true};
	struct machine *with, *without;
	uint32_t length[CONTENTS], content[SLOTS];
	bool stored[SLOTS] = {false};

	with = machine_create(&(struct machine_config){.kernel = kernel, .set = {set}});
	for (unsigned i = 0; i < CONTENTS; i++)
		length[i] = length_of(with, i);
	machine_destroy(with);

	with = machine_create(&config);
	config.lengths = true;
	without = machine_create(&config);
	srand(6);
	for (unsigned step = 0; step < 3000; step++) {
		unsigned slot = rand() % SLOTS;

		if (stored[slot]) {
			enum swapin a, b;

			assert_int_equal(machine_load(with, slot, content[slot], &a), 0);
			assert_int_equal(machine_load(without, slot, length[content[slot]], &b), 0);
			assert_int_equal(a, b);
			swap_slot_free(with->io, (swp_entry_t){0, slot}, 0);
			swap_slot_free(without->io, (swp_entry_t){0, slot}, 0);
		} else {
			content[slot] = rand() % CONTENTS;
			assert_int_equal(machine_store1(with, slot, content[slot]),
					 machine_store1(without, slot, length[content[slot]]));
		}
		stored[slot] = !stored[slot];
		same_counts(with, without);
	}
	assert_true(zswap_stats(with->z)->written_back_pages > 0);
	machine_destroy(with);
	machine_destroy(without);
}

static void counts_are_the_same_without_contents(void **state)
{
	static const char *const kernels[] = {"6.12", "6.17", "7.3"};

	for (const char *const *type = zpool_types(); *type; type++) {
		char set[64];

		snprintf(set, sizeof(set), "pool.allocator=%s", *type);
		for (unsigned k = 0; k < 3; k++)
			same_with_contents_and_without(kernels[k], set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_is_verified_over_every_allocator_under_every_preset),
		cmocka_unit_test(what_zbud_does_not_take_is_refused_as_compressed_poorly),
		cmocka_unit_test(a_full_pool_is_written_back_whatever_it_is_made_of),
		cmocka_unit_test(an_allocation_that_fails_is_a_store_that_fails),
		cmocka_unit_test(counts_are_the_same_without_contents),
	};

	return cmocka_run_group_tests_name("replay_allocators", tests, NULL, NULL);
}
