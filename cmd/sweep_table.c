// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of a sweep as a table, for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/counts.h"
#include "cmd/sweep_output.h"

#define CELL_BYTES 192

struct table {
	FILE *out;
	const struct sweep_results *results;
	const struct sweep_columns *columns;
	int setting_width[SWEEP_MAX_AXES], column_width[SWEEP_MAX_COLUMNS];
};

static void widen(int *width, const char *text)
{
	int len = strlen(text);

	if (len > *width)
		*width = len;
}

/* "-" where a count is not there: that kernel has none, or the replay stopped. */
static const char *cell(const json_t *counts, const char *path, char buf[CELL_BYTES])
{
	const json_t *value = counts_find(counts, path);

	if (json_is_integer(value))
		snprintf(buf, CELL_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(buf, CELL_BYTES, "%.3f", json_real_value(value));
	else
		snprintf(buf, CELL_BYTES, "-");
	return buf;
}

static bool is_shown(const struct sweep_file *file, unsigned axis)
{
	return file->axes[axis].nr > 1;
}

static uint64_t count(const json_t *counts, const char *path)
{
	return json_integer_value(counts_find(counts, path));
}

static void judge(struct sweep_verdict *v, uint32_t row, const json_t *value)
{
	const char *error = json_string_value(json_object_get(value, "error"));
	const json_t *counts = json_object_get(value, "counts");

	if (error && !v->stopped++) {
		v->first = row;
		snprintf(v->error, sizeof(v->error), "%s", error);
	}
	v->wrong_pages += count(counts, "events.mismatched_pages") +
			  count(counts, "events.failed_load_pages");
	v->stores += count(counts, "events.stores");
}

static int measure(struct table *t, struct sweep_verdict *verdict)
{
	const struct sweep_file *file = t->results->file;
	char buf[CELL_BYTES];

	for (unsigned i = 0; i < file->nr_axes; i++) {
		widen(&t->setting_width[i], file->axes[i].key.key);
		for (unsigned v = 0; v < file->axes[i].nr; v++)
			widen(&t->setting_width[i], file->axes[i].values[v].text);
	}
	for (unsigned c = 0; c < t->columns->nr; c++)
		widen(&t->column_width[c], t->columns->name[c]);
	for (uint32_t row = 0; row < file->nr_rows; row++) {
		json_t *value = t->results->get(t->results->arg, row);

		if (!value)
			return -EIO;
		judge(verdict, row, value);
		for (unsigned c = 0; c < t->columns->nr; c++)
			widen(&t->column_width[c],
			      cell(json_object_get(value, "counts"), t->columns->path[c], buf));
		json_decref(value);
	}
	return 0;
}

static void print_head(const struct table *t)
{
	const struct sweep_file *file = t->results->file;
	const json_t *trace = json_object_get(t->results->header, "trace");
	const char *title = json_string_value(json_object_get(trace, "title"));

	fprintf(t->out, "trace     %s, hash %s\n", title && *title ? title : "untitled",
		json_string_value(json_object_get(trace, "hash")));
	for (unsigned i = 0; i < file->nr_axes; i++) {
		if (!is_shown(file, i))
			fprintf(t->out, "fixed     %s=%s\n", file->axes[i].key.key,
				file->axes[i].values[0].text);
	}
	fprintf(t->out, "settings  %" PRIu32 "\n\n%6s", file->nr_rows, "row");
	for (unsigned i = 0; i < file->nr_axes; i++) {
		if (is_shown(file, i))
			fprintf(t->out, "  %*s", t->setting_width[i], file->axes[i].key.key);
	}
	for (unsigned c = 0; c < t->columns->nr; c++)
		fprintf(t->out, "  %*s", t->column_width[c], t->columns->name[c]);
	fputc('\n', t->out);
}

static int print_rows(const struct table *t)
{
	const struct sweep_file *file = t->results->file;

	for (uint32_t row = 0; row < file->nr_rows; row++) {
		json_t *value = t->results->get(t->results->arg, row);
		char buf[CELL_BYTES];

		if (!value)
			return -EIO;
		fprintf(t->out, "%6" PRIu32, row + 1);
		for (unsigned i = 0; i < file->nr_axes; i++) {
			if (is_shown(file, i))
				fprintf(t->out, "  %*s", t->setting_width[i],
					sweep_file_value(file, row, i));
		}
		for (unsigned c = 0; c < t->columns->nr; c++)
			fprintf(t->out, "  %*s", t->column_width[c],
				cell(json_object_get(value, "counts"), t->columns->path[c], buf));
		fputc('\n', t->out);
		json_decref(value);
	}
	return 0;
}

int sweep_output_table(FILE *out, const struct sweep_results *results,
		       const struct sweep_columns *columns, struct sweep_verdict *verdict)
{
	struct table t = {.out = out, .results = results, .columns = columns};
	int ret;

	memset(verdict, 0, sizeof(*verdict));
	ret = measure(&t, verdict);
	if (ret)
		return ret;
	print_head(&t);
	return print_rows(&t);
}
