// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/ideal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/slot_map.h"

/* Where the page of a slot is that is not in the pool. */
enum away { AWAY_DISK, AWAY_ZERO, AWAY_LOADED };

struct ideal {
	struct policy_run *run;
	struct zswapsim_pool *pool;
	uint64_t capacity;
	struct slot_map away;
	struct ideal_counts counts;
};

int ideal_create(struct policy_run *run, uint64_t capacity, struct ideal **out)
{
	struct ideal *ideal = calloc(1, sizeof(*ideal));

	if (!ideal)
		return -ENOMEM;
	ideal->run = run;
	ideal->pool = policy_run_pool(run);
	ideal->pool->limit = ideal->pool->accept = capacity;
	ideal->capacity = capacity;
	slot_map_init(&ideal->away);
	*out = ideal;
	return 0;
}

void ideal_destroy(struct ideal *ideal)
{
	if (!ideal)
		return;
	slot_map_finish(&ideal->away);
	free(ideal);
}

/* Out of the pool, if it is there; whether it was. */
static bool take_out(struct ideal *ideal, uint64_t slot, enum policy_gone how, bool reused)
{
	unsigned codec;
	uint32_t size;

	if (!policy_run_find(ideal->run, slot, &size, &codec))
		return false;
	ideal->pool->used -= size;
	policy_run_gone(ideal->run, slot, how, reused);
	return true;
}

static int write_back(struct ideal *ideal, uint64_t slot)
{
	ideal->pool->written_back++;
	take_out(ideal, slot, POLICY_WRITTEN_BACK, false);
	return slot_map_set(&ideal->away, slot, AWAY_DISK);
}

/* Until what was stored in @slot fits, or is given up. */
static int make_room(struct ideal *ideal, uint64_t slot, uint64_t id)
{
	int ret = 0;

	while (!ret && ideal->pool->used > ideal->capacity) {
		struct zswapsim_want want = {.memcg = ZSWAPSIM_ANY,
					     .node = ZSWAPSIM_ANY,
					     .bytes = ideal->pool->used - ideal->capacity,
					     .newcomer = id,
					     .budget = UINT64_MAX};
		uint64_t victim;

		if (!policy_run_victim(ideal->run, &want, &victim))
			victim = slot;
		if (victim == slot)
			ideal->counts.given_up++;
		else
			ideal->counts.written_back++;
		ret = write_back(ideal, victim);
		if (victim == slot)
			break;
	}
	return ret;
}

/* Not to the pool. */
static int send_away(struct ideal *ideal, uint64_t slot, enum away where)
{
	policy_run_forget(ideal->run, slot);
	return slot_map_set(&ideal->away, slot, where);
}

static int store(struct ideal *ideal, const struct policy_event *ev)
{
	struct policy_page page = {
		.slot = ev->slot, .size = ev->size, .memcg = ev->memcg, .order = ev->order};
	uint64_t id;

	ideal->counts.stores++;
	if (take_out(ideal, ev->slot, POLICY_INVALIDATED, ev->class == POLICY_POOL))
		ideal->counts.overwritten++;
	switch (ev->class) {
	case POLICY_ZERO:
		ideal->counts.zero++;
		return send_away(ideal, ev->slot, AWAY_ZERO);
	case POLICY_REFUSED:
		ideal->counts.refused_incompressible++;
		return send_away(ideal, ev->slot, AWAY_DISK);
	case POLICY_POOL:
		break;
	}
	if (ev->size > ideal->capacity) {
		ideal->counts.refused_large++;
		return send_away(ideal, ev->slot, AWAY_DISK);
	}
	if (policy_run_reserve(ideal->run, 1))
		return -ENOMEM;
	if (!policy_run_admit(ideal->run, &page)) {
		ideal->counts.refused_policy++;
		return send_away(ideal, ev->slot, AWAY_DISK);
	}
	slot_map_erase(&ideal->away, ev->slot);
	ideal->counts.stored++;
	ideal->pool->used += ev->size;
	id = policy_run_stored(ideal->run, &page);
	return make_room(ideal, ev->slot, id);
}

static int load(struct ideal *ideal, const struct policy_event *ev)
{
	uint64_t *away;

	ideal->counts.loads++;
	if (take_out(ideal, ev->slot, POLICY_LOADED, false)) {
		ideal->counts.hits++;
		return slot_map_set(&ideal->away, ev->slot, AWAY_LOADED);
	}
	away = slot_map_find(&ideal->away, ev->slot);
	if (!away) {
		ideal->counts.unknown_loads++;
		return 0;
	}
	switch (*away) {
	case AWAY_ZERO:
		ideal->counts.zero_loads++;
		return 0;
	case AWAY_LOADED:
		ideal->counts.repeated_loads++;
		return 0;
	}
	/* Later loads of the same copy are left out: another policy may have none to load. */
	*away = AWAY_LOADED;
	ideal->counts.disk_reads++;
	ideal->pool->disk_reads++;
	policy_run_missed(ideal->run, ev->slot, ev->memcg);
	return 0;
}

static void release(struct ideal *ideal, uint64_t slot)
{
	if (take_out(ideal, slot, POLICY_INVALIDATED, false))
		ideal->counts.invalidated++;
	policy_run_forget(ideal->run, slot);
	slot_map_erase(&ideal->away, slot);
}

int ideal_event(struct ideal *ideal, const struct policy_event *ev)
{
	int ret = 0;

	policy_run_at(ideal->run, ev->number, ev->time_ns, ev->ordinal);
	switch (ev->type) {
	case POLICY_STORE:
		ret = store(ideal, ev);
		break;
	case POLICY_LOAD:
		ret = load(ideal, ev);
		break;
	case POLICY_FREE:
		release(ideal, ev->slot);
		break;
	}
	if (ideal->pool->used > ideal->counts.peak_bytes)
		ideal->counts.peak_bytes = ideal->pool->used;
	return !ret && policy_run_failed(ideal->run, NULL) ? -EINVAL : ret;
}

const struct ideal_counts *ideal_counts(const struct ideal *ideal)
{
	return &ideal->counts;
}

int ideal_check(const struct ideal *ideal, char *err, size_t err_size)
{
	const struct ideal_counts *c = &ideal->counts;
	uint64_t gone = c->hits + c->written_back + c->given_up + c->invalidated + c->overwritten;

	if (ideal->pool->used != ideal->pool->payload || ideal->pool->used > ideal->capacity ||
	    c->stored != ideal->pool->entries + gone) {
		snprintf(err, err_size,
			 "%llu bytes in use, the entries make %llu; stored %llu, "
			 "gone %llu, here %llu",
			 (unsigned long long)ideal->pool->used,
			 (unsigned long long)ideal->pool->payload, (unsigned long long)c->stored,
			 (unsigned long long)gone, (unsigned long long)ideal->pool->entries);
		return -EUCLEAN;
	}
	return policy_run_check(ideal->run, err, err_size);
}
