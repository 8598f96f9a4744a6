/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines that differ in zswap.batching alone, and what they hold compared. */
#ifndef TESTS_BATCH_RIG_H
#define TESTS_BATCH_RIG_H

#include "tests/machine.h"
#include "tests/toy_alg.h"

#define NR_BATCHING 4

/* "none", "requests", "segmented", "folio" */
extern const char *const batching_names[NR_BATCHING];

/* A machine of @config (its last set[] is overwritten) with batching @mode. */
struct machine *batch_machine(const struct machine_config *config, unsigned mode);

/* A machine with the toy algorithm @name, whose batch is @toy->batch; both live as long. */
struct machine *toy_machine(struct toy *toy, struct crypto_registry *registry, const char *name,
			    unsigned mode);
/* Stores a folio whose pages compress to @results; tags are 1, 2, ... */
enum swapout toy_store(struct machine *m, uint64_t slot, unsigned order, const int *results);

/* Every object of the slots up to @slots has the same bytes in both. Returns how many there are. */
unsigned assert_same_objects(struct machine *a, struct machine *b, uint64_t slots);
/* All counters of debugfs and vmstat are the same, and all that the observer summed up but times.
 */
void assert_same_counters(struct machine *a, struct machine *b);
/* The same, but for where objects lie: pages of the pool, and which loads stream. */
void assert_same_counters_but_place(struct machine *a, struct machine *b);

#endif
