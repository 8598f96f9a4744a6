// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of lengths beside a trace: sim/lengths_file.c, and what lengths_open() makes of it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/lengths_private.h"
#include "tests/lengths_rig.h"
#include "tests/test.h"
#include "tests/trace_file.h"

#define NR_PAGES 200u

#define FILE_NAME "f.bin.zstd.params_hint=262144.lengths"

static void the_file_is_kept_for_its_owner_and_read_the_next_time(void **state)
{
	const char *path = rig_trace("f.bin", 0, NR_PAGES);
	struct lengths_config config = rig_config(NULL);
	struct lengths *first, *second;
	struct stat st;

	unlink(scratch_path(FILE_NAME));
	first = rig_lengths(path, &config);
	assert_int_equal(first->origin, LENGTHS_COMPUTED);
	assert_string_equal(first->path, scratch_path(FILE_NAME));
	assert_string_equal(first->why_computed, "there was no such file");
	assert_string_equal(first->why_not_kept, "");
	assert_int_equal(stat(first->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 328 + 2 * NR_PAGES);
	second = rig_lengths(path, &config);
	assert_int_equal(second->origin, LENGTHS_FROM_FILE);
	assert_string_equal(second->path, first->path);
	assert_string_equal(second->key, first->key);
	assert_int_equal(second->pass_ns, 0);
	assert_same_lengths(second, first);
	lengths_close(first);
	lengths_close(second);
}

static void no_file_is_looked_for_or_made_if_none_is_wanted(void **state)
{
	const char *path = rig_trace("f.bin", 0, NR_PAGES);
	struct lengths_config config = rig_config("zstd");
	struct lengths *l;

	unlink(scratch_path(FILE_NAME));
	config.no_file = true;
	l = rig_lengths(path, &config);
	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_null(l->path);
	assert_int_not_equal(access(scratch_path(FILE_NAME), F_OK), 0);
	lengths_close(l);
}

/* The lengths of @path are made anew, for that reason, right, and kept. */
static void expect_rebuilt(const char *path, const struct lengths *right, const char *why)
{
	struct lengths_config config = rig_config("zstd");
	struct lengths *l = rig_lengths(path, &config);

	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_string_equal(l->why_computed, why);
	assert_same_lengths(l, right);
	lengths_close(l);
	l = rig_lengths(path, &config);
	assert_int_equal(l->origin, LENGTHS_FROM_FILE);
	assert_same_lengths(l, right);
	lengths_close(l);
}

static void a_file_of_another_trace_codec_or_library_is_replaced(void **state)
{
	const char *path = rig_trace("f.bin", 1000, NR_PAGES), *file = scratch_path(FILE_NAME);
	struct lengths_config config = rig_config("zstd");
	struct lengths *right;
	struct bytes b;

	config.no_file = true;
	right = rig_lengths(path, &config);
	lengths_close(rig_lengths(
		rig_trace("f.bin", 0, NR_PAGES),
		&(struct lengths_config){.crypto = config.crypto, .profile = config.profile}));
	rig_trace("f.bin", 1000, NR_PAGES);
	expect_rebuilt(path, right, "the file there is of another trace");

	/* As another library, and another hint, would have left it. */
	b = bytes_read(file);
	rename(file, scratch_path("kept"));
	config.no_file = false;
	config.profile = rig_profile("7.3", "zstd.params_hint=0");
	lengths_close(rig_lengths(path, &config));
	assert_int_equal(rename(scratch_path("f.bin.zstd.params_hint=0.lengths"), file), 0);
	expect_rebuilt(path, right, "the file there is of another codec, parameters or library");
	free(b.data);
	lengths_close(right);
}

static void a_file_that_is_cut_or_changed_anywhere_is_replaced(void **state)
{
	const char *path = rig_trace("f.bin", 0, 40), *file = scratch_path(FILE_NAME);
	struct lengths_config config = rig_config("zstd");
	struct lengths *right;
	struct bytes good;

	unlink(file);
	right = rig_lengths(path, &config);
	good = bytes_read(file);
	assert_int_equal(good.size, 328 + 80);
	for (size_t size = 0; size < good.size; size += size < 320 ? 41 : 7) {
		struct bytes cut = {good.data, size};

		bytes_write(&cut, file);
		expect_rebuilt(path, right,
			       size < 328 ? "the file there is none of lengths"
					  : "the file there is damaged");
	}
	for (size_t at = 0; at < good.size; at += 3) {
		struct bytes b = bytes_copy(&good);
		struct lengths *l;

		b.data[at] ^= 1u << at % 8;
		bytes_write(&b, file);
		l = rig_lengths(path, &config);
		assert_int_equal(l->origin, LENGTHS_COMPUTED);
		assert_same_lengths(l, right);
		lengths_close(l);
		free(b.data);
	}
	good.size++; /* bytes_read() has room for it */
	bytes_write(&good, file);
	expect_rebuilt(path, right, "the file there is damaged");
	free(good.data);
	lengths_close(right);
}

/* Whole by its checksums, but with what no codec answers. */
static void a_file_of_what_cannot_be_is_replaced(void **state)
{
	const char *path = rig_trace("f.bin", 0, 40), *file = scratch_path(FILE_NAME);
	static const int bad[] = {4097, 30000, -4096, -32768};
	struct lengths_config config = rig_config("zstd");
	struct trace_reader *reader = rig_reader(path);
	struct lengths *right = rig_lengths(path, &config);

	for (unsigned i = 0; i < 5; i++) {
		struct lengths forged = *right;
		struct trace_error err;
		int16_t values[40];

		memcpy(values, right->values, sizeof(values));
		forged.values = values;
		if (i < 4)
			values[39] = bad[i];
		else
			forged.zeros = 0;
		assert_ok(lengths_file_write(&forged, file, trace_reader_info(reader), &err), &err);
		expect_rebuilt(path, right, "the file there is damaged");
	}
	lengths_close(right);
	trace_reader_close(reader);
}

static void what_is_no_file_is_left_alone(void **state)
{
	const char *path = rig_trace("f.bin", 0, 40), *file = scratch_path(FILE_NAME);
	struct lengths_config config = rig_config("zstd");
	struct lengths *l;
	struct stat st;

	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	l = rig_lengths(path, &config);
	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_null(l->path);
	assert_non_null(strstr(l->why_not_kept, "not a regular file"));
	lengths_close(l);
	assert_int_equal(stat(file, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(file);
	assert_int_equal(mkdir(file, 0700), 0);
	l = rig_lengths(path, &config);
	assert_null(l->path);
	assert_non_null(strstr(l->why_not_kept, "is a directory"));
	lengths_close(l);
	assert_int_equal(rmdir(file), 0);
}

/* Of root every directory is writable, but for those of the kernel. */
static void a_directory_that_cannot_be_written_is_no_error_and_is_told(void **state)
{
	const char *path = rig_trace("f.bin", 0, NR_PAGES);
	struct trace_reader *reader = rig_reader(path);
	struct lengths_config config = rig_config("zstd");
	struct lengths *l, *right = rig_lengths(path, &config);
	struct trace_error err;

	assert_ok(lengths_open("/proc/f.bin", reader, &config, &l, &err), &err);
	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_null(l->path);
	assert_non_null(strstr(l->why_not_kept, "cannot create a file in its directory"));
	assert_same_lengths(l, right);
	lengths_close(l);
	lengths_close(right);
	trace_reader_close(reader);
}

/* ---- several runs ---- */

static pid_t run_child(const char *path, const struct lengths *right, unsigned rounds)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	for (unsigned i = 0; i < rounds; i++) {
		struct lengths_config config = rig_config("zstd");
		struct trace_reader *reader;
		struct trace_error err;
		struct lengths *l;

		if (trace_reader_open(path, &reader, &err) ||
		    lengths_open(path, reader, &config, &l, &err))
			_exit(1);
		if (l->nr_pages != right->nr_pages || !l->path ||
		    memcmp(l->values, right->values, l->nr_pages * sizeof(*l->values)))
			_exit(2);
		lengths_close(l);
		trace_reader_close(reader);
		/* So that somebody has to make it again, and others meet all states of it. */
		if (i % 2)
			unlink(scratch_path(FILE_NAME));
	}
	_exit(0);
}

static void runs_that_make_the_file_at_once_are_all_right(void **state)
{
	const char *path = rig_trace("f.bin", 0, 300);
	struct lengths_config config = rig_config("zstd");
	struct lengths *right, *l;
	unsigned files;
	pid_t pid[4];

	unlink(scratch_path(FILE_NAME));
	right = rig_lengths(path, &config);
	files = scratch_nr_files();
	for (unsigned i = 0; i < 4; i++)
		pid[i] = run_child(path, right, 12);
	for (unsigned i = 0; i < 4; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	l = rig_lengths(path, &config);
	assert_same_lengths(l, right);
	assert_int_equal(scratch_nr_files(), files);
	lengths_close(l);
	lengths_close(right);
}

/* A writer of the same lengths, over and over, until it is killed. */
static pid_t write_forever(const char *file, const struct lengths *l, const struct trace_info *info)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	while (!pid) {
		struct trace_error err;

		if (lengths_file_write(l, file, info, &err))
			_exit(1);
	}
	return pid;
}

/* Big enough that most kills meet it half written. */
static void a_run_that_is_killed_leaves_a_whole_file(void **state)
{
	const uint64_t nr = 300000;
	struct trace_info info = {.nr_pages = nr, .hash = "0123456789abcdef0123456789abcdef"};
	const char *file = scratch_path("k.lengths");
	int16_t *values = malloc(nr * sizeof(*values));
	struct lengths l = {.values = values, .nr_pages = nr, .zeros = 19, .key = "zstd"};
	struct trace_error err;

	for (uint64_t i = 0; i < nr; i++)
		values[i] = i * 7 % 4097;
	assert_ok(lengths_file_write(&l, file, &info, &err), &err);
	for (unsigned i = 0; i < 40; i++) {
		struct timespec pause = {.tv_nsec = (1 + i * 7 % 20) * 1000 * 1000};
		pid_t pid = write_forever(file, &l, &info);
		struct lengths read = {.nr_pages = nr, .key = "zstd"};
		int status;

		nanosleep(&pause, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(lengths_file_read(&read, file, &info), 0);
		assert_memory_equal(read.values, values, nr * sizeof(*values));
		free((int16_t *)read.values);
	}
	free(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_is_kept_for_its_owner_and_read_the_next_time),
		cmocka_unit_test(no_file_is_looked_for_or_made_if_none_is_wanted),
		cmocka_unit_test(a_file_of_another_trace_codec_or_library_is_replaced),
		cmocka_unit_test(a_file_that_is_cut_or_changed_anywhere_is_replaced),
		cmocka_unit_test(a_file_of_what_cannot_be_is_replaced),
		cmocka_unit_test(what_is_no_file_is_left_alone),
		cmocka_unit_test(a_directory_that_cannot_be_written_is_no_error_and_is_told),
		cmocka_unit_test(runs_that_make_the_file_at_once_are_all_right),
		cmocka_unit_test(a_run_that_is_killed_leaves_a_whole_file),
	};

	return cmocka_run_group_tests_name("lengths_file", tests, scratch_create, scratch_remove);
}
