// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/mapped.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"

#define LINE_BYTES 4608 /* a path, and some numbers */

/* What follows is called by a signal's handler: no malloc(), no stdio but snprintf() of numbers. */

static uint64_t hex(const char **text)
{
	uint64_t value = 0;

	for (;; (*text)++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, **text);

		if (!**text || !digit)
			return value;
		value = value * 16 + (digit - digits);
	}
}

/* A line of /proc/self/maps, "begin-end rwxp offset dev inode path": whether @address is in it. */
static const char *path_in(const char *line, uint64_t address, uint64_t *offset)
{
	uint64_t begin = hex(&line), end;

	if (*line++ != '-')
		return NULL;
	end = hex(&line);
	if (address < begin || address >= end || strlen(line) < 6)
		return NULL;
	line += 6;
	*offset = hex(&line) + address - begin;
	return strchr(line, '/');
}

/* The path into @line, "" if no file is mapped there. */
static void find(uint64_t address, char line[LINE_BYTES], uint64_t *offset)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	char c;

	while (fd >= 0 && read(fd, &c, 1) == 1) {
		const char *path;

		if (c != '\n') {
			if (n + 1 < LINE_BYTES)
				line[n++] = c;
			continue;
		}
		line[n] = '\0';
		n = 0;
		path = path_in(line, address, offset);
		if (path) {
			memmove(line, path, strlen(path) + 1);
			return;
		}
	}
	line[0] = '\0';
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(STATUS_USAGE);
}

static void on_bus(int sig, siginfo_t *info, void *context)
{
	static char path[LINE_BYTES];
	uint64_t offset = 0;
	char number[32];

	path[0] = '\0';
	if (info->si_code == BUS_ADRERR)
		find((uintptr_t)info->si_addr, path, &offset);
	if (!path[0]) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	snprintf(number, sizeof(number), "%llu", (unsigned long long)offset);
	say("zswapsim: ");
	say(path);
	say(": offset ");
	say(number);
	say(": cannot be read: the file was made shorter meanwhile, or its disk fails\n");
	_exit(STATUS_USAGE);
}

void mapped_init(void)
{
	const struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}
