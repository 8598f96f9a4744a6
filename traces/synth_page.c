// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/synth_page.h"

#include <stdbool.h>
#include <string.h>

#define PAGE	 SYNTH_PAGE_BYTES
#define MIN_COPY 4u /* shorter ones no codec here takes */
#define MAX_RUNS (PAGE / 5)

static const char prose[] = " etaoinshrdlucmfwygpbvk,.\nTSA-xIjqzHWB\"'EMCNPRDLOFG;:?!YJKUVQXZ"
			    "0123456789()";
static const char records[] = " 0123456789.-\nCHONE<>/=\"aeirtnos_:;,()[]";

static void alphabet_fill(uint8_t *alphabet, enum synth_alphabet which)
{
	const char *first = which == SYNTH_PROSE ? prose : which == SYNTH_RECORDS ? records : "";
	bool seen[256] = {false};
	unsigned n = 0;

	for (; *first; first++) {
		alphabet[n++] = *first;
		seen[(uint8_t)*first] = true;
	}
	for (unsigned i = 0; i < 256; i++) {
		uint8_t c = which != SYNTH_BINARY ? (i + 32) % 256 : i % 2 ? 255 - i / 2 : i / 2;

		if (!seen[c])
			alphabet[n++] = c;
	}
}

void synth_maker_init(struct synth_maker *m, const struct synth_style *style)
{
	uint64_t sum = 0, weight = 1ull << 32, before = 0;
	uint64_t weights[256];

	m->style = *style;
	alphabet_fill(m->alphabet, style->alphabet);
	for (unsigned i = 0; i < 256; i++) {
		weights[i] = weight;
		sum += weight;
		weight = weight * style->decay >> 16;
	}
	for (unsigned i = 0; i < 256; i++) {
		m->cumulative[i] = (before << 16) / (sum >> 8);
		before += weights[i];
	}
	m->cumulative[256] = 1u << 24;
}

/* Two draws from one number: a page takes thousands, and n is small beside 2^32. */
static void shuffle8(struct random *r, uint8_t *v, unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = n; i > 1; i--) {
		unsigned j;
		uint8_t t;

		bits = (n - i) % 2 ? bits << 32 : random_u64(r);
		j = (bits >> 32) * i >> 32;
		t = v[i - 1];
		v[i - 1] = v[j];
		v[j] = t;
	}
}

static void shuffle16(struct random *r, uint16_t *v, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (random_u64(r) >> 32) * i >> 32;
		uint16_t t = v[i - 1];

		v[i - 1] = v[j];
		v[j] = t;
	}
}

/* @n lengths that add up to @total: many short ones, a few up to three times the mean. */
static void lengths_deal(struct random *r, unsigned total, unsigned n, unsigned least,
			 uint16_t *len)
{
	uint64_t cube = (uint64_t)n * n * n, spread = total - n * least, before = 0;

	for (uint64_t i = 1; i <= n; i++) {
		uint64_t upto = spread * (i * i * i) / cube;

		len[i - 1] = least + upto - before;
		before = upto;
	}
	shuffle16(r, len, n);
}

/* @n literals, of which @noise are evenly random. */
static void literals_deal(const struct synth_maker *m, struct random *r, unsigned n, unsigned noise,
			  uint8_t *out)
{
	unsigned skewed = n - noise, at = 0;
	uint32_t turn = random_u64(r);

	for (unsigned i = 0; i < 256; i++) {
		unsigned upto = ((uint64_t)skewed * m->cumulative[i + 1] + (1u << 23)) >> 24;

		if (upto > at) {
			memset(out + at, m->alphabet[i], upto - at);
			at = upto;
		}
	}
	for (unsigned i = 0; i < noise; i++)
		out[skewed + i] = turn + i;
	shuffle8(r, out, n);
}

/*
 * From how far back the next @len bytes are copied: more often from near than from far. Neither
 * from where they overlap themselves, nor from where they would only go on with the copy before, if
 * that can be helped: a compressor sees through both, and the page would shrink by chance.
 */
static unsigned distance_draw(struct random *r, const uint8_t *page, unsigned pos, unsigned len,
			      unsigned before)
{
	unsigned least = len < pos ? len : pos, distance = pos;

	for (int i = 0; i < 8; i++) {
		uint64_t u = random_u64(r) >> 48;

		distance = least + (((pos - least + 1) * u >> 16) * u >> 16);
		if (before > pos || page[pos - distance] != page[pos - before])
			break;
	}
	return distance;
}

void synth_page_make(const struct synth_maker *m, unsigned knob, struct random *r,
		     uint8_t page[PAGE])
{
	unsigned nr_literals = knob < PAGE ? knob : PAGE, noise = knob < PAGE ? 0 : knob - PAGE;
	unsigned copied = PAGE - nr_literals, nr = copied / m->style.copy_bytes, pos = 0, first = 0;
	unsigned distance = 1, history;
	uint16_t run[MAX_RUNS], copy[MAX_RUNS];
	uint8_t literals[PAGE], *literal = literals;

	if (nr == 0) {
		literals_deal(m, r, PAGE, noise, page);
		return;
	}
	literals_deal(m, r, nr_literals, noise, literals);
	if (nr > nr_literals / m->style.run_bytes)
		nr = nr_literals / m->style.run_bytes;
	if (nr == 0)
		nr = 1;
	lengths_deal(r, nr_literals, nr, 0, run);
	lengths_deal(r, copied, nr, MIN_COPY, copy);
	/* The longest first: there is nothing to copy before it, and little variety after a short
	 * one. */
	for (unsigned i = 1; i < nr; i++) {
		if (run[i] > run[first])
			first = i;
	}
	history = run[first];
	run[first] = run[0];
	run[0] = history;
	for (unsigned i = 0; i < nr; i++) {
		memcpy(page + pos, literal, run[i]);
		literal += run[i];
		pos += run[i];
		distance = distance_draw(r, page, pos, copy[i], distance);
		for (unsigned j = 0; j < copy[i]; j++, pos++)
			page[pos] = page[pos - distance];
	}
}
