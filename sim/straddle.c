// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/straddle.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/slots.h"
#include "sim/straddle_rig.h"
#include "traces/random.h"

#define NR_CHAINS (STRADDLE_MAX_CHAIN - STRADDLE_MIN_CHAIN + 1)

/* A load that straddled: of which page of the trace, and from which chunk of its zspage. */
struct drawn {
	uint32_t page;
	unsigned index;
};

struct chain {
	struct profile profile; /* with this chain size */
	struct random random;
	struct drawn *drawn; /* [config->pages] */
	uint64_t nr_straddling;
	unsigned nr_drawn;
	struct straddle_rig *rig;
	double *linear, *straddling; /* [nr_drawn], ns */
};

struct run {
	const struct straddle_config *config;
	struct trace_reader *reader;
	struct straddle_result *result;
	struct trace_error *err;
	struct chain chains[NR_CHAINS];
	uint64_t *first, *other; /* [config->rounds] */
	uint32_t ids[1u << TRACE_MAX_ORDER];
	uint64_t done;
};

uint64_t straddle_steps(const struct straddle_config *config)
{
	return NR_CHAINS * (1 + (uint64_t)config->pages);
}

static void step(struct run *run)
{
	run->done++;
	if (run->config->progress)
		run->config->progress(run->config->progress_arg, run->done,
				      straddle_steps(run->config));
}

static int run_fail(struct run *run, int ret, const char *what)
{
	run->err->offset = UINT64_MAX;
	snprintf(run->err->message, sizeof(run->err->message), "%s: %s",
		 trace_reader_path(run->reader), what);
	return ret;
}

/* ---- counts ---- */

/* Keeps it with the chance that makes all loads so far equally likely to be kept. */
static void draw(const struct straddle_config *config, struct chain *c, uint32_t page,
		 unsigned index)
{
	uint64_t at = c->nr_straddling++;

	if (at >= config->pages) {
		at = random_below(&c->random, c->nr_straddling);
		if (at >= config->pages)
			return;
	} else {
		c->nr_drawn++;
	}
	c->drawn[at] = (struct drawn){page, index};
}

static int note_stored(struct run *run, struct slots *slots, const struct trace_event *ev)
{
	int ret = trace_reader_store_pages(run->reader, ev, run->ids, run->err);

	for (unsigned i = 0; !ret && i < 1u << ev->order; i++) {
		ret = slots_set(slots, ev->swap_type, ev->offset + i, run->ids[i], false);
		if (ret)
			run_fail(run, ret, "out of memory");
	}
	return ret;
}

static void note_load(struct run *run, struct chain *c, const struct replay *r,
		      const struct slots *slots, const struct trace_event *ev)
{
	struct zpool_location loc;
	uint32_t page;
	bool unused;

	if (replay_locate(r, ev->swap_type, ev->offset, &loc) && loc.straddles &&
	    slots_get(slots, ev->swap_type, ev->offset, &page, &unused))
		draw(run->config, c, page, loc.index);
}

static int count_and_draw(struct run *run, struct chain *c, struct replay *r)
{
	uint64_t nr_events = trace_reader_info(run->reader)->nr_events;
	struct slots *slots = NULL; /* the replay knows pages by a few bits only */
	int ret = slots_create(true, NULL, &slots);

	if (ret)
		return run_fail(run, ret, "out of memory");
	for (uint64_t i = 0; !ret && i < nr_events; i++) {
		struct trace_event ev;

		ret = trace_reader_event(run->reader, i, &ev, run->err);
		/* Only loads of single pages come from zswap. */
		if (!ret && run->config->pages && ev.type == TRACE_LOAD && !ev.order)
			note_load(run, c, r, slots, &ev);
		if (!ret && run->config->pages && ev.type == TRACE_STORE)
			ret = note_stored(run, slots, &ev);
		if (!ret)
			ret = replay_step(r, i, &ev);
	}
	slots_destroy(slots);
	return ret ? ret : replay_collect(r);
}

