/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is there whole or not at all: it is written beside its place, readable by its owner
 * only, and put there at the end. Whatever lay there is replaced then, and not before.
 */
#ifndef CMD_ATOMIC_FILE_H
#define CMD_ATOMIC_FILE_H

#include <stdio.h>

struct atomic_file;

/* 0 or a negative errno; *stream is where to write to. */
int atomic_file_create(const char *path, struct atomic_file **out, FILE **stream);
/* Puts it in its place, on the disk: 0, or a negative errno, then what lay there is as it was. */
int atomic_file_commit(struct atomic_file *f);
/* Nothing remains of it. Accepts NULL. */
void atomic_file_abort(struct atomic_file *f);

#endif
