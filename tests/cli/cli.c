// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGS 32

extern char **environ;

static char *read_all(int fd, size_t *size)
{
	struct stat st;
	char *text;

	assert_int_equal(fstat(fd, &st), 0);
	*size = st.st_size;
	text = malloc(*size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fd, text, *size, 0), *size);
	text[*size] = '\0';
	close(fd);
	return text;
}

char *cli_read_source(const char *name)
{
	const char *root = getenv("ZSWAPSIM_SOURCE");
	char path[PATH_MAX];
	size_t size;
	int fd;

	assert_non_null(root);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return read_all(fd, &size);
}

static int open_output(const char *path, const char *name)
{
	int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : memfd_create(name, MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int wait_for(pid_t pid)
{
	int wstatus;

	while (waitpid(pid, &wstatus, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 128 + WTERMSIG(wstatus);
}

struct cli_result cli_run(const char *output, const char *const *args)
{
	const char *program = getenv("ZSWAPSIM_BIN");
	int out = open_output(output, "stdout"), err = open_output(NULL, "stderr");
	posix_spawn_file_actions_t actions;
	char *argv[MAX_ARGS + 2] = {NULL};
	struct cli_result r = {0};
	unsigned n = 0;
	pid_t pid;

	assert_non_null(program);
	/* A sanitizer's finding has a status that no test expects. */
	setenv("ASAN_OPTIONS", "exitcode=99", 0);
	setenv("UBSAN_OPTIONS", "exitcode=99", 0);
	argv[n++] = (char *)program;
	for (; *args; args++) {
		assert_true(n <= MAX_ARGS);
		argv[n++] = (char *)*args;
	}
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	r.status = wait_for(pid);
	r.err = read_all(err, &r.err_size);
	if (output) {
		close(out);
		r.out = strdup("");
	} else {
		r.out = read_all(out, &r.out_size);
	}
	return r;
}

void cli_free(struct cli_result *r)
{
	free(r->out);
	free(r->err);
}

void cli_assert_status(const struct cli_result *r, int expected, const char *file, int line)
{
	if (r->status == expected)
		return;
	print_error("%s", r->err);
	print_error("exit status %d, not %d\n", r->status, expected);
	_fail(file, line);
}

void cli_assert_one_line(const char *text, const char *file, int line)
{
	const char *newline = strchr(text, '\n');

	if (newline && !newline[1] && newline != text)
		return;
	print_error("not one line: \"%s\"\n", text);
	_fail(file, line);
}

void cli_assert_refused(const struct cli_result *r, const char *word, const char *file, int line)
{
	cli_assert_status(r, 2, file, line);
	cli_assert_one_line(r->err, file, line);
	if (r->out_size || !strstr(r->err, word)) {
		print_error("stdout \"%s\"\nstderr \"%s\" (where is \"%s\"?)\n", r->out, r->err,
			    word);
		_fail(file, line);
	}
}

/* What *state points to: the folder, and the paths that were handed out. */
struct tmpdir {
	char path[64];
	char **names;
	unsigned nr;
};

int cli_tmpdir_setup(void **state)
{
	struct tmpdir *dir = calloc(1, sizeof(*dir));

	if (!dir)
		return -1;
	snprintf(dir->path, sizeof(dir->path), "/tmp/zswapsim-test.XXXXXX");
	*state = dir;
	return mkdtemp(dir->path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

int cli_tmpdir_teardown(void **state)
{
	struct tmpdir *dir = *state;
	int ret = nftw(dir->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	while (dir->nr)
		free(dir->names[--dir->nr]);
	free(dir->names);
	free(dir);
	return ret;
}

const char *cli_path(void **state, const char *name)
{
	struct tmpdir *dir = *state;
	char **names = realloc(dir->names, (dir->nr + 1) * sizeof(*names));
	char *path;

	assert_non_null(names);
	dir->names = names;
	assert_true(asprintf(&path, "%s/%s", dir->path, name) > 0);
	names[dir->nr++] = path;
	return path;
}
