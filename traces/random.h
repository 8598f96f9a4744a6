/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A generator of our own (xoshiro256**, seeded by splitmix64), so that a seed gives the same bytes
 * with every C library. Whatever is drawn here in integers is the same on every machine.
 */
#ifndef TRACES_RANDOM_H
#define TRACES_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t s[4];
};

/* The stream @stream of the seed @seed: streams of one seed are independent. */
void random_init(struct random *r, uint64_t seed, uint64_t stream);

uint64_t random_u64(struct random *r);
/* Uniform over 0 to @n - 1, without bias; @n > 0. */
uint64_t random_below(struct random *r, uint64_t n);
/* Uniform over [0, 1), a multiple of 2^-53. */
double random_unit(struct random *r);
void random_bytes(struct random *r, void *buf, size_t n);

/*
 * A fixed pseudo-random permutation of 0 to @n - 1 in constant memory: where @i goes under @key.
 * @i < @n, @n <= 2^62.
 */
uint64_t random_permute(uint64_t i, uint64_t n, uint64_t key);

#endif
