// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/strip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "tests/lengths_rig.h"
#include "tests/same_counts.h"
#include "tests/test.h"
#include "tests/trace_file.h"

/* Its contents, lengths by two compressors in @set, and the trace that is made of both. */
struct strip_rig {
	struct trace_reader *whole, *stripped;
	struct lengths *set[2];
	struct strip_config config;
	struct trace_error err;
};

static void begin(struct strip_rig *rig, const char *trace, bool keep_names)
{
	static const char *const compressors[] = {"zstd", "deflate"};

	rig->whole = rig_reader(trace);
	for (unsigned i = 0; i < 2; i++) {
		struct lengths_config config = rig_config(compressors[i]);

		rig->set[i] = rig_lengths(trace, &config);
	}
	rig->config = (struct strip_config){.path = scratch_path("stripped.bin"),
					    .maker = "test",
					    .command = "a secret command",
					    .title = "a title",
					    .keep_names = keep_names,
					    .lengths = (const struct lengths *const *)rig->set,
					    .nr = 2};
	assert_ok(strip_trace(rig->whole, &rig->config, &rig->err), &rig->err);
	rig->stripped = rig_reader(rig->config.path);
	assert_ok(trace_reader_check(rig->stripped, &rig->err), &rig->err);
}

static void end(struct strip_rig *rig)
{
	trace_reader_close(rig->stripped);
	trace_reader_close(rig->whole);
	lengths_close(rig->set[0]);
	lengths_close(rig->set[1]);
}

static void events_tables_and_lengths_are_the_same(void **state)
{
	const char *trace = scratch_path("sample.bin");
	const struct trace_info *a, *b;
	struct strip_rig rig;

	sample_write(trace);
	begin(&rig, trace, true);
	a = trace_reader_info(rig.whole);
	b = trace_reader_info(rig.stripped);
	assert_true(b->content_free);
	assert_int_equal(b->nr_compressors, 2);
	assert_int_equal(a->nr_pages, b->nr_pages);
	assert_int_equal(a->nr_events, b->nr_events);
	assert_int_equal(a->nr_memcgs, b->nr_memcgs);
	assert_int_equal(a->seed, b->seed);
	assert_string_equal(b->command, "a secret command");
	for (uint64_t i = 0; i < a->nr_events; i++) {
		uint32_t x[1u << TRACE_MAX_ORDER], y[1u << TRACE_MAX_ORDER];
		struct trace_event ev, ew;

		assert_ok(trace_reader_event(rig.whole, i, &ev, &rig.err), &rig.err);
		assert_ok(trace_reader_event(rig.stripped, i, &ew, &rig.err), &rig.err);
		if (ev.type == TRACE_STORE) {
			assert_ok(trace_reader_store_pages(rig.whole, &ev, x, &rig.err), &rig.err);
			assert_ok(trace_reader_store_pages(rig.stripped, &ew, y, &rig.err),
				  &rig.err);
			assert_memory_equal(x, y, sizeof(*x) << ev.order);
			ew.arg = ev.arg; /* lists may lie elsewhere */
		}
		assert_memory_equal(&ev, &ew, sizeof(ev));
	}
	for (uint32_t i = 0; i < a->nr_memcgs; i++) {
		struct trace_memcg x, y;

		trace_reader_memcg(rig.whole, i, &x);
		trace_reader_memcg(rig.stripped, i, &y);
		assert_string_equal(x.path, y.path);
		assert_int_equal(x.parent, y.parent);
		assert_int_equal(x.zswap_max, y.zswap_max);
		assert_int_equal(x.zswap_writeback, y.zswap_writeback);
		assert_int_equal(x.online, y.online);
	}
	for (uint32_t i = 0; i < a->nr_marks; i++)
		assert_string_equal(trace_reader_mark(rig.whole, i),
				    trace_reader_mark(rig.stripped, i));
	for (unsigned i = 0; i < 2; i++) {
		struct lengths_config config = rig_config(i ? "deflate" : "zstd");
		struct lengths *l = rig_lengths(rig.config.path, &config);

		assert_int_equal(l->origin, LENGTHS_FROM_TRACE);
		assert_string_equal(l->key, rig.set[i]->key);
		assert_string_equal(l->unlike, "");
		assert_same_lengths(l, rig.set[i]);
		lengths_close(l);
	}
	end(&rig);
}

