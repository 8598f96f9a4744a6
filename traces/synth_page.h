/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages made to compress to a wanted size. A page is runs of literals between copies of what stands
 * earlier in it, as an LZ77 compressor sees any page. Its style says what the literals are drawn
 * from (hence their entropy) and how the copies are cut; one knob moves it from all copies to all
 * noise, and the compressed size grows with the knob.
 *
 * Everything that could make the size waver is dealt from a fixed deck and shuffled, in place of
 * drawn: how often each byte occurs, how long runs and copies are. What remains is where they fall.
 */
#ifndef TRACES_SYNTH_PAGE_H
#define TRACES_SYNTH_PAGE_H

#include <stdint.h>

#include "traces/random.h"

#define SYNTH_PAGE_BYTES 4096u

/* 1 to 4096: that many literals; beyond, that many above 4096 of all 4096 are evenly random. */
#define SYNTH_KNOB_MAX 8191u

enum synth_alphabet {
	SYNTH_PROSE,   /* letters by how frequent they are, then the rest of ASCII */
	SYNTH_RECORDS, /* blanks, digits and punctuation first */
	SYNTH_BINARY,  /* 0, 255, 1, 254, 2, ... */
};

struct synth_style {
	enum synth_alphabet alphabet;
	/* Each byte of the alphabet is this much as frequent as the one before it: /65536. */
	uint16_t decay;
	uint8_t copy_bytes; /* mean length of a copy, at least 5 */
	uint8_t run_bytes;  /* least mean length of a run of literals, at least 1 */
};

/* A style made ready. */
struct synth_maker {
	struct synth_style style;
	uint8_t alphabet[256];
	uint32_t cumulative[257]; /* share of the bytes before each in the alphabet, / 2^24 */
};

void synth_maker_init(struct synth_maker *m, const struct synth_style *style);
/* @knob 1 to SYNTH_KNOB_MAX. The same random state gives the same page, on any machine. */
void synth_page_make(const struct synth_maker *m, unsigned knob, struct random *r,
		     uint8_t page[SYNTH_PAGE_BYTES]);

#endif
