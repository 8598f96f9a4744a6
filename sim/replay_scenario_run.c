// SPDX-License-Identifier: GPL-2.0-or-later
/* A scenario in the course of a replay. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/replay_scenario_private.h"

static struct mem_cgroup *memcg_of_node(const struct replay *r, int node)
{
	const struct scenario_node *n = &r->scenario->nodes[node];

	return n->trace_index >= 0 ? r->memcg_of[n->trace_index] : n->memcg;
}

static void apply_settings(struct mem_cgroup *memcg, const struct scenario_memcg *settings)
{
	if (!memcg || !settings)
		return;
	if (settings->zswap_max.given)
		memcg->zswap_max = settings->zswap_max.value;
	if (settings->zswap_writeback.given)
		memcg->zswap_writeback = settings->zswap_writeback.value;
}

int replay_scenario_start(struct replay *r)
{
	struct replay_scenario *s = r->scenario;

	for (unsigned i = 0; s && i < s->nr_nodes; i++) {
		struct scenario_node *node = &s->nodes[i];

		if (node->trace_index < 0) {
			node->memcg = mem_cgroup_create(&r->memcgs, memcg_of_node(r, node->parent),
							node->path);
			if (!node->memcg)
				return -ENOMEM;
		}
		apply_settings(memcg_of_node(r, i), node->settings);
	}
	return 0;
}

void replay_scenario_created(struct replay *r, unsigned i)
{
	const struct replay_scenario *s = r->scenario;

	for (unsigned n = 0; s && n < s->nr_nodes; n++) {
		if (s->nodes[n].trace_index == (int)i)
			apply_settings(r->memcg_of[i], s->nodes[n].settings);
	}
}

/* ---- changes ---- */

static void describe_limit(char *buf, size_t size, uint64_t bytes)
{
	if (bytes == MEMCG_MAX)
		snprintf(buf, size, "max");
	else
		snprintf(buf, size, "%" PRIu64, bytes);
}

static void describe(const struct scenario_change *c, char *buf, size_t size)
{
	char bytes[32];

	switch (c->what) {
	case SCENARIO_MAX_POOL_PERCENT:
		snprintf(buf, size, "max_pool_percent = %" PRIu64, c->value);
		break;
	case SCENARIO_ACCEPT_THRESHOLD_PERCENT:
		snprintf(buf, size, "accept_threshold_percent = %" PRIu64, c->value);
		break;
	case SCENARIO_SHRINKER_ENABLED:
		snprintf(buf, size, "shrinker_enabled = %" PRIu64, c->value);
		break;
	case SCENARIO_MEMCG_ZSWAP_MAX:
		describe_limit(bytes, sizeof(bytes), c->value);
		snprintf(buf, size, "memcg %s zswap.max = %s", c->path, bytes);
		break;
	case SCENARIO_MEMCG_ZSWAP_WRITEBACK:
		snprintf(buf, size, "memcg %s zswap.writeback = %" PRIu64, c->path, c->value);
		break;
	case SCENARIO_MEMCG_OFFLINE:
		snprintf(buf, size, "memcg %s = offline", c->path);
		break;
	}
}

static int apply(struct replay *r, const struct scenario_action *a)
{
	struct mem_cgroup *memcg = a->node < 0 ? NULL : memcg_of_node(r, a->node);
	uint64_t value = a->change->value;

	switch (a->change->what) {
	case SCENARIO_MAX_POOL_PERCENT:
		return zswap_set_max_pool_percent(r->z, value);
	case SCENARIO_ACCEPT_THRESHOLD_PERCENT:
		return zswap_set_accept_threshold_percent(r->z, value);
	case SCENARIO_SHRINKER_ENABLED:
		zswap_set_shrinker_enabled(r->z, value);
		return 0;
	case SCENARIO_MEMCG_ZSWAP_MAX:
		memcg->zswap_max = value;
		return 0;
	case SCENARIO_MEMCG_ZSWAP_WRITEBACK:
		memcg->zswap_writeback = value;
		return 0;
	case SCENARIO_MEMCG_OFFLINE:
		return zswap_memcg_offline(r->z, memcg);
	}
	return 0;
}

int replay_scenario_step(struct replay *r, uint64_t number)
{
	struct replay_scenario *s = r->scenario;

	while (s && s->next < s->file->nr_changes && s->actions[s->next].event <= number) {
		const struct scenario_action *a = &s->actions[s->next++];
		struct replay_change *change = &r->result->changes[r->result->nr_changes++];
		int ret = apply(r, a);

		change->event = number;
		describe(a->change, change->text, sizeof(change->text));
		if (ret)
			return replay_fail(r, ret, "%s: %s", change->text, strerror(-ret));
		if (zswap_max_pages(r->z) > r->most_pages)
			r->most_pages = zswap_max_pages(r->z);
	}
	return 0;
}

/* ---- whose pages ---- */

static bool rule_matches(const struct scenario_from *from, const struct trace_event *ev)
{
	switch (from->kind) {
	case SCENARIO_FROM_MEMCG:
		return from->first <= ev->memcg && ev->memcg <= from->last;
	case SCENARIO_FROM_CPU:
		return from->first <= ev->cpu && ev->cpu <= from->last;
	case SCENARIO_FROM_OFFSET:
		return from->swap_type == ev->swap_type && from->first <= ev->offset &&
		       ev->offset <= from->last;
	}
	return false;
}

/* What is read back into the place of a memcg that went offline. */
static struct mem_cgroup *nearest_online(struct mem_cgroup *memcg)
{
	while (memcg && !memcg->online)
		memcg = memcg->parent;
	return memcg;
}

struct mem_cgroup *replay_memcg_of(const struct replay *r, const struct trace_event *ev)
{
	const struct scenario_file *file = r->scenario ? r->scenario->file : NULL;
	unsigned id;

	if (!file || !file->nr_from)
		return r->memcg_of[ev->memcg];
	if (ev->type == TRACE_LOAD) {
		/* 0: the root's, or never stored. */
		id = slots_memcg(r->slots, ev->swap_type, ev->offset);
		if (id)
			return nearest_online(r->memcgs.all[id]);
	}
	for (unsigned i = 0; i < file->nr_from; i++) {
		if (rule_matches(&file->from[i], ev))
			return memcg_of_node(r, r->scenario->memcg_node[file->from[i].memcg]);
	}
	return r->memcg_of[ev->memcg];
}

bool replay_scenario_shares(const struct replay *r, const struct trace_event *ev,
			    const struct mem_cgroup *memcg)
{
	const struct scenario_file *file = r->scenario ? r->scenario->file : NULL;

	for (unsigned i = 0; file && i < file->nr_from; i++) {
		const struct scenario_from *from = &file->from[i];

		if (memcg_of_node(r, r->scenario->memcg_node[from->memcg]) == memcg &&
		    (from->kind != SCENARIO_FROM_MEMCG || rule_matches(from, ev)))
			return true;
	}
	return false;
}
