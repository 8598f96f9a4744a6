// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether calls can be counted here, and counting them. */
#include "backends/cpuid_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The process that traces this one (a debugger, strace), 0 if there is none or nobody knows. */
static int tracer_pid(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	int pid = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "TracerPid: %d", &pid) == 1)
			break;
	}
	fclose(file);
	return pid;
}

/* It puts libraries of its own into the program that it runs. */
static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");
	bool found = preload && strstr(preload, "vgpreload");
	FILE *file = found ? NULL : fopen("/proc/self/maps", "r");
	char line[4096];

	if (!file)
		return found;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "/vgpreload_");
	fclose(file);
	return found;
}

int cpuid_can_count(char *reason, size_t size)
{
#if !defined(__x86_64__)
	snprintf(reason, size, "CPUID is an instruction of x86: there is none here to count");
	return -ENOTSUP;
#else
	int pid = tracer_pid();

	if (pid) {
		snprintf(reason, size,
			 "cannot count here: a debugger or tracer (process %d) takes the stops",
			 pid);
		return -ENOTSUP;
	}
	if (under_valgrind()) {
		snprintf(reason, size,
			 "cannot count here: valgrind does not execute the program's "
			 "instructions one by one");
		return -ENOTSUP;
	}
	if (!cpuid_stepping() && !cpuid_step_works()) {
		snprintf(reason, size,
			 "cannot count here: the processor, or what emulates it, does "
			 "not stop behind each instruction");
		return -ENOTSUP;
	}
	*reason = '\0';
	return 0;
#endif
}

int cpuid_count_call(void (*fn)(void *arg), void *arg, const struct cpuid_cpu *cpu,
		     struct cpuid_count *count)
{
	int ret;

	memset(count, 0, sizeof(*count));
	if (cpuid_stepping()) {
		snprintf(count->reason, sizeof(count->reason),
			 "called from within a call that is being counted");
		return -EBUSY;
	}
	ret = cpuid_can_count(count->reason, sizeof(count->reason));
	if (ret)
		return ret;
	return cpuid_step(fn, arg, cpu, count);
}
