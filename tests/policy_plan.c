// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/policy_plan.h"

#include <stdio.h>
#include <string.h>

#include "sim/future.h"
#include "tests/test.h"

unsigned plan_random(uint64_t *state, unsigned n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % n;
}

void plan_begin(struct plan *plan)
{
	plan->nr = 0;
	plan->future = NULL;
}

static struct policy_event *add(struct plan *plan, enum policy_event_type type, uint64_t slot)
{
	struct policy_event *ev = &plan->ev[plan->nr];

	assert_true(plan->nr < PLAN_MAX);
	*ev = (struct policy_event){
		.type = type, .number = plan->nr, .time_ns = 1000u * plan->nr, .slot = slot};
	if (plan->nr)
		ev->ordinal = ev[-1].ordinal + (ev[-1].type == POLICY_STORE);
	plan->nr++;
	return ev;
}

void plan_store(struct plan *plan, uint64_t slot, uint32_t size)
{
	add(plan, POLICY_STORE, slot)->size = size;
}

void plan_load(struct plan *plan, uint64_t slot)
{
	add(plan, POLICY_LOAD, slot);
}

void plan_free(struct plan *plan, uint64_t slot)
{
	add(plan, POLICY_FREE, slot);
}

void plan_done(struct plan *plan)
{
	assert_int_equal(future_create(plan->nr, plan->nr, &plan->future), 0);
	for (unsigned i = 0; i < plan->nr; i++) {
		const struct policy_event *ev = &plan->ev[i];

		if (ev->type == POLICY_STORE)
			assert_int_equal(future_store(plan->future, ev->slot), 0);
		else if (ev->type == POLICY_LOAD)
			future_load(plan->future, ev->slot, ev->number);
		else
			future_free(plan->future, ev->slot);
	}
	future_finish(plan->future);
}

void plan_finish(struct plan *plan)
{
	future_destroy(plan->future);
}

void plan_make(struct plan *plan, const struct plan_config *config, uint64_t *state)
{
	bool full[256] = {false};

	assert_true(config->nr_slots <= 256);
	plan_begin(plan);
	while (plan->nr < config->nr_events) {
		unsigned slot = plan_random(state, config->nr_slots);
		unsigned what = plan_random(state, 100);
		struct policy_event *ev;

		if (full[slot] && what < 90) {
			plan_load(plan, slot);
			full[slot] = false;
		} else if (full[slot] && what < 95) {
			plan_free(plan, slot);
			full[slot] = false;
		} else {
			unsigned span = config->max_size - config->min_size + 1;

			ev = add(plan, POLICY_STORE, slot);
			ev->size = config->min_size + plan_random(state, span);
			if (plan_random(state, 100) < config->percent_refused)
				ev->class = POLICY_REFUSED;
			else if (plan_random(state, 100) < config->percent_zero)
				ev->class = POLICY_ZERO;
			full[slot] = true;
		}
	}
	plan_done(plan);
}

uint64_t plan_next_use(const struct plan *plan, unsigned i)
{
	return future_next_use(plan->future, plan->ev[i].ordinal);
}

void plan_run(const struct plan *plan, const char *name, uint64_t capacity,
	      struct ideal_counts *counts)
{
	struct policy_run_config config = {.objective = ZSWAPSIM_IDEAL,
					   .nr_nodes = 1,
					   .limit = capacity,
					   .nr_events = plan->nr,
					   .future = plan->future};
	struct policy_run *run;
	struct policy *policy;
	struct ideal *ideal;
	char err[512];

	if (policy_load(name, 0, &policy, err, sizeof(err)))
		fail_msg("%s", err);
	config.policy = policy;
	assert_int_equal(policy_run_create(&config, &run, err, sizeof(err)), 0);
	assert_int_equal(ideal_create(run, capacity, &ideal), 0);
	for (unsigned i = 0; i < plan->nr; i++) {
		if (ideal_event(ideal, &plan->ev[i]))
			fail_msg("event %u: %s", i, policy_run_failed(run, NULL));
		if ((i % 16 == 0 || i + 1 == plan->nr) && ideal_check(ideal, err, sizeof(err)))
			fail_msg("event %u: %s", i, err);
	}
	*counts = *ideal_counts(ideal);
	ideal_destroy(ideal);
	policy_run_destroy(run);
	policy_unload(policy);
}

void plan_bound(const struct plan *plan, uint64_t capacity, struct bound_result *result)
{
	struct bound *bound;

	assert_int_equal(bound_create(capacity, &bound), 0);
	for (unsigned i = 0; i < plan->nr; i++) {
		const struct policy_event *ev = &plan->ev[i];
		uint64_t next = ev->type == POLICY_STORE ? plan_next_use(plan, i) : 0;

		assert_int_equal(bound_event(bound, ev, next), 0);
	}
	bound_result(bound, result);
	bound_destroy(bound);
}

/* ---- everything that there is to choose ---- */

struct interval {
	unsigned from, to; /* after event from, until event to */
	uint32_t size;
};

struct search {
	struct interval interval[PLAN_MAX];
	unsigned nr;
	uint64_t used[PLAN_MAX], capacity;
	unsigned most;
};

static bool fits(const struct search *s, const struct interval *in)
{
	for (unsigned t = in->from; t < in->to; t++) {
		if (s->used[t] + in->size > s->capacity)
			return false;
	}
	return true;
}

static void occupy(struct search *s, const struct interval *in, int sign)
{
	for (unsigned t = in->from; t < in->to; t++)
		s->used[t] += (int64_t)sign * in->size;
}

static void try_from(struct search *s, unsigned i, unsigned kept)
{
	if (kept > s->most)
		s->most = kept;
	if (i == s->nr || kept + (s->nr - i) <= s->most)
		return;
	if (fits(s, &s->interval[i])) {
		occupy(s, &s->interval[i], 1);
		try_from(s, i + 1, kept + 1);
		occupy(s, &s->interval[i], -1);
	}
	try_from(s, i + 1, kept);
}

/* The event that reads what event @i stored, found by looking; 0: none. */
static unsigned load_of(const struct plan *plan, unsigned i)
{
	for (unsigned j = i + 1; j < plan->nr; j++) {
		if (plan->ev[j].slot != plan->ev[i].slot)
			continue;
		return plan->ev[j].type == POLICY_LOAD ? j : 0;
	}
	return 0;
}

uint64_t plan_best(const struct plan *plan, uint64_t capacity)
{
	struct search s = {.capacity = capacity};
	uint64_t reads = 0;

	for (unsigned i = 0; i < plan->nr; i++) {
		const struct policy_event *ev = &plan->ev[i];
		unsigned to = ev->type == POLICY_STORE ? load_of(plan, i) : 0;

		if (!to || ev->class == POLICY_ZERO)
			continue;
		reads++;
		if (ev->class == POLICY_POOL)
			s.interval[s.nr++] = (struct interval){i, to, ev->size};
	}
	try_from(&s, 0, 0);
	return reads - s.most;
}
