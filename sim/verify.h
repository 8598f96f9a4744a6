/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a comparison of a recorded kernel run with the port came to. Filled row by row by the
 * engines (verify_zram, verify_zswap), printed by the command.
 */
#ifndef SIM_VERIFY_H
#define SIM_VERIFY_H

#include <stdint.h>

#define VERIFY_MAX_LINES 10
#define VERIFY_LINE_SIZE 160

struct verify_report {
	uint64_t rows;		  /* compared */
	uint64_t skipped;	  /* rows that cannot be compared, by rule */
	uint64_t differing;	  /* rows in which at least one column differs */
	uint64_t first_differing; /* line in the file; 0: none */
	uint64_t last_differing;
	char compressor[32]; /* whose lengths these are: "zstd" */
	char note[256];	     /* what limits the comparison, in a sentence; "" if nothing does */
	unsigned nr_lines;   /* the first differences, in words */
	char lines[VERIFY_MAX_LINES][VERIFY_LINE_SIZE];
};

void verify_init(struct verify_report *report);
/* A row is about to be compared. */
void verify_row(struct verify_report *report);
/* Notes if @here is not @recorded, in @column of line @line. Lines never go back. */
void verify_compare(struct verify_report *report, uint64_t line, const char *column,
		    int64_t recorded, int64_t here);

#endif
