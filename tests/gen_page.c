// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/gen_page.h"

#include <string.h>

uint64_t gen_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Byte by byte: what is drawn depends neither on the byte order nor on alignment. */
static void put_le(uint8_t *p, size_t size, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width && i < size; i++)
		p[i] = value >> 8 * i;
}

void gen_random_bytes(uint64_t *state, void *buf, size_t size)
{
	uint8_t *p = buf;

	for (size_t i = 0; i < size; i += 8)
		put_le(p + i, size - i, gen_random(state), 8);
}

static void fill_counters(uint32_t first, uint32_t step, uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i += 4)
		put_le(p + i, size - i, first + i / 4 * step, 4);
}

static void fill_text(uint64_t seed, uint8_t *p, size_t size)
{
	static const char *const words[] = {
		"the",	  "page",      "of",	     "a",	  "slot", "kernel", "and",
		"pool",	  "is",	       "compressed", "to",	  "swap", "in",	    "reclaim",
		"object", "handle",    "list",	     "zero",	  "that", "which",  "stored",
		"memory", "class",     "first",	     "writeback", "for",  "limit",  "not",
		"entry",  "reference", "it",	     "accept",
	};
	size_t n = 0, column = 0;

	while (n < size) {
		const char *word = words[gen_random(&seed) % (sizeof(words) / sizeof(words[0]))];

		for (; *word && n < size; column++)
			p[n++] = *word++;
		if (n < size)
			p[n++] = column > 60 ? '\n' : ' ';
		if (column > 60)
			column = 0;
	}
}

static void fill_pointers(uint64_t seed, uint8_t *p, size_t size)
{
	uint64_t bases[4];

	for (int i = 0; i < 4; i++)
		bases[i] = 0xffff888000000000u | (gen_random(&seed) & 0x3ffffffff000u);
	for (size_t i = 0; i < size; i += 8) {
		uint64_t r = gen_random(&seed);

		put_le(p + i, size - i, r % 3 ? bases[r >> 8 & 3] + (r >> 16 & 0xff) * 64 : r >> 58,
		       8);
	}
}

static void fill_sparse(uint64_t seed, uint8_t *p, size_t size)
{
	memset(p, 0, size);
	for (size_t n = gen_random(&seed) % 200; n < size; n += 40 + gen_random(&seed) % 400) {
		size_t len = 1 + gen_random(&seed) % 24;

		gen_random_bytes(&seed, p + n, len < size - n ? len : size - n);
	}
}

static void fill_noisy_text(uint64_t seed, uint8_t *p, size_t size)
{
	unsigned every = 3 + gen_random(&seed) % 40;

	fill_text(seed, p, size);
	for (size_t n = 0; n < size; n += 1 + gen_random(&seed) % every)
		p[n] = gen_random(&seed);
}

void gen_counters(void *buf, size_t size)
{
	fill_counters(0, 1, buf, size);
}

void gen_part_random(uint64_t seed, size_t nr_random, void *buf, size_t size)
{
	memset(buf, 0, size);
	gen_random_bytes(&seed, buf, nr_random);
}

void gen_fill(enum gen_kind kind, uint64_t seed, void *buf, size_t size)
{
	uint64_t state = seed * GEN_NR_KINDS + kind, word = gen_random(&state);
	uint8_t *p = buf;

	switch (kind) {
	case GEN_CONSTANT:
		memset(p, 1 + word % 255, size);
		break;
	case GEN_WORD:
		for (size_t i = 0; i < size; i += 8)
			put_le(p + i, size - i, word, 8);
		break;
	case GEN_COUNTERS:
		fill_counters(word, 1 + (word >> 32) % 1000, p, size);
		break;
	case GEN_TEXT:
		fill_text(state, p, size);
		break;
	case GEN_POINTERS:
		fill_pointers(state, p, size);
		break;
	case GEN_SPARSE:
		fill_sparse(state, p, size);
		break;
	case GEN_PART_RANDOM:
		word = 1 + word % 128;
		gen_part_random(state, word < 100 ? size * word / 100 : size, p, size);
		break;
	case GEN_NOISY_TEXT:
		fill_noisy_text(state, p, size);
		break;
	case GEN_NR_KINDS:
		break;
	}
}