static void names_are_left_out_unless_they_are_to_be_kept(void **state)
{
	const char *trace = scratch_path("sample.bin");
	struct strip_rig rig;
	struct bytes b;

	sample_write(trace);
	begin(&rig, trace, false);
	assert_true(trace_reader_info(rig.stripped)->withheld);
	b = bytes_read(rig.config.path);
	assert_null(memmem(b.data, b.size, "secret", 6));
	for (uint32_t i = 1; i < trace_reader_info(rig.whole)->nr_memcgs; i++) {
		struct trace_memcg memcg;

		trace_reader_memcg(rig.whole, i, &memcg);
		assert_int_not_equal(memcg.path[0], 0);
		trace_reader_memcg(rig.stripped, i, &memcg);
		assert_string_equal(memcg.path, "");
	}
	/* No contents and no hashes of them: pages are 2 bytes a compressor. */
	assert_int_equal(section_offset(&b, ZSWT_COMPRESSORS) - section_offset(&b, ZSWT_BLOCKS), 0);
	free(b.data);
	end(&rig);
}

static void counts_are_those_of_the_trace_with_its_contents(void **state)
{
	const char *trace = rig_trace("t.bin", 0, 200);
	struct replay_result *measured = malloc(sizeof(*measured));
	struct strip_rig rig;

	assert_non_null(measured);
	begin(&rig, trace, true);
	for (unsigned i = 0; i < 2; i++) {
		struct replay_config config;

		replay_config_init(&config);
		config.crypto = backends_registry();
		config.profile = rig_profile("7.3", NULL);
		config.compressor = i ? "deflate" : "zstd";
		config.totalram_pages = 200;
		assert_ok(replay_run(&config, rig.whole, measured, &rig.err), &rig.err);
		assert_true(measured->zswap.written_back_pages > 10);
		assert_policy_is_same(rig.config.path, rig.stripped, &config, NULL, 0, measured,
				      &rig.err);
		replay_result_finish(measured);
	}
	end(&rig);
	free(measured);
}

static void what_cannot_be_is_refused_and_leaves_no_file(void **state)
{
	const char *trace = rig_trace("t.bin", 0, 20);
	struct strip_rig rig;
	struct bytes before, after;

	begin(&rig, trace, false);
	before = bytes_read(rig.config.path);
	assert_int_equal(strip_trace(rig.stripped, &rig.config, &rig.err), -EINVAL);
	assert_non_null(strstr(rig.err.message, "content-free already"));
	after = bytes_read(rig.config.path);
	assert_int_equal(after.size, before.size);
	assert_memory_equal(after.data, before.data, after.size);
	rig.config.path = trace;
	assert_int_equal(strip_trace(rig.whole, &rig.config, &rig.err), -EINVAL);
	assert_non_null(strstr(rig.err.message, "is the trace itself"));
	rig.config.path = scratch_path("no/such/dir");
	assert_int_equal(strip_trace(rig.whole, &rig.config, &rig.err), -ENOENT);
	free(before.data);
	free(after.data);
	end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_tables_and_lengths_are_the_same),
		cmocka_unit_test(names_are_left_out_unless_they_are_to_be_kept),
		cmocka_unit_test(counts_are_those_of_the_trace_with_its_contents),
		cmocka_unit_test(what_cannot_be_is_refused_and_leaves_no_file),
	};

	return cmocka_run_group_tests_name("strip", tests, scratch_create, scratch_remove);
}
