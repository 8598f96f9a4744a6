/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a CSV file with named columns, plain or packed by zstd, row by row in constant memory.
 * Columns are found by name, in any order, beside others. Fields are not quoted.
 *
 * Nothing in the file is taken on trust: a row that is too long, too short or cut off, a byte that
 * is no text, a number that is none: a negative errno and "FILE: line N: column X: cause" in *err.
 */
#ifndef TRACES_CSV_H
#define TRACES_CSV_H

#include "traces/format.h"

#define CSV_MAX_COLUMNS 256
#define CSV_MAX_LINE	65536 /* bytes */

struct csv;

/* Opens @path and reads the line with the names. */
int csv_open(const char *path, struct csv **out, struct trace_error *err);
void csv_close(struct csv *csv); /* accepts NULL */

/* Position of a column, or -1 if the file has none of that name. */
int csv_column(const struct csv *csv, const char *name);
unsigned csv_nr_columns(const struct csv *csv);
/* Valid as long as @csv. */
const char *csv_name(const struct csv *csv, unsigned column);
/* Positions of @nr columns that must be there; else -EINVAL. */
int csv_require(struct csv *csv, const char *const *names, unsigned nr, int *columns,
		struct trace_error *err);

/* Reads a row: 1, 0 at the end of the file, or a negative errno. */
int csv_next(struct csv *csv, struct trace_error *err);
/* Line of the row that was read last; the names are line 1. */
uint64_t csv_line(const struct csv *csv);
const char *csv_path(const struct csv *csv);

/* A field of the row, valid until the next row; "" if @column is -1. */
const char *csv_text(const struct csv *csv, int column);
/*
 * A field as a number. The recorder prints what a kernel does not have as -1, signed or as 2^64-1;
 * both read as -1, and so does a column that the file does not have (@column -1).
 */
int csv_int(const struct csv *csv, int column, int64_t *value, struct trace_error *err);
/* As csv_int, and -EINVAL unless @lo <= value <= @hi. */
int csv_int_within(const struct csv *csv, int column, int64_t lo, int64_t hi, int64_t *value,
		   struct trace_error *err);
/* "FILE: line N: column X: @cause"; returns -EINVAL. */
int csv_fail(const struct csv *csv, int column, struct trace_error *err, const char *cause);

#endif
