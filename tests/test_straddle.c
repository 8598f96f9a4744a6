// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/lengths.h"
#include "sim/straddle.h"
#include "tests/draft.h"
#include "tests/test.h"

/* Every reading is one later: a time is the number of readings that it took. */
static uint64_t tick(void *arg)
{
	return ++*(uint64_t *)arg;
}

struct rig {
	struct draft d;
	struct profile profile;
	struct replay_config replay;
	struct trace_reader *reader;
	struct lengths *lengths;
	struct straddle_config config;
	struct straddle_result result;
	struct trace_error err;
	uint64_t now;
};

static void begin(struct rig *r, const char *kernel, const char *set)
{
	struct lengths_config lengths = {.no_file = true, .nr_threads = 1};
	char err[256];

	memset(r, 0, sizeof(*r));
	draft_begin(&r->d);
	for (uint32_t i = 0; i < 400; i++)
		draft_store(&r->d, i, i);
	for (uint32_t i = 0; i < 400; i += 2)
		draft_load(&r->d, i);
	for (uint32_t i = 0; i < 400; i += 4)
		draft_store(&r->d, i, i + 1);
	for (uint32_t i = 0; i < 400; i += 3) {
		if (i % 4 != 2)
			draft_load(&r->d, i);
	}
	draft_commit(&r->d);
	assert_int_equal(trace_reader_open(r->d.path, &r->reader, &r->err), 0);
	assert_int_equal(profile_init(&r->profile, kernel, err, sizeof(err)), 0);
	if (set)
		assert_int_equal(profile_set(&r->profile, set, err, sizeof(err)), 0);
	replay_config_init(&r->replay);
	r->replay.profile = &r->profile;
	r->replay.crypto = backends_registry();
	r->replay.clock = tick;
	r->replay.clock_arg = &r->now;
	lengths.profile = &r->profile;
	lengths.crypto = r->replay.crypto;
	assert_int_equal(lengths_open(r->d.path, r->reader, &lengths, &r->lengths, &r->err), 0);
	r->config = (struct straddle_config){
		.replay = &r->replay, .lengths = r->lengths, .pages = 10, .rounds = 4, .seed = 1};
	bootstrap_config_init(&r->config.bootstrap);
}

static void end(struct rig *r)
{
	lengths_close(r->lengths);
	trace_reader_close(r->reader);
	draft_end(&r->d);
}

static void counts_are_those_of_replays_with_each_chain_size(void **state)
{
	static const char *const kernels[] = {"6.12", "6.17", "7.3"};
	struct replay_result *replay = malloc(sizeof(*replay));
	struct rig r;

	for (unsigned k = 0; k < 3; k++) {
		begin(&r, kernels[k], NULL);
		assert_int_equal(straddle_run(&r.config, r.reader, &r.result, &r.err), 0);
		assert_int_equal(r.result.nr_rows, 13);
		for (unsigned i = 0; i < 13; i++) {
			const struct straddle_row *row = &r.result.rows[i];
			const struct zswap_account *loads = &replay->zswap.dir[ZSWAP_LOAD];
			char set[64];

			snprintf(set, sizeof(set), "zsmalloc.chain_size=%u", 4 + i);
			/* In measure mode, and by draft_run() in policy mode. */
			assert_int_equal(draft_run(&r.d, kernels[k], set, replay), 0);
			assert_int_equal(row->chain_size, 4 + i);
			assert_int_equal(row->peak_pages, replay->pool_peak.pages);
			assert_int_equal(row->loads, replay->counts.in_pages[SWAPIN_ZSWAP]);
			assert_int_equal(row->straddling, loads->straddled);
			assert_true(row->straddling > 20);
			/* To 6.19 what straddles is copied, since 7.0 it streams. */
			assert_int_equal(row->streamed, k == 2 ? row->straddling : 0);
			assert_int_equal(row->copied, k == 2 ? 0 : row->straddling);
			assert_int_equal(row->mismatched + row->failed, 0);
			assert_int_equal(row->cost.loads, 10);
			replay_result_finish(replay);
		}
		end(&r);
	}
	free(replay);
}

static void every_load_is_measured_if_there_are_no_more(void **state)
{
	struct rig r;

	begin(&r, "7.3", NULL);
	r.config.pages = 1000;
	r.config.rounds = 2;
	assert_int_equal(straddle_run(&r.config, r.reader, &r.result, &r.err), 0);
	for (unsigned i = 0; i < 13; i++)
		assert_int_equal(r.result.rows[i].cost.loads, r.result.rows[i].straddling);
	end(&r);
}

static void the_tax_is_the_difference_and_what_follows_from_it(void **state)
{
	struct rig r;

	begin(&r, "7.3", NULL);
	assert_int_equal(straddle_run(&r.config, r.reader, &r.result, &r.err), 0);
	for (unsigned i = 0; i < 13; i++) {
		const struct straddle_row *row = &r.result.rows[i];
		const struct straddle_cost *cost = &row->cost;
		double total = cost->tax * row->straddling;

		assert_true(cost->linear > 0 && cost->straddling > 0);
		assert_true(fabs(cost->straddling - cost->linear - cost->tax) < 1e-9);
		assert_true(interval_contains(&cost->tax_interval, cost->tax));
		assert_true(fabs(row->total_ns - total) < 1e-6);
		assert_true(fabs(row->per_load_ns * row->loads - total) < 1e-6);
	}
	end(&r);
}

static void nothing_is_measured_if_nobody_asks(void **state)
{
	struct rig r;

	begin(&r, "7.3", NULL);
	r.config.pages = 0;
	assert_int_equal(straddle_run(&r.config, r.reader, &r.result, &r.err), 0);
	for (unsigned i = 0; i < 13; i++) {
		assert_true(r.result.rows[i].straddling > 0);
		assert_int_equal(r.result.rows[i].cost.loads, 0);
		assert_true(isnan(r.result.rows[i].cost.tax));
		assert_true(isnan(r.result.rows[i].total_ns));
	}
	/* No clock was read. */
	assert_int_equal(r.now, 0);
	end(&r);
}

static void the_same_seed_draws_the_same_loads(void **state)
{
	struct straddle_result first;
	struct rig r;

	begin(&r, "7.3", NULL);
	assert_int_equal(straddle_run(&r.config, r.reader, &first, &r.err), 0);
	assert_int_equal(straddle_run(&r.config, r.reader, &r.result, &r.err), 0);
	for (unsigned i = 0; i < 13; i++) {
		assert_true(first.rows[i].cost.linear == r.result.rows[i].cost.linear);
		assert_true(first.rows[i].cost.straddling == r.result.rows[i].cost.straddling);
	}
	end(&r);
}

static void only_zsmalloc_has_chain_sizes(void **state)
{
	struct rig r;

	begin(&r, "7.3", "pool.allocator=jemalloc");
	assert_int_equal(straddle_run(&r.config, r.reader, &r.result, &r.err), -EINVAL);
	assert_non_null(strstr(r.err.message, "zsmalloc"));
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_replays_with_each_chain_size),
		cmocka_unit_test(every_load_is_measured_if_there_are_no_more),
		cmocka_unit_test(the_tax_is_the_difference_and_what_follows_from_it),
		cmocka_unit_test(nothing_is_measured_if_nobody_asks),
		cmocka_unit_test(the_same_seed_draws_the_same_loads),
		cmocka_unit_test(only_zsmalloc_has_chain_sizes),
	};

	return cmocka_run_group_tests_name("straddle", tests, NULL, NULL);
}
