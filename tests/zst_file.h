/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of test data that lie outside of the project, zstd-compressed. */
#ifndef TESTS_ZST_FILE_H
#define TESTS_ZST_FILE_H

#include <stddef.h>

/*
 * The contents of @name in the folder that the environment variable @folder names, and a NUL behind
 * them; to be freed. If the file is absent, says so and skips the current test. A file that is there
 * and does not decode fails it.
 */
char *zst_file_read(const char *folder, const char *name, size_t *size);

/*
 * The lines of a CSV text: *@line is moved to the next one, and its fields (of which there are at
 * least @nr) are put into @fields, cut out of the text. Returns 0 at the end.
 */
int csv_next(char **line, char **fields, unsigned nr);

#endif
