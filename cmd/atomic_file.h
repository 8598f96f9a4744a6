/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is there whole or not at all: it is written beside its place, without a name where
 * the file system can, readable by its owner only, and put there at the end. Whatever lay there is
 * replaced then, and not before; only a regular file can be. Errors: a negative errno, and a line
 * that names the file in *err.
 */
#ifndef CMD_ATOMIC_FILE_H
#define CMD_ATOMIC_FILE_H

#include <stdio.h>

#include "traces/format.h"

struct atomic_file;

/* *stream is where to write to. */
int atomic_file_create(const char *path, struct atomic_file **out, FILE **stream,
		       struct trace_error *err);
/* Puts it in its place, on the disk; or what lay there is as it was. */
int atomic_file_commit(struct atomic_file *f, struct trace_error *err);
/* Nothing remains of it. Accepts NULL. */
void atomic_file_abort(struct atomic_file *f);

#endif
