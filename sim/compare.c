// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "sim/compare_samples.h"
#include "sim/slots.h"

/* One setting: its replay, and where in its samples the event at hand is. */
struct runner {
	struct replay_config config;
	struct replay *replay;
	struct replay_result *result;
	struct compare_samples samples;
	struct compare_span at;
	unsigned round, unit;
	bool changed; /* an event went otherwise than in the first round */

	/* Of the event at hand, by the observer. */
	unsigned nr_seen; /* pages */
	uint64_t writeback_ns, writebacks;
	struct seen {
		struct compare_note note;
		uint32_t page_ns, request_ns;
	} seen[ZSWAP_MAX_FOLIO_PAGES];
};

struct comparison {
	const struct compare_config *config;
	struct trace_reader *reader;
	struct trace_error *err;
	struct compare_plan plan;
	struct slots *slots; /* what a LOAD will bring, so that it can be decoded before */
	struct runner *runner;
};

static uint32_t cap(uint64_t ns)
{
	return ns > UINT32_MAX ? UINT32_MAX : ns;
}

static uint32_t hash_of_calls(const struct zswap_page_event *event)
{
	struct {
		uint32_t calls[ACOMP_NR_CALLS];
		uint32_t reason, linearised;
		int32_t ret;
	} key = {.reason = event->reason, .linearised = event->linearised, .ret = event->ret};

	if (event->cost)
		memcpy(key.calls, event->cost->calls, sizeof(key.calls));
	return XXH3_64bits(&key, sizeof(key));
}

static void observe(void *arg, const struct zswap_page_event *event)
{
	const struct acomp_cost *cost = event->cost;
	struct runner *r = arg;
	struct seen *seen;

	if (event->dir == ZSWAP_WRITEBACK) {
		r->writeback_ns += event->total_ns;
		r->writebacks++;
		return;
	}
	if (r->nr_seen == ZSWAP_MAX_FOLIO_PAGES)
		return;
	seen = &r->seen[r->nr_seen++];
	seen->note = (struct compare_note){
		.calls = hash_of_calls(event),
		.length = event->length,
		.path = 1 + event->path,
		.flags = event->dir == ZSWAP_LOAD ? COMPARE_NOTE_LOAD : 0,
	};
	seen->page_ns = cap(event->total_ns);
	seen->request_ns = 0;
	if (cost && cost->path != ACOMP_PATH_NONE) {
		seen->note.flags |= COMPARE_NOTE_REQUEST;
		seen->request_ns = cap(cost->init_ns + cost->codec_ns + cost->copy_ns);
	}
}

/* ---- one event ---- */

static uint64_t ops_of(const struct replay_result *result, unsigned op)
{
	return result->op[op].count;
}

/* Keeps the note of the first round; any later one must be the same. */
static void note_page(struct runner *r, uint64_t page, const struct compare_note *note)
{
	struct compare_note *kept = &r->samples.note[page];

	if (!r->round)
		*kept = *note;
	else if (memcmp(kept, note, sizeof(*note)))
		r->changed = true;
}

static void keep_pages(struct runner *r, const struct compare_plan *plan, unsigned nr)
{
	static const struct compare_note unseen;
	size_t round = r->round * plan->nr_pages;

	for (unsigned i = 0; i < nr; i++) {
		uint64_t page = r->at.page + i;

		if (i >= r->nr_seen) {
			note_page(r, page, &unseen);
			continue;
		}
		note_page(r, page, &r->seen[i].note);
		r->samples.page_ns[round + page] = r->seen[i].page_ns;
		r->samples.request_ns[round + page] = r->seen[i].request_ns;
	}
}

static void keep_call(struct runner *r, const struct compare_plan *plan,
		      const struct trace_event *ev, uint8_t place, uint64_t ns)
{
	struct compare_call_note *kept = &r->samples.call[r->at.call];
	struct compare_call_note note = {
		.pages = 1u << ev->order, .place = place, .load = ev->type == TRACE_LOAD};

	if (!r->round)
		*kept = note;
	else if (memcmp(kept, &note, sizeof(note)))
		r->changed = true;
	r->samples.call_ns[r->round * plan->nr_calls + r->at.call] = cap(ns);
}

static void keep_sums(struct runner *r, const struct compare_plan *plan, uint64_t worker_ns)
{
	size_t at = (size_t)r->round * plan->nr_units + r->unit;

	r->samples.writeback_ns[at] += r->writeback_ns;
	r->samples.worker_ns[at] += worker_ns;
	if (!r->round)
		r->samples.writebacks[r->unit] += r->writebacks;
}

