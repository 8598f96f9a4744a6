/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUID instruction: counted by executing, answered in place of the processor, and timed
 * (x86-64; elsewhere there is none, and whatever would count it says so).
 *
 * A call is counted by running it with the trap flag set: the processor stops behind each
 * instruction, and a SIGTRAP handler looks at the one that comes next. That costs about 10 us an
 * instruction. The same handler can answer a CPUID itself and step over it, so that a library sees
 * a processor that is not there (struct cpuid_cpu).
 */
#ifndef BACKENDS_CPUID_H
#define BACKENDS_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* eax, ebx, ecx, edx */
enum cpuid_reg { CPUID_EAX, CPUID_EBX, CPUID_ECX, CPUID_EDX, CPUID_NR_REGS };

#define CPUID_7_EBX_BMI1       (1u << 3)
#define CPUID_7_EBX_BMI2       (1u << 8)
#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define CPUID_LEAF_HYPERVISOR  0x40000000u

/* Executes the instruction. False, and zeros, on a processor that has none. */
bool cpuid_execute(uint32_t leaf, uint32_t subleaf, uint32_t regs[CPUID_NR_REGS]);

/* Of this processor, 0 or 1. What libzstd asks for: leaf 7, if there is such a leaf. */
bool cpuid_has_bmi1(void);
bool cpuid_has_bmi2(void);

/* ---- a synthetic CPU: this one, but for some bits ---- */

struct cpuid_force {
	uint32_t leaf, subleaf;
	enum cpuid_reg reg;
	uint32_t mask, value; /* the bits of @mask become those of @value */
};

#define CPUID_MAX_FORCES 8

struct cpuid_cpu {
	unsigned nr;
	struct cpuid_force force[CPUID_MAX_FORCES];
};

/* Of cpuid_cpu_parse(), for messages and help. */
#define CPUID_CPU_KEYS "bmi1, bmi2, hypervisor (0 or 1), maxleaf (0 to 65535)"

/*
 * Reads "bmi1=0,bmi2=1". 0, or -EINVAL and one line in @err. Leaf 7 of a CPU whose maxleaf is less
 * is all zeros.
 */
int cpuid_cpu_parse(struct cpuid_cpu *cpu, const char *text, char *err, size_t err_size);

/* One that has, or has not, BMI1 and BMI2, and leaf 7 in any case. */
void cpuid_cpu_with_bmi(struct cpuid_cpu *cpu, bool bmi1, bool bmi2);

/* What @cpu answers. @cpu may be NULL: this processor. */
void cpuid_cpu_answer(const struct cpuid_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		      uint32_t regs[CPUID_NR_REGS]);

/* ---- counting ---- */

struct cpuid_record {
	uint32_t leaf, subleaf;	      /* eax and ecx before */
	uint32_t regs[CPUID_NR_REGS]; /* after */
};

#define CPUID_MAX_RECORDS 16
#define CPUID_REASON_SIZE 160

struct cpuid_count {
	/*
	 * Instructions, from the function's first to its return. A string instruction with a REP
	 * prefix counts as many times as it repeats, as the trap flag makes it.
	 */
	uint64_t steps;
	uint64_t cpuids;
	unsigned nr_records; /* the first of them */
	struct cpuid_record records[CPUID_MAX_RECORDS];
	char reason[CPUID_REASON_SIZE]; /* why there is no count, one line; "" after 0 */
};

/*
 * Whether calls can be counted here: 0, or -ENOTSUP and the reason in words (another processor, a
 * debugger, valgrind). Tries it on a few instructions.
 */
int cpuid_can_count(char *reason, size_t size);

/*
 * Calls @fn(@arg), counted. With @cpu (or NULL) each CPUID is answered as that CPU would.
 *
 * Other signals may arrive meanwhile: their handlers run at full speed and are not counted. Several
 * threads may count at a time. Handlers of SIGTRAP, SIGILL, SIGSEGV, SIGBUS and SIGFPE are taken
 * over for the time of the call; what is not ours is passed on to them. @fn must return: no
 * longjmp() out of it.
 *
 * 0; or, without @fn having been called: -ENOTSUP (as cpuid_can_count()) or -EBUSY (called from
 * within a call that is being counted); or -ECANCELED: @fn was called and has returned, but could
 * not be followed to its end (it started a thread, say). The count is then zero.
 */
int cpuid_count_call(void (*fn)(void *arg), void *arg, const struct cpuid_cpu *cpu,
		     struct cpuid_count *count);

#endif
