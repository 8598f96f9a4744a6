// SPDX-License-Identifier: GPL-2.0-or-later
/* A scenario is checked against the trace, so that nothing is wrong with it in mid-run. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/replay_scenario_private.h"

static int fail(struct replay *r, unsigned line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct replay *r, unsigned line, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return scenario_fail(r->scenario->file, r->err, line, -EINVAL, "%s", text);
}

/* ---- memcgs ---- */

static int find_in_trace(const struct replay *r, const char *path)
{
	struct trace_memcg m;

	if (!strcmp(path, "/"))
		return 0;
	for (unsigned i = 1; !r->info->withheld && i < r->info->nr_memcgs; i++) {
		trace_reader_memcg(r->reader, i, &m);
		if (!strcmp(m.path, path))
			return i;
	}
	return -1;
}

static int find_node(const struct replay_scenario *s, const char *path)
{
	for (unsigned i = 0; i < s->nr_nodes; i++) {
		if (!strcmp(s->nodes[i].path, path))
			return i;
	}
	return -1;
}

static struct scenario_node *append_node(struct replay_scenario *s, const char *path)
{
	struct scenario_node *node;

	if (s->nr_nodes == s->cap_nodes) {
		unsigned cap = s->cap_nodes ? 2 * s->cap_nodes : 16;
		struct scenario_node *nodes = reallocarray(s->nodes, cap, sizeof(*nodes));

		if (!nodes)
			return NULL;
		s->nodes = nodes;
		s->cap_nodes = cap;
	}
	node = &s->nodes[s->nr_nodes];
	memset(node, 0, sizeof(*node));
	node->parent = -1;
	node->path = strdup(path);
	if (!node->path)
		return NULL;
	s->nr_nodes++;
	return node;
}

/* The node of @path; made if it is not there, with those above it that the trace does not have. */
static int node_of(struct replay *r, const char *path, unsigned line)
{
	struct replay_scenario *s = r->scenario;
	int i = find_node(s, path), trace_index, parent = -1;
	struct scenario_node *node;

	if (i >= 0)
		return i;
	trace_index = find_in_trace(r, path);
	if (trace_index < 0) {
		const char *slash = strrchr(path, '/');
		char *above = slash == path ? strdup("/") : strndup(path, slash - path);

		parent = above ? node_of(r, above, line) : -ENOMEM;
		free(above);
		if (parent < 0)
			return parent;
	}
	node = append_node(s, path);
	if (!node)
		return -ENOMEM;
	node->parent = parent;
	node->trace_index = trace_index;
	node->line = line;
	return s->nr_nodes - 1;
}

static int bind_memcgs(struct replay *r)
{
	struct replay_scenario *s = r->scenario;
	int ret = node_of(r, "/", 0);

	s->memcg_node = calloc(s->file->nr_memcgs + 1, sizeof(*s->memcg_node));
	if (!s->memcg_node)
		return -ENOMEM;
	for (unsigned i = 0; ret >= 0 && i < s->file->nr_memcgs; i++) {
		const struct scenario_memcg *m = &s->file->memcgs[i];

		ret = node_of(r, m->path, m->line);
		if (ret >= 0) {
			s->memcg_node[i] = ret;
			s->nodes[ret].settings = m;
		}
	}
	return ret < 0 ? ret : 0;
}

static int check_from(struct replay *r)
{
	const struct scenario_file *file = r->scenario->file;

	for (unsigned i = 0; i < file->nr_from; i++) {
		const struct scenario_from *from = &file->from[i];

		if (from->kind == SCENARIO_FROM_MEMCG && from->last >= r->info->nr_memcgs)
			return fail(r, from->line,
				    "from = memcg %" PRIu64
				    ": unknown; the trace has memcgs 0 to %u",
				    from->last, r->info->nr_memcgs - 1);
		if (from->kind == SCENARIO_FROM_CPU && from->last >= r->info->nr_cpus)
			return fail(r, from->line,
				    "from = cpu %" PRIu64 ": unknown; the trace has CPUs 0 to %u",
				    from->last, r->info->nr_cpus - 1);
		if (from->kind == SCENARIO_FROM_OFFSET && from->swap_type >= r->info->nr_swap_types)
			return fail(
				r, from->line,
				"from = offset %u:...: unknown; the trace has swap devices 0 to %u",
				from->swap_type, r->info->nr_swap_types - 1);
	}
	return 0;
}

