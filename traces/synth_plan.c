// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/synth_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sizes waver around their targets, mostly by less: they keep off the edges of their bins. */
#define MARGIN 12

/* The last sizes of the last bin are never reached: zstd keeps no block that saves nothing. */
#define LARGEST_BYTES 4039

struct rank {
	int64_t key;
	uint32_t page;
};

static int rank_compare(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

/* About normal, in integers: standard deviation 37837. */
static int64_t noise_draw(struct random *r)
{
	uint64_t bits = random_u64(r);

	return (int64_t)(bits >> 48) + (bits >> 32 & 0xffff) + (bits >> 16 & 0xffff) +
	       (bits & 0xffff) - 2 * 0xffff;
}

/* Pages by rank: a slow walk (half forgotten after 22 pages) and noise, added. */
static void ranks_draw(const struct synth_file *file, struct random *r, struct rank *ranks)
{
	int64_t walk = 0;

	/* From the first page on it shall be anywhere. */
	for (int i = 0; i < 256; i++)
		walk = walk * 31 / 32 + noise_draw(r);
	for (uint32_t i = 0; i < file->figures.pages; i++) {
		walk = walk * 31 / 32 + noise_draw(r);
		/* 4 = the standard deviation of the walk over that of its steps. */
		ranks[i].key = walk * file->slow + 4 * noise_draw(r) * file->white;
		ranks[i].page = i;
	}
	qsort(ranks, file->figures.pages, sizeof(*ranks), rank_compare);
}

static int target_in_bin(unsigned bin, unsigned k, unsigned count)
{
	int low = bin * SYNTH_BIN_BYTES + 1, high = low + SYNTH_BIN_BYTES - 1;

	if (high > LARGEST_BYTES)
		high = LARGEST_BYTES;
	low += MARGIN;
	high -= MARGIN;
	return low + (high - low) * (2 * (int)k + 1) / (2 * (int)count);
}

/* Ascending sizes; their mean is the figures' as far as shifting inside the margins allows. */
static void targets_ascending(const struct synth_figures *f, uint16_t *sorted)
{
	int64_t sum = (int64_t)f->zero * SYNTH_ZERO_PAGE_BYTES + f->incompressible * 4096;
	uint32_t n = 0, first;
	int shift;

	while (n < f->zero)
		sorted[n++] = SYNTH_TARGET_ZERO;
	first = n;
	for (unsigned bin = 0; bin < SYNTH_BINS; bin++) {
		unsigned count = bin ? f->bins[bin] : f->bins[bin] - f->zero;

		for (unsigned k = 0; k < count; k++, n++) {
			sorted[n] = target_in_bin(bin, k, count);
			sum += sorted[n];
		}
	}
	shift = ((int64_t)f->mean_zstd * f->pages - sum) / (n - first);
	if (shift > MARGIN / 2)
		shift = MARGIN / 2;
	if (shift < -MARGIN / 2)
		shift = -MARGIN / 2;
	for (uint32_t i = first; i < n; i++)
		sorted[i] += shift;
	while (n < f->pages)
		sorted[n++] = SYNTH_TARGET_RANDOM;
}

int synth_plan_init(struct synth_plan *plan, const struct synth_file *file, const uint16_t *sizes,
		    uint64_t seed, uint32_t stream)
{
	uint32_t nr = file->figures.pages;
	struct rank *ranks = malloc(nr * sizeof(*ranks));
	uint16_t *sorted = malloc(nr * sizeof(*sorted));
	struct random r;
	int ret = -ENOMEM;

	plan->targets = malloc(nr * sizeof(*plan->targets));
	if (!ranks || !sorted || !plan->targets)
		goto out;
	synth_maker_init(&plan->maker, &file->style);
	plan->sizes = sizes;
	plan->seed = seed;
	plan->stream = (uint64_t)stream << 32;
	plan->nr_pages = nr;
	random_init(&r, seed, plan->stream);
	ranks_draw(file, &r, ranks);
	targets_ascending(&file->figures, sorted);
	for (uint32_t i = 0; i < nr; i++)
		plan->targets[ranks[i].page] = sorted[i];
	ret = 0;
out:
	free(sorted);
	free(ranks);
	if (ret)
		synth_plan_finish(plan);
	return ret;
}

void synth_plan_finish(struct synth_plan *plan)
{
	free(plan->targets);
	plan->targets = NULL;
}

void synth_plan_page(const struct synth_plan *plan, uint32_t i, uint8_t page[SYNTH_PAGE_BYTES])
{
	unsigned target = plan->targets[i];
	struct random r;

	/* Each page has a stream of its own, the plan had stream 0. */
	random_init(&r, plan->seed, plan->stream + i + 1);
	if (target == SYNTH_TARGET_ZERO)
		memset(page, 0, SYNTH_PAGE_BYTES);
	else if (target == SYNTH_TARGET_RANDOM)
		random_bytes(&r, page, SYNTH_PAGE_BYTES);
	else
		synth_page_make(&plan->maker, synth_knob(plan->sizes, target), &r, page);
}

unsigned synth_knob(const uint16_t sizes[SYNTH_NR_KNOBS], unsigned target)
{
	unsigned want = target * 8, i = 0;

	while (i < SYNTH_NR_KNOBS && sizes[i] && sizes[i] < want)
		i++;
	if (i == 0)
		return synth_knobs[0];
	if (i == SYNTH_NR_KNOBS || sizes[i] == 0)
		return synth_knobs[i - 1];
	/* sizes[i - 1] < want <= sizes[i] */
	return synth_knobs[i - 1] + (synth_knobs[i] - synth_knobs[i - 1]) * (want - sizes[i - 1]) /
					    (sizes[i] - sizes[i - 1]);
}
