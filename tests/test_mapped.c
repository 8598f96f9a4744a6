// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/mapped.h"
#include "tests/test.h"

#define PAGE 4096

static char path[] = "/tmp/test mapped-XXXXXX";

/* In a process of its own: @fn is not to return. Its status, and what it said. */
static int run(void (*fn)(void), char said[512])
{
	int pipes[2], status;
	size_t size = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(pipes[1], STDERR_FILENO);
		mapped_init();
		fn();
		_exit(99);
	}
	close(pipes[1]);
	while (size < 511 && (n = read(pipes[0], said + size, 511 - size)) > 0)
		size += n;
	said[size] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void read_what_is_cut_off(void)
{
	int fd = open(path, O_RDWR);
	volatile const char *map;

	if (ftruncate(fd, 3 * PAGE))
		_exit(98);
	map = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || map[2 * PAGE + 5] || ftruncate(fd, PAGE))
		_exit(97);
	_exit(map[2 * PAGE + 5] ? 96 : 95);
}

static void a_file_that_is_cut_while_it_is_read_is_one_line(void **state)
{
	char said[512], expected[256];
	int status = run(read_what_is_cut_off, said);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	snprintf(expected, sizeof(expected),
		 "zswapsim: %s: offset %d: cannot be read: the file was made shorter meanwhile, or "
		 "its disk fails\n",
		 path, 2 * PAGE + 5);
	assert_string_equal(said, expected);
}

static void send_it(void)
{
	raise(SIGBUS);
}

static void another_one_ends_the_program_as_ever(void **state)
{
	char said[512];
	int status = run(send_it, said);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
	assert_string_equal(said, "");
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_cut_while_it_is_read_is_one_line),
		cmocka_unit_test(another_one_ends_the_program_as_ever),
	};

	return cmocka_run_group_tests_name("mapped", tests, setup, teardown);
}
