// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/random.h"

#include <string.h>

static uint64_t mix64(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static uint64_t splitmix64(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return mix64(*state);
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void random_init(struct random *r, uint64_t seed, uint64_t stream)
{
	/* Hashed first: seed 1, stream 2 must not be what seed 2, stream 1 is. */
	uint64_t state = mix64(seed + 0x9e3779b97f4a7c15ull) ^ stream;

	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&state);
}

uint64_t random_u64(struct random *r)
{
	uint64_t result = rotl(r->s[1] * 5, 7) * 9;
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotl(r->s[3], 45);
	return result;
}

uint64_t random_below(struct random *r, uint64_t n)
{
	/* The high half of a product is uniform but for the first 2^64 mod n low halves. */
	__uint128_t product = (__uint128_t)random_u64(r) * n;

	if ((uint64_t)product < n) {
		uint64_t reject = -n % n;

		while ((uint64_t)product < reject)
			product = (__uint128_t)random_u64(r) * n;
	}
	return product >> 64;
}

double random_unit(struct random *r)
{
	return (double)(random_u64(r) >> 11) * 0x1p-53;
}

void random_bytes(struct random *r, void *buf, size_t n)
{
	unsigned char *p = buf;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t x = random_u64(r);
		size_t len = n - i < 8 ? n - i : 8;

		for (size_t b = 0; b < len; b++)
			p[i + b] = x >> (8 * b);
	}
}

uint64_t random_permute(uint64_t i, uint64_t n, uint64_t key)
{
	unsigned bits = n > 2 ? 64 - __builtin_clzll(n - 1) : 1;
	uint64_t mask = (1ull << bits) - 1;

	/* A bijection of the next power of two, walked until it is back inside. */
	do {
		for (int round = 0; round < 4; round++) {
			i = (i + mix64(key + round)) & mask;
			i = (i * (2 * mix64(key ^ (round + 17)) + 1)) & mask;
			i ^= i >> (bits / 2 + 1);
		}
	} while (i >= n);
	return i;
}
