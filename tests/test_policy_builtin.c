// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each built-in policy against a model of it that is as plain as can be: an array of what is
 * stored, searched from one end to the other. Which pages are written back, one by one, must be the
 * same.
 */
#include <stdio.h>
#include <string.h>

#include "sim/future.h"
#include "tests/policy_plan.h"
#include "tests/test.h"

#define MAX_STORED 512

struct page {
	uint64_t slot, event, born, next_use;
	uint32_t size, hits;
	bool referenced;
};

/* In the order in which they were stored, or have been passed by. */
struct model {
	struct page page[MAX_STORED];
	unsigned nr;
	uint64_t used, capacity;
	/* By slot: what is known of one whose page was loaded. */
	struct page past[256];
	bool has_past[256];
	uint64_t victims[PLAN_MAX];
	unsigned nr_victims;
};

static struct model model;
static struct plan plan;

static void take(struct model *m, unsigned i)
{
	m->used -= m->page[i].size;
	memmove(&m->page[i], &m->page[i + 1], (--m->nr - i) * sizeof(*m->page));
}

static void to_the_end(struct model *m, unsigned i)
{
	struct page page = m->page[i];

	memmove(&m->page[i], &m->page[i + 1], (m->nr - 1 - i) * sizeof(*m->page));
	m->page[m->nr - 1] = page;
}

static int find(const struct model *m, uint64_t slot)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (m->page[i].slot == slot)
			return i;
	}
	return -1;
}

/* ---- the choices ---- */

typedef unsigned (*choose_fn)(struct model *m, uint64_t now);

static unsigned oldest(struct model *m, uint64_t now)
{
	return 0;
}

static unsigned passed_by_once(struct model *m, uint64_t now)
{
	while (m->page[0].referenced) {
		m->page[0].referenced = false;
		to_the_end(m, 0);
	}
	return 0;
}

static unsigned first_born(struct model *m, uint64_t now)
{
	unsigned best = 0;

	for (unsigned i = 1; i < m->nr; i++) {
		if (m->page[i].born < m->page[best].born)
			best = i;
	}
	return best;
}

static unsigned largest(struct model *m, uint64_t now)
{
	unsigned best = 0;

	for (unsigned i = 1; i < m->nr; i++) {
		if (m->page[i].size > m->page[best].size)
			best = i;
	}
	return best;
}

/* ---- a run of the model ---- */

static bool always(const struct page *page)
{
	return true;
}

static bool never(const struct page *page)
{
	return false;
}

static bool if_it_came_back(const struct page *page)
{
	return page->hits;
}

static void model_store(struct model *m, const struct policy_event *ev, choose_fn choose,
			bool (*referenced)(const struct page *page))
{
	int stale = find(m, ev->slot);
	struct page page = {.slot = ev->slot, .event = ev->number, .born = ev->number};

	if (stale >= 0 || m->has_past[ev->slot]) {
		const struct page *past = stale >= 0 ? &m->page[stale] : &m->past[ev->slot];

		page.born = past->born;
		page.hits = past->hits + 1;
	}
	if (stale >= 0)
		take(m, stale);
	m->has_past[ev->slot] = false;
	page.size = ev->size;
	page.referenced = referenced(&page);
	m->page[m->nr++] = page;
	m->used += page.size;
	while (m->used > m->capacity) {
		unsigned i = choose(m, ev->number);

		m->victims[m->nr_victims++] = m->page[i].slot;
		take(m, i);
	}
}

static void model_run(struct model *m, uint64_t capacity, choose_fn choose,
		      bool (*referenced)(const struct page *page))
{
	memset(m, 0, sizeof(*m));
	m->capacity = capacity;
	for (unsigned e = 0; e < plan.nr; e++) {
		const struct policy_event *ev = &plan.ev[e];
		int i = find(m, ev->slot);

		if (ev->type == POLICY_STORE) {
			model_store(m, ev, choose, referenced);
			continue;
		}
		m->has_past[ev->slot] = i >= 0 && ev->type == POLICY_LOAD;
		if (i < 0)
			continue;
		m->past[ev->slot] = m->page[i];
		take(m, i);
	}
}

