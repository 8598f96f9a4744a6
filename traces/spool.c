// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int temp_file_open(const char *dir, char **name)
{
	char *path;
	int fd, ret;

	if (name)
		*name = NULL;
	/* Nothing is left behind when we are killed; but to be named later it needs /proc. */
	if (!name || access("/proc/self/fd", X_OK) == 0) {
		fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
	}
	if (asprintf(&path, "%s/.zswt-XXXXXX", dir) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		free(path);
		return ret;
	}
	if (name) {
		*name = path;
	} else {
		unlink(path);
		free(path);
	}
	return fd;
}

int write_all(int fd, const void *data, size_t bytes, uint64_t offset)
{
	const char *p = data;

	while (bytes) {
		ssize_t n = pwrite(fd, p, bytes, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		offset += n;
		bytes -= n;
	}
	return 0;
}

int read_all(int fd, void *data, size_t bytes, uint64_t offset)
{
	char *p = data;

	while (bytes) {
		ssize_t n = pread(fd, p, bytes, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		offset += n;
		bytes -= n;
	}
	return 0;
}

int spool_open(struct spool *spool, const char *dir)
{
	spool->used = 0;
	spool->bytes = 0;
	spool->fd = -1;
	spool->buffer = malloc(SPOOL_BUFFER_BYTES);
	if (!spool->buffer)
		return -ENOMEM;
	spool->fd = temp_file_open(dir, NULL);
	if (spool->fd < 0) {
		int ret = spool->fd;

		spool->fd = -1;
		spool_close(spool);
		return ret;
	}
	return 0;
}

void spool_close(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->buffer);
	spool->fd = -1;
	spool->buffer = NULL;
}

int spool_flush(struct spool *spool)
{
	int ret = write_all(spool->fd, spool->buffer, spool->used, spool->bytes - spool->used);

	if (ret == 0)
		spool->used = 0;
	return ret;
}

int spool_append(struct spool *spool, const void *data, size_t bytes)
{
	const char *p = data;

	while (bytes) {
		size_t n = SPOOL_BUFFER_BYTES - spool->used;

		if (n == 0) {
			int ret = spool_flush(spool);

			if (ret)
				return ret;
			continue;
		}
		if (n > bytes)
			n = bytes;
		memcpy(spool->buffer + spool->used, p, n);
		spool->used += n;
		spool->bytes += n;
		p += n;
		bytes -= n;
	}
	return 0;
}

int spool_read(const struct spool *spool, uint64_t offset, void *data, size_t bytes)
{
	return read_all(spool->fd, data, bytes, offset);
}
