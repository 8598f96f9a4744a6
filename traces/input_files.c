// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/input_files.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/error.h"

static int fail(struct trace_error *err, const char *path, int ret)
{
	return trace_fail(err, path, TRACE_NO_OFFSET, ret, "cannot read: %s", strerror(-ret));
}

static int add(struct input_files *files, const char *path, const struct stat *st,
	       struct trace_error *err)
{
	struct input_file *file;

	if (files->nr == files->cap) {
		size_t cap = files->cap ? files->cap * 2 : 64;
		struct input_file *more = reallocarray(files->files, cap, sizeof(*more));

		if (!more)
			return fail(err, path, -ENOMEM);
		files->files = more;
		files->cap = cap;
	}
	file = &files->files[files->nr];
	file->path = strdup(path);
	if (!file->path)
		return fail(err, path, -ENOMEM);
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	files->nr++;
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_entry(struct input_files *files, const FTSENT *entry, struct trace_error *err)
{
	switch (entry->fts_info) {
	case FTS_F:
		return add(files, entry->fts_path, entry->fts_statp, err);
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return fail(err, entry->fts_path, -entry->fts_errno);
	default:
		return 0;
	}
}

static int add_directory(struct input_files *files, const char *path, struct trace_error *err)
{
	char *copy = strdup(path), *const roots[] = {copy, NULL};
	FTS *tree =
		copy ? fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name) : NULL;
	FTSENT *entry;
	int ret = 0;

	if (!tree) {
		ret = fail(err, path, -errno);
		goto out;
	}
	while (ret == 0 && (errno = 0, entry = fts_read(tree)))
		ret = add_entry(files, entry, err);
	if (ret == 0 && errno)
		ret = fail(err, path, -errno);
	fts_close(tree);
out:
	free(copy);
	return ret;
}

static int add_path(struct input_files *files, const char *path, struct trace_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return fail(err, path, -errno);
	if (S_ISDIR(st.st_mode))
		return add_directory(files, path, err);
	if (!S_ISREG(st.st_mode))
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "is neither a file nor a directory");
	return add(files, path, &st, err);
}

int input_files_init(struct input_files *files, const char *const *paths, size_t nr_paths,
		     struct trace_error *err)
{
	int ret = 0;

	memset(files, 0, sizeof(*files));
	for (size_t i = 0; i < nr_paths && ret == 0; i++)
		ret = add_path(files, paths[i], err);
	return ret;
}

void input_files_finish(struct input_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->files[i].path);
	free(files->files);
	memset(files, 0, sizeof(*files));
}

const struct input_file *input_files_find(const struct input_files *files, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return NULL;
	for (size_t i = 0; i < files->nr; i++) {
		if (files->files[i].dev == st.st_dev && files->files[i].ino == st.st_ino)
			return &files->files[i];
	}
	return NULL;
}
