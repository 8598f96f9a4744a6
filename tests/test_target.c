// SPDX-License-Identifier: GPL-2.0-or-later
/* The file that a trace is written to: whole or not there, whatever happens to its writer. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/trace_file.h"

static void write_text(const char *path, const char *text)
{
	struct bytes b = {(uint8_t *)text, strlen(text)};

	bytes_write(&b, path);
}

static void expect_text(const char *path, const char *text)
{
	struct bytes b = bytes_read(path);

	assert_int_equal(b.size, strlen(text));
	assert_memory_equal(b.data, text, b.size);
	free(b.data);
}

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

static void expect_no_writer(const char *path, int error, const char *cause)
{
	struct trace_writer *w;
	struct trace_error err;

	assert_int_equal(trace_writer_create(path, &sample_config, &w, &err), error);
	expect_message(&err, path, UINT64_MAX, cause);
}

static void a_target_that_is_no_file_is_refused(void **state)
{
	const char *link = scratch_path("link"), *sub = scratch_path("sub");

	expect_no_writer(scratch_dir(), -EISDIR, "is a directory");
	expect_no_writer("/dev/full", -EINVAL, "is not a regular file");
	expect_no_writer("/dev/null", -EINVAL, "is not a regular file");
	expect_no_writer("", -ENOENT, "No such file");
	expect_no_writer(scratch_path("none/file"), -ENOENT, "No such file");
	assert_int_equal(symlink("/nowhere/at/all", link), 0);
	expect_no_writer(link, -ENOENT, "cannot follow the link");
	unlink(link);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(symlink(sub, link), 0);
	expect_no_writer(link, -EISDIR, "is a directory");
	unlink(link);
	rmdir(sub);
	assert_int_equal(scratch_nr_files(), 0);
}

static void a_link_is_followed_and_stays(void **state)
{
	const char *link = scratch_path("link"), *file = scratch_path("file");
	struct trace_reader *r;
	struct trace_error err;
	struct stat st;

	write_text(file, "old");
	assert_int_equal(symlink(file, link), 0);
	sample_write(link);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_ok(trace_reader_open(file, &r, &err), &err);
	trace_reader_close(r);
	unlink(link);
	unlink(file);
}

static void a_file_name_alone_is_in_the_current_directory(void **state)
{
	char *cwd = getcwd(NULL, 0);

	assert_int_equal(chdir(scratch_dir()), 0);
	sample_write("alone");
	assert_int_equal(access(scratch_path("alone"), R_OK), 0);
	assert_int_equal(chdir(cwd), 0);
	free(cwd);
	unlink(scratch_path("alone"));
}

static void an_aborted_trace_leaves_the_target_as_it_was(void **state)
{
	const char *path = scratch_path("target");
	struct trace_writer *w;
	struct trace_error err;

	write_text(path, "old");
	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	add_pages(w, 0, 100);
	expect_text(path, "old");
	trace_writer_abort(w);
	trace_writer_abort(NULL);
	expect_text(path, "old");
	assert_int_equal(scratch_nr_files(), 1);
	sample_write(path); /* and a complete one replaces it */
	assert_int_equal(scratch_nr_files(), 1);
	unlink(path);
}

static void a_killed_writer_leaves_nothing(void **state)
{
	const char *path = scratch_path("target");
	struct trace_writer *w;
	struct trace_error err;
	int status;
	pid_t pid;

	write_text(path, "old");
	pid = fork();
	if (pid == 0) {
		if (trace_writer_create(path, &sample_config, &w, &err))
			_exit(1);
		add_pages(w, 0, 100);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	expect_text(path, "old");
	assert_int_equal(scratch_nr_files(), 1);
	unlink(path);
}

/*
 * Writes pages that do not pack, until a write fails or @nr are written, and commits. Returns the
 * first error, after which all calls must fail.
 */
static int write_until_full(const char *path, uint32_t nr, struct trace_error *err)
{
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_event ev = {.type = TRACE_PRESSURE};
	struct trace_memcg memcg = {.path = "/x"};
	struct trace_writer *w;
	struct trace_error again;
	uint16_t index;
	uint64_t mark;
	uint32_t id;
	int ret = trace_writer_create(path, &sample_config, &w, err);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < nr && ret == 0; i++) {
		sample_page(4 * i + 3, page);
		ret = trace_writer_page(w, page, &id, err);
	}
	if (ret == 0)
		return trace_writer_commit(w, err);
	assert_int_equal(trace_writer_page(w, page, &id, &again), ret);
	assert_int_equal(trace_writer_event(w, &ev, NULL, &again), ret);
	assert_int_equal(trace_writer_memcg(w, &memcg, &index, &again), ret);
	assert_int_equal(trace_writer_mark_name(w, "x", &mark, &again), ret);
	assert_int_equal(trace_writer_commit(w, &again), ret);
	expect_message(&again, path, UINT64_MAX, "an earlier write failed: ");
	return ret;
}

