// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/allocator_table.h"
#include "sim/lengths.h"
#include "tests/draft.h"
#include "tests/test.h"

static void table_of(struct draft *d, unsigned rows, const char *compact,
		     struct allocator_table *table)
{
	struct lengths_config lengths_config = {.no_file = true, .nr_threads = 1};
	struct allocator_table_config config = {.rows = rows};
	struct replay_config replay;
	struct trace_reader *reader;
	struct lengths *lengths;
	struct profile profile;
	struct trace_error err;
	char text[256];

	draft_commit(d);
	assert_int_equal(profile_init(&profile, "7.3", text, sizeof(text)), 0);
	replay_config_init(&replay);
	replay.profile = lengths_config.profile = &profile;
	replay.crypto = lengths_config.crypto = backends_registry();
	assert_int_equal(compact_when_parse(compact, &replay.compact, text, sizeof(text)), 0);
	assert_int_equal(trace_reader_open(d->path, &reader, &err), 0);
	assert_int_equal(lengths_open(d->path, reader, &lengths_config, &lengths, &err), 0);
	config.replay = &replay;
	config.lengths = lengths;
	assert_int_equal(allocator_table_run(&config, reader, table, &err), 0);
	lengths_close(lengths);
	trace_reader_close(reader);
}

/* 700 events. */
static void draft_some(struct draft *d)
{
	draft_begin(d);
	for (uint32_t i = 0; i < 400; i++)
		draft_store(d, i, i);
	for (uint32_t i = 0; i < 300; i++)
		draft_load(d, i * 7 % 400);
}

static void each_column_is_a_replay_over_that_allocator(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct allocator_table table;
	struct draft d;

	draft_some(&d);
	table_of(&d, 7, "never", &table);
	assert_int_equal(table.nr, ALLOCATOR_TABLE_MAX);
	for (unsigned i = 0; i < table.nr; i++) {
		const struct allocator_column *c = &table.columns[i];
		char set[64];

		assert_string_equal(c->type, zpool_types()[i]);
		assert_int_equal(c->nr_moments, 7);
		for (unsigned m = 0; m < 7; m++)
			assert_int_equal(c->moments[m].event, 100 * (m + 1) - 1);
		snprintf(set, sizeof(set), "pool.allocator=%s", c->type);
		assert_int_equal(draft_run(&d, "7.3", set, result), 0);
		assert_memory_equal(&c->peak, &result->pool_peak, sizeof(c->peak));
		assert_memory_equal(&c->moments[6].pool, &result->pool_end,
				    sizeof(result->pool_end));
		assert_int_equal(c->stored_at_peak, result->stored_at_peak);
		assert_int_equal(c->refused_pages, result->counts.out_pages[SWAPOUT_DISK]);
		assert_int_equal(c->mismatched_pages + c->failed_loads, 0);
		replay_result_finish(result);
	}
	/* Random pages: 7.3 stores them raw, but zbud has no room for them. */
	assert_int_equal(table.columns[POOL_ALLOCATOR_ZSMALLOC].refused_pages, 0);
	assert_in_range(table.columns[POOL_ALLOCATOR_ZBUD].refused_pages, 100, 110);
	allocator_table_finish(&table);
	draft_end(&d);
	free(result);
}

static void the_last_event_is_a_moment_whatever_the_number(void **state)
{
	static const unsigned rows[] = {1, 3, 6, 699, 700, 701, 10000};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct allocator_table table;
		struct draft d;

		draft_some(&d);
		table_of(&d, rows[i], "never", &table);
		for (unsigned c = 0; c < table.nr; c++) {
			const struct allocator_column *column = &table.columns[c];

			assert_in_range(column->nr_moments, 1, rows[i]);
			assert_int_equal(column->moments[column->nr_moments - 1].event, 699);
		}
		allocator_table_finish(&table);
		draft_end(&d);
	}
}

static void a_trace_without_events_has_no_moments(void **state)
{
	struct allocator_table table;
	struct draft d;

	draft_begin(&d);
	table_of(&d, 5, "never", &table);
	assert_int_equal(table.nr, ALLOCATOR_TABLE_MAX);
	for (unsigned c = 0; c < table.nr; c++) {
		assert_int_equal(table.columns[c].nr_moments, 0);
		assert_true(table.columns[c].mean_pages == 0);
	}
	allocator_table_finish(&table);
	draft_end(&d);
}

static void only_zsmalloc_is_compacted(void **state)
{
	struct allocator_table table;
	struct draft d;

	draft_some(&d);
	table_of(&d, 5, "every:10", &table);
	assert_int_equal(table.columns[POOL_ALLOCATOR_ZSMALLOC].compaction.runs, 70);
	assert_int_equal(table.columns[POOL_ALLOCATOR_ZBUD].compaction.runs, 0);
	assert_int_equal(table.columns[POOL_ALLOCATOR_JEMALLOC].compaction.runs, 0);
	allocator_table_finish(&table);
	draft_end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column_is_a_replay_over_that_allocator),
		cmocka_unit_test(the_last_event_is_a_moment_whatever_the_number),
		cmocka_unit_test(a_trace_without_events_has_no_moments),
		cmocka_unit_test(only_zsmalloc_is_compacted),
	};

	return cmocka_run_group_tests_name("allocator_table", tests, NULL, NULL);
}
