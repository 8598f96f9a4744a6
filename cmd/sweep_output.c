// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/sweep_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/counts.h"
#include "cmd/json_rows.h"
#include "cmd/report.h"
#include "sim/sweep_run.h"

#define DEFAULT_COLUMNS                                                                            \
	"kernel.zswpout,kernel.zswpin,written_back,refused,disk_writes,disk_reads,"                \
	"pool_at_peak.pool_pages,pool_at_peak.ratio"

/* ---- a row ---- */

/* Times of the modelled device. What is measured and modelled at once is left out: nothing is
 * measured. */
static json_t *modelled(const struct replay_result *result)
{
	json_t *o = report_modelled_json(result);

	if (json_is_object(o)) {
		json_object_del(o, "swap_in");
		json_object_del(o, "swap_in_from_disk");
	}
	return o;
}

json_t *sweep_row_json(const struct sweep_file *file, const struct sweep_row *row)
{
	json_t *o = json_object(), *settings = json_object();

	for (unsigned i = 0; i < file->nr_axes; i++)
		json_object_set_new(settings, file->axes[i].key.key,
				    json_string(sweep_file_value(file, row->row, i)));
	json_object_set_new(o, "row", json_integer((json_int_t)row->row + 1));
	json_object_set_new(o, "settings", settings);
	if (!row->result) {
		json_object_set_new(o, "error", json_string(row->error));
		return o;
	}
	json_object_set_new(o, "counts",
			    report_counts_json(row->result, &row->settings->profile,
					       row->settings->replay.compressor));
	json_object_set_new(o, "modelled", modelled(row->result));
	return o;
}

/* Names of counts, from a replay of nothing; those of calls depend on the compressor. */
static int add_names(json_t *names, const char *compressor)
{
	struct replay_result *nothing = calloc(1, sizeof(*nothing));
	struct profile profile = {0};
	json_t *counts = nothing ? report_counts_json(nothing, &profile, compressor) : NULL;
	int ret = counts ? json_object_update_recursive(names, counts) : -1;

	json_decref(counts);
	free(nothing);
	return ret ? -ENOMEM : 0;
}

/* All that a row of the sweep may have. NULL: no memory. */
static json_t *make_names(const struct sweep_file *file)
{
	json_t *names = json_object();
	bool any = false;
	int ret = names ? 0 : -ENOMEM;

	for (unsigned i = 0; i < file->nr_axes; i++) {
		const struct sweep_axis *axis = &file->axes[i];

		if (strcmp(axis->key.key, "zswap.compressor"))
			continue;
		any = true;
		for (unsigned v = 0; !ret && v < axis->nr; v++)
			ret = add_names(names, axis->values[v].text);
	}
	if (!ret && !any)
		ret = add_names(names, NULL);
	if (!ret)
		return names;
	json_decref(names);
	return NULL;
}

/* ---- columns ---- */

static int add_column(struct sweep_columns *columns, const json_t *counts, const char *name,
		      FILE *err)
{
	struct setting_key key;
	char *path;
	int ret;

	if (columns->nr == SWEEP_MAX_COLUMNS) {
		fprintf(err, "more than %u columns", SWEEP_MAX_COLUMNS);
		return -EINVAL;
	}
	path = columns->path[columns->nr];
	ret = counts_resolve(counts, name, path, err);
	/* "policy" may be refused_pages.policy, but heads the setting. */
	snprintf(columns->name[columns->nr++], sizeof(*columns->name), "%s",
		 !ret && settings_find(name, &key) ? path : name);
	return ret;
}

int sweep_columns_parse(struct sweep_columns *columns, const char *list,
			const struct sweep_file *file, char **err)
{
	char *copy = strdup(list ? list : DEFAULT_COLUMNS), *save = NULL;
	json_t *counts = make_names(file);
	size_t size;
	FILE *out = open_memstream(err, &size);
	int ret = copy && counts && out ? 0 : -ENOMEM;

	columns->nr = 0;
	for (char *name = ret ? NULL : strtok_r(copy, ", ", &save); name && !ret;
	     name = strtok_r(NULL, ", ", &save))
		ret = add_column(columns, counts, name, out);
	if (!ret && !columns->nr) {
		fprintf(out, "no column is named");
		ret = -EINVAL;
	}
	if (out)
		fclose(out);
	json_decref(counts);
	free(copy);
	return ret;
}

