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

/* The pages of one file. */
struct synth_plan {
	struct synth_maker maker;
	const uint16_t *sizes;
	uint64_t seed, stream;
	uint32_t nr_pages;
	/*
	 * Bytes that page i should be compressed to: exactly as many of each bin as the figures
	 * say, spread inside the bin, in an order in which neighbours are alike as far as the
	 * file's slow and white say.
	 */
	uint16_t *targets;
};

/*
 * @sizes: how knob and size of the file's style belong together, as in synth_silesia_sizes.
 * Plans of one @seed that differ in @stream (below 2^32) have other pages. 0 or -ENOMEM.
 */
int synth_plan_init(struct synth_plan *plan, const struct synth_file *file, const uint16_t *sizes,
		    uint64_t seed, uint32_t stream);
void synth_plan_finish(struct synth_plan *plan);

/* Page @i < nr_pages; in any order. */
void synth_plan_page(const struct synth_plan *plan, uint32_t i, uint8_t page[SYNTH_PAGE_BYTES]);

/* The knob at which pages have @target bytes in the mean, or the nearest. */
unsigned synth_knob(const uint16_t sizes[SYNTH_NR_KNOBS], unsigned target);

#endif
