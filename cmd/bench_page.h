/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that a benchmark compresses: from a file, from a trace, or made. */
#ifndef CMD_BENCH_PAGE_H
#define CMD_BENCH_PAGE_H

#include <stddef.h>
#include <stdint.h>

#define BENCH_PAGE_HELP "FILE, TRACE#N, zero, text or random"

/*
 * @size bytes (a multiple of 4096) into @to. @name is
 *
 *	zero, random	what it says
 *	text		words of English, made
 *	TRACE#N		pages N, N+1, ... of the trace's dictionary; after the last come zeros
 *	FILE		the file's first bytes, then zeros
 *
 * What is made depends on nothing but @size. 0; or -EINVAL or what reading failed with, and one
 *line in @err.
 */
int bench_page_load(const char *name, uint8_t *to, size_t size, char *err, size_t err_size);

#endif
