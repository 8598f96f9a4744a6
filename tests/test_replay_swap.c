// SPDX-License-Identifier: GPL-2.0-or-later
/* The swap device of a replay, memcgs at the end, samples along the way. */
#include <stdlib.h>
#include <string.h>

#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/test.h"

static struct replay_result *result;

static int setup(void **state)
{
	result = malloc(sizeof(*result));
	return result ? 0 : -1;
}

static int teardown(void **state)
{
	free(result);
	return 0;
}

/* Contents that no codec makes smaller. */
static uint32_t raw(uint32_t i)
{
	return 4 * i + 3;
}

static uint64_t tick(void *arg)
{
	return *(uint64_t *)arg += 10;
}

static void modelled_device_time_is_added_beside_what_is_measured(void **state)
{
	struct replay_config config;
	uint64_t clock = 0, measured = 0;
	char err[256];
	struct draft d;

	replay_config_init(&config);
	assert_int_equal(swap_model_parse("80/500", &config.swap_model, err, sizeof(err)), 0);
	config.clock = tick;
	config.clock_arg = &clock;
	draft_begin(&d);
	draft_store(&d, 1, raw(1));
	draft_store(&d, 2, 2);
	draft_store(&d, 3, 0);
	draft_load(&d, 1);
	draft_load(&d, 1);
	draft_load(&d, 2);
	draft_load(&d, 3);
	assert_int_equal(draft_run_config(&d, "6.12", &config, result), 0);

	assert_int_equal(result->op[REPLAY_IN_DISK].count, 2);
	assert_int_equal(result->in_disk_modelled.count, 2);
	assert_int_equal(result->in_disk_modelled.sum - result->op[REPLAY_IN_DISK].sum,
			 2 * (80000 + 8192));
	for (unsigned op = REPLAY_IN_ZSWAP; op <= REPLAY_IN_DISK; op++)
		measured += result->op[op].sum;
	assert_int_equal(result->in_modelled.count, 4);
	assert_int_equal(result->in_modelled.sum - measured, 2 * (80000 + 8192));
	assert_int_equal(result->dev.modelled_ns[SWAP_MODEL_READ], 2 * (80000 + 8192));
	assert_int_equal(result->dev.modelled_ns[SWAP_MODEL_WRITE], 80000 + 8192);
	/* One write and two reads, a reading of the clock before and after each. */
	assert_int_equal(result->file_ns, 30);
	assert_int_equal(result->trace_ns, 6000);
	replay_result_finish(result);
	draft_end(&d);
}

static void without_a_model_the_device_takes_no_time(void **state)
{
	struct draft d;

	draft_begin(&d);
	draft_store(&d, 1, raw(1));
	draft_load(&d, 1);
	assert_int_equal(draft_run(&d, "6.12", NULL, result), 0);
	assert_int_equal(result->in_disk_modelled.sum, result->op[REPLAY_IN_DISK].sum);
	assert_int_equal(result->dev.modelled_ns[SWAP_MODEL_READ], 0);
	assert_true(swap_model_is_none(&result->swap_model));
	replay_result_finish(result);
	draft_end(&d);
}

static void a_page_that_was_written_back_is_a_refault_and_a_refused_one_is_not(void **state)
{
	struct draft d;
	uint16_t memcg;

	draft_begin(&d);
	memcg = draft_memcg(&d, "/a", 0);
	draft_memcg_event(&d, memcg, TRACE_MEMCG_ZSWAP_MAX, 8192);
	draft_store_as(&d, 1, raw(1), memcg, 0);
	draft_store_as(&d, 2, raw(2), memcg, 0);
	/* At the limit: both go, in one walk of 32. */
	draft_store_as(&d, 3, raw(3), memcg, 0);
	draft_load(&d, 1);
	draft_load(&d, 1);
	draft_load(&d, 2);
	/* Stored again, it is zswap's again. */
	draft_store_as(&d, 1, raw(4), memcg, 0);
	draft_load(&d, 1);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), 0);
	assert_int_equal(result->zswap.written_back_pages, 2);
	assert_int_equal(result->counts.in_disk_written_back, 3);
	assert_int_equal(result->counts.in_disk_refused, 0);
	assert_int_equal(result->counts.verified_pages, 4);
	assert_int_equal(result->memcgs[memcg].zswap_max_hits, 1);
	assert_int_equal(result->memcgs[memcg].zswpwb, 2);
	assert_int_equal(result->memcgs[memcg].pswpout, 2);
	replay_result_finish(result);

	/* 6.12 refuses what does not shrink: nothing was ever in zswap. */
	assert_int_equal(draft_run(&d, "6.12", NULL, result), 0);
	assert_int_equal(result->counts.in_disk_written_back, 0);
	assert_int_equal(result->counts.in_disk_refused, 4);
	assert_int_equal(result->rejected[ZSWAP_REJECT_COMPRESS_FAIL], 4);
	assert_int_equal(result->memcgs[memcg].rejected[ZSWAP_REJECT_COMPRESS_FAIL], 4);
	replay_result_finish(result);
	draft_end(&d);
}

