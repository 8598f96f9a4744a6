// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/counting.h"

int counting_setup(void **state)
{
	char reason[CPUID_REASON_SIZE];

	*state = NULL;
	if (!cpuid_can_count(reason, sizeof(reason)))
		return 0;
	print_message("# SKIP %s\n", reason);
	*state = (void *)1;
	return 0;
}

void counting_assert(const char *name, void (*fn)(void *), void *arg, unsigned steps,
		     unsigned cpuids)
{
	struct cpuid_count c;
	int ret = cpuid_count_call(fn, arg, NULL, &c);

	if (ret || c.steps != steps || c.cpuids != cpuids)
		fail_msg("%s: %d (%s), %u steps in place of %u, %u CPUIDs of %u", name, ret,
			 c.reason, (unsigned)c.steps, steps, (unsigned)c.cpuids, cpuids);
}

#if defined(__x86_64__)

void counting_assert_trap_flag_is_clear(void)
{
	assert_int_equal(__builtin_ia32_readeflags_u64() & 0x100, 0);
}

CODE(code_nothing, "ret");
CODE(code_cpuid_7, "push %rbx\n mov $7, %eax\n xor %ecx, %ecx\n cpuid\n pop %rbx\n ret");
CODE(code_cpuid_0_0, "push %rbx\n xor %eax, %eax\n cpuid\n cpuid\n pop %rbx\n ret");
CODE(code_loop, "push %rbx\n mov $1000, %rsi\n"
		"1: xor %eax, %eax\n cpuid\n dec %rsi\n jnz 1b\n"
		"nop\n pop %rbx\n ret");

#endif
