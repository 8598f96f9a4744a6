/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kprobe events: how often the kernel entered each of a list of functions between two rows, and
 * what it handed to some of them. A function that this kernel does not have counts -1.
 */
#ifndef GUEST_PROBES_H
#define GUEST_PROBES_H

#include "output.h"

struct probes;

/* Bytes of a memcg (known by the inode number of its directory) that were charged to zswap. */
typedef void (*probes_charge_fn)(void *arg, uint64_t memcg, int64_t bytes);

/*
 * Sets the probes, with those of the @algorithm's codec, and switches them on. @charged hears of
 * every charge and, with a negative number, of every uncharge.
 */
struct probes *probes_create(struct output *out, const char *algorithm, probes_charge_fn charged,
			     void *arg);
/* Reads what was hit since the last call. */
void probes_drain(struct probes *probes);

void probes_output_names(const struct probes *probes, struct output *out);
/* Counts since the row before, then the size that zs_malloc was asked for last, or -1. */
void probes_output(struct probes *probes, struct output *out);
/* -1 for each of these columns, of a row within an operation. */
void probes_output_nothing(const struct probes *probes, struct output *out);
/* Forgets what was hit before. */
void probes_reset(struct probes *probes);
/* That size. */
int64_t probes_alloc_len(const struct probes *probes);
/* How many memcgs zswap was told are going offline. */
uint64_t probes_offlined(const struct probes *probes);
/* The shrink worker has begun and has not come to its end. */
bool probes_worker_is_running(const struct probes *probes);
/* What the kernel asked of zswap's shrinker: how much there is, or to scan so many entries. */
struct pressure {
	bool is_scan;
	int node;
	uint64_t memcg; /* inode number of its directory */
	int64_t nr_to_scan;
	int64_t result; /* -1: SHRINK_STOP */
};

/* Since probes_forget_pressure(), in order. */
const struct pressure *probes_pressure(const struct probes *probes, unsigned *nr);
void probes_forget_pressure(struct probes *probes);

/* Compares with the kernel's own count of hits, in a step "kprobe_check": both numbers must be 0.
 */
void probes_check(struct probes *probes, struct output *out);

#endif
