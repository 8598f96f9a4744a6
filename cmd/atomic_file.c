// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct atomic_file {
	char *path, *temporary; /* the latter "" once it is gone */
	FILE *out;
};

static int create_temporary(struct atomic_file *f)
{
	int fd;

	if (asprintf(&f->temporary, "%s.XXXXXX", f->path) < 0) {
		f->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd < 0) {
		int ret = -errno;

		*f->temporary = '\0';
		return ret;
	}
	f->out = fdopen(fd, "w");
	if (!f->out) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

int atomic_file_create(const char *path, struct atomic_file **out, FILE **stream)
{
	struct atomic_file *f = calloc(1, sizeof(*f));
	int ret = -ENOMEM;

	if (!f)
		return -ENOMEM;
	f->path = strdup(path);
	if (f->path)
		ret = create_temporary(f);
	if (ret) {
		atomic_file_abort(f);
		return ret;
	}
	*stream = f->out;
	*out = f;
	return 0;
}

int atomic_file_commit(struct atomic_file *f)
{
	bool failed = ferror(f->out) || fflush(f->out);
	int ret = 0;

	if (failed)
		ret = errno ? -errno : -EIO;
	else if (fsync(fileno(f->out)))
		ret = -errno;
	if (fclose(f->out) && !ret)
		ret = -errno;
	f->out = NULL;
	if (!ret && rename(f->temporary, f->path))
		ret = -errno;
	if (!ret)
		*f->temporary = '\0';
	atomic_file_abort(f);
	return ret;
}

void atomic_file_abort(struct atomic_file *f)
{
	if (!f)
		return;
	if (f->out)
		fclose(f->out);
	if (f->temporary && *f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->path);
	free(f);
}