static void a_memcgs_events_are_in_its_parents_memory_stat(void **state)
{
	const struct replay_memcg *m;
	uint16_t parent, child;
	struct draft d;

	draft_begin(&d);
	parent = draft_memcg(&d, "/p", 0);
	child = draft_memcg(&d, "/p/c", parent);
	draft_store_as(&d, 1, raw(1), child, 0);
	draft_store_as(&d, 2, 2, parent, 0);
	draft_store_as(&d, 3, 6, child, 0);
	draft_store_as(&d, 4, 10, 0, 0);
	draft_load(&d, 3);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), 0);
	assert_int_equal(result->nr_memcgs, 3);
	m = result->memcgs;
	assert_string_equal(m[child].path, "/p/c");
	assert_int_equal(m[child].parent, parent);
	assert_int_equal(m[child].zswpout, 2);
	assert_int_equal(m[parent].zswpout, 3);
	assert_int_equal(m[0].zswpout, 4);
	assert_int_equal(m[parent].zswpin, 1);
	assert_int_equal(m[child].zswapped_pages, 1);
	assert_int_equal(m[child].zswap_bytes, 4096);
	assert_int_equal(m[child].zswap_incomp_pages, 1);
	assert_int_equal(m[parent].zswapped_pages, 2);
	assert_true(m[parent].zswap_bytes > 4096);
	replay_result_finish(result);
	draft_end(&d);
}

/* A pool of four pages: whose pages were refused, and why. */
static void refused_pages_are_counted_by_reason_and_memcg(void **state)
{
	struct replay_config config;
	uint16_t a, b;
	struct draft d;

	replay_config_init(&config);
	config.totalram_pages = 20;
	config.given = REPLAY_GIVEN_TOTALRAM;
	draft_begin(&d);
	a = draft_memcg(&d, "/a", 0);
	b = draft_memcg(&d, "/b", 0);
	draft_memcg_event(&d, b, TRACE_MEMCG_ZSWAP_MAX, 0);
	draft_memcg_event(&d, b, TRACE_MEMCG_ZSWAP_WRITEBACK, 0);
	draft_memcg_event(&d, a, TRACE_MEMCG_ZSWAP_WRITEBACK, 0);
	for (uint32_t i = 0; i < 6; i++)
		draft_store_as(&d, i, 2 * i + 2, a, 0);
	draft_store_as(&d, 100, raw(1), a, 0);
	draft_store_as(&d, 101, 2, b, 0);
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(result->max_pages, 4);
	assert_true(result->pool_limit_given);
	assert_int_equal(result->rejected[ZSWAP_REJECT_MEMCG_LIMIT], 1);
	assert_int_equal(result->memcgs[b].rejected[ZSWAP_REJECT_MEMCG_LIMIT], 1);
	assert_int_equal(result->memcgs[b].zswap_max_hits, 1);
	assert_int_equal(result->rejected[ZSWAP_REJECT_POOL_LIMIT],
			 result->zswap.reject_pool_limit);
	assert_true(result->zswap.reject_pool_limit > 0);
	assert_int_equal(result->memcgs[a].rejected[ZSWAP_REJECT_POOL_LIMIT],
			 result->zswap.reject_pool_limit);
	assert_int_equal(result->counts.out_pages[SWAPOUT_DISK], 0);
	replay_result_finish(result);
	draft_end(&d);
}

/* Cases C07 and C22: the laws that counters keep, and slots in use that are not pages in the pool.
 */
static void counters_add_up_and_slots_in_use_are_not_pages_in_the_pool(void **state)
{
	struct replay_config config;
	const struct zswap_stats *z;
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 100; i++)
		draft_store(&d, i, 2 * i + 2);
	for (uint32_t i = 0; i < 90; i++)
		draft_load(&d, i);
	draft_load(&d, 500);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), 0);
	assert_int_equal(result->zswap.stored_pages, 10);
	assert_int_equal(result->slots_in_use, 100);
	assert_int_equal(result->dev.pages, 0);
	assert_int_equal(result->counts.unknown_loads, 1);
	assert_int_equal(result->nr_disk_swapins, 0);
	replay_result_finish(result);
	draft_end(&d);

	replay_config_init(&config);
	config.totalram_pages = 100;
	draft_begin(&d);
	for (uint32_t i = 0; i < 3000; i++) {
		uint64_t slot = (i / 2 * 7919u) % 211;

		draft_store(&d, slot, i % 60);
		if (i % 5 == 0)
			draft_load(&d, slot);
		else if (i % 11 == 0)
			draft_event(&d, TRACE_INVALIDATE, slot, 0, NULL);
	}
	for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
		assert_int_equal(draft_run_config(&d, *kernel, &config, result), 0);
		z = &result->zswap;
		assert_true(z->zswpin && z->zswpwb && z->invalidated && z->overwritten);
		assert_int_equal(z->zswpout, z->stored_pages + z->zswpin + z->zswpwb +
						     z->invalidated + z->overwritten);
		assert_int_equal(z->zswpwb, z->written_back_pages);
		assert_int_equal(result->counts.in_pages[SWAPIN_DISK],
				 result->counts.in_disk_written_back +
					 result->counts.in_disk_refused);
		assert_int_equal(result->counts.mismatched_pages, 0);
		replay_result_finish(result);
	}
	draft_end(&d);
}

