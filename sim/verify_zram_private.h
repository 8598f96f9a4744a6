/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two halves of verify_zram share. */
#ifndef SIM_VERIFY_ZRAM_PRIVATE_H
#define SIM_VERIFY_ZRAM_PRIVATE_H

#include "sim/verify_zram.h"

#define VERIFY_ZRAM_SLOTS RECORDING_MAX_PAGES
#define VERIFY_ZRAM_STATS 10

struct zram_run {
	const struct verify_zram_config *config;
	struct verify_report *report;
	struct trace_error *err;
	struct csv *csv;
	struct kernel *k;
	struct zram *zram;
	int stats[VERIFY_ZRAM_STATS]; /* columns of what a row says of the device, or -1 */
	uint32_t used_slots;	      /* the highest slot written, + 1 */
	unsigned fixed_length;	      /* of every page; 0: by the configuration */
};

/* "FILE: @cause"; returns @ret. */
int verify_zram_fail(struct zram_run *run, int ret, const char *cause);
/* What zram_write() returned, in words; @column is the one at fault. */
int verify_zram_write_failed(struct zram_run *run, int column, int ret);
/* Compares the device with the row. */
int verify_zram_stats(struct zram_run *run);
void verify_zram_discard_all(struct zram_run *run);

/* verify_zram_made.c: the forms whose pages the recorder made of zeros and random bytes. */
int verify_zram_sweep(struct zram_run *run);
int verify_zram_fixed(struct zram_run *run);

#endif
