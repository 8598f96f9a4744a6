// SPDX-License-Identifier: GPL-2.0-or-later
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void die(const char *fmt, ...)
{
	int why = errno;
	va_list args;

	printf("GUEST-FATAL ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf(": %s\n", strerror(why));
	fflush(stdout);
	exit(1);
}

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

void must_write(const char *path, const char *fmt, ...)
{
	char text[256];
	va_list args;
	int ret;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ret = write_file(path, text);
	if (ret) {
		errno = -ret;
		die("cannot write '%s' to %s", text, path);
	}
}

int open_to_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

void read_file(const char *path, char *buf, size_t size)
{
	int fd = open_to_read(path);
	size_t have = 0;
	ssize_t ret;

	buf[0] = '\0';
	if (fd < 0)
		return;
	while (have < size - 1 && (ret = read(fd, buf + have, size - 1 - have)) > 0)
		have += ret;
	close(fd);
	while (have && buf[have - 1] == '\n')
		have--;
	buf[have] = '\0';
}

void reread(int fd, char *buf, size_t size)
{
	ssize_t ret = pread(fd, buf, size - 1, 0);

	if (ret < 0)
		die("cannot read");
	buf[ret] = '\0';
}

int64_t reread_number(int fd)
{
	char text[128];

	if (fd < 0)
		return -1;
	reread(fd, text, sizeof(text));
	return strtoll(text, NULL, 10);
}

int64_t number_of_key(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len) && line[len] == ' ')
			return strtoll(line + len, NULL, 10);
	}
	return -1;
}

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void random_permutation(struct random *random, uint32_t *order, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	for (uint32_t i = nr; i-- > 1;) {
		uint32_t j = random_next(random) % (i + 1), other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
}
