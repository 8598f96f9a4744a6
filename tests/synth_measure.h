/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How near the synthetic pages of a file are to its figures. */
#ifndef TESTS_SYNTH_MEASURE_H
#define TESTS_SYNTH_MEASURE_H

#include "tests/codec_sizes.h"
#include "traces/synth_silesia.h"

/* Pages that were counted; all zero at first. */
struct synth_count {
	uint32_t pages, zero, incompressible;
	uint32_t bins[SYNTH_BINS];
	uint64_t sum_zstd, sum_lz4;
};

void synth_count_page(struct synth_count *count, struct codec_sizes *codecs,
		      const uint8_t page[SYNTH_PAGE_BYTES]);

/* Relative to the figures; 0.03 is 3 %. */
struct synth_errors {
	double zstd, lz4; /* of the means, signed */
	/* Sum over bins, zero pages and incompressible pages of the difference in pages, / pages.
	 */
	double bins;
};

struct synth_errors synth_count_errors(const struct synth_count *count,
				       const struct synth_figures *figures);

#endif
