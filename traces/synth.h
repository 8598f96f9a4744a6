/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages made from figures, not from anyone's files. A profile says what they are like:
 *
 * silesia         as the pages of nine of the twelve files of the Silesia corpus compress, one by
 * one half            each page: 2048 random bytes, then 2048 zero bytes random-or-zero  every
 * other page random, the others zero
 *
 * The last two are both "50 % compressible": what differs is the grain.
 */
#ifndef TRACES_SYNTH_H
#define TRACES_SYNTH_H

#include "traces/maker.h"
#include "traces/synth_page.h"

#define SYNTH_MAX_ROUNDS 4096u

struct synth;

struct synth_config {
	const char *profile;
	uint64_t nr_pages; /* of half and random-or-zero; 0: 4096 */
	/* Of silesia: how many times over, each with other pages; to SYNTH_MAX_ROUNDS; 0: once. */
	uint64_t rounds;
	uint64_t seed;
};

/* 0, -ENOMEM, or -EINVAL (with a line in *err; it names the profiles if it is one not known). */
int synth_create(const struct synth_config *config, struct synth **out, struct trace_error *err);
void synth_destroy(struct synth *s); /* accepts NULL */

const char *synth_title(const struct synth *s); /* "silesia (synthetic)" */
/* At what grain its pages are compressible: a sentence without a full stop. */
const char *synth_grain(const struct synth *s);
uint64_t synth_nr_pages(const struct synth *s);

/*
 * The next page. @return 1; 0: there are no more; -ENOMEM. *file_ends: it is the last of a file.
 */
int synth_next(struct synth *s, uint8_t page[SYNTH_PAGE_BYTES], bool *file_ends);

/*
 * Writes the trace of all (remaining) pages, under the profile's title, or leaves what is at its
 * path as it was. 0 or a negative errno, and one line in *err.
 */
int trace_synth(struct synth *s, const struct trace_maker_config *maker, struct trace_made *made,
		struct trace_error *err);

#endif
