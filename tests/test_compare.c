// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/compare.h"
#include "tests/draft.h"
#include "tests/test.h"
#include "traces/random.h"

/* A clock that goes on by @step ns at each reading, more or less; so times are counted readings. */
struct clock {
	uint64_t now, step, noise;
	uint64_t jump_every, jump; /* an interruption, at each that many readings */
	uint64_t readings;
	struct random random;
	/* Whose clock was read last, and how often another one's was before. */
	unsigned id, *last;
	unsigned *turns;
};

static uint64_t read_clock(void *arg)
{
	struct clock *c = arg;

	c->readings++;
	c->now += c->step;
	if (c->noise)
		c->now += random_below(&c->random, c->noise);
	if (c->jump_every && c->readings % c->jump_every == 0)
		c->now += c->jump;
	if (c->last && *c->last != c->id) {
		*c->last = c->id;
		(*c->turns)++;
	}
	return c->now;
}

struct bench {
	struct draft draft;
	struct trace_reader *reader;
	struct profile profile[COMPARE_MAX_SETTINGS];
	struct clock clock[COMPARE_MAX_SETTINGS];
	struct compare_config config;
	struct compare_result result;
	struct trace_error err;
};

/* A baseline without changes; pages 1 to @pages are stored, then loaded. */
static struct bench *bench_create(uint32_t pages)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	draft_begin(&b->draft);
	for (uint32_t i = 1; i <= pages; i++)
		draft_store(&b->draft, i, i);
	for (uint32_t i = 1; i <= pages; i++)
		draft_load(&b->draft, i);
	bootstrap_config_init(&b->config.bootstrap);
	b->config.bootstrap.resamples = 400;
	b->config.rounds = 3;
	return b;
}

static struct clock *add_setting(struct bench *b, const char *kernel, const char *set)
{
	unsigned s = b->config.nr_settings++;
	struct replay_config *config = &b->config.settings[s];
	char text[1024];

	assert_int_equal(profile_init(&b->profile[s], kernel, text, sizeof(text)), 0);
	if (set)
		assert_int_equal(profile_set(&b->profile[s], set, text, sizeof(text)), 0);
	replay_config_init(config);
	config->profile = &b->profile[s];
	config->crypto = backends_registry();
	b->clock[s] = (struct clock){.step = 100, .id = s};
	random_init(&b->clock[s].random, 40, s);
	config->clock = read_clock;
	config->clock_arg = &b->clock[s];
	return &b->clock[s];
}

static int bench_run(struct bench *b)
{
	draft_commit(&b->draft);
	if (!b->reader)
		assert_int_equal(trace_reader_open(b->draft.path, &b->reader, &b->err), 0);
	return compare_run(&b->config, b->reader, &b->result, &b->err);
}

static void bench_destroy(struct bench *b)
{
	compare_result_finish(&b->result);
	trace_reader_close(b->reader);
	draft_end(&b->draft);
	free(b);
}

static const struct compare_delta *delta(const struct bench *b, unsigned s, enum compare_row row)
{
	return &b->result.setting[s].delta[row];
}

static const struct compare_value *value(const struct bench *b, unsigned s, enum compare_row row)
{
	return &b->result.setting[s].value[row];
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6 * fabs(b) + 1e-9;
}

/* C24 c: two settings that never differ in any event. */
static void settings_that_make_no_difference_show_none(void **state)
{
	static const enum compare_row rows[] = {
		COMPARE_COMPRESS_ALL, COMPARE_DECOMPRESS_ALL,
		COMPARE_STORE_ALL,    COMPARE_LOAD_ALL,
		COMPARE_OUT,	      COMPARE_IN,
		COMPARE_CALLS,
	};
	struct bench *b = bench_create(200);

	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", "zsmalloc.obj_word=pfn40+idx24");
	assert_int_equal(bench_run(b), 0);
	assert_true(compare_same_events(&b->result.setting[1]));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(value(b, 0, rows[i])->pages > 0);
		assert_int_equal(value(b, 0, rows[i])->pages, value(b, 1, rows[i])->pages);
		assert_true(near(delta(b, 1, rows[i])->ns, 0));
		assert_true(interval_contains(&delta(b, 1, rows[i])->ns_interval, 0));
		assert_true(interval_contains(&delta(b, 1, rows[i])->percent_interval, 0));
	}
	assert_memory_equal(&b->result.setting[0].replay->counts,
			    &b->result.setting[1].replay->counts, sizeof(struct replay_counts));
	bench_destroy(b);
}

