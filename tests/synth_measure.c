// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/synth_measure.h"

#include <stdlib.h>
#include <string.h>

#include "traces/synth_plan.h"

/* Zero pages and those that do not fit have places of their own, behind the bins. */
#define ZERO  SYNTH_BINS
#define NOFIT (SYNTH_BINS + 1)

static bool is_zero(const uint8_t *page)
{
	return page[0] == 0 && !memcmp(page, page + 1, SYNTH_PAGE_BYTES - 1);
}

static double difference(const struct synth_figures *f, const uint32_t *counts)
{
	uint32_t sum = abs((int)counts[ZERO] - (int)f->zero) +
		       abs((int)counts[NOFIT] - (int)f->incompressible);

	for (unsigned bin = 0; bin < SYNTH_BINS; bin++)
		sum += abs((int)counts[bin] - (int)f->bins[bin]);
	return (double)sum / f->pages;
}

void synth_measure(struct codec_sizes *codecs, const struct synth_file *file,
		   const uint16_t sizes[SYNTH_NR_KNOBS], uint64_t seed,
		   struct synth_measured *measured)
{
	uint32_t counts[SYNTH_BINS + 2] = {0};
	uint64_t sum_zstd = 0, sum_lz4 = 0;
	uint8_t page[SYNTH_PAGE_BYTES];
	struct synth_plan plan;

	if (synth_plan_init(&plan, file, sizes, seed, file->figures.pages))
		abort();
	for (uint32_t i = 0; i < plan.nr_pages; i++) {
		unsigned size;

		synth_plan_page(&plan, i, page);
		size = codec_zstd_size(codecs, page);
		sum_zstd += size;
		sum_lz4 += codec_lz4_size(page);
		if (size == CODEC_NO_FIT)
			counts[NOFIT]++;
		else
			counts[(size - 1) / SYNTH_BIN_BYTES]++;
		/* Zero pages are in the first bin of the figures, too. */
		if (is_zero(page))
			counts[ZERO]++;
	}
	synth_plan_finish(&plan);
	measured->seed = seed;
	measured->mean_zstd = (double)sum_zstd / file->figures.pages;
	measured->mean_lz4 = (double)sum_lz4 / file->figures.pages;
	measured->bin_difference = difference(&file->figures, counts);
}
