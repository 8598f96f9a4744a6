/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Algorithms whose results a test chooses: a page says itself what it compresses to. "toy" takes
 * one unit, "toy-seg" takes as many as toy.batch says, and knows arrays of requests.
 */
#ifndef TESTS_TOY_ALG_H
#define TESTS_TOY_ALG_H

#include "sim/acomp_batch.h"

/* The device of the registry. */
struct toy {
	unsigned batch;
	/* Calls of the algorithm, and the units of each of the first ones. */
	unsigned calls, units[64];
};

/* @toy must outlive it. */
struct crypto_registry toy_registry(struct toy *toy);

/* @result: 0 to 4096 bytes, or a negative errno; @tag: what the result is made of. */
void toy_fill(void *page, int result, unsigned tag);
/* What toy_fill(page, length, tag) compresses to, into @buf. */
void toy_expect(void *buf, unsigned length, unsigned tag);

#endif
