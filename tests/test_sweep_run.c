// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "sim/sweep_run.h"
#include "tests/draft.h"
#include "tests/same_counts.h"
#include "tests/test.h"

#define MAX_ROWS 64

static struct trace_error err;

/* What the rows came to. */
struct told {
	const struct sweep_file *file;
	struct trace_reader *reader;
	pthread_mutex_t lock;
	unsigned times[MAX_ROWS];
	char error[MAX_ROWS][200]; /* "" if there was none */
	unsigned nr;
	unsigned most_mappings; /* of the trace, at any time */
	int ret;		/* for the row at which it is to end */
	unsigned ends_at;
};

struct sweep {
	struct draft d;
	struct sweep_file *file;
	struct trace_reader *reader;
	struct sweep_lengths *lengths;
};

static void sweep_begin(struct sweep *s, const char *text)
{
	draft_commit(&s->d);
	if (sweep_file_parse("test", text, &s->file, &err) ||
	    trace_reader_open(s->d.path, &s->reader, &err) ||
	    sweep_lengths_create(s->file, s->reader, backends_registry(), &s->lengths, &err))
		fail_msg("%s", err.message);
	for (unsigned i = 0; i < s->lengths->nr; i++) {
		if (sweep_lengths_open(s->lengths, &s->lengths->codecs[i], s->file, s->reader, 2,
				       NULL, NULL, &err))
			fail_msg("%s", err.message);
	}
}

static void sweep_end(struct sweep *s)
{
	for (unsigned i = 0; i < s->lengths->nr; i++)
		unlink(s->lengths->codecs[i].lengths->path);
	sweep_lengths_destroy(s->lengths);
	trace_reader_close(s->reader);
	sweep_file_free(s->file);
	draft_end(&s->d);
}

static unsigned nr_mappings(const char *path)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	unsigned nr = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, path) != NULL;
	fclose(maps);
	return nr;
}

/* Each row against a replay of its own, in measure mode. */
static void compare(const struct told *t, const struct sweep_row *row)
{
	struct replay_result *measured = malloc(sizeof(*measured));
	struct settings s = *row->settings;
	struct trace_reader *reader;
	struct trace_error measured_err;
	int ret;

	assert_non_null(measured);
	assert_int_equal(trace_reader_clone(t->reader, &reader, &measured_err), 0);
	s.replay.mode = REPLAY_MEASURE;
	s.replay.lengths = NULL;
	ret = replay_run(settings_config(&s), reader, measured, &measured_err);
	if (row->error) {
		assert_true(ret == -EINVAL || ret == -ENODATA);
		assert_string_equal(row->error, measured_err.message);
	} else {
		assert_int_equal(ret, 0);
		assert_same_counts(measured, row->result, &s.profile);
		replay_result_finish(measured);
	}
	trace_reader_close(reader);
	free(measured);
}

static int note(void *arg, const struct sweep_row *row)
{
	struct told *t = arg;
	unsigned mappings = nr_mappings(trace_reader_path(t->reader));
	int ret = 0;

	pthread_mutex_lock(&t->lock);
	assert_true(row->row < MAX_ROWS);
	compare(t, row);
	t->times[row->row]++;
	snprintf(t->error[row->row], sizeof(t->error[0]), "%s", row->error ? row->error : "");
	if (mappings > t->most_mappings)
		t->most_mappings = mappings;
	if (t->ret && t->nr == t->ends_at)
		ret = t->ret;
	t->nr++;
	pthread_mutex_unlock(&t->lock);
	return ret;
}

static int sweep_all(struct sweep *s, unsigned nr_threads, struct told *t)
{
	uint32_t rows[MAX_ROWS];
	const struct sweep_run_config config = {
		.file = s->file,
		.reader = s->reader,
		.lengths = s->lengths,
		.crypto = backends_registry(),
		.rows = rows,
		.nr_rows = s->file->nr_rows,
		.nr_threads = nr_threads,
		.done = note,
		.arg = t,
	};

	assert_true(s->file->nr_rows <= MAX_ROWS);
	for (uint32_t i = 0; i < s->file->nr_rows; i++)
		rows[i] = i;
	t->file = s->file;
	t->reader = s->reader;
	pthread_mutex_init(&t->lock, NULL);
	return sweep_run(&config, &err);
}

/* Stores twice as much as fits, in two memcgs' worth of order, and loads it. */
static void draft_pages(struct draft *d)
{
	draft_begin(d);
	for (unsigned i = 0; i < 200; i++)
		draft_store(d, i, i);
	for (unsigned i = 0; i < 200; i++)
		draft_load(d, (i * 7) % 200);
}

static void every_row_is_the_replay_with_its_settings(void **state)
{
	struct sweep s;
	struct told t = {0};

	draft_pages(&s.d);
	sweep_begin(&s, "kernel = 6.8, 6.12, 7.3, 7.4\ntotalram = 256K\n"
			"zswap.max_pool_percent = 20, 100\nzsmalloc.chain_size = 4, 8, 16\n");
	assert_int_equal(sweep_all(&s, 3, &t), 0);
	assert_int_equal(t.nr, 24);
	for (unsigned row = 0; row < 24; row++) {
		assert_int_equal(t.times[row], 1);
		assert_string_equal(t.error[row], "");
	}
	sweep_end(&s);
}

