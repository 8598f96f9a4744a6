/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How near the synthetic pages of a file are to its figures. */
#ifndef TESTS_SYNTH_MEASURE_H
#define TESTS_SYNTH_MEASURE_H

#include "tests/codec_sizes.h"
#include "traces/synth_silesia.h"

struct synth_measured {
	uint64_t seed;
	double mean_zstd, mean_lz4; /* bytes */
	/* Sum over bins, zero pages and incompressible pages of the difference in pages, / pages.
	 */
	double bin_difference;
};

void synth_measure(struct codec_sizes *codecs, const struct synth_file *file,
		   const uint16_t sizes[SYNTH_NR_KNOBS], uint64_t seed,
		   struct synth_measured *measured);

#endif
