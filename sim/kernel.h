/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One simulated machine. What is global in Linux belongs to a struct kernel here, so that two
 * simulations can run side by side. It is the lowest module of the port: it owns the page frames,
 * the profile and the clock, and knows nothing of the subsystems built upon it.
 *
 * A struct kernel is used by one thread at a time. "The current CPU" is a field that the caller
 * sets before an operation, as the trace says.
 */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/page.h"
#include "sim/profile.h"

struct crypto_registry;
struct crypto_streams;

/* Reads a clock in ns. Passed in: replay passes CLOCK_MONOTONIC, tests what they like. */
typedef uint64_t (*kernel_clock_fn)(void *arg);

struct kernel_config {
	const struct profile *profile; /* copied */
	unsigned nr_cpus;	       /* 1 to KERNEL_MAX_CPUS; 0 means 1 */
	unsigned nr_nodes;	       /* 1 to KERNEL_MAX_NODES; 0 means 1 */
	uint64_t totalram_pages;       /* what percentages are taken of; 0 means the default */
	bool no_contents;	       /* policy mode: pages have no bytes */
	kernel_clock_fn clock;	       /* NULL: all times are 0 */
	void *clock_arg;
};

#define KERNEL_MAX_CPUS		1024
#define KERNEL_MAX_NODES	64
#define KERNEL_DEFAULT_TOTALRAM 262144 /* 4 KiB pages: 1 GiB */

struct kernel {
	struct profile profile;
	unsigned nr_cpus, nr_nodes;
	unsigned cpu; /* current CPU */
	uint64_t totalram_pages;
	bool contents;
	kernel_clock_fn clock;
	void *clock_arg;
	struct page_frames *frames;

	/* Of sim/acomp alone: the algorithms there are, and their per-CPU streams. */
	const struct crypto_registry *crypto;
	struct crypto_streams *streams; /* list, one an algorithm module */
	uint64_t acomp_reqs;		/* from acomp_request_alloc(), live */
	uint64_t acomp_req_fail_in;	/* fault injection, as page_frames_fail_nth() */

	/* Of the zstd module alone: which sides, compress and decompress, asked CPUID already. */
	bool zstd_cpuid_asked[2];

	/* Of sim/zsmalloc alone: set once, by the first pool (zs_huge_class_size). 0: not yet. */
	unsigned zs_huge_class_size;
};

/* 0, -EINVAL (a value out of its range) or -ENOMEM. */
int kernel_create(const struct kernel_config *config, struct kernel **out);
/* Accepts NULL. Everything built upon it must be gone. */
void kernel_destroy(struct kernel *k);

static inline uint64_t kernel_now(const struct kernel *k)
{
	return k->clock ? k->clock(k->clock_arg) : 0;
}

#endif