/* ---- points in time ---- */

static int unknown_mark(struct replay *r, const struct scenario_point *point)
{
	char known[160] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < r->info->nr_marks; i++) {
		if (!strcmp(trace_reader_mark(r->reader, i), point->mark))
			return fail(r, point->line,
				    "[at mark %s]: the trace has the name, and no event of it",
				    point->mark);
	}
	for (uint32_t i = 0; i < r->info->nr_marks && n < sizeof(known); i++)
		n += snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "",
			      trace_reader_mark(r->reader, i));
	return fail(r, point->line, "[at mark %s]: the trace has no such mark; it has %s",
		    point->mark, *known ? known : "none");
}

/* The first event that marks the phase @name begins with; -ENOENT if none does. */
static int find_mark(struct replay *r, const char *name, uint64_t *event)
{
	for (uint64_t i = 0; i < r->info->nr_events; i++) {
		struct trace_event ev;
		int ret = trace_reader_event(r->reader, i, &ev, r->err);

		if (ret)
			return ret;
		if (ev.type == TRACE_MARK && !strcmp(trace_reader_mark(r->reader, ev.arg), name)) {
			*event = i;
			return 0;
		}
	}
	return -ENOENT;
}

static int bind_point(struct replay *r, struct scenario_point *point)
{
	int ret = 0;

	if (point->mark) {
		ret = find_mark(r, point->mark, &point->event);
		return ret == -ENOENT ? unknown_mark(r, point) : ret;
	}
	if (point->event >= r->info->nr_events)
		return fail(r, point->line, "[at %" PRIu64 "]: the trace has %" PRIu64 " events",
			    point->event, r->info->nr_events);
	return 0;
}

static int by_event(const void *a, const void *b)
{
	const struct scenario_action *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->change->line < y->change->line ? -1 : 1;
}

static int bind_changes(struct replay *r)
{
	struct replay_scenario *s = r->scenario;

	for (unsigned i = 0; i < s->file->nr_points; i++) {
		int ret = bind_point(r, &s->file->points[i]);

		if (ret)
			return ret;
	}
	s->actions = calloc(s->file->nr_changes + 1, sizeof(*s->actions));
	if (!s->actions)
		return -ENOMEM;
	for (unsigned i = 0; i < s->file->nr_changes; i++) {
		const struct scenario_change *c = &s->file->changes[i];
		int node = -1;

		if (c->path) {
			if (find_node(s, c->path) < 0 && find_in_trace(r, c->path) < 0)
				return fail(r, c->line,
					    "memcg %s is unknown: neither the trace nor a section "
					    "[memcg %s] has it",
					    c->path, c->path);
			node = node_of(r, c->path, c->line);
			if (node < 0)
				return node;
		}
		s->actions[i] = (struct scenario_action){s->file->points[c->point].event, node, c};
	}
	qsort(s->actions, s->file->nr_changes, sizeof(*s->actions), by_event);
	return 0;
}

/* ---- the lives of memcgs: looked through before they are lived ---- */

static const struct scenario_node *online_child(const struct replay_scenario *s, int node)
{
	for (unsigned i = 0; i < s->nr_nodes; i++) {
		if (s->nodes[i].parent == node && s->nodes[i].online)
			return &s->nodes[i];
	}
	return NULL;
}

static int begin_lives(struct replay *r)
{
	struct replay_scenario *s = r->scenario;
	struct trace_memcg m;

	for (unsigned i = 0; i < s->nr_nodes; i++) {
		struct scenario_node *node = &s->nodes[i];

		node->online = true;
		if (node->trace_index >= 0) {
			trace_reader_memcg(r->reader, node->trace_index, &m);
			node->online = m.online;
		} else if (!s->nodes[node->parent].online) {
			return fail(r, node->line,
				    "memcg %s: the trace has its parent %s, but not from the start",
				    node->path, s->nodes[node->parent].path);
		}
	}
	return 0;
}

