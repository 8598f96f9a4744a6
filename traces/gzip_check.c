// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/gzip_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "traces/error.h"

#define BUFFER_BYTES 131072u

static int unpack(const char *path, gzFile gz, char *buffer, struct trace_error *err)
{
	const char *cause;
	int n, status;

	do {
		n = gzread(gz, buffer, BUFFER_BYTES);
	} while (n > 0);
	cause = gzerror(gz, &status);
	if (n == 0 && status == Z_OK)
		return 0;
	if (status == Z_ERRNO)
		return trace_fail(err, path, TRACE_NO_OFFSET, -errno, "cannot read: %s",
				  strerror(errno));
	/* zlib begins with a name, which it has made up. */
	if (strstr(cause, ": "))
		cause = strstr(cause, ": ") + 2;
	if (status == Z_BUF_ERROR)
		cause = "it is cut off";
	return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, "gzip: %s", cause);
}

int gzip_check(const char *path, int fd, struct trace_error *err)
{
	unsigned char magic[2];
	char *buffer;
	gzFile gz;
	int copy, ret;

	if (pread(fd, magic, 2, 0) != 2 || magic[0] != 0x1f || magic[1] != 0x8b)
		return 0;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return trace_fail(err, path, TRACE_NO_OFFSET, -errno, "%s", strerror(errno));
	copy = dup(fd);
	buffer = malloc(BUFFER_BYTES);
	gz = copy >= 0 ? gzdopen(copy, "rb") : NULL;
	if (!gz || !buffer) {
		ret = trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
		if (!gz && copy >= 0)
			close(copy);
	} else {
		ret = unpack(path, gz, buffer, err);
	}
	if (gz)
		gzclose_r(gz);
	free(buffer);
	return ret;
}
