// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/cli/sweep_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

const char *write_file(void **state, const char *name, const char *text)
{
	const char *path = cli_path(state, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return path;
}

static char *read_bytes(const char *path, size_t *size)
{
	struct stat st;
	char *text;
	FILE *f;

	assert_int_equal(stat(path, &st), 0);
	*size = st.st_size;
	text = calloc(1, *size + 1);
	f = fopen(path, "r");
	assert_true(text && f);
	assert_int_equal(fread(text, 1, *size, f), *size);
	fclose(f);
	return text;
}

char *read_file(const char *path)
{
	size_t size;

	return read_bytes(path, &size);
}

void assert_same_files(const char *a, const char *b)
{
	size_t size_a, size_b;
	char *text_a = read_bytes(a, &size_a), *text_b = read_bytes(b, &size_b);

	assert_true(size_a > 0);
	if (size_a != size_b || memcmp(text_a, text_b, size_a))
		fail_msg("%s and %s are not the same", a, b);
	free(text_a);
	free(text_b);
}

const char *make_trace(void **state, const char *name, const char *pages)
{
	const char *trace = cli_path(state, name);
	struct cli_result r =
		run("trace", "synth", "-o", trace, "--profile", "half", "--pages", pages);

	assert_status(&r, 0);
	cli_free(&r);
	return trace;
}

pid_t start_program(const char *out, const char *const *args)
{
	const char *program = getenv("ZSWAPSIM_BIN");
	posix_spawn_file_actions_t actions;
	char *argv[32] = {(char *)program};
	pid_t pid;

	assert_non_null(program);
	for (unsigned n = 1; *args; args++, n++) {
		assert_true(n < 31);
		argv[n] = (char *)*args;
	}
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

int wait_for_program(pid_t pid)
{
	int wstatus;

	while (waitpid(pid, &wstatus, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 128 + WTERMSIG(wstatus);
}