/* ---- the built-in, with what it writes back taken down ---- */

static uint64_t victims[PLAN_MAX];
static unsigned nr_victims;
static void (*written_back)(void *self, const struct zswapsim_entry *entry);

static void take_down(void *self, const struct zswapsim_entry *entry)
{
	victims[nr_victims++] = entry->slot;
	written_back(self, entry);
}

static void builtin_run(const char *name, uint64_t capacity)
{
	struct policy_run_config config = {.objective = ZSWAPSIM_IDEAL,
					   .nr_nodes = 1,
					   .limit = capacity,
					   .future = plan.future};
	struct policy_run *run;
	struct ideal *ideal;
	char err[256];

	assert_int_equal(policy_load(name, 0, &config.policy, err, sizeof(err)), 0);
	written_back = config.policy->ops.written_back;
	config.policy->ops.written_back = take_down;
	nr_victims = 0;
	assert_int_equal(policy_run_create(&config, &run, err, sizeof(err)), 0);
	assert_int_equal(ideal_create(run, capacity, &ideal), 0);
	for (unsigned i = 0; i < plan.nr; i++)
		assert_int_equal(ideal_event(ideal, &plan.ev[i]), 0);
	ideal_destroy(ideal);
	policy_run_destroy(run);
	policy_unload(config.policy);
}

static void compare(const char *name, choose_fn choose, bool (*referenced)(const struct page *page))
{
	uint64_t random = 9, all = 0;

	for (unsigned round = 0; round < 40; round++) {
		struct plan_config config = {.nr_events = 2000,
					     .nr_slots = 5 + plan_random(&random, 200),
					     .min_size = 1 + plan_random(&random, 100)};
		uint64_t capacity;

		config.max_size = config.min_size + plan_random(&random, 4096 - config.min_size);
		capacity = config.max_size * (1 + plan_random(&random, config.nr_slots));
		plan_make(&plan, &config, &random);
		builtin_run(name, capacity);
		model_run(&model, capacity, choose, referenced);
		for (unsigned i = 0; i < nr_victims && i < model.nr_victims; i++) {
			if (victims[i] != model.victims[i])
				fail_msg("%s, round %u: victim %u is %lu, by the model %lu", name,
					 round, i, victims[i], model.victims[i]);
		}
		assert_int_equal(nr_victims, model.nr_victims);
		all += nr_victims;
		plan_finish(&plan);
	}
	print_message("# %s: %lu victims\n", name, all);
	assert_true(all > 500);
}

static void lru_writes_back_what_was_stored_longest_ago(void **state)
{
	compare("lru", oldest, never);
}

static void second_chance_passes_each_by_once(void **state)
{
	compare("second-chance", passed_by_once, always);
}

static void clock_passes_by_what_came_back(void **state)
{
	compare("clock", passed_by_once, if_it_came_back);
}

static void fifo_writes_back_who_came_first(void **state)
{
	compare("fifo", first_born, never);
}

static void size_writes_back_the_largest(void **state)
{
	compare("size", largest, never);
}

/* ---- clairvoyant ---- */

/* By looking ahead in the trace itself. */
static uint64_t next_load(uint64_t slot, unsigned from)
{
	for (unsigned i = from + 1; i < plan.nr; i++) {
		if (plan.ev[i].slot == slot)
			return plan.ev[i].type == POLICY_LOAD ? i : UINT64_MAX;
	}
	return UINT64_MAX;
}

static bool costs_more(const struct page *a, const struct page *b, uint64_t now)
{
	if ((a->next_use == UINT64_MAX) != (b->next_use == UINT64_MAX))
		return a->next_use == UINT64_MAX;
	if (a->next_use == UINT64_MAX)
		return a->size > b->size;
	return a->size * (a->next_use - now) > b->size * (b->next_use - now);
}

