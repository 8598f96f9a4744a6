/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures that the profile "silesia" is made from: how the 4 KiB pages of nine of the twelve
 * files of the Silesia corpus (mozilla, sao and webster were not profiled) compress one by one.
 *
 * Only whole pages were counted. A size is that of a one-shot zstd frame at level 3 with the
 * parameters of crypto/zstd (ZSTD_getParams(3, 262144, 0)), made in a buffer of 4096 bytes; a page
 * that does not fit is "incompressible", is in none of the bins and counts 4096 in the mean. A zero
 * page is in the first bin, and in the mean, with its 19 bytes.
 */
#ifndef TRACES_SYNTH_SILESIA_H
#define TRACES_SYNTH_SILESIA_H

#include "traces/synth_page.h"

#define SYNTH_BINS	      32u
#define SYNTH_BIN_BYTES	      128u
#define SYNTH_ZERO_PAGE_BYTES 19u
#define SYNTH_NR_KNOBS	      112u

struct synth_figures {
	uint32_t pages;
	uint32_t zero, incompressible;
	uint32_t mean_zstd, mean_lz4; /* bytes */
	uint16_t bins[SYNTH_BINS];    /* bin i: sizes of 128 * i + 1 to 128 * (i + 1) bytes */
};

struct synth_file {
	const char *name;
	struct synth_figures figures;
	struct synth_style style; /* what brings mean_zstd and mean_lz4 together */
	/* How much of a page's rank by size is its neighbourhood's, and how much is its own. */
	uint8_t slow, white;
};

#define SYNTH_SILESIA_FILES 9u

extern const struct synth_file synth_silesia[SYNTH_SILESIA_FILES];

/* Knobs at which each style was measured, ascending; in synth_calibration.c, a generated file. */
extern const uint16_t synth_knobs[SYNTH_NR_KNOBS];
/* The mean size at each knob, in eighths of a byte, never descending; 0 from the first knob on at
 * which a page did not fit. */
extern const uint16_t synth_silesia_sizes[SYNTH_SILESIA_FILES][SYNTH_NR_KNOBS];

#endif
