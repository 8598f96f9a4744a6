// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "tests/test.h"
#include "tests/trace_file.h"

static void add_pages(struct trace_writer *w, uint32_t from, uint32_t to)
{
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_error err;
	uint32_t id;

	for (uint32_t i = from; i < to; i++) {
		sample_page(i, page);
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
	}
}

static void what_was_written_is_read_back(void **state)
{
	const char *path = scratch_path("sample");
	const struct trace_info *info;
	struct trace_memcg memcg;
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_reader *r;
	struct trace_error err;
	const void *data;
	struct stat st;

	sample_write(path);
	assert_int_equal(scratch_nr_files(), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_ok(trace_reader_check(r, &err), &err);

	info = trace_reader_info(r);
	assert_int_equal(info->version, 1);
	assert_false(info->content_free);
	assert_false(info->withheld);
	assert_int_equal(info->nr_pages, SAMPLE_PAGES);
	assert_int_equal(info->nr_type[TRACE_STORE], SAMPLE_PAGES + SAMPLE_FOLIOS);
	assert_int_equal(info->nr_type[TRACE_MEMCG], 4);
	assert_int_equal(info->nr_events, SAMPLE_PAGES + SAMPLE_FOLIOS + 4 + 4);
	assert_int_equal(info->nr_stored_pages, SAMPLE_PAGES + 16 * SAMPLE_FOLIOS);
	assert_int_equal(info->nr_memcgs, 3);
	assert_int_equal(info->nr_cpus, 4);
	assert_int_equal(info->nr_swap_types, 2);
	assert_int_equal(info->nr_marks, 1);
	assert_int_equal(info->nr_compressors, 0);
	assert_int_equal(info->seed, 42);
	assert_int_equal(info->file_bytes, st.st_size);
	assert_string_equal(info->maker, sample_config.maker);
	assert_string_equal(info->command, sample_config.command);
	assert_string_equal(info->title, sample_config.title);
	assert_string_equal(trace_reader_mark(r, 0), "fill");

	trace_reader_memcg(r, 0, &memcg);
	assert_string_equal(memcg.path, "/");
	assert_true(memcg.online && memcg.zswap_writeback);
	assert_int_equal(memcg.zswap_max, TRACE_NO_LIMIT);
	trace_reader_memcg(r, 1, &memcg);
	assert_string_equal(memcg.path, "/a");
	assert_true(memcg.online && !memcg.zswap_writeback);
	trace_reader_memcg(r, 2, &memcg);
	assert_string_equal(memcg.path, "/a/b");
	assert_int_equal(memcg.parent, 1);
	assert_int_equal(memcg.zswap_max, 4096);
	assert_true(!memcg.online && memcg.zswap_writeback);

	for (uint32_t id = 0; id < SAMPLE_PAGES; id++) {
		sample_page(id, page);
		assert_ok(trace_reader_page(r, id, &data, &err), &err);
		assert_memory_equal(data, page, TRACE_PAGE_SIZE);
	}
	trace_reader_close(r);
	unlink(path);
}

static void events_are_read_back_in_their_order(void **state)
{
	static const struct trace_event expected[] = {
		{.type = TRACE_MARK},
		{.type = TRACE_MEMCG, .memcg = 2, .what = TRACE_MEMCG_ONLINE},
		{.type = TRACE_MEMCG, .memcg = 2, .what = TRACE_MEMCG_ZSWAP_MAX, .arg = 1 << 20},
		{.type = TRACE_MEMCG, .memcg = 2, .what = TRACE_MEMCG_ZSWAP_WRITEBACK, .arg = 1},
	};
	const char *path = scratch_path("sample");
	struct trace_event ev;
	struct trace_reader *r;
	struct trace_error err;
	uint32_t ids[512];

	sample_write(path);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	for (unsigned i = 0; i < 4; i++) {
		assert_ok(trace_reader_event(r, i, &ev, &err), &err);
		assert_memory_equal(&ev, &expected[i], sizeof(ev));
	}
	for (unsigned i = 0; i < SAMPLE_PAGES; i++) {
		assert_ok(trace_reader_event(r, 4 + i, &ev, &err), &err);
		assert_int_equal(ev.type, TRACE_STORE);
		assert_int_equal(ev.time_ns, 1000 + i);
		assert_int_equal(ev.cpu, i % 4);
		assert_int_equal(ev.memcg, 2);
		assert_int_equal(ev.swap_type, i % 2);
		assert_int_equal(ev.offset, i);
		assert_int_equal(ev.order, 0);
		assert_int_equal(ev.arg, i);
		assert_ok(trace_reader_store_pages(r, &ev, ids, &err), &err);
		assert_int_equal(ids[0], i);
	}
	for (unsigned i = 0; i < SAMPLE_FOLIOS; i++) {
		assert_ok(trace_reader_event(r, 4 + SAMPLE_PAGES + i, &ev, &err), &err);
		assert_int_equal(ev.order, 4);
		assert_ok(trace_reader_store_pages(r, &ev, ids, &err), &err);
		for (unsigned k = 0; k < 16; k++)
			assert_int_equal(ids[k], i + k);
	}
	assert_ok(trace_reader_event(r, 4 + SAMPLE_PAGES + SAMPLE_FOLIOS, &ev, &err), &err);
	assert_int_equal(ev.type, TRACE_PRESSURE);
	assert_int_equal(ev.arg, 32);
	assert_int_equal(trace_reader_event(r, 8 + SAMPLE_PAGES + SAMPLE_FOLIOS, &ev, &err),
			 -EINVAL);
	expect_message(&err, path, UINT64_MAX, "event 54 does not exist");
	trace_reader_close(r);
	unlink(path);
}

static void the_same_calls_give_the_same_bytes(void **state)
{
	struct bytes a, b;

	sample_write(scratch_path("one"));
	sample_write(scratch_path("two"));
	a = bytes_read(scratch_path("one"));
	b = bytes_read(scratch_path("two"));
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	free(a.data);
	free(b.data);
	unlink(scratch_path("one"));
	unlink(scratch_path("two"));
}

static void equal_contents_are_written_once(void **state)
{
	const uint32_t nr = 20000; /* the index grows three times */
	const char *path = scratch_path("once");
	uint8_t page[TRACE_PAGE_SIZE] = {0};
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;
	uint32_t id;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	for (uint32_t i = 0; i < 2 * nr; i++) {
		uint32_t which = i % nr;

		memcpy(page + 4000, &which, sizeof(which));
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
		assert_int_equal(id, which);
	}
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_int_equal(trace_reader_info(r)->nr_pages, nr);
	assert_ok(trace_reader_check(r, &err), &err);
	trace_reader_close(r);
	unlink(path);
}

static void a_trace_of_nothing_is_a_trace(void **state)
{
	const char *path = scratch_path("nothing");
	struct trace_writer_config config = {.nr_cpus = 1, .nr_swap_types = 1};
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;
	const void *data;

	assert_ok(trace_writer_create(path, &config, &w, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_ok(trace_reader_check(r, &err), &err);
	assert_int_equal(trace_reader_info(r)->nr_events, 0);
	assert_string_equal(trace_reader_info(r)->title, "");
	assert_int_equal(trace_reader_page(r, 0, &data, &err), -EINVAL);
	trace_reader_close(r);
	unlink(path);
}

static void what_is_no_text_becomes_question_marks(void **state)
{
	const char *path = scratch_path("text");
	struct trace_writer_config config = sample_config;
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;

	config.title = "a\x1b[31mb\xff\xc3\xa9\xe2\x82";
	config.command = "\n";
	assert_ok(trace_writer_create(path, &config, &w, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_string_equal(trace_reader_info(r)->title, "a?[31mb?\xc3\xa9??");
	assert_string_equal(trace_reader_info(r)->command, "?");
	assert_string_equal(trace_reader_info(r)->maker, config.maker);
	trace_reader_close(r);
	unlink(path);
}

static void writing_takes_no_more_memory_for_more_pages(void **state)
{
	struct trace_event ev = {.type = TRACE_STORE, .order = 9};
	const char *path = scratch_path("large");
	uint8_t page[TRACE_PAGE_SIZE] = {0};
	struct trace_writer *w;
	struct trace_error err;
	uint32_t ids[512] = {0};
	uint64_t before = 0;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t id;

		if (i == 1000)
			before = rss_anon();
		memcpy(page, &i, sizeof(i));
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
		if (i % 16 == 0)
			assert_ok(trace_writer_event(w, &ev, ids, &err), &err);
	}
	/*
	 * The contents are 240 MB, the index 2 MB, the lists 7.5 MB; AddressSanitizer keeps up to
	 * 1 MB of what was freed.
	 */
	assert_true(rss_anon() < before + (3 << 19));
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_true(rss_anon() < before + (3 << 19));
	unlink(path);
}

static void an_invalid_event_is_refused_and_the_trace_goes_on(void **state)
{
	static const struct {
		struct trace_event ev;
		const char *cause;
	} cases[] = {
		{{.time_ns = 6}, "event 1: event type 0 does not exist"},
		{{.type = TRACE_LOAD, .time_ns = 4}, "time goes back from 5 to 4 ns"},
		{{.type = TRACE_LOAD, .time_ns = 6, .cpu = 4}, "CPU 4 does not exist"},
		{{.type = TRACE_LOAD, .time_ns = 6, .memcg = 1}, "memcg 1 does not exist"},
		{{.type = TRACE_LOAD, .time_ns = 6, .swap_type = 2}, "swap type 2"},
		{{.type = TRACE_LOAD, .time_ns = 6, .order = 10}, "order 10 is above 9"},
		{{.type = TRACE_LOAD, .time_ns = 6, .order = 1, .offset = 3}, "multiple of 2"},
		{{.type = TRACE_LOAD, .time_ns = 6, .offset = 1ull << 40}, "too large"},
		{{.type = TRACE_STORE, .time_ns = 6, .order = 200}, "order 200 is above 9"},
		{{.type = TRACE_STORE, .time_ns = 6, .order = 9}, "page 12 does not exist"},
		{{.type = TRACE_MARK, .time_ns = 6}, "mark 0 does not exist"},
		{{.type = TRACE_MEMCG, .time_ns = 6, .what = TRACE_MEMCG_ZSWAP_MAX},
		 "the root memcg has no zswap.max"},
		{{.type = TRACE_MEMCG, .time_ns = 6, .what = TRACE_MEMCG_ZSWAP_WRITEBACK, .arg = 2},
		 "zswap.writeback is 0 or 1, not 2"},
	};
	const char *path = scratch_path("events");
	struct trace_event ev = {.type = TRACE_STORE, .time_ns = 5};
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;
	uint32_t ids[512];

	for (unsigned i = 0; i < 512; i++)
		ids[i] = i % 13;
	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	add_pages(w, 0, 12);
	assert_ok(trace_writer_event(w, &ev, ids, &err), &err);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(trace_writer_event(w, &cases[i].ev, ids, &err), -EINVAL);
		expect_message(&err, path, UINT64_MAX, cases[i].cause);
	}
	ids[0] = 12;
	assert_int_equal(trace_writer_event(w, &ev, ids, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "event 1: page 12 does not exist (there are 12)");
	assert_int_equal(trace_writer_event(w, &ev, NULL, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "a STORE without pages");
	ev.order = 3; /* ids 0 to 7 */
	ids[0] = 11;
	assert_ok(trace_writer_event(w, &ev, ids, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_ok(trace_reader_check(r, &err), &err);
	assert_int_equal(trace_reader_info(r)->nr_events, 2);
	trace_reader_close(r);
	unlink(path);
}

static void what_a_trace_cannot_have_is_refused(void **state)
{
	static const char *const names[65];
	const char *path = scratch_path("limits");
	struct trace_writer_config config = sample_config;
	struct trace_memcg memcg = {.path = "/x", .parent = 1};
	struct trace_writer *w;
	struct trace_error err;
	uint16_t index;

	config.nr_cpus = 0;
	assert_int_equal(trace_writer_create(path, &config, &w, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "1 to 1024 CPUs, not 0");
	config.nr_cpus = 1025;
	assert_int_equal(trace_writer_create(path, &config, &w, &err), -EINVAL);
	config.nr_cpus = 1;
	config.nr_swap_types = 33;
	assert_int_equal(trace_writer_create(path, &config, &w, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "1 to 32 swap types, not 33");
	config.nr_swap_types = 1;
	config.seed = 1ull << 63;
	assert_int_equal(trace_writer_create(path, &config, &w, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "seed 9223372036854775808 is too large");
	config.seed = 0;
	config.compressors = names;
	config.nr_compressors = 65;
	assert_int_equal(trace_writer_create(path, &config, &w, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "at most 64 compressors");

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	assert_int_equal(trace_writer_memcg(w, &memcg, &index, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "memcg 1: its parent 1 does not come before it");
	memcg.parent = 0;
	memcg.zswap_max = 1ull << 63;
	assert_int_equal(trace_writer_memcg(w, &memcg, &index, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "memcg 1: a limit of 9223372036854775808 bytes");
	memcg.zswap_max = TRACE_NO_LIMIT;
	for (unsigned i = 1; i < TRACE_MAX_MEMCGS; i++) {
		assert_ok(trace_writer_memcg(w, &memcg, &index, &err), &err);
		assert_int_equal(index, i);
	}
	assert_int_equal(trace_writer_memcg(w, &memcg, &index, &err), -EOVERFLOW);
	expect_message(&err, path, UINT64_MAX, "at most 65536 memcgs");
	trace_writer_abort(w);
	assert_int_equal(scratch_nr_files(), 0);
}

static bool contains(const struct bytes *b, const void *what, size_t bytes)
{
	return memmem(b->data, b->size, what, bytes) != NULL;
}

/* The first half of a hash, in either byte order. */
static bool contains_hash(const struct bytes *b, uint64_t hash)
{
	uint64_t swapped = __builtin_bswap64(hash);

	return contains(b, &hash, sizeof(hash)) || contains(b, &swapped, sizeof(swapped));
}

static struct trace_writer *content_free_writer(const char *path, bool keep_names)
{
	static const char *const compressors[] = {"zstd level=3", "lzo"};
	struct trace_writer_config config = sample_config;
	struct trace_memcg memcg = {.path = "/secret.slice", .zswap_max = TRACE_NO_LIMIT};
	struct trace_writer *w;
	struct trace_error err;
	uint16_t index;

	config.compressors = compressors;
	config.nr_compressors = 2;
	config.keep_names = keep_names;
	assert_ok(trace_writer_create(path, &config, &w, &err), &err);
	assert_ok(trace_writer_memcg(w, &memcg, &index, &err), &err);
	return w;
}

static void a_content_free_trace_has_lengths_and_no_contents(void **state)
{
	static const uint16_t lengths[][2] = {
		{1200, 1800}, {TRACE_LENGTH_ZERO, TRACE_LENGTH_ZERO}, {4101, TRACE_LENGTH_FAILED}};
	const char *path = scratch_path("free");
	struct trace_event ev = {.type = TRACE_STORE, .memcg = 1};
	struct trace_writer *w = content_free_writer(path, false);
	struct trace_memcg memcg;
	struct trace_reader *r;
	struct trace_error err;
	struct bytes b;
	uint8_t page[TRACE_PAGE_SIZE];
	uint16_t length;
	const void *data;
	uint32_t id;

	assert_int_equal(trace_writer_page(w, page, &id, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "takes lengths, not pages");
	for (unsigned i = 0; i < 3; i++) {
		assert_ok(trace_writer_lengths(w, lengths[i], &id, &err), &err);
		assert_int_equal(id, i);
		assert_ok(trace_writer_event(w, &ev, &id, &err), &err);
	}
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_ok(trace_reader_check(r, &err), &err);
	assert_true(trace_reader_info(r)->content_free);
	assert_true(trace_reader_info(r)->withheld);
	assert_int_equal(trace_reader_info(r)->nr_pages, 3);
	assert_int_equal(trace_reader_info(r)->nr_compressors, 2);
	assert_string_equal(trace_reader_info(r)->command, "");
	assert_string_equal(trace_reader_compressor(r, 0), "zstd level=3");
	assert_string_equal(trace_reader_compressor(r, 1), "lzo");
	trace_reader_memcg(r, 1, &memcg);
	assert_string_equal(memcg.path, "");
	for (id = 0; id < 3; id++) {
		for (unsigned i = 0; i < 2; i++) {
			assert_ok(trace_reader_length(r, id, i, &length, &err), &err);
			assert_int_equal(length, lengths[id][i]);
		}
	}
	assert_int_equal(trace_reader_length(r, 3, 0, &length, &err), -EINVAL);
	assert_int_equal(trace_reader_length(r, 0, 2, &length, &err), -ENODATA);
	assert_int_equal(trace_reader_page(r, 0, &data, &err), -ENODATA);
	expect_message(&err, path, UINT64_MAX, "content-free");
	trace_reader_close(r);

	b = bytes_read(path);
	assert_false(contains(&b, "secret", 6));
	assert_false(contains(&b, "trace build", 11));
	free(b.data);
	unlink(path);
}

/* A known page could be looked up by its hash: it must be in the one file and not in the other. */
static void a_content_free_trace_has_no_hash_of_a_page(void **state)
{
	const char *path = scratch_path("free");
	struct trace_writer *w = content_free_writer(path, true);
	static const uint16_t lengths[2] = {1000, 2000};
	struct bytes with, without;
	struct trace_error err;
	uint32_t id;

	assert_ok(trace_writer_lengths(w, lengths, &id, &err), &err);
	assert_ok(trace_writer_commit(w, &err), &err);
	sample_write(scratch_path("sample"));
	with = bytes_read(scratch_path("sample"));
	without = bytes_read(path);
	assert_true(contains(&without, "/secret.slice", 13)); /* asked for */
	for (unsigned i = 0; i < SAMPLE_PAGES; i++) {
		uint8_t page[TRACE_PAGE_SIZE];
		XXH128_hash_t hash;

		sample_page(i, page);
		hash = XXH3_128bits(page, sizeof(page));
		assert_true(contains_hash(&with, hash.high64) && contains_hash(&with, hash.low64));
		assert_false(contains_hash(&without, hash.high64) ||
			     contains_hash(&without, hash.low64));
		assert_false(contains_hash(&without, XXH3_64bits(page, sizeof(page))));
	}
	free(with.data);
	free(without.data);
	unlink(path);
	unlink(scratch_path("sample"));
}

static void a_trace_with_contents_takes_no_lengths(void **state)
{
	static const uint16_t lengths[2];
	const char *path = scratch_path("full");
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;
	uint16_t length;
	uint32_t id;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	assert_int_equal(trace_writer_lengths(w, lengths, &id, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "takes pages, not lengths");
	add_pages(w, 0, 1);
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_int_equal(trace_reader_length(r, 0, 0, &length, &err), -ENODATA);
	trace_reader_close(r);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_back),
		cmocka_unit_test(events_are_read_back_in_their_order),
		cmocka_unit_test(the_same_calls_give_the_same_bytes),
		cmocka_unit_test(equal_contents_are_written_once),
		cmocka_unit_test(a_trace_of_nothing_is_a_trace),
		cmocka_unit_test(what_is_no_text_becomes_question_marks),
		cmocka_unit_test(writing_takes_no_more_memory_for_more_pages),
		cmocka_unit_test(an_invalid_event_is_refused_and_the_trace_goes_on),
		cmocka_unit_test(what_a_trace_cannot_have_is_refused),
		cmocka_unit_test(a_content_free_trace_has_lengths_and_no_contents),
		cmocka_unit_test(a_content_free_trace_has_no_hash_of_a_page),
		cmocka_unit_test(a_trace_with_contents_takes_no_lengths),
	};

	return cmocka_run_group_tests_name("writer", tests, scratch_create, scratch_remove);
}
