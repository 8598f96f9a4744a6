// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"

static void fail(const char *what, int error)
{
	fprintf(stderr, "zswapsim: %s: %s\n", what, strerror(error));
	_exit(STATUS_USAGE);
}

static void close_stdout(void)
{
	bool failed = ferror(stdout);

	errno = 0;
	/* Nobody knows why it failed; another try will. */
	if (failed && putchar('\n') != EOF)
		fflush(stdout);
	if (fclose(stdout) || failed)
		fail("standard output", errno ? errno : EIO);
}

/* Opened the wrong way round, so that using it is an error. */
static void hold_descriptor(int fd)
{
	if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
		return;
	if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
		_exit(STATUS_USAGE);
}

void output_init(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		hold_descriptor(fd);
	signal(SIGPIPE, SIG_DFL);
	if (atexit(close_stdout))
		fail("atexit", ENOMEM);
}

static void print_json(json_t *root, size_t flags)
{
	/* Reals are means and ratios: 12 digits are more than they mean. */
	if (!root || json_dumpf(root, stdout, flags | JSON_REAL_PRECISION(12)) < 0) {
		/* That a write failed is said at exit. */
		if (!ferror(stdout))
			fail("JSON", ENOMEM);
	}
	putchar('\n');
	json_decref(root);
}

void output_json(json_t *root)
{
	print_json(root, JSON_INDENT(2));
}

void output_json_line(json_t *root)
{
	print_json(root, JSON_COMPACT);
}
