// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound_areas.h"

#include <errno.h>
#include <stdlib.h>

int areas_add(struct areas *areas, uint64_t area)
{
	unsigned shift = area < AREAS_SUBS ? 0 : 63 - __builtin_clzll(area) - AREAS_SUB_BITS;
	unsigned octave = area < AREAS_SUBS ? 0 : shift + 1;
	struct areas_bucket *bucket;

	if (octave >= AREAS_NR_OCTAVES)
		return -EOVERFLOW;
	if (!areas->octave[octave])
		areas->octave[octave] = calloc(AREAS_SUBS, sizeof(*bucket));
	if (!areas->octave[octave])
		return -ENOMEM;
	bucket = &areas->octave[octave][(area >> shift) % AREAS_SUBS];
	if (!bucket->nr || area < bucket->least)
		bucket->least = area;
	bucket->nr++;
	bucket->sum += area;
	areas->nr++;
	return 0;
}

uint64_t areas_fit(const struct areas *areas, area_t room)
{
	uint64_t nr = 0;

	for (unsigned i = 0; i < AREAS_NR_OCTAVES * AREAS_SUBS; i++) {
		const struct areas_bucket *b;

		if (!areas->octave[i / AREAS_SUBS])
			continue;
		b = &areas->octave[i / AREAS_SUBS][i % AREAS_SUBS];
		if (b->sum > room) {
			uint64_t more = room / b->least;

			return nr + (more < b->nr ? more : b->nr);
		}
		room -= b->sum;
		nr += b->nr;
	}
	return nr;
}

void areas_finish(struct areas *areas)
{
	for (unsigned i = 0; i < AREAS_NR_OCTAVES; i++)
		free(areas->octave[i]);
}
