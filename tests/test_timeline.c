// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/timeline.h"
#include "tests/test.h"
#include "tests/trace_file.h"

static const struct zswap_stats zswap = {.zswpout = 14,
					 .zswpin = 15,
					 .zswpwb = 16,
					 .written_back_pages = 100,
					 .pool_limit_hit = 21,
					 .shrink_worker_runs = 22,
					 .lru_rotations = 23};
static const struct swap_io_stats swap = {.pswpout = 17, .pswpin = 18};
static const struct swapdev_stats dev = {.pages = 13};
static const struct replay_compaction compaction = {.freed_pages = 24, .copied_bytes = 25};
static const struct replay_sample sample = {
	.event = 1,
	.time_ns = 2,
	.stored_pages = 3,
	.pool = {.pages = 4,
		 .groups = 5,
		 .payload_bytes = 6,
		 .rounding_bytes = 7,
		 .unused_bytes = 8,
		 .tail_bytes = 9,
		 .straddling_objs = 10},
	.stored_incompressible_pages = 11,
	.slots_in_use = 12,
	.disk_pages = 13,
	.zswap = &zswap,
	.swap = &swap,
	.dev = &dev,
	.compaction = &compaction,
	.in_disk_written_back = 19,
	.rejected_pages = 20,
};

static char *read_file(const char *path)
{
	struct bytes b = bytes_read(path);
	char *text = strndup((const char *)b.data, b.size);

	free(b.data);
	return text;
}

static struct trace_error err;

static void every_column_has_its_value(void **state)
{
	const char *path = scratch_path("t.csv");
	struct timeline *t;
	struct stat st;
	char *text;

	assert_int_equal(timeline_create(path, &t, &err), 0);
	timeline_sample(t, &sample);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(timeline_commit(t, &err), 0);
	text = read_file(path);
	/* pswpout: what was refused and what was written back. */
	assert_string_equal(text,
			    "event,time_ns,stored_pages,pool_pages,zspages,payload_bytes,"
			    "rounding_bytes,unused_bytes,tail_bytes,straddling_objects,"
			    "stored_incompressible_pages,slots_in_use,disk_pages,zswpout,zswpin,"
			    "zswpwb,pswpout,pswpin,refaults,refused_pages,pool_limit_hit,"
			    "shrink_worker_runs,lru_rotations,compacted_pages,"
			    "compaction_copied_bytes\n"
			    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,117,18,19,20,21,22,23,24,25\n");
	free(text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void what_was_there_stays_until_the_new_one_is_whole(void **state)
{
	const char *path = scratch_path("old.csv");
	struct bytes old = {.data = (uint8_t *)"old", .size = 3};
	unsigned files;
	struct timeline *t;
	char *text;

	bytes_write(&old, path);
	files = scratch_nr_files();
	assert_int_equal(timeline_create(path, &t, &err), 0);
	timeline_sample(t, &sample);
	timeline_abort(t);
	assert_int_equal(scratch_nr_files(), files);
	text = read_file(path);
	assert_string_equal(text, "old");
	free(text);
	assert_int_equal(timeline_create(path, &t, &err), 0);
	assert_int_equal(timeline_commit(t, &err), 0);
	assert_int_equal(scratch_nr_files(), files);
	text = read_file(path);
	assert_non_null(strstr(text, "event,time_ns"));
	free(text);
}

static void a_place_that_cannot_be_written_is_an_error(void **state)
{
	char path[512];
	struct timeline *t;

	snprintf(path, sizeof(path), "%s/no/such/directory.csv", scratch_dir());
	assert_int_equal(timeline_create(path, &t, &err), -ENOENT);
	assert_non_null(strstr(err.message, "directory.csv: "));
	/* Nor is a directory replaced by a file. */
	snprintf(path, sizeof(path), "%s/directory", scratch_dir());
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(timeline_create(path, &t, &err), -EISDIR);
	assert_int_equal(rmdir(path), 0);
}

/* Most of it is written before the end, when nobody has looked yet whether it was. */
static void why_it_could_not_be_written_is_told(void **state)
{
	const char *path = scratch_path("full.csv");
	unsigned files = scratch_nr_files();
	struct rlimit before, little;
	struct timeline *t;
	int ret;

	assert_int_equal(timeline_create(path, &t, &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	little = (struct rlimit){.rlim_cur = 4096, .rlim_max = before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (unsigned i = 0; i < 1000; i++)
		timeline_sample(t, &sample);
	ret = timeline_commit(t, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err.message, "full.csv: "));
	assert_non_null(strstr(err.message, strerror(EFBIG)));
	assert_int_equal(scratch_nr_files(), files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_has_its_value),
		cmocka_unit_test(what_was_there_stays_until_the_new_one_is_whole),
		cmocka_unit_test(a_place_that_cannot_be_written_is_an_error),
		cmocka_unit_test(why_it_could_not_be_written_is_told),
	};

	return cmocka_run_group_tests_name("timeline", tests, scratch_create, scratch_remove);
}
