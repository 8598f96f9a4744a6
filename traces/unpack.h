/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a file as it is, or what zstd packed into it, block by block. Errors: a negative errno and
 * a line in *err.
 */
#ifndef TRACES_UNPACK_H
#define TRACES_UNPACK_H

#include "traces/format.h"

struct unpack;

/* Unpacks a file whose name ends in ".zst" and, if @by_magic, any that begins as zstd's do. */
int unpack_open(const char *path, bool by_magic, struct unpack **out, struct trace_error *err);
void unpack_close(struct unpack *u); /* accepts NULL */

/* The next bytes, valid until the next call: 1, 0 at the end, or a negative errno. */
int unpack_next(struct unpack *u, const void **data, size_t *size, struct trace_error *err);

#endif