static void fill_row(struct straddle_row *row, const struct replay_result *x)
{
	const struct zswap_account *loads = &x->zswap.dir[ZSWAP_LOAD];

	row->peak_pages = x->pool_peak.pages;
	if (x->counts.events)
		row->mean_pages = (double)x->pool_pages_sum / (double)x->counts.events;
	row->loads = x->counts.in_pages[SWAPIN_ZSWAP];
	row->straddling = loads->straddled;
	row->streamed = loads->pages[ZSWAP_PATH_STREAM];
	row->copied = row->straddling - row->streamed;
	row->mismatched = x->counts.mismatched_pages;
	row->failed = x->counts.failed_loads;
}

static int replay_chain(struct run *run, struct chain *c, struct straddle_row *row)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct replay_config config = *run->config->replay;
	struct replay *r;
	int ret;

	if (!result)
		return run_fail(run, -ENOMEM, "out of memory");
	config.mode = REPLAY_POLICY;
	config.lengths = run->config->lengths;
	config.profile = &c->profile;
	config.observer = NULL;
	config.sample_interval = 0;
	ret = replay_create(&config, run->reader, result, run->err, &r);
	if (ret)
		goto out;
	ret = count_and_draw(run, c, r);
	if (!ret)
		fill_row(row, result);
	replay_destroy(r);
	replay_result_finish(result);
out:
	free(result);
	step(run);
	return ret;
}

/* ---- times ---- */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(uint64_t *values, unsigned nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	return nr % 2 ? (double)values[nr / 2]
		      : ((double)values[nr / 2 - 1] + (double)values[nr / 2]) / 2;
}

static int measure(struct run *run, struct chain *c, unsigned i)
{
	unsigned rounds = run->config->rounds;
	const void *page;
	int ret = trace_reader_page(run->reader, c->drawn[i].page, &page, run->err);

	if (ret)
		return ret;
	ret = straddle_rig_measure(c->rig, page, c->drawn[i].index, rounds, run->first, run->other);
	if (ret == -EUCLEAN)
		return run_fail(
			run, ret,
			"a page came back changed, or lay elsewhere, while it was measured");
	if (ret)
		return run_fail(run, ret, strerror(-ret));
	c->linear[i] = median(run->first, rounds);
	c->straddling[i] = median(run->other, rounds);
	return 0;
}

static int create_rigs(struct run *run)
{
	for (unsigned i = 0; i < NR_CHAINS; i++) {
		struct chain *c = &run->chains[i];
		int ret;

		if (!c->nr_drawn)
			continue;
		ret = straddle_rig_create(run->config->replay, c->profile.zsmalloc.chain_size,
					  &c->rig);
		if (ret)
			return run_fail(run, ret, strerror(-ret));
	}
	return 0;
}

static int measure_all(struct run *run)
{
	int ret = create_rigs(run);

	for (unsigned i = 0; !ret && i < run->config->pages; i++) {
		for (unsigned j = 0; !ret && j < NR_CHAINS; j++) {
			if (i < run->chains[j].nr_drawn)
				ret = measure(run, &run->chains[j], i);
			step(run);
		}
	}
	return ret;
}

/* ---- statistics ---- */

static double mean_of(const double *values, const unsigned *unit, unsigned nr)
{
	double sum = 0;

	for (unsigned i = 0; i < nr; i++)
		sum += values[unit ? unit[i] : i];
	return nr ? sum / nr : NAN;
}

static void tax_of(void *arg, const unsigned *unit, double *value)
{
	const struct chain *c = arg;

	*value = mean_of(c->straddling, unit, c->nr_drawn) - mean_of(c->linear, unit, c->nr_drawn);
}

