/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of lengths share: small traces in the scratch directory, and their lengths. */
#ifndef TESTS_LENGTHS_RIG_H
#define TESTS_LENGTHS_RIG_H

#include "sim/lengths.h"
#include "sim/profile.h"

/* A trace of @nr contents (tests/machine.h) from @first on; content 0 is zeros. */
const char *rig_trace(const char *name, uint32_t first, unsigned nr);
struct trace_reader *rig_reader(const char *path);
/* A preset with up to one change; overwritten by the next call. */
const struct profile *rig_profile(const char *kernel, const char *set);
/* Of 7.3, by two threads, with a file. */
struct lengths_config rig_config(const char *compressor);
struct lengths *rig_lengths(const char *path, const struct lengths_config *config);
void assert_same_lengths(const struct lengths *a, const struct lengths *b);

#endif
