// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/synth_measure.h"

#include <stdlib.h>
#include <string.h>

void synth_count_page(struct synth_count *count, struct codec_sizes *codecs,
		      const uint8_t page[SYNTH_PAGE_BYTES])
{
	unsigned size = codec_zstd_size(codecs, page);

	count->pages++;
	count->sum_zstd += size;
	count->sum_lz4 += codec_lz4_size(page);
	if (size == CODEC_NO_FIT)
		count->incompressible++;
	else
		count->bins[(size - 1) / SYNTH_BIN_BYTES]++;
	/* Zero pages are in the first bin of the figures, too. */
	if (page[0] == 0 && !memcmp(page, page + 1, SYNTH_PAGE_BYTES - 1))
		count->zero++;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

struct synth_errors synth_count_errors(const struct synth_count *count,
				       const struct synth_figures *figures)
{
	uint32_t sum = apart(count->zero, figures->zero) +
		       apart(count->incompressible, figures->incompressible);

	for (unsigned bin = 0; bin < SYNTH_BINS; bin++)
		sum += apart(count->bins[bin], figures->bins[bin]);
	return (struct synth_errors){
		.zstd = (double)count->sum_zstd / count->pages / figures->mean_zstd - 1,
		.lz4 = (double)count->sum_lz4 / count->pages / figures->mean_lz4 - 1,
		.bins = (double)sum / figures->pages,
	};
}
