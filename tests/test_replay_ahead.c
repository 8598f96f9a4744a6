// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of events, with its look ahead, against the same events one by one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/lengths.h"
#include "tests/draft.h"
#include "tests/same_counts.h"
#include "tests/test.h"
#include "tests/trace_file.h"
#include "tests/zipf_trace.h"

struct rig {
	struct trace_reader *reader;
	struct lengths *lengths;
	struct profile profile;
	struct replay_config config;
	struct replay_result *row, *single;
	struct trace_error err;
};

/* @limit_pages: 0: none that matters. */
static void rig_begin(struct rig *rig, const char *path, const char *kernel, uint64_t limit_pages)
{
	struct lengths_config lengths = {.crypto = backends_registry(), .profile = &rig->profile};
	char text[256];

	memset(rig, 0, sizeof(*rig));
	assert_int_equal(profile_init(&rig->profile, kernel, text, sizeof(text)), 0);
	assert_ok(trace_reader_open(path, &rig->reader, &rig->err), &rig->err);
	assert_ok(lengths_open(path, rig->reader, &lengths, &rig->lengths, &rig->err), &rig->err);
	replay_config_init(&rig->config);
	rig->config.mode = REPLAY_POLICY;
	rig->config.profile = &rig->profile;
	rig->config.crypto = backends_registry();
	rig->config.lengths = rig->lengths;
	if (limit_pages)
		rig->config.totalram_pages = limit_pages * 5;
	rig->row = malloc(sizeof(*rig->row));
	rig->single = malloc(sizeof(*rig->single));
	assert_true(rig->row && rig->single);
}

static void rig_end(struct rig *rig)
{
	lengths_close(rig->lengths);
	trace_reader_close(rig->reader);
	free(rig->row);
	free(rig->single);
}

/* 0, or the error of the first event that fails, in rig->err. */
static int run_one_by_one(struct rig *rig)
{
	struct replay *r;
	int ret = 0;

	assert_ok(replay_create(&rig->config, rig->reader, rig->single, &rig->err, &r), &rig->err);
	for (uint64_t i = 0; !ret && i < trace_reader_info(rig->reader)->nr_events; i++) {
		struct trace_event ev;

		ret = trace_reader_event(rig->reader, i, &ev, &rig->err);
		if (!ret)
			ret = replay_step(r, i, &ev);
	}
	if (!ret)
		assert_ok(replay_collect(r), &rig->err);
	replay_destroy(r);
	return ret;
}

/* Its path. */
static const char *make_trace(uint64_t seed)
{
	static char path[512];
	struct zipf_trace_config config = {
		.nr_events = 30000, .nr_pages = 1500, .a = 0.8, .seed = seed};
	struct trace_error err;

	snprintf(path, sizeof(path), "%s", scratch_path("zipf.bin"));
	assert_ok(zipf_trace_write(path, &config, &err), &err);
	return path;
}

static void a_row_of_events_is_the_same_as_one_by_one(void **state)
{
	static const char *const kernels[] = {"6.8", "6.12", "7.3"};
	const char *path = make_trace(3);

	for (unsigned i = 0; i < 6; i++) {
		struct rig rig;

		rig_begin(&rig, path, kernels[i / 2], i % 2 ? 150 : 0);
		assert_ok(run_one_by_one(&rig), &rig.err);
		assert_ok(replay_run(&rig.config, rig.reader, rig.row, &rig.err), &rig.err);
		assert_same_counts(rig.single, rig.row, &rig.profile);
		assert_true(i % 2 ? rig.row->zswap.written_back_pages > 1000
				  : !rig.row->zswap.written_back_pages);
		replay_result_finish(rig.row);
		replay_result_finish(rig.single);
		rig_end(&rig);
	}
}

/* Rows may begin and end anywhere: what was found for an earlier one is forgotten. */
static void rows_of_any_length_are_the_same(void **state)
{
	const char *path = make_trace(4);
	struct replay *r;
	struct rig rig;

	rig_begin(&rig, path, "7.3", 200);
	assert_ok(run_one_by_one(&rig), &rig.err);
	assert_ok(replay_create(&rig.config, rig.reader, rig.row, &rig.err, &r), &rig.err);
	for (uint64_t from = 0, n = 1; from < trace_reader_info(rig.reader)->nr_events; n++) {
		uint64_t to = from + n * n % 97;

		if (to > trace_reader_info(rig.reader)->nr_events)
			to = trace_reader_info(rig.reader)->nr_events;
		assert_ok(replay_events(r, from, to), &rig.err);
		from = to;
	}
	assert_ok(replay_collect(r), &rig.err);
	replay_destroy(r);
	assert_same_counts(rig.single, rig.row, &rig.profile);
	replay_result_finish(rig.row);
	replay_result_finish(rig.single);
	rig_end(&rig);
}

