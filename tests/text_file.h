/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files that a test makes for itself, in a directory of its own. */
#ifndef TESTS_TEXT_FILE_H
#define TESTS_TEXT_FILE_H

#include <stddef.h>

/* cmocka group set-up and tear-down: the directory, with all that is in it. */
int text_dir_create(void **state);
int text_dir_remove(void **state);

/* A path in it ("a.csv", "sub/a.csv"), valid for the next 15 calls. */
const char *text_path(const char *name);
/* Writes a file there, packed by zstd if the name ends in ".zst"; returns its path. */
const char *text_file(const char *name, const char *text);
const char *bytes_file(const char *name, const void *data, size_t size);
/* Cuts a file there to @size bytes. */
void cut_file(const char *path, size_t size);

#endif
