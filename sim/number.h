/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people write them: decimal digits and nothing else, no sign and no space. */
#ifndef SIM_NUMBER_H
#define SIM_NUMBER_H

#include <stdint.h>

/* 0, -EINVAL (not digits only) or -ERANGE (above 2^64 - 1). */
int number_read_u64(const char *text, uint64_t *value);
/* The same in bytes, with an optional suffix K, M, G or T (powers of 1024). */
int number_read_size(const char *text, uint64_t *value);
/*
 * "A" or "A-B", with A <= B: the first and the last of a range. *end is what follows it. 0, -EINVAL
 * or -ERANGE.
 */
int number_read_range(const char *text, const char **end, uint64_t *first, uint64_t *last);

#endif