static void noise_alone_is_no_difference(void **state)
{
	struct bench *b = bench_create(300);

	b->config.rounds = 5;
	add_setting(b, "7.3", NULL)->noise = 60;
	add_setting(b, "7.3", NULL)->noise = 60;
	assert_int_equal(bench_run(b), 0);
	assert_true(delta(b, 1, COMPARE_CALLS)->ns != 0);
	for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
		if (!value(b, 0, row)->pages)
			continue;
		assert_true(interval_contains(&delta(b, 1, row)->ns_interval, 0));
		assert_true(interval_contains(&delta(b, 1, row)->percent_interval, 0));
	}
	bench_destroy(b);
}

static void a_difference_is_what_the_clocks_differ_by(void **state)
{
	struct bench *b = bench_create(200);

	add_setting(b, "7.3", NULL)->step = 100;
	add_setting(b, "7.3", NULL)->step = 130;
	add_setting(b, "7.3", NULL)->step = 50;
	assert_int_equal(bench_run(b), 0);
	for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
		const struct compare_delta *slow = delta(b, 1, row), *fast = delta(b, 2, row);

		if (!value(b, 0, row)->pages)
			continue;
		assert_true(near(slow->percent, 30) && near(fast->percent, -50));
		assert_true(near(slow->percent_interval.low, 30));
		assert_true(near(slow->percent_interval.high, 30));
		assert_true(near(slow->ns, 0.3 * value(b, 0, row)->ns));
		assert_true(near(value(b, 1, row)->ns - value(b, 0, row)->ns, slow->ns));
	}
	/* Around a request: its door, init, codec, its end. */
	assert_true(near(value(b, 0, COMPARE_COMPRESS)->ns, 200));
	bench_destroy(b);
}

static void a_difference_is_found_in_noise(void **state)
{
	struct bench *b = bench_create(300);
	struct clock *clock;

	b->config.rounds = 5;
	add_setting(b, "7.3", NULL)->noise = 40; /* 119.5 on average */
	clock = add_setting(b, "7.3", NULL);
	clock->noise = 40;
	clock->step = 110;
	assert_int_equal(bench_run(b), 0);
	assert_true(delta(b, 1, COMPARE_CALLS)->percent_interval.low > 0);
	assert_true(
		interval_contains(&delta(b, 1, COMPARE_CALLS)->percent_interval, 100 * 10 / 119.5));
	bench_destroy(b);
}

/* One reading of 400 or so takes a millisecond longer, other ones in each round. */
static void what_was_interrupted_does_not_count(void **state)
{
	struct bench *b = bench_create(200);
	struct clock *clock;

	b->config.rounds = 5;
	add_setting(b, "7.3", NULL);
	clock = add_setting(b, "7.3", NULL);
	clock->jump_every = 397;
	clock->jump = 1000000;
	assert_int_equal(bench_run(b), 0);
	assert_int_equal(b->result.setting[0].interrupted, 0);
	assert_true(b->result.setting[1].interrupted > 10);
	assert_true(near(delta(b, 1, COMPARE_STORE_ALL)->ns, 0));
	assert_true(near(delta(b, 1, COMPARE_CALLS)->ns, 0));
	bench_destroy(b);
}

static void deferred_makes_fewer_calls_on_the_same_paths(void **state)
{
	struct bench *b = bench_create(200);
	const struct zswap_account *load;
	const struct compare_events *events;

	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", "zstd.stream_init=deferred");
	assert_int_equal(bench_run(b), 0);
	events = &b->result.setting[1].events;
	load = &b->result.setting[0].replay->zswap.dir[ZSWAP_LOAD];
	assert_false(compare_same_events(&b->result.setting[1]));
	/* All stores are one-shot, or try to be. */
	assert_int_equal(events->calls, 200 + load->pages[ZSWAP_PATH_ONESHOT]);
	assert_int_equal(events->paths, 0);
	assert_int_equal(events->lengths, 0);
	assert_int_equal(events->places, 0);
	assert_int_equal(events->first, 0);
	bench_destroy(b);
}