/*
 * In order of their cost until there is room; the newcomer alone if it is among them; else without
 * those, the cheapest first, that are not needed. Ties may go either way, so sums are compared.
 */
static unsigned clairvoyant_choice(struct model *m, uint64_t now, unsigned chosen[MAX_STORED])
{
	unsigned order[MAX_STORED], nr = 0;
	uint64_t need = m->used - m->capacity, freed = 0;

	for (unsigned i = 0; i < m->nr; i++) {
		unsigned at = i;

		while (at && costs_more(&m->page[i], &m->page[order[at - 1]], now)) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
	while (freed < need) {
		freed += m->page[order[nr]].size;
		if (order[nr++] == m->nr - 1) {
			chosen[0] = m->nr - 1;
			return 1;
		}
	}
	for (unsigned i = nr; i-- > 0;) {
		if (freed - m->page[order[i]].size < need)
			continue;
		freed -= m->page[order[i]].size;
		memmove(&order[i], &order[i + 1], (--nr - i) * sizeof(*order));
	}
	memcpy(chosen, order, nr * sizeof(*order));
	return nr;
}

static uint64_t clairvoyant_model(uint64_t capacity)
{
	struct model *m = &model;
	uint64_t hits = 0;

	memset(m, 0, sizeof(*m));
	m->capacity = capacity;
	for (unsigned e = 0; e < plan.nr; e++) {
		const struct policy_event *ev = &plan.ev[e];
		int i = find(m, ev->slot);

		if (i >= 0) {
			hits += ev->type == POLICY_LOAD;
			take(m, i);
		}
		if (ev->type != POLICY_STORE || ev->size > capacity)
			continue;
		m->page[m->nr++] = (struct page){
			.slot = ev->slot, .size = ev->size, .next_use = next_load(ev->slot, e)};
		m->used += ev->size;
		if (m->used > capacity) {
			unsigned chosen[MAX_STORED], nr = clairvoyant_choice(m, e, chosen);
			uint64_t slots[MAX_STORED];

			for (unsigned c = 0; c < nr; c++)
				slots[c] = m->page[chosen[c]].slot;
			for (unsigned c = 0; c < nr; c++)
				take(m, find(m, slots[c]));
		}
		assert_true(m->used <= capacity);
	}
	return hits;
}

static void clairvoyant_writes_back_what_takes_most_memory_until_its_load(void **state)
{
	uint64_t random = 13, all = 0;

	for (unsigned round = 0; round < 60; round++) {
		struct plan_config config = {.nr_events = 1500,
					     .nr_slots = 5 + plan_random(&random, 200)};
		struct ideal_counts counts;
		uint64_t capacity, hits;

		/* Sizes that are all different from others by a prime make ties rare. */
		config.min_size = 1000;
		config.max_size = 4096;
		capacity = config.max_size * (1 + plan_random(&random, config.nr_slots / 2));
		plan_make(&plan, &config, &random);
		plan_run(&plan, "clairvoyant", capacity, &counts);
		hits = clairvoyant_model(capacity);
		assert_int_equal(counts.hits, hits);
		all += counts.disk_reads;
		plan_finish(&plan);
	}
	print_message("# clairvoyant: %lu disk reads\n", all);
	assert_true(all > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lru_writes_back_what_was_stored_longest_ago),
		cmocka_unit_test(second_chance_passes_each_by_once),
		cmocka_unit_test(clock_passes_by_what_came_back),
		cmocka_unit_test(fifo_writes_back_who_came_first),
		cmocka_unit_test(size_writes_back_the_largest),
		cmocka_unit_test(clairvoyant_writes_back_what_takes_most_memory_until_its_load),
	};

	return cmocka_run_group_tests_name("policy_builtin", tests, NULL, NULL);
}
