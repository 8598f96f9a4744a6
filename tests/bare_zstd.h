/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the port is measured against: a bare loop over libzstd that builds the same contexts for the
 * same pages, in one workspace, with nothing around it.
 */
#ifndef TESTS_BARE_ZSTD_H
#define TESTS_BARE_ZSTD_H

#include <stdbool.h>
#include <stdint.h>

struct bare_zstd;

struct bare_config {
	uint64_t nr_slots; /* objects are kept by slot, from 0 */
	unsigned params_hint;
	bool deferred; /* no context for a stream that is not used */
	bool restored; /* contexts are copied, not built: no CPUID */
};

/* Whatever fails in here ends the program with a line on stderr. */
struct bare_zstd *bare_create(const struct bare_config *config);
void bare_destroy(struct bare_zstd *b);

/*
 * ns of one page, by CLOCK_MONOTONIC. @data: 4096 bytes. A page of zeros is not compressed. The
 * stored length is 0 then, and 4096 if it did not shrink.
 */
uint64_t bare_store(struct bare_zstd *b, uint64_t slot, const void *data);
unsigned bare_length(const struct bare_zstd *b, uint64_t slot);
/* @first: bytes in the first of two parts that the object lies in; 0: it is in one. */
uint64_t bare_load(struct bare_zstd *b, uint64_t slot, unsigned first);

#endif