static int check_action(struct replay *r, const struct scenario_action *a)
{
	struct replay_scenario *s = r->scenario;
	const struct scenario_node *child;
	struct scenario_node *node;

	if (a->node < 0)
		return 0;
	node = &s->nodes[a->node];
	if (!node->online)
		return fail(r, a->change->line, "memcg %s is not online at event %" PRIu64,
			    node->path, a->event);
	if (a->change->what != SCENARIO_MEMCG_OFFLINE)
		return 0;
	if (node->trace_index >= 0)
		return fail(r, a->change->line,
			    "memcg %s is the trace's: it goes offline when the trace says so",
			    node->path);
	child = online_child(s, a->node);
	if (child)
		return fail(r, a->change->line,
			    "memcg %s cannot go offline: its child %s is online", node->path,
			    child->path);
	node->online = false;
	return 0;
}

static int check_memcg_event(struct replay *r, uint64_t number, const struct trace_event *ev)
{
	struct replay_scenario *s = r->scenario;

	for (unsigned i = 1; i < s->nr_nodes; i++) {
		const struct scenario_node *child;

		if (s->nodes[i].trace_index != ev->memcg)
			continue;
		child = online_child(s, i);
		if (ev->what == TRACE_MEMCG_OFFLINE && child)
			return fail(r, child->line,
				    "memcg %s: its parent %s goes offline at event %" PRIu64
				    " of the trace",
				    child->path, s->nodes[i].path, number);
		if (ev->what == TRACE_MEMCG_ONLINE || ev->what == TRACE_MEMCG_OFFLINE)
			s->nodes[i].online = ev->what == TRACE_MEMCG_ONLINE;
	}
	return 0;
}

static int check_lives(struct replay *r)
{
	const struct replay_scenario *s = r->scenario;
	unsigned nr = s->file->nr_changes, next = 0;
	int ret = begin_lives(r);

	/* Without MEMCG events the changes are all that happens. */
	for (uint64_t i = 0; !ret && r->info->nr_type[TRACE_MEMCG] && i < r->info->nr_events; i++) {
		struct trace_event ev;

		while (!ret && next < nr && s->actions[next].event <= i)
			ret = check_action(r, &s->actions[next++]);
		if (!ret)
			ret = trace_reader_event(r->reader, i, &ev, r->err);
		if (!ret && ev.type == TRACE_MEMCG)
			ret = check_memcg_event(r, i, &ev);
	}
	while (!ret && next < nr)
		ret = check_action(r, &s->actions[next++]);
	return ret;
}

/* ---- settings ---- */

static void take_settings(struct replay *r)
{
	const struct scenario_file *file = r->scenario->file;
	struct replay_settings *to = &r->settings;
	unsigned given = r->config->given;

	if (file->totalram.given && !(given & REPLAY_GIVEN_TOTALRAM))
		to->totalram_pages = file->totalram.value / PAGE_SIZE;
	if (file->nodes.given && !(given & REPLAY_GIVEN_NODES))
		to->nr_nodes = file->nodes.value;
	if (file->max_pool_percent.given && !(given & REPLAY_GIVEN_MAX_POOL_PERCENT))
		to->max_pool_percent = file->max_pool_percent.value;
	if (file->accept_threshold_percent.given && !(given & REPLAY_GIVEN_ACCEPT_THRESHOLD))
		to->accept_threshold_percent = file->accept_threshold_percent.value;
	if (file->shrinker_enabled.given && !(given & REPLAY_GIVEN_SHRINKER))
		to->shrinker_enabled = file->shrinker_enabled.value;
	if (file->totalram.given || file->max_pool_percent.given)
		to->pool_limit_given = true;
}

int replay_scenario_create(struct replay *r)
{
	int ret;

	if (!r->config->scenario)
		return 0;
	r->scenario = calloc(1, sizeof(*r->scenario));
	if (!r->scenario)
		return -ENOMEM;
	ret = scenario_file_read(r->config->scenario, &r->scenario->file, r->err);
	if (!ret)
		ret = bind_memcgs(r);
	if (!ret)
		ret = check_from(r);
	if (!ret)
		ret = bind_changes(r);
	if (!ret)
		ret = check_lives(r);
	if (!ret)
		take_settings(r);
	return ret;
}

unsigned replay_scenario_nr_changes(const struct replay *r)
{
	return r->scenario ? r->scenario->file->nr_changes : 0;
}

void replay_scenario_destroy(struct replay_scenario *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->nr_nodes; i++)
		free(s->nodes[i].path);
	free(s->nodes);
	free(s->memcg_node);
	free(s->actions);
	scenario_file_free(s->file);
	free(s);
}