static int sum_up(struct run *run, struct chain *c, struct straddle_row *row)
{
	struct bootstrap_sample sample = {
		.nr_units = c->nr_drawn, .nr_statistics = 1, .statistics = tax_of, .arg = c};
	double share = row->loads ? (double)row->straddling / (double)row->loads : 0;
	struct straddle_cost *cost = &row->cost;

	*cost = (struct straddle_cost){.loads = c->nr_drawn,
				       .linear = NAN,
				       .straddling = NAN,
				       .tax = NAN,
				       .tax_interval = {NAN, NAN}};
	row->per_load_ns = row->total_ns = NAN;
	row->per_load_interval = (struct interval){NAN, NAN};
	if (!run->config->pages)
		return 0;
	if (!row->straddling) {
		row->per_load_ns = row->total_ns = 0;
		row->per_load_interval = (struct interval){0, 0};
	}
	if (!c->nr_drawn)
		return 0;
	cost->linear = mean_of(c->linear, NULL, c->nr_drawn);
	cost->straddling = mean_of(c->straddling, NULL, c->nr_drawn);
	cost->tax = cost->straddling - cost->linear;
	if (bootstrap_intervals(&run->config->bootstrap, &sample, &cost->tax_interval))
		return run_fail(run, -ENOMEM, "out of memory");
	row->per_load_ns = cost->tax * share;
	row->per_load_interval.low = cost->tax_interval.low * share;
	row->per_load_interval.high = cost->tax_interval.high * share;
	row->total_ns = cost->tax * (double)row->straddling;
	return 0;
}

/* ---- all of it ---- */

static int create_chains(struct run *run)
{
	const struct straddle_config *config = run->config;
	unsigned pages = config->pages ? config->pages : 1;

	for (unsigned i = 0; i < NR_CHAINS; i++) {
		struct chain *c = &run->chains[i];

		c->profile = *config->replay->profile;
		c->profile.changed |= c->profile.zsmalloc.chain_size != STRADDLE_MIN_CHAIN + i;
		c->profile.zsmalloc.chain_size = STRADDLE_MIN_CHAIN + i;
		random_init(&c->random, config->seed, i);
		c->drawn = calloc(pages, sizeof(*c->drawn));
		c->linear = calloc(pages, sizeof(*c->linear));
		c->straddling = calloc(pages, sizeof(*c->straddling));
		if (!c->drawn || !c->linear || !c->straddling)
			return -ENOMEM;
	}
	run->first = calloc(config->rounds, sizeof(*run->first));
	run->other = calloc(config->rounds, sizeof(*run->other));
	return run->first && run->other ? 0 : -ENOMEM;
}

static void destroy_chains(struct run *run)
{
	for (unsigned i = 0; i < NR_CHAINS; i++) {
		straddle_rig_destroy(run->chains[i].rig);
		free(run->chains[i].drawn);
		free(run->chains[i].linear);
		free(run->chains[i].straddling);
	}
	free(run->first);
	free(run->other);
}

static int run_all(struct run *run)
{
	int ret = create_chains(run);

	if (ret)
		return run_fail(run, ret, "out of memory");
	for (unsigned i = 0; !ret && i < NR_CHAINS; i++) {
		run->result->rows[i].chain_size = STRADDLE_MIN_CHAIN + i;
		ret = replay_chain(run, &run->chains[i], &run->result->rows[i]);
	}
	if (!ret)
		ret = measure_all(run);
	for (unsigned i = 0; !ret && i < NR_CHAINS; i++)
		ret = sum_up(run, &run->chains[i], &run->result->rows[i]);
	return ret;
}

int straddle_run(const struct straddle_config *config, struct trace_reader *reader,
		 struct straddle_result *result, struct trace_error *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int ret;

	memset(result, 0, sizeof(*result));
	memset(err, 0, sizeof(*err));
	if (!run) {
		snprintf(err->message, sizeof(err->message), "out of memory");
		return -ENOMEM;
	}
	*run = (struct run){.config = config, .reader = reader, .result = result, .err = err};
	result->nr_rows = NR_CHAINS;
	if (config->replay->profile->pool.allocator != POOL_ALLOCATOR_ZSMALLOC)
		ret = run_fail(run, -EINVAL, "only zsmalloc has chain sizes (pool.allocator)");
	else if (config->pages && trace_reader_info(reader)->content_free)
		ret = run_fail(run, -EINVAL,
			       "the trace holds no page contents: there is nothing to measure");
	else
		ret = run_all(run);
	destroy_chains(run);
	free(run);
	return ret;
}
