/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages made from a seed, the same bytes on every machine: inputs of tests, and of recorded
 * figures. */
#ifndef TESTS_GEN_PAGE_H
#define TESTS_GEN_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64: a generator in one word. */
uint64_t gen_random(uint64_t *state);
void gen_random_bytes(uint64_t *state, void *buf, size_t size);

enum gen_kind {
	GEN_CONSTANT,	 /* one byte, repeated */
	GEN_WORD,	 /* one word of eight bytes, repeated */
	GEN_COUNTERS,	 /* 32-bit little-endian counters with a random start and step */
	GEN_TEXT,	 /* words of a small vocabulary */
	GEN_POINTERS,	 /* 64-bit addresses of a few arrays, and small integers */
	GEN_SPARSE,	 /* zeros, and here and there a short random string */
	GEN_PART_RANDOM, /* random bytes, then zeros: from 1 % of the page to, often, all of it */
	GEN_NOISY_TEXT,	 /* text in which some bytes are random */
	GEN_NR_KINDS,
};

/* Fills @size bytes. */
void gen_fill(enum gen_kind kind, uint64_t seed, void *buf, size_t size);
/* The project's page P of many tests: 32-bit little-endian counters 0, 1, 2, ... */
void gen_counters(void *buf, size_t size);
/* @nr_random random bytes, then zeros. */
void gen_part_random(uint64_t seed, size_t nr_random, void *buf, size_t size);

#endif
