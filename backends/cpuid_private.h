/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of backends/cpuid. */
#ifndef BACKENDS_CPUID_PRIVATE_H
#define BACKENDS_CPUID_PRIVATE_H

#include "backends/cpuid.h"

/* Of memory that is no object of this program: code, and the stack of the code that is stepped. */
#define CPUID_RAW_ACCESS __attribute__((no_sanitize("address", "undefined")))

/* What the counter must know of an instruction that comes next. */
enum cpuid_insn_kind {
	CPUID_INSN_OTHER,
	CPUID_INSN_CPUID,
	CPUID_INSN_PUSHF,  /* the flags that it stores have the trap flag set */
	CPUID_INSN_KERNEL, /* syscall, int: the processor does not stop behind it */
	CPUID_INSN_STRING, /* rep stos or rep movs, of the plain forms */
	CPUID_INSN_UNREADABLE,
};

struct cpuid_insn {
	enum cpuid_insn_kind kind;
	unsigned length; /* bytes; of kinds other than OTHER and UNREADABLE */
	bool syscall;	 /* of KERNEL: the 64-bit one */
	bool movs;	 /* of STRING: not stos */
	unsigned width;	 /* of STRING: bytes a repetition, 1, 2, 4 or 8 */
};

/* Whether the byte at this address of the code can be read. */
typedef bool (*cpuid_readable_fn)(void *arg, uint64_t address);

/* Looks at no more bytes than the processor would, and at none that @readable denies. */
void cpuid_decode(uint64_t address, cpuid_readable_fn readable, void *arg, struct cpuid_insn *insn);

/*
 * cpuid_count_call() without asking first whether counting is possible; -ECANCELED if it turns out
 * that it is not.
 */
int cpuid_step(void (*fn)(void *arg), void *arg, const struct cpuid_cpu *cpu,
	       struct cpuid_count *count);
/* Steps through code of which the counts are known: whether they are found. */
bool cpuid_step_works(void);
/* Whether this thread is within cpuid_step(). */
bool cpuid_stepping(void);

#endif
