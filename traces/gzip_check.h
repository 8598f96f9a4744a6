/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libarchive unpacks gzip without looking at its checksums, unlike those of every other format
 * here.
 */
#ifndef TRACES_GZIP_CHECK_H
#define TRACES_GZIP_CHECK_H

#include "traces/format.h"

/*
 * If what @fd reads from its beginning on is gzip: that it is whole and its checksums are right. 0
 * or a negative errno and a line in *err. Moves the offset of @fd.
 */
int gzip_check(const char *path, int fd, struct trace_error *err);

#endif
