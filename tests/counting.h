/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests that count by stepping: code of a known number of instructions, and a way to skip where
 * nothing can be counted (under a debugger, say).
 */
#ifndef TESTS_COUNTING_H
#define TESTS_COUNTING_H

#include "backends/cpuid.h"
#include "tests/test.h"

/* Setup of a test that begins with NEEDS_COUNTING(). */
int counting_setup(void **state);
#define COUNTING_TEST(name) cmocka_unit_test_setup(name, counting_setup)
#define NEEDS_COUNTING()                                                                           \
	do {                                                                                       \
		if (*state)                                                                        \
			skip();                                                                    \
	} while (0)

#define assert_counts(fn, arg, steps, cpuids) counting_assert(#fn, fn, arg, steps, cpuids)
void counting_assert(const char *name, void (*fn)(void *), void *arg, unsigned steps,
		     unsigned cpuids);

#if defined(__x86_64__)

void counting_assert_trap_flag_is_clear(void);

void code_nothing(void *arg);	/* 1 instruction */
void code_cpuid_7(void *arg);	/* 6, one of them CPUID leaf 7 */
void code_cpuid_0_0(void *arg); /* 6, two of them CPUID, one after the other */
#define CODE_LOOP_ROUNDS 1000
#define CODE_LOOP_STEPS	 (5 + 4 * CODE_LOOP_ROUNDS)
void code_loop(void *arg); /* one CPUID a round */

/* Further ones where they are needed. rbx is to be saved. */
#define CODE(name, body)                                                                           \
	void name(void *arg);                                                                      \
	__asm__(".text\n.globl " #name "\n.hidden " #name "\n" #name ":\n" body "\n")

#endif

#endif