static void pressure_asks_for_the_count_before_it_scans(void **state)
{
	struct replay_config config;
	struct draft d;

	replay_config_init(&config);
	config.shrinker_enabled = true;
	draft_begin(&d);
	for (uint32_t i = 0; i < 50; i++)
		draft_store(&d, i, raw(i));
	draft_pressure(&d, 0, 0);
	/* Clears the bits of 50; at most twice the count, which is 50 raw pages in 50 pool pages.
	 */
	draft_pressure(&d, 0, 50);
	/* One batch: 20 written back. */
	draft_pressure(&d, 0, 20);
	for (uint32_t i = 0; i < 20; i++)
		draft_load(&d, i);
	/* 20 swap-ins from disk against 30 entries: the count is 10, the scan at most 20. */
	draft_pressure(&d, 0, 1000);
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(result->counts.pressures, 4);
	assert_int_equal(result->zswap.lru_rotations, 50);
	assert_int_equal(result->zswap.written_back_pages, 20 + 20);
	assert_int_equal(result->counts.in_disk_written_back, 20);
	assert_int_equal(result->nr_disk_swapins, 0);
	replay_result_finish(result);

	config.shrinker_enabled = false;
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(result->zswap.written_back_pages, 0);
	replay_result_finish(result);
	draft_end(&d);
}

struct samples {
	unsigned nr;
	uint64_t event[64], time_ns[64], stored[64], pool[64], slots[64], zswpout[64];
};

static void take(void *arg, const struct replay_sample *s)
{
	struct samples *all = arg;

	assert_true(all->nr < 64);
	assert_int_equal(s->pool.payload_bytes + s->pool.rounding_bytes + s->pool.unused_bytes +
				 s->pool.tail_bytes,
			 s->pool.pages * PAGE_SIZE);
	all->event[all->nr] = s->event;
	all->time_ns[all->nr] = s->time_ns;
	all->stored[all->nr] = s->stored_pages;
	all->pool[all->nr] = s->pool.pages;
	all->slots[all->nr] = s->slots_in_use;
	all->zswpout[all->nr] = s->zswap->zswpout;
	all->nr++;
}

static void samples_come_after_every_interval_and_after_the_last_event(void **state)
{
	struct samples s = {0};
	struct replay_config config;
	struct draft d;

	replay_config_init(&config);
	config.sample_interval = 10;
	config.sample = take;
	config.sample_arg = &s;
	draft_begin(&d);
	for (uint32_t i = 0; i < 20; i++)
		draft_store(&d, i, raw(i));
	for (uint32_t i = 0; i < 5; i++)
		draft_load(&d, i);
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.event[0], 9);
	assert_int_equal(s.time_ns[0], 9000);
	assert_int_equal(s.stored[0], 10);
	assert_int_equal(s.event[1], 19);
	assert_int_equal(s.pool[1], 20);
	assert_int_equal(s.event[2], 24);
	assert_int_equal(s.stored[2], 15);
	assert_int_equal(s.slots[2], 20);
	assert_int_equal(s.zswpout[2], 20);
	replay_result_finish(result);

	memset(&s, 0, sizeof(s));
	config.sample_interval = 25;
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(s.nr, 1);
	replay_result_finish(result);
	draft_end(&d);
}

/* What the worker frees was in the pool at its largest. */
static void size_classes_are_those_of_the_peak_though_the_worker_frees_at_once(void **state)
{
	struct replay_config config;
	uint64_t objects = 0;
	struct draft d;

	replay_config_init(&config);
	config.totalram_pages = 200;
	draft_begin(&d);
	for (uint32_t i = 0; i < 400; i++)
		draft_store(&d, i, raw(i));
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_true(result->zswap.written_back_pages > 0);
	assert_int_equal(result->pool_peak.pages, 40);
	for (unsigned i = 0; i < result->nr_classes; i++)
		objects += result->classes_at_peak[i].obj_used;
	assert_int_equal(objects, result->pool_peak.objects);
	replay_result_finish(result);
	draft_end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modelled_device_time_is_added_beside_what_is_measured),
		cmocka_unit_test(without_a_model_the_device_takes_no_time),
		cmocka_unit_test(
			a_page_that_was_written_back_is_a_refault_and_a_refused_one_is_not),
		cmocka_unit_test(a_memcgs_events_are_in_its_parents_memory_stat),
		cmocka_unit_test(refused_pages_are_counted_by_reason_and_memcg),
		cmocka_unit_test(counters_add_up_and_slots_in_use_are_not_pages_in_the_pool),
		cmocka_unit_test(pressure_asks_for_the_count_before_it_scans),
		cmocka_unit_test(samples_come_after_every_interval_and_after_the_last_event),
		cmocka_unit_test(
			size_classes_are_those_of_the_peak_though_the_worker_frees_at_once),
	};

	return cmocka_run_group_tests_name("replay_swap", tests, setup, teardown);
}