static void linear_reads_take_another_path_at_the_first_straddling_object(void **state)
{
	struct bench *b = bench_create(200);
	struct zpool_location loc;
	struct replay_result *result = calloc(1, sizeof(*result));
	const struct zswap_account *load;
	struct replay *r;
	uint64_t first = 0;

	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", "zsmalloc.read=copy");
	assert_int_equal(bench_run(b), 0);
	load = &b->result.setting[0].replay->zswap.dir[ZSWAP_LOAD];
	assert_true(load->pages[ZSWAP_PATH_STREAM] > 10);
	assert_int_equal(b->result.setting[1].events.paths, load->pages[ZSWAP_PATH_STREAM]);
	assert_int_equal(value(b, 0, COMPARE_LOAD + ZSWAP_PATH_STREAM)->pages,
			 load->pages[ZSWAP_PATH_STREAM]);
	assert_int_equal(value(b, 1, COMPARE_LOAD + ZSWAP_PATH_STREAM)->pages, 0);
	assert_true(isnan(delta(b, 1, COMPARE_LOAD + ZSWAP_PATH_STREAM)->ns));
	assert_false(isnan(delta(b, 1, COMPARE_LOAD_ALL)->ns));

	/* Events 0 to 199 store slots 1 to 200; the load of slot i is event 199 + i. */
	assert_int_equal(replay_create(&b->config.settings[0], b->reader, result, &b->err, &r), 0);
	for (uint64_t i = 0; i < 200; i++) {
		struct trace_event ev;

		assert_int_equal(trace_reader_event(b->reader, i, &ev, &b->err), 0);
		assert_int_equal(replay_step(r, i, &ev), 0);
	}
	for (uint64_t slot = 1; !first; slot++) {
		if (replay_locate(r, 0, slot, &loc) && loc.straddles)
			first = 199 + slot;
	}
	assert_int_equal(b->result.setting[1].events.first, first);
	replay_destroy(r);
	replay_result_finish(result);
	free(result);
	bench_destroy(b);
}

/* What does not shrink: 6.12 refuses it, and it goes to disk. */
static void another_kernel_puts_pages_elsewhere(void **state)
{
	struct bench *b = bench_create(200);
	const struct replay_result *old;

	add_setting(b, "7.3", NULL);
	add_setting(b, "6.12", NULL);
	assert_int_equal(bench_run(b), 0);
	old = b->result.setting[1].replay;
	assert_true(old->counts.out_pages[SWAPOUT_DISK] > 10);
	assert_int_equal(b->result.setting[1].events.places,
			 old->counts.out_pages[SWAPOUT_DISK] + old->counts.in_pages[SWAPIN_DISK]);
	assert_true(value(b, 0, COMPARE_STORE + ZSWAP_PATH_RAW)->pages > 10);
	assert_int_equal(value(b, 1, COMPARE_STORE + ZSWAP_PATH_RAW)->pages, 0);
	assert_int_equal(value(b, 1, COMPARE_STORE + ZSWAP_PATH_FAILED)->pages,
			 value(b, 0, COMPARE_STORE + ZSWAP_PATH_RAW)->pages);
	bench_destroy(b);
}

/* One folio has a page that does not shrink, another one is zeros. */
static void large_folios_and_zero_pages_are_counted_by_pages(void **state)
{
	static const uint32_t folio[] = {4, 7, 6, 8}, zeros[] = {0, 0, 0, 0};
	struct bench *b = bench_create(50);
	const struct zswap_account *store;

	draft_event(&b->draft, TRACE_STORE, 400, 2, folio);
	draft_event(&b->draft, TRACE_STORE, 404, 2, zeros);
	for (uint64_t slot = 400; slot < 408; slot++)
		draft_load(&b->draft, slot);
	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", NULL);
	assert_int_equal(bench_run(b), 0);
	assert_int_equal(b->result.pages, 2 * 58);
	assert_int_equal(value(b, 0, COMPARE_OUT)->pages, 58);
	assert_int_equal(value(b, 0, COMPARE_IN)->pages, 58);
	assert_int_equal(value(b, 0, COMPARE_CALLS)->pages, 2 * 58);
	store = &b->result.setting[0].replay->zswap.dir[ZSWAP_STORE];
	for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
		assert_int_equal(value(b, 0, COMPARE_STORE + path)->pages, store->pages[path]);
	assert_true(store->pages[ZSWAP_PATH_RAW] > 0);
	assert_int_equal(value(b, 0, COMPARE_STORE_ALL)->pages, 54);
	assert_int_equal(value(b, 0, COMPARE_LOAD_ALL)->pages, 54);
	bench_destroy(b);
}

