// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/error.h"
#include "traces/target.h"

struct atomic_file {
	struct target target;
	FILE *out;
};

static int fail(const char *path, struct trace_error *err, int ret)
{
	return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
}

int atomic_file_create(const char *path, struct atomic_file **out, FILE **stream,
		       struct trace_error *err)
{
	struct atomic_file *f = calloc(1, sizeof(*f));
	int fd, ret;

	if (!f)
		return fail(path, err, -ENOMEM);
	ret = target_open(&f->target, path, err);
	if (ret)
		goto err;
	/* The stream is closed before the file is put in its place. */
	fd = fcntl(f->target.fd, F_DUPFD_CLOEXEC, 0);
	f->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f->out) {
		ret = fail(path, err, -errno);
		if (fd >= 0)
			close(fd);
		goto err;
	}
	*stream = f->out;
	*out = f;
	return 0;
err:
	atomic_file_abort(f);
	return ret;
}

int atomic_file_commit(struct atomic_file *f, struct trace_error *err)
{
	int ret = 0;

	errno = 0;
	/* Nobody knows why it failed; another try will. */
	if (ferror(f->out)) {
		if (putc('\n', f->out) != EOF)
			fflush(f->out);
		ret = errno ? -errno : -EIO;
	} else if (fflush(f->out)) {
		ret = errno ? -errno : -EIO;
	}
	if (fclose(f->out) && !ret)
		ret = -errno;
	f->out = NULL;
	ret = ret ? fail(f->target.shown, err, ret) : target_publish(&f->target, err);
	atomic_file_abort(f);
	return ret;
}

void atomic_file_abort(struct atomic_file *f)
{
	if (!f)
		return;
	if (f->out)
		fclose(f->out);
	target_close(&f->target);
	free(f);
}
