/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From figures to pages: which size each page of a file should have, and the knob that gives it.
 */
#ifndef TRACES_SYNTH_PLAN_H
#define TRACES_SYNTH_PLAN_H

#include "traces/synth_silesia.h"

/* In place of a target size. */
#define SYNTH_TARGET_ZERO   0u
#define SYNTH_TARGET_RANDOM UINT16_MAX /* a page that no codec makes smaller */

/*
 * Fills targets[file->figures.pages]: exactly as many of each bin as the figures say, spread inside
 * the bin, in an order in which neighbours are alike as far as the file's slow/white says.
 * @return 0 or -ENOMEM
 */
int synth_plan(const struct synth_file *file, struct random *r, uint16_t *targets);

/* The knob at which pages have @target bytes in the mean, or the nearest. @sizes: see
 * synth_silesia_sizes. */
unsigned synth_knob(const uint16_t sizes[SYNTH_NR_KNOBS], unsigned target);

#endif
