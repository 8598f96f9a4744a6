// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/error.h"
#include "traces/unpack.h"

struct csv {
	struct unpack *file;
	char *path;
	const char *block; /* what is left of the last one */
	size_t block_len;

	char *names_line; /* the names point into it */
	const char *names[CSV_MAX_COLUMNS];
	unsigned nr_columns;

	uint64_t line;
	char *fields[CSV_MAX_COLUMNS]; /* into buf */
	char buf[CSV_MAX_LINE + 1];
};

__attribute__((format(printf, 3, 4))) static int
line_fail(const struct csv *csv, struct trace_error *err, const char *fmt, ...)
{
	char cause[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(cause, sizeof(cause), fmt, args);
	va_end(args);
	return trace_fail(err, csv->path, TRACE_NO_OFFSET, -EINVAL, "line %" PRIu64 ": %s",
			  csv->line, cause);
}

int csv_fail(const struct csv *csv, int column, struct trace_error *err, const char *cause)
{
	if (column < 0)
		return line_fail(csv, err, "%s", cause);
	return line_fail(csv, err, "column %.40s: %s", csv->names[column], cause);
}

/* Reads a line into csv->buf without its end: 1, 0 at the end of the file, or a negative errno. */
static int read_line(struct csv *csv, struct trace_error *err)
{
	size_t len = 0;

	csv->line++;
	for (;;) {
		const char *nl;
		size_t n;

		if (!csv->block_len) {
			const void *data;
			int ret = unpack_next(csv->file, &data, &csv->block_len, err);

			if (ret < 0)
				return ret;
			if (!ret && !len)
				return 0;
			if (!ret)
				return line_fail(csv, err, "does not end in a newline: cut off?");
			csv->block = data;
		}
		nl = memchr(csv->block, '\n', csv->block_len);
		n = nl ? (size_t)(nl - csv->block) : csv->block_len;
		if (n > CSV_MAX_LINE - len)
			return line_fail(csv, err, "longer than %d bytes", CSV_MAX_LINE);
		memcpy(csv->buf + len, csv->block, n);
		len += n;
		n += nl != NULL;
		csv->block += n;
		csv->block_len -= n;
		if (nl)
			break;
	}
	if (len && csv->buf[len - 1] == '\r')
		len--;
	csv->buf[len] = '\0';
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)csv->buf[i] < ' ')
			return line_fail(csv, err, "byte 0x%02x is no text",
					 (unsigned char)csv->buf[i]);
	}
	return 1;
}

/* How many fields there are; one more than there may be if there are too many. */
static unsigned split(char *line, char **fields)
{
	unsigned nr = 0;

	while (nr < CSV_MAX_COLUMNS) {
		fields[nr++] = line;
		line = strchr(line, ',');
		if (!line)
			return nr;
		*line++ = '\0';
	}
	return nr + 1;
}

static int read_names(struct csv *csv, struct trace_error *err)
{
	int ret = read_line(csv, err);

	if (ret < 0)
		return ret;
	if (!ret)
		return trace_fail(err, csv->path, TRACE_NO_OFFSET, -EINVAL, "is empty");
	csv->names_line = strdup(csv->buf);
	if (!csv->names_line)
		return trace_fail(err, csv->path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	csv->nr_columns = split(csv->names_line, (char **)csv->names);
	if (csv->nr_columns > CSV_MAX_COLUMNS)
		return line_fail(csv, err, "more than %d columns", CSV_MAX_COLUMNS);
	for (unsigned i = 0; i < csv->nr_columns; i++) {
		if (csv_column(csv, csv->names[i]) != (int)i)
			return line_fail(csv, err, "column '%.40s' is there twice", csv->names[i]);
	}
	return 0;
}

int csv_open(const char *path, struct csv **out, struct trace_error *err)
{
	struct csv *csv = calloc(1, sizeof(*csv));
	int ret;

	if (!csv || !(csv->path = strdup(path))) {
		free(csv);
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	}
	ret = unpack_open(path, true, &csv->file, err);
	if (!ret)
		ret = read_names(csv, err);
	if (ret) {
		csv_close(csv);
		return ret;
	}
	*out = csv;
	return 0;
}

void csv_close(struct csv *csv)
{
	if (!csv)
		return;
	unpack_close(csv->file);
	free(csv->names_line);
	free(csv->path);
	free(csv);
}

int csv_column(const struct csv *csv, const char *name)
{
	for (unsigned i = 0; i < csv->nr_columns; i++) {
		if (!strcmp(csv->names[i], name))
			return i;
	}
	return -1;
}

unsigned csv_nr_columns(const struct csv *csv)
{
	return csv->nr_columns;
}

const char *csv_name(const struct csv *csv, unsigned column)
{
	return csv->names[column];
}

int csv_require(struct csv *csv, const char *const *names, unsigned nr, int *columns,
		struct trace_error *err)
{
	for (unsigned i = 0; i < nr; i++) {
		columns[i] = csv_column(csv, names[i]);
		if (columns[i] < 0)
			return trace_fail(err, csv->path, TRACE_NO_OFFSET, -EINVAL,
					  "has no column '%s'", names[i]);
	}
	return 0;
}

int csv_next(struct csv *csv, struct trace_error *err)
{
	int ret = read_line(csv, err);
	unsigned nr;

	if (ret <= 0)
		return ret;
	nr = split(csv->buf, csv->fields);
	if (nr != csv->nr_columns)
		return line_fail(csv, err, "has %s%u fields, there are %u columns",
				 nr > CSV_MAX_COLUMNS ? "at least " : "", nr, csv->nr_columns);
	return 1;
}

uint64_t csv_line(const struct csv *csv)
{
	return csv->line;
}

const char *csv_path(const struct csv *csv)
{
	return csv->path;
}

const char *csv_text(const struct csv *csv, int column)
{
	return column < 0 ? "" : csv->fields[column];
}

int csv_int(const struct csv *csv, int column, int64_t *value, struct trace_error *err)
{
	const char *text = csv_text(csv, column), *digits = text;
	char *end;

	if (column < 0) {
		*value = -1;
		return 0;
	}
	digits += *text == '-';
	errno = 0;
	*value = strtoll(text, &end, 10);
	if (*digits < '0' || *digits > '9' || *end)
		return line_fail(csv, err, "column %.40s: '%.40s' is no number", csv->names[column],
				 text);
	if (errno && !strcmp(text, "18446744073709551615"))
		*value = -1;
	else if (errno)
		return line_fail(csv, err, "column %.40s: %.40s is out of range",
				 csv->names[column], text);
	return 0;
}

int csv_int_within(const struct csv *csv, int column, int64_t lo, int64_t hi, int64_t *value,
		   struct trace_error *err)
{
	int ret = csv_int(csv, column, value, err);

	if (ret)
		return ret;
	if (*value < lo || *value > hi)
		return line_fail(csv, err,
				 "column %.40s: %" PRId64 " is not within %" PRId64 " to %" PRId64,
				 column < 0 ? "?" : csv->names[column], *value, lo, hi);
	return 0;
}
