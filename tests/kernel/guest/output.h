/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a scenario leaves behind: /out/NAME.csv, one row an operation, and /out/NAME.jsonl, its
 * checkpoints ("steps"), which go to the console as well.
 */
#ifndef GUEST_OUTPUT_H
#define GUEST_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output {
	char scenario[96]; /* DRIVER_KIND_ALGORITHM */
	FILE *csv, *steps;
	bool within_row;
	uint64_t rows; /* ended so far, the names aside */
};

void output_open(struct output *out, const char *driver, const char *kind, const char *algorithm);
void output_close(struct output *out);

/* Fields from left to right; the first row has the names. */
void output_text(struct output *out, const char *text);
void output_number(struct output *out, int64_t number);
void output_names(struct output *out, const char *const *names, unsigned nr);
void output_end_names(struct output *out);
void output_end_row(struct output *out);

/* Notes a checkpoint; takes the reference to @facts, an object. */
void output_step(struct output *out, const char *step, json_t *facts);
/* The step "done", by which a reader sees that no row is missing. */
void output_done(struct output *out);

#endif
