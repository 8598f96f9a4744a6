// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the CPUIDs of a call and prints their number, or why it cannot. Built without sanitizers,
 * which valgrind does not run.
 */
#include <stdio.h>

#include "backends/cpuid.h"

static void ask_twice(void *arg)
{
	uint32_t regs[CPUID_NR_REGS];

	cpuid_execute(0, 0, regs);
	cpuid_execute(7, 0, regs);
}

int main(void)
{
	struct cpuid_count count;

	if (cpuid_count_call(ask_twice, NULL, NULL, &count))
		printf("try: %s\n", count.reason);
	else
		printf("try: %u cpuids\n", (unsigned)count.cpuids);
	return 0;
}
