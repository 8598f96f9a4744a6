// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/target.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/error.h"
#include "traces/spool.h"

static int fail(const struct target *target, struct trace_error *err, int ret, const char *what)
{
	return trace_fail(err, target->shown, TRACE_NO_OFFSET, ret, "%s: %s", what, strerror(-ret));
}

/* A device or a directory must not be replaced by a file, and a link is not what is meant. */
static int resolve(struct target *target, struct trace_error *err)
{
	struct stat st;

	if (lstat(target->shown, &st)) {
		if (errno != ENOENT)
			return fail(target, err, -errno, "cannot write here");
		target->path = strdup(target->shown);
		return target->path ? 0 : fail(target, err, -ENOMEM, "cannot write here");
	}
	target->path = realpath(target->shown, NULL);
	if (!target->path || stat(target->path, &st))
		return fail(target, err, -errno, "cannot follow the link");
	if (S_ISDIR(st.st_mode))
		return trace_fail(err, target->shown, TRACE_NO_OFFSET, -EISDIR,
				  "is a directory, not a file to write to");
	if (!S_ISREG(st.st_mode))
		return trace_fail(err, target->shown, TRACE_NO_OFFSET, -EINVAL,
				  "is not a regular file: it cannot be replaced");
	return 0;
}

int target_open(struct target *target, const char *path, struct trace_error *err)
{
	char *copy;
	int ret;

	memset(target, 0, sizeof(*target));
	target->fd = -1;
	target->shown = strdup(path);
	if (!target->shown)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
	ret = path[0] ? resolve(target, err) : fail(target, err, -ENOENT, "cannot write here");
	if (ret)
		goto err;
	ret = -ENOMEM;
	copy = strdup(target->path);
	if (copy)
		target->dir = strdup(dirname(copy));
	free(copy);
	if (target->dir)
		ret = temp_file_open(target->dir, &target->temp_name);
	if (ret < 0) {
		fail(target, err, ret, "cannot create a file in its directory");
		goto err;
	}
	target->fd = ret;
	return 0;
err:
	target_close(target);
	return ret;
}

static int sync_dir(const char *dir)
{
	int ret = 0, fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* Some cannot be read, some file systems cannot sync one: nothing to wait for then. */
	if (fd < 0)
		return 0;
	if (fsync(fd) && errno != EINVAL && errno != ENOTSUP)
		ret = -errno;
	close(fd);
	return ret;
}

/* linkat() does not replace; if something is in place, a name for the rename to start from. */
static int give_name(struct target *target, bool *in_place)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", target->fd);
	*in_place = !linkat(AT_FDCWD, link, AT_FDCWD, target->path, AT_SYMLINK_FOLLOW);
	if (*in_place)
		return 0;
	if (errno != EEXIST)
		return -errno;
	for (unsigned attempt = 0; attempt < 1000; attempt++) {
		char *name;

		if (asprintf(&name, "%s/.zswt-%ld-%u", target->dir, (long)getpid(), attempt) < 0)
			return -ENOMEM;
		if (linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
			target->temp_name = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int target_publish(struct target *target, struct trace_error *err)
{
	bool in_place = false;
	int ret = 0;

	if (fsync(target->fd))
		return fail(target, err, -errno, "cannot sync");
	if (!target->temp_name)
		ret = give_name(target, &in_place);
	if (ret == 0 && !in_place && rename(target->temp_name, target->path))
		ret = -errno;
	if (ret)
		return fail(target, err, ret, "cannot put the new file in its place");
	free(target->temp_name);
	target->temp_name = NULL;
	ret = sync_dir(target->dir);
	return ret ? fail(target, err, ret, "cannot sync its directory") : 0;
}

void target_close(struct target *target)
{
	if (target->temp_name)
		unlink(target->temp_name);
	if (target->fd >= 0)
		close(target->fd);
	free((char *)target->shown);
	free(target->temp_name);
	free(target->path);
	free(target->dir);
	memset(target, 0, sizeof(*target));
	target->fd = -1;
}
