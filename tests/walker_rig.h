/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walkers and requests for their tests, and the page of case C15 with its frames. */
#ifndef TESTS_WALKER_RIG_H
#define TESTS_WALKER_RIG_H

#include "backends/walker.h"

#define RIG_MAX_ENTRIES 8

/* @change: "KEY=VALUE" or NULL. */
struct walker *rig_walker(const char *preset, const char *change);
/* Skips the test, and destroys @w, if CPUIDs cannot be counted here. */
void rig_needs_counting(struct walker *w);

struct side {
	struct walker_side side;
	unsigned lengths[RIG_MAX_ENTRIES];
};

void side_init(struct side *s, enum walker_kind kind, const unsigned *lengths, unsigned nr);

#define SIDE(s, kind, ...)                                                                         \
	side_init(s, kind, (const unsigned[]){__VA_ARGS__},                                        \
		  sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))
#define SG(s, ...)   SIDE(s, WALKER_SG, __VA_ARGS__)
#define VIRT(s, len) SIDE(s, WALKER_VIRT, len)

const struct walker_result *rig_walk(struct walker *w, bool compress, const struct side *src,
				     const struct side *dst, const void *bytes);

/* The names of the steps, in order, as words. */
#define assert_steps(res, expected) rig_assert_steps(res, expected, __FILE__, __LINE__)
/* The ids in order: "1 2 8". */
#define assert_quirks(res, expected) rig_assert_quirks(res, expected, __FILE__, __LINE__)
void rig_assert_steps(const struct walker_result *res, const char *expected, const char *file,
		      int line);
void rig_assert_quirks(const struct walker_result *res, const char *expected, const char *file,
		       int line);
bool rig_met(const struct walker_result *res, unsigned id);

/* 32-bit counters; frames of them in one shot, and streamed as 2048 and 2048; and of 64 bytes. */
struct c15 {
	uint8_t page[4096], one[8192], stream[8192], small[1024];
	unsigned one_len, stream_len, small_len;
	bool exact; /* the figures of C15 are this library's */
};

void c15_init(struct c15 *c);

#endif
