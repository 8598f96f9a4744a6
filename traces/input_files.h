/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files a list of paths means: files themselves; of directories all regular files below them,
 * depth first, sorted by name byte by byte. Links are followed where they are named, not inside of
 * directories; what is neither file nor directory is skipped there, and an error where it is named.
 */
#ifndef TRACES_INPUT_FILES_H
#define TRACES_INPUT_FILES_H

#include <sys/types.h>

#include "traces/format.h"

struct input_file {
	char *path;
	dev_t dev;
	ino_t ino;
};

struct input_files {
	struct input_file *files;
	size_t nr, cap;
};

/* 0 or a negative errno, with a line in *err that names the path. To be finished in any case. */
int input_files_init(struct input_files *files, const char *const *paths, size_t nr_paths,
		     struct trace_error *err);
void input_files_finish(struct input_files *files);

/* The first of them that @path is another name of, or NULL: also if there is nothing at @path. */
const struct input_file *input_files_find(const struct input_files *files, const char *path);

#endif