static int run_event(struct comparison *c, struct runner *r, const struct trace_event *ev)
{
	uint64_t op_ns = r->result->op_ns, worker_ns = r->result->worker_ns;
	uint64_t before[REPLAY_NR_OPS];
	uint8_t place = 0;
	int ret;

	for (unsigned op = 0; op < REPLAY_NR_OPS; op++)
		before[op] = ops_of(r->result, op);
	r->nr_seen = 0;
	r->writeback_ns = r->writebacks = 0;
	ret = replay_step(r->replay, r->at.event, ev);
	if (ret)
		return ret;
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++) {
		if (ops_of(r->result, op) != before[op])
			place = 1 + op;
	}
	keep_sums(r, &c->plan, r->result->worker_ns - worker_ns);
	if (ev->type == TRACE_STORE || ev->type == TRACE_LOAD) {
		keep_pages(r, &c->plan, 1u << ev->order);
		keep_call(r, &c->plan, ev, place, r->result->op_ns - op_ns);
		r->at.page += 1u << ev->order;
		r->at.call++;
	}
	r->at.event++;
	return 0;
}

/* ---- one chunk ---- */

static int decode(struct comparison *c, uint32_t id)
{
	const void *data;

	return trace_reader_page(c->reader, id, &data, c->err);
}

static int decode_store(struct comparison *c, const struct trace_event *ev)
{
	uint32_t ids[1u << TRACE_MAX_ORDER];
	int ret = trace_reader_store_pages(c->reader, ev, ids, c->err);

	for (unsigned i = 0; !ret && i < 1u << ev->order; i++) {
		ret = slots_set(c->slots, ev->swap_type, ev->offset + i, ids[i], false);
		if (!ret)
			ret = decode(c, ids[i]);
	}
	return ret;
}

static int decode_load(struct comparison *c, const struct trace_event *ev)
{
	bool in_memory;
	uint32_t id;
	int ret = 0;

	for (unsigned i = 0; !ret && i < 1u << ev->order; i++) {
		if (slots_get(c->slots, ev->swap_type, ev->offset + i, &id, &in_memory))
			ret = decode(c, id);
	}
	return ret;
}

/* So that no setting pays for what it is the first to read. */
static int decode_chunk(struct comparison *c, const struct compare_span *chunk)
{
	int ret = 0;

	for (uint64_t i = chunk[0].event; !ret && i < chunk[1].event; i++) {
		struct trace_event ev;

		ret = trace_reader_event(c->reader, i, &ev, c->err);
		if (!ret && ev.type == TRACE_STORE)
			ret = decode_store(c, &ev);
		if (!ret && ev.type == TRACE_LOAD)
			ret = decode_load(c, &ev);
	}
	return ret;
}

static int run_chunk(struct comparison *c, struct runner *r, const struct compare_span *chunk)
{
	int ret = 0;

	while (r->unit + 1 < c->plan.nr_units && r->at.event >= c->plan.unit[r->unit + 1].event)
		r->unit++;
	for (uint64_t i = chunk[0].event; !ret && i < chunk[1].event; i++) {
		struct trace_event ev;

		ret = trace_reader_event(c->reader, i, &ev, c->err);
		if (!ret)
			ret = run_event(c, r, &ev);
	}
	return ret;
}

/* Who comes @k-th at turn @turn: everyone first in turn, and then the other way round. */
static unsigned whose_turn(uint64_t turn, unsigned k, unsigned nr)
{
	unsigned first = turn % nr;

	return turn / nr % 2 ? (first + nr - k) % nr : (first + k) % nr;
}

/* ---- rounds ---- */

static int begin_round(struct comparison *c, unsigned round)
{
	unsigned nr = c->config->nr_settings;
	int ret = 0;

	for (unsigned k = 0; !ret && k < nr; k++) {
		struct runner *r = &c->runner[whose_turn(round, k, nr)];

		r->round = round;
		r->unit = 0;
		r->at = (struct compare_span){0};
		replay_result_finish(r->result);
		ret = replay_create(&r->config, c->reader, r->result, c->err, &r->replay);
	}
	slots_destroy(c->slots);
	c->slots = NULL;
	return ret ? ret : slots_create(true, NULL, &c->slots);
}

static int end_round(struct comparison *c, struct compare_result *result)
{
	int ret;

	for (unsigned s = 0; s < c->config->nr_settings; s++) {
		struct runner *r = &c->runner[s];

		ret = replay_collect(r->replay);
		replay_destroy(r->replay);
		r->replay = NULL;
		if (ret)
			return ret;
		result->setting[s].mismatched_pages += r->result->counts.mismatched_pages;
		result->setting[s].failed_loads += r->result->counts.failed_loads;
		if (r->changed) {
			snprintf(c->err->message, sizeof(c->err->message),
				 "%s: round %u of setting %u did not do what the first did",
				 trace_reader_path(c->reader), r->round + 1, s);
			return -EUCLEAN;
		}
	}
	return 0;
}