/* A pool of 20 pages: stores are refused, the worker writes back. */
static void a_full_pool_has_writebacks_and_a_worker(void **state)
{
	struct bench *b = bench_create(200);

	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", "zswap.shrink_batch=1");
	for (unsigned s = 0; s < 2; s++)
		b->config.settings[s].totalram_pages = 100;
	assert_int_equal(bench_run(b), 0);
	assert_true(b->result.setting[0].replay->zswap.written_back_pages > 0);
	assert_int_equal(value(b, 0, COMPARE_WRITEBACK)->pages,
			 b->result.setting[0].replay->zswap.written_back_pages);
	assert_int_equal(value(b, 0, COMPARE_WORKER)->pages, 400);
	assert_true(value(b, 0, COMPARE_WORKER)->ns > 0);
	bench_destroy(b);
}

static void settings_take_turns_within_a_round(void **state)
{
	struct bench *b = bench_create(320);
	unsigned last = 0, turns = 0;

	for (unsigned s = 0; s < 3; s++) {
		struct clock *clock = add_setting(b, "7.3", NULL);

		clock->last = &last;
		clock->turns = &turns;
	}
	b->config.rounds = 2;
	assert_int_equal(bench_run(b), 0);
	/* 640 events in chunks of 6; who was last in one may be first in the next. */
	assert_true(b->result.nr_chunks >= 106);
	assert_true(turns >= 2 * 2 * b->result.nr_chunks);
	bench_destroy(b);
}

static void an_empty_trace_has_no_rows(void **state)
{
	struct bench *b = bench_create(0);

	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", "zstd.stream_init=deferred");
	assert_int_equal(bench_run(b), 0);
	assert_true(compare_same_events(&b->result.setting[1]));
	for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
		assert_int_equal(value(b, 0, row)->pages, 0);
		assert_true(isnan(value(b, 1, row)->ns));
		assert_true(isnan(delta(b, 1, row)->percent));
		assert_true(isnan(delta(b, 1, row)->percent_interval.low));
	}
	bench_destroy(b);
}

static void a_trace_at_fault_is_an_error_with_its_event(void **state)
{
	struct bench *b = bench_create(10);

	draft_load(&b->draft, 3);
	add_setting(b, "7.3", NULL);
	add_setting(b, "7.3", NULL);
	assert_int_equal(bench_run(b), -ENODATA);
	assert_non_null(
		strstr(b->err.message, "event 20: slot 0:3 is loaded, but no copy is left"));
	bench_destroy(b);
}

static void numbers_out_of_range_are_refused(void **state)
{
	struct bench *b = bench_create(10);

	add_setting(b, "7.3", NULL);
	assert_int_equal(bench_run(b), -EINVAL);
	add_setting(b, "7.3", NULL);
	b->config.rounds = 0;
	assert_int_equal(bench_run(b), -EINVAL);
	b->config.rounds = COMPARE_MAX_ROUNDS + 1;
	assert_int_equal(bench_run(b), -EINVAL);
	b->config.rounds = 1;
	assert_int_equal(bench_run(b), 0);
	bench_destroy(b);
}

static void every_row_has_a_name_of_its_own(void **state)
{
	for (unsigned i = 0; i < COMPARE_NR_ROWS; i++) {
		assert_non_null(compare_row_names[i].key);
		assert_non_null(compare_row_names[i].name);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(compare_row_names[i].key, compare_row_names[k].key);
	}
	assert_string_equal(compare_row_names[COMPARE_STORE + ZSWAP_PATH_RAW].key, "store_raw");
	assert_string_equal(compare_row_names[COMPARE_DECOMPRESS + ZSWAP_PATH_STREAM].key,
			    "decompress_streamed");
	assert_string_equal(compare_row_names[COMPARE_LOAD_ALL].key, "load");
	assert_string_equal(compare_row_names[COMPARE_CALLS].key, "calls");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_that_make_no_difference_show_none),
		cmocka_unit_test(noise_alone_is_no_difference),
		cmocka_unit_test(a_difference_is_what_the_clocks_differ_by),
		cmocka_unit_test(a_difference_is_found_in_noise),
		cmocka_unit_test(what_was_interrupted_does_not_count),
		cmocka_unit_test(deferred_makes_fewer_calls_on_the_same_paths),
		cmocka_unit_test(linear_reads_take_another_path_at_the_first_straddling_object),
		cmocka_unit_test(another_kernel_puts_pages_elsewhere),
		cmocka_unit_test(large_folios_and_zero_pages_are_counted_by_pages),
		cmocka_unit_test(a_full_pool_has_writebacks_and_a_worker),
		cmocka_unit_test(settings_take_turns_within_a_round),
		cmocka_unit_test(an_empty_trace_has_no_rows),
		cmocka_unit_test(a_trace_at_fault_is_an_error_with_its_event),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(every_row_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