/* ---- CSV ---- */

static void csv_string(FILE *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Nothing for null and for what is not there. */
static void print_number(FILE *out, const json_t *value)
{
	if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.12g", json_real_value(value));
}

static const char *const modelled_keys[] = {"device_read_ns", "device_write_ns"};

#define NR_MODELLED (sizeof(modelled_keys) / sizeof(*modelled_keys))

struct csv {
	FILE *out;
	const json_t *counts; /* of a row; NULL: the names are printed */
	bool names;
};

static void csv_count(void *arg, const char *path)
{
	const struct csv *csv = arg;

	fputc(',', csv->out);
	if (csv->names)
		fputs(path, csv->out);
	else
		print_number(csv->out, counts_find(csv->counts, path));
}

static void csv_head(FILE *out, const struct sweep_file *file, const json_t *names)
{
	struct csv csv = {.out = out, .names = true};

	fputs("row", out);
	for (unsigned i = 0; i < file->nr_axes; i++)
		fprintf(out, ",%s", file->axes[i].key.key);
	counts_walk(names, csv_count, &csv);
	for (unsigned i = 0; i < NR_MODELLED; i++)
		fprintf(out, ",modelled.%s", modelled_keys[i]);
	fputs(",error\n", out);
}

static void csv_row(FILE *out, const struct sweep_file *file, uint32_t row, const json_t *value,
		    const json_t *names)
{
	const json_t *times = json_object_get(value, "modelled");
	const char *error = json_string_value(json_object_get(value, "error"));
	struct csv csv = {.out = out, .counts = json_object_get(value, "counts")};

	fprintf(out, "%" PRIu32, row + 1);
	for (unsigned i = 0; i < file->nr_axes; i++) {
		fputc(',', out);
		csv_string(out, sweep_file_value(file, row, i));
	}
	counts_walk(names, csv_count, &csv);
	for (unsigned i = 0; i < NR_MODELLED; i++) {
		fputc(',', out);
		print_number(out, json_object_get(times, modelled_keys[i]));
	}
	fputc(',', out);
	if (error)
		csv_string(out, error);
	fputc('\n', out);
}

int sweep_output_csv(FILE *out, const struct sweep_results *results)
{
	json_t *names = make_names(results->file);
	int ret = names ? 0 : -ENOMEM;

	if (!ret)
		csv_head(out, results->file, names);
	for (uint32_t row = 0; !ret && row < results->file->nr_rows; row++) {
		json_t *value = results->get(results->arg, row);

		if (!value)
			ret = -EIO;
		else
			csv_row(out, results->file, row, value, names);
		json_decref(value);
	}
	json_decref(names);
	return ret;
}

/* ---- JSON ---- */

static json_t *settings_json(const struct sweep_file *file)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < file->nr_axes; i++) {
		json_t *o = json_object(), *values = json_array();

		for (unsigned v = 0; v < file->axes[i].nr; v++)
			json_array_append_new(values, json_string(file->axes[i].values[v].text));
		json_object_set_new(o, "key", json_string(file->axes[i].key.key));
		json_object_set_new(o, "values", values);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *head_json(const struct sweep_results *results)
{
	json_t *o = json_object();

	json_object_set_new(o, "schema", json_string(SWEEP_SCHEMA));
	json_object_set_new(o, "schema_version", json_integer(SWEEP_SCHEMA_VERSION));
	json_object_set(o, "versions", json_object_get(results->header, "versions"));
	json_object_set(o, "trace", json_object_get(results->header, "trace"));
	json_object_set(o, "files", json_object_get(results->header, "files"));
	json_object_set(o, "codecs", json_object_get(results->header, "codecs"));
	json_object_set_new(o, "settings", settings_json(results->file));
	return o;
}

int sweep_output_json(FILE *out, const struct sweep_results *results)
{
	json_t *head = head_json(results);
	struct json_rows rows;
	int ret = json_rows_begin(&rows, out, head, "rows");

	json_decref(head);
	for (uint32_t row = 0; !ret && row < results->file->nr_rows; row++) {
		json_t *value = results->get(results->arg, row);

		ret = value ? json_rows_add(&rows, value) : -EIO;
		json_decref(value);
	}
	if (!ret)
		json_rows_end(&rows);
	return ret;
}