/* Allocators, policies, compaction: whatever a replay may be told. */
static void settings_of_all_kinds_can_be_swept(void **state)
{
	struct sweep s;
	struct told t = {0};

	draft_pages(&s.d);
	sweep_begin(&s, "totalram = 256K\npool.allocator = zsmalloc, zbud, jemalloc\n"
			"policy = kernel, lru, size, clairvoyant\n"
			"zswap.compressor = lz4, lzo, zstd:1\n");
	assert_int_equal(s.lengths->nr, 3);
	assert_int_equal(sweep_all(&s, 2, &t), 0);
	assert_int_equal(t.nr, 36);
	sweep_end(&s);
	t = (struct told){0};
	draft_pages(&s.d);
	sweep_begin(&s, "totalram = 256K\ncompact.when = every:50, fragmentation:5, never\n"
			"zswap.shrinker_enabled = 0, 1\nswap.device = none, ssd\n");
	assert_int_equal(sweep_all(&s, 2, &t), 0);
	assert_int_equal(t.nr, 12);
	sweep_end(&s);
}

static void threads_share_one_mapping_of_the_trace(void **state)
{
	struct sweep s;
	struct told t = {0};

	draft_pages(&s.d);
	sweep_begin(&s, "nodes = 1..16\n");
	assert_int_equal(sweep_all(&s, 8, &t), 0);
	assert_int_equal(t.nr, 16);
	assert_int_equal(t.most_mappings, 1);
	sweep_end(&s);
}

/* What lengths do not depend on makes no others; what they depend on does. */
static void rows_of_one_codec_share_its_lengths(void **state)
{
	struct sweep s;

	draft_pages(&s.d);
	sweep_begin(&s, "zstd.stream_init = eager, deferred\nkernel = 6.12, 7.3\n"
			"zsmalloc.chain_size = 4..8\n");
	/* 6.12 compresses with other parameters than 7.3 (zstd.params_hint). */
	assert_int_equal(s.lengths->nr, 2);
	for (uint32_t row = 0; row < s.file->nr_rows; row++) {
		struct settings settings;
		const struct sweep_codec *codec;

		sweep_file_settings(s.file, row, &settings);
		codec = sweep_lengths_find(s.lengths, &settings);
		assert_ptr_equal(codec, &s.lengths->codecs[row / 5 % 2]);
		assert_non_null(codec->lengths);
	}
	sweep_end(&s);
}

/* A trace may be wrong under one setting and right under another. */
static void a_replay_that_the_trace_stops_is_a_result(void **state)
{
	struct sweep s;
	struct told t = {0};

	draft_begin(&s.d);
	draft_store(&s.d, 3, 5);
	draft_load(&s.d, 3);
	draft_load(&s.d, 3);
	sweep_begin(&s, "kernel = 7.3, 6.12\nzswap.max_pool_percent = 20, 0\n");
	assert_int_equal(sweep_all(&s, 2, &t), 0);
	assert_int_equal(t.nr, 4);
	assert_non_null(strstr(t.error[0], "no copy is left"));
	assert_non_null(strstr(t.error[2], "no copy is left"));
	/* Nothing may be in the pool, and the disk keeps its copy. */
	assert_string_equal(t.error[1], "");
	assert_string_equal(t.error[3], "");
	sweep_end(&s);
}

static void an_error_of_the_caller_ends_it(void **state)
{
	struct sweep s;
	struct told t = {.ret = -ENOSPC, .ends_at = 2};

	draft_pages(&s.d);
	sweep_begin(&s, "nodes = 1..20\n");
	assert_int_equal(sweep_all(&s, 1, &t), -ENOSPC);
	assert_string_equal(err.message, "");
	assert_int_equal(t.nr, 3);
	/* What the other one was at is finished. */
	t = (struct told){.ret = -ENOSPC, .ends_at = 2};
	assert_int_equal(sweep_all(&s, 2, &t), -ENOSPC);
	assert_true(t.nr >= 3 && t.nr <= 4);
	sweep_end(&s);
}

static void nothing_to_run_is_no_error(void **state)
{
	struct sweep s;
	struct told t = {0};
	struct sweep_run_config config = {.nr_threads = 4, .done = note, .arg = &t};

	draft_begin(&s.d);
	sweep_begin(&s, "nodes = 1\n");
	config.file = s.file;
	config.reader = s.reader;
	config.lengths = s.lengths;
	assert_int_equal(sweep_run(&config, &err), 0);
	assert_int_equal(t.nr, 0);
	/* An empty trace has rows, too. */
	assert_int_equal(sweep_all(&s, 2, &t), 0);
	assert_int_equal(t.nr, 1);
	sweep_end(&s);
}

static void a_scenario_that_does_not_fit_is_said_first(void **state)
{
	struct sweep s;
	struct told t = {0};
	char path[] = "/tmp/zswapsim-sweep.XXXXXX", text[200];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "[at 5000]\nmax_pool_percent = 1\n", 31), 31);
	close(fd);
	draft_pages(&s.d);
	snprintf(text, sizeof(text), "nodes = 1, 2\nscenario = none, %s\n", path);
	sweep_begin(&s, text);
	assert_int_equal(sweep_all(&s, 1, &t), -EINVAL);
	assert_int_equal(t.nr, 0);
	if (!strstr(err.message, "setting 2: ") || !strstr(err.message, ":1: [at 5000]"))
		fail_msg("%s", err.message);
	unlink(path);
	sweep_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_the_replay_with_its_settings),
		cmocka_unit_test(settings_of_all_kinds_can_be_swept),
		cmocka_unit_test(threads_share_one_mapping_of_the_trace),
		cmocka_unit_test(rows_of_one_codec_share_its_lengths),
		cmocka_unit_test(a_replay_that_the_trace_stops_is_a_result),
		cmocka_unit_test(an_error_of_the_caller_ends_it),
		cmocka_unit_test(nothing_to_run_is_no_error),
		cmocka_unit_test(a_scenario_that_does_not_fit_is_said_first),
	};

	return cmocka_run_group_tests_name("sweep_run", tests, NULL, NULL);
}
