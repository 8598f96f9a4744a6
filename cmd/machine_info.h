/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that a run ran on: what somebody needs who compares its times with others'. What
 * cannot be found out is said to be unknown.
 */
#ifndef CMD_MACHINE_INFO_H
#define CMD_MACHINE_INFO_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct machine_info {
	char cpu_model[128];	  /* "AMD EPYC" */
	char hypervisor[64];	  /* "KVM", or "none" */
	unsigned cpus_online;	  /* 0: unknown */
	char kernel_release[128]; /* "6.12.1-amd64" */
	char governor[32];	  /* "performance"; "mixed"; "none": the kernel has no choice */
	char boost[8];		  /* "on", "off", "unknown" */
	double load[3];		  /* averages over 1, 5 and 15 minutes; negative: unknown */
	uint64_t ram_bytes;	  /* 0: unknown */
	char libzstd[16];	  /* version of the one that is loaded: "1.5.4" */
};

/*
 * Whether CPUID says that there is a hypervisor (leaf 1, ECX bit 31), and then its signature (leaf
 * 0x40000000). machine_cpuid_hypervisor() executes the instruction; false where there is none.
 */
#define MACHINE_SIGNATURE_SIZE 13
typedef bool (*machine_hypervisor_fn)(char signature[MACHINE_SIGNATURE_SIZE]);
bool machine_cpuid_hypervisor(char signature[MACHINE_SIGNATURE_SIZE]);

/*
 * Reads /proc and /sys below @root ("" for the real ones), and asks @hypervisor. Always fills all
 * of
 * @info.
 */
void machine_info_read(struct machine_info *info, const char *root,
		       machine_hypervisor_fn hypervisor);

/* Lines of "name: value", each begun with @indent. */
void machine_info_print(const struct machine_info *info, const char *indent, FILE *out);
/* What is unknown is null. NULL when out of memory. */
json_t *machine_info_json(const struct machine_info *info);

#endif