static int run_round(struct comparison *c, unsigned round, struct compare_result *result)
{
	unsigned nr = c->config->nr_settings;
	int ret = begin_round(c, round);

	for (uint64_t i = 0; !ret && i < c->plan.nr_chunks; i++) {
		ret = decode_chunk(c, &c->plan.chunk[i]);
		for (unsigned k = 0; !ret && k < nr; k++)
			ret = run_chunk(c, &c->runner[whose_turn(round + i, k, nr)],
					&c->plan.chunk[i]);
		if (!ret && c->config->after_chunk)
			c->config->after_chunk(c->config->after_chunk_arg, round,
					       c->plan.chunk[i].event, c->plan.chunk[i + 1].event);
	}
	return ret ? ret : end_round(c, result);
}

/* ---- all of it ---- */

static int setup(struct comparison *c, struct compare_result *result)
{
	const struct compare_config *config = c->config;
	int ret = compare_plan_init(&c->plan, c->reader, config->nr_settings, c->err);

	if (ret)
		return ret;
	c->runner = calloc(config->nr_settings, sizeof(*c->runner));
	if (!c->runner)
		return -ENOMEM;
	for (unsigned s = 0; !ret && s < config->nr_settings; s++) {
		struct runner *r = &c->runner[s];

		r->config = config->settings[s];
		r->config.observer = observe;
		r->config.observer_arg = r;
		r->result = result->setting[s].replay = calloc(1, sizeof(*r->result));
		ret = r->result ? compare_samples_init(&r->samples, &c->plan, config->rounds)
				: -ENOMEM;
	}
	return ret;
}

static void finish(struct comparison *c)
{
	for (unsigned s = 0; c->runner && s < c->config->nr_settings; s++) {
		replay_destroy(c->runner[s].replay);
		compare_samples_finish(&c->runner[s].samples);
	}
	free(c->runner);
	slots_destroy(c->slots);
	compare_plan_finish(&c->plan);
}

static uint64_t now(const struct compare_config *config)
{
	const struct replay_config *base = &config->settings[0];

	return base->clock ? base->clock(base->clock_arg) : 0;
}

/* The number of the event that is STORE or LOAD number *@number of the trace. */
static int find_event(const struct comparison *c, uint64_t *number)
{
	uint64_t chunk = 0, left;
	int ret = 0;

	if (*number == UINT64_MAX)
		return 0;
	while (c->plan.chunk[chunk + 1].call <= *number)
		chunk++;
	left = *number - c->plan.chunk[chunk].call;
	for (uint64_t i = c->plan.chunk[chunk].event; !ret; i++) {
		struct trace_event ev;

		ret = trace_reader_event(c->reader, i, &ev, c->err);
		if (ret || (ev.type != TRACE_STORE && ev.type != TRACE_LOAD))
			continue;
		if (!left--) {
			*number = i;
			break;
		}
	}
	return ret;
}

static int make_rows(const struct comparison *c, struct compare_result *result)
{
	struct compare_samples samples[COMPARE_MAX_SETTINGS];
	int ret;

	for (unsigned s = 0; s < c->config->nr_settings; s++)
		samples[s] = c->runner[s].samples;
	result->nr_settings = c->config->nr_settings;
	result->rounds = c->config->rounds;
	result->nr_chunks = c->plan.nr_chunks;
	result->nr_units = c->plan.nr_units;
	result->pages = c->plan.nr_pages;
	ret = compare_rows(c->config, &c->plan, samples, result);
	for (unsigned s = 0; !ret && s < result->nr_settings; s++)
		ret = find_event(c, &result->setting[s].events.first);
	return ret;
}

static bool config_valid(const struct compare_config *config)
{
	return config->nr_settings >= 2 && config->nr_settings <= COMPARE_MAX_SETTINGS &&
	       config->rounds >= 1 && config->rounds <= COMPARE_MAX_ROUNDS;
}

int compare_run(const struct compare_config *config, struct trace_reader *reader,
		struct compare_result *result, struct trace_error *err)
{
	struct comparison c = {.config = config, .reader = reader, .err = err};
	uint64_t start;
	int ret = -EINVAL;

	memset(result, 0, sizeof(*result));
	memset(err, 0, sizeof(*err));
	if (config_valid(config))
		ret = setup(&c, result);
	start = now(config);
	for (unsigned round = 0; !ret && round < config->rounds; round++)
		ret = run_round(&c, round, result);
	result->wall_ns = now(config) - start;
	if (!ret)
		ret = make_rows(&c, result);
	finish(&c);
	if (ret) {
		if (!err->message[0])
			snprintf(err->message, sizeof(err->message), "%s", strerror(-ret));
		compare_result_finish(result);
	}
	return ret;
}

void compare_result_finish(struct compare_result *result)
{
	for (unsigned s = 0; s < COMPARE_MAX_SETTINGS; s++) {
		if (result->setting[s].replay)
			replay_result_finish(result->setting[s].replay);
		free(result->setting[s].replay);
		result->setting[s].replay = NULL;
	}
}

bool compare_same_events(const struct compare_setting *setting)
{
	return setting->events.first == UINT64_MAX;
}
