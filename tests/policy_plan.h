/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small trace as a list of what a policy's objective sees, made at random, and runs of it: by the
 * engine, by the bound, and by trying everything.
 */
#ifndef TESTS_POLICY_PLAN_H
#define TESTS_POLICY_PLAN_H

#include "sim/bound.h"
#include "sim/ideal.h"
#include "sim/policy_trace.h"

#define PLAN_MAX 4096

struct plan {
	unsigned nr;
	struct policy_event ev[PLAN_MAX];
	struct future *future;
};

struct plan_config {
	unsigned nr_events, nr_slots;
	unsigned min_size, max_size;
	unsigned percent_refused, percent_zero; /* of the stores */
};

/* A number below @n from a state that is not 0. */
unsigned plan_random(uint64_t *state, unsigned n);

/* By hand: numbers, ordinals and times are filled in. */
void plan_begin(struct plan *plan);
void plan_store(struct plan *plan, uint64_t slot, uint32_t size);
void plan_load(struct plan *plan, uint64_t slot);
void plan_free(struct plan *plan, uint64_t slot);
/* No more of these: works out the future. */
void plan_done(struct plan *plan);
void plan_finish(struct plan *plan);

/* Slots are stored when they are empty, else loaded, at times stored anew or freed. */
void plan_make(struct plan *plan, const struct plan_config *config, uint64_t *state);

uint64_t plan_next_use(const struct plan *plan, unsigned i);

/* Runs @policy (a built-in's name, or what policy_load() takes), checks the engine's invariants. */
void plan_run(const struct plan *plan, const char *policy, uint64_t capacity,
	      struct ideal_counts *counts);
void plan_bound(const struct plan *plan, uint64_t capacity, struct bound_result *result);

/* Disk reads of the best choice there is, by trying all: for 20 intervals or so. */
uint64_t plan_best(const struct plan *plan, uint64_t capacity);

#endif