/* Events that make no sense, whose checksums are right: found when they are due, not before. */
static void an_event_that_is_wrong_is_found_when_it_is_due(void **state)
{
	static const struct {
		unsigned at;
		uint64_t offset, arg;
		uint8_t type, order, swap_type;
	} cases[] = {
		{1000, UINT64_MAX, 0, TRACE_LOAD, 0, 0},
		{1000, 1ull << 40, 0, TRACE_STORE, 0, 0},
		{1000, 0, UINT64_MAX, TRACE_STORE, 0, 0},
		{1000, 0, 0, TRACE_LOAD, 0, 255},
		{1000, 0, 0, TRACE_LOAD, 255, 0},
		{1000, 0, 0, 255, 0, 0},
		{30000, (1ull << 40) - 1, 5, TRACE_LOAD, 0, 0},
	};
	const char *path = make_trace(5);

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes b = bytes_read(path);
		struct zswt_event *ev = section_of(&b, ZSWT_EVENTS);
		struct trace_error single;
		struct rig rig;

		ev += cases[i].at;
		ev->offset = htole64(cases[i].offset);
		ev->arg = htole64(cases[i].arg);
		ev->type = cases[i].type;
		ev->order = cases[i].order;
		ev->swap_type = cases[i].swap_type;
		reseal(&b);
		bytes_write(&b, scratch_path("wrong.bin"));
		free(b.data);
		rig_begin(&rig, scratch_path("wrong.bin"), "7.3", 100);
		assert_int_equal(run_one_by_one(&rig), -EINVAL);
		single = rig.err;
		assert_int_equal(replay_run(&rig.config, rig.reader, rig.row, &rig.err), -EINVAL);
		assert_string_equal(rig.err.message, single.message);
		assert_int_equal(rig.row->counts.events, cases[i].at);
		assert_int_equal(rig.single->counts.events, cases[i].at);
		replay_result_finish(rig.single);
		rig_end(&rig);
	}
}

/*
 * The entry that was found for a load goes before its turn, and its memory is taken by a batch that
 * is refused: that entry never has an object. (A sanitizer sees nothing of this.)
 */
static void an_entry_that_is_gone_may_never_have_had_an_object_since(void **state)
{
	static const uint32_t refused[4] = {3, 1, 1, 1};
	struct replay_config config;
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	assert_non_null(result);
	draft_begin(&d);
	for (unsigned round = 0; round < 4; round++) {
		draft_store(&d, 0, 1);
		for (unsigned i = 0; i < 30; i++)
			draft_store(&d, 32 + i, 5);
		draft_event(&d, TRACE_INVALIDATE, 0, 0, NULL);
		for (unsigned i = 0; i < 5; i++)
			draft_event(&d, TRACE_STORE, 4, 2, refused);
		for (unsigned i = 0; i < 8; i++)
			draft_load(&d, 32 + round * 8 % 24 + i);
		draft_load(&d, 0);
	}
	draft_commit(&d);
	replay_config_init(&config);
	assert_int_equal(draft_run_set(&d, "6.17", "zswap.batching=requests", &config, result), 0);
	assert_true(result->zswap.reject_compress_poor || result->zswap.reject_compress_fail);
	replay_result_finish(result);
	free(result);
	draft_end(&d);
}

static void events_that_left_memory_can_be_read_again(void **state)
{
	struct trace_reader *r;
	struct trace_error err;
	uint64_t nr;

	sample_write(scratch_path("sample"));
	assert_ok(trace_reader_open(scratch_path("sample"), &r, &err), &err);
	nr = trace_reader_info(r)->nr_events;
	for (unsigned round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < nr; i++) {
			struct trace_event ev, peeked;

			assert_ok(trace_reader_event(r, i, &ev, &err), &err);
			trace_reader_peek(r, i, &peeked);
			assert_memory_equal(&ev, &peeked, sizeof(ev));
		}
		trace_reader_drop(r, round * nr / 3, nr);
	}
	trace_reader_drop(r, 0, 0);
	trace_reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_of_events_is_the_same_as_one_by_one),
		cmocka_unit_test(rows_of_any_length_are_the_same),
		cmocka_unit_test(an_event_that_is_wrong_is_found_when_it_is_due),
		cmocka_unit_test(an_entry_that_is_gone_may_never_have_had_an_object_since),
		cmocka_unit_test(events_that_left_memory_can_be_read_again),
	};

	return cmocka_run_group_tests_name("replay_ahead", tests, scratch_create, scratch_remove);
}
