/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a sweep as a table, as CSV and as JSON (docs/sweep.md): all from its rows' JSON
 * values, in the order of the rows, so that the bytes depend on nothing else.
 */
#ifndef CMD_SWEEP_OUTPUT_H
#define CMD_SWEEP_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/sweep_file.h"

#define SWEEP_SCHEMA	     "zswapsim.sweep"
#define SWEEP_SCHEMA_VERSION 1
#define SWEEP_MAX_COLUMNS    32

/* Where a row's value is; NULL from @get is an error, for which nothing is printed here. */
struct sweep_results {
	const struct sweep_file *file;
	const json_t *header; /* of a journal */
	json_t *(*get)(void *arg, uint32_t row);
	void *arg;
};

/* Columns of the table beside the settings. */
struct sweep_columns {
	unsigned nr;
	char name[SWEEP_MAX_COLUMNS][96]; /* as given */
	char path[SWEEP_MAX_COLUMNS][96]; /* in the counts */
};

/* What the rows came to. */
struct sweep_verdict {
	uint32_t stopped;     /* replays that did not get to the end */
	uint32_t first;	      /* of them */
	char error[400];      /* why it stopped */
	uint64_t wrong_pages; /* loads that failed, or came back changed */
	uint64_t stores;
};

/*
 * The value of a row: row (from 1), settings, and counts and modelled, or error. NULL: no memory.
 */
struct sweep_row;
json_t *sweep_row_json(const struct sweep_file *file, const struct sweep_row *row);

/*
 * Names with commas, as expectations have them; NULL: the usual ones. 0, or -EINVAL and a line in
 * *err (to be freed).
 */
int sweep_columns_parse(struct sweep_columns *columns, const char *list,
			const struct sweep_file *file, char **err);

/* 0, or a negative errno: -EIO if a row cannot be had. Whether @out took it is seen there. */
int sweep_output_csv(FILE *out, const struct sweep_results *results);
int sweep_output_json(FILE *out, const struct sweep_results *results);
int sweep_output_table(FILE *out, const struct sweep_results *results,
		       const struct sweep_columns *columns, struct sweep_verdict *verdict);

#endif