static void a_write_that_fails_at_any_point_leaves_the_target_as_it_was(void **state)
{
	const char *path = scratch_path("target");
	struct rlimit old, limit;
	struct trace_error err;
	struct bytes whole;
	int ret = -1;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_ok(write_until_full(path, 2000, &err), &err);
	whole = bytes_read(path);
	write_text(path, "old");
	/* From the first temporary file to the last byte of the target. */
	for (rlim_t max = 0; max < whole.size; max = max ? max * 3 / 2 : 1000) {
		limit = (struct rlimit){max, old.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		ret = write_until_full(path, 2000, &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(ret, -EFBIG);
		expect_message(&err, path, UINT64_MAX, "File too large");
		expect_text(path, "old");
		assert_int_equal(scratch_nr_files(), 1);
	}
	for (unsigned less = 1; less < 400; less += 26) {
		limit = (struct rlimit){whole.size - less, old.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		ret = write_until_full(path, 2000, &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(ret, -EFBIG);
		expect_text(path, "old");
		assert_int_equal(scratch_nr_files(), 1);
	}
	signal(SIGXFSZ, SIG_DFL);
	free(whole.data);
	unlink(path);
}

static void write_map(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			print_message("# %s: %s\n", path, strerror(errno));
		close(fd);
	}
}

/* A mount namespace of our own; who is not root becomes it there, if the kernel lets him. */
static bool enter_namespace(void)
{
	unsigned uid = geteuid(), gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWNS) == 0)
		return true;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return false;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_map("/proc/self/uid_map", map);
	write_map("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", gid);
	write_map("/proc/self/gid_map", map);
	return true;
}

#define CHILD_SKIP 77

/* In a child: a file system of 2 MiB over the scratch directory. */
static int fill_small_disk(const char *path)
{
	struct trace_error err;

	if (!enter_namespace() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", scratch_dir(), "tmpfs", 0, "size=2m"))
		return CHILD_SKIP;
	write_text(path, "old");
	for (uint32_t nr = 100; nr < 2000; nr += 50) {
		int ret = write_until_full(path, nr, &err);

		if (ret == -ENOSPC) {
			expect_message(&err, path, UINT64_MAX, "No space left on device");
			expect_text(path, "old");
			return scratch_nr_files() != 1;
		}
		if (ret)
			return 1;
		unlink(path);
		write_text(path, "old");
	}
	return 2;
}

static int in_child(int (*fn)(const char *), const char *path)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		/* Failed assertions go to stderr: the list of results is the parent's. */
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		_exit(fn(path));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_SKIP) {
		print_message("# SKIP no mount namespace or chroot may be made here\n");
		skip();
	}
	return WEXITSTATUS(status);
}

static void a_full_disk_leaves_the_target_as_it_was(void **state)
{
	assert_int_equal(in_child(fill_small_disk, scratch_path("target")), 0);
}

static int write_without_proc(const char *path)
{
	struct trace_writer *w;
	struct trace_error err;

	if (chroot(scratch_dir()) && (!enter_namespace() || chroot(scratch_dir())))
		return CHILD_SKIP;
	if (chdir("/"))
		return CHILD_SKIP;
	if (trace_writer_create("/trace", &sample_config, &w, &err))
		return 1;
	add_pages(w, 0, 10);
	if (trace_writer_commit(w, &err))
		return 2;
	if (trace_writer_create("/trace", &sample_config, &w, &err))
		return 3;
	trace_writer_abort(w);
	return 0;
}

/* Or one that is killed between two names leaves the first. */
static void a_new_file_never_has_another_name(void **state)
{
	const char *path = scratch_path("trace");
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *event = (const struct inotify_event *)buf;
	int fd = inotify_init1(IN_NONBLOCK);
	ssize_t n;

	assert_true(fd >= 0);
	assert_true(inotify_add_watch(fd, scratch_dir(), IN_CREATE | IN_MOVE) >= 0);
	sample_write(path);
	n = read(fd, buf, sizeof(buf));
	assert_int_equal(n, sizeof(*event) + event->len);
	assert_int_equal(event->mask, IN_CREATE);
	assert_string_equal(event->name, "trace");
	close(fd);
	unlink(path);
}

static void without_proc_the_file_has_a_name_until_it_is_in_place(void **state)
{
	const char *path = scratch_path("trace");

	assert_int_equal(in_child(write_without_proc, path), 0);
	assert_int_equal(access(path, R_OK), 0);
	assert_int_equal(scratch_nr_files(), 1);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_target_that_is_no_file_is_refused),
		cmocka_unit_test(a_link_is_followed_and_stays),
		cmocka_unit_test(a_file_name_alone_is_in_the_current_directory),
		cmocka_unit_test(an_aborted_trace_leaves_the_target_as_it_was),
		cmocka_unit_test(a_killed_writer_leaves_nothing),
		cmocka_unit_test(a_write_that_fails_at_any_point_leaves_the_target_as_it_was),
		cmocka_unit_test(a_full_disk_leaves_the_target_as_it_was),
		cmocka_unit_test(a_new_file_never_has_another_name),
		cmocka_unit_test(without_proc_the_file_has_a_name_until_it_is_in_place),
	};

	return cmocka_run_group_tests_name("target", tests, scratch_create, scratch_remove);
}
