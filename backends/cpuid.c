// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/cpuid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool cpuid_execute(uint32_t leaf, uint32_t subleaf, uint32_t regs[CPUID_NR_REGS])
{
#if defined(__x86_64__)
	__cpuid_count(leaf, subleaf, regs[CPUID_EAX], regs[CPUID_EBX], regs[CPUID_ECX],
		      regs[CPUID_EDX]);
	return true;
#else
	memset(regs, 0, CPUID_NR_REGS * sizeof(*regs));
	return false;
#endif
}

/* The last of the basic leaves. */
static uint32_t max_leaf(void)
{
	uint32_t regs[CPUID_NR_REGS];

	cpuid_execute(0, 0, regs);
	return regs[CPUID_EAX];
}

static bool leaf_7_ebx(uint32_t bit)
{
	uint32_t regs[CPUID_NR_REGS];

	if (max_leaf() < 7)
		return false;
	cpuid_execute(7, 0, regs);
	return regs[CPUID_EBX] & bit;
}

bool cpuid_has_bmi1(void)
{
	return leaf_7_ebx(CPUID_7_EBX_BMI1);
}

bool cpuid_has_bmi2(void)
{
	return leaf_7_ebx(CPUID_7_EBX_BMI2);
}

static const struct cpu_key {
	const char *name;
	struct cpuid_force force; /* value: what 1 means */
	unsigned max;
} cpu_keys[] = {
	{"bmi1", {7, 0, CPUID_EBX, CPUID_7_EBX_BMI1, CPUID_7_EBX_BMI1}, 1},
	{"bmi2", {7, 0, CPUID_EBX, CPUID_7_EBX_BMI2, CPUID_7_EBX_BMI2}, 1},
	{"hypervisor", {1, 0, CPUID_ECX, CPUID_1_ECX_HYPERVISOR, CPUID_1_ECX_HYPERVISOR}, 1},
	{"maxleaf", {0, 0, CPUID_EAX, UINT32_MAX, 1}, 65535},
};

static const struct cpu_key *find_key(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(cpu_keys) / sizeof(*cpu_keys); i++) {
		if (strlen(cpu_keys[i].name) == len && !strncmp(cpu_keys[i].name, name, len))
			return &cpu_keys[i];
	}
	return NULL;
}

/* The later of two values for one key holds. */
static void add_force(struct cpuid_cpu *cpu, const struct cpu_key *key, uint32_t value)
{
	struct cpuid_force force = key->force;
	unsigned i;

	force.value *= value;
	for (i = 0; i < cpu->nr; i++) {
		const struct cpuid_force *f = &cpu->force[i];

		if (f->leaf == force.leaf && f->reg == force.reg && f->mask == force.mask)
			break;
	}
	cpu->force[i] = force;
	if (i == cpu->nr)
		cpu->nr++;
}

_Static_assert(sizeof(cpu_keys) / sizeof(*cpu_keys) <= CPUID_MAX_FORCES, "room for each key once");

static int parse_one(struct cpuid_cpu *cpu, const char *text, size_t len, char *err,
		     size_t err_size)
{
	const char *eq = memchr(text, '=', len);
	const struct cpu_key *key = eq ? find_key(text, eq - text) : NULL;
	unsigned long value;
	char *end;

	if (!key) {
		snprintf(err, err_size, "'%.*s': not KEY=VALUE with a known key; known: %s",
			 (int)len, text, CPUID_CPU_KEYS);
		return -EINVAL;
	}
	errno = 0;
	value = strtoul(eq + 1, &end, 10);
	if (eq[1] < '0' || eq[1] > '9' || end != text + len || errno || value > key->max) {
		snprintf(err, err_size, "'%.*s': not a number from 0 to %u", (int)len, text,
			 key->max);
		return -EINVAL;
	}
	add_force(cpu, key, value);
	return 0;
}

int cpuid_cpu_parse(struct cpuid_cpu *cpu, const char *text, char *err, size_t err_size)
{
	memset(cpu, 0, sizeof(*cpu));
	for (;;) {
		size_t len = strcspn(text, ",");
		int ret = parse_one(cpu, text, len, err, err_size);

		if (ret)
			return ret;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

void cpuid_cpu_with_bmi(struct cpuid_cpu *cpu, bool bmi1, bool bmi2)
{
	memset(cpu, 0, sizeof(*cpu));
	add_force(cpu, find_key("bmi1", 4), bmi1);
	add_force(cpu, find_key("bmi2", 4), bmi2);
	if (max_leaf() < 7)
		add_force(cpu, find_key("maxleaf", 7), 7);
}

void cpuid_cpu_answer(const struct cpuid_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		      uint32_t regs[CPUID_NR_REGS])
{
	cpuid_execute(leaf, subleaf, regs);
	if (!cpu)
		return;
	/* Beyond the last leaf a processor may answer anything; one that is made up answers zero.
	 */
	if (leaf < CPUID_LEAF_HYPERVISOR && leaf > max_leaf())
		memset(regs, 0, CPUID_NR_REGS * sizeof(*regs));
	for (unsigned i = 0; i < cpu->nr; i++) {
		const struct cpuid_force *f = &cpu->force[i];

		if (f->leaf == 0 && leaf > f->value && leaf < CPUID_LEAF_HYPERVISOR) {
			memset(regs, 0, CPUID_NR_REGS * sizeof(*regs));
			return;
		}
		if (f->leaf != leaf || (leaf == 7 && f->subleaf != subleaf))
			continue;
		regs[f->reg] = (regs[f->reg] & ~f->mask) | f->value;
	}
}
