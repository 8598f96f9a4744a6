// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/allocator_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sampler {
	struct allocator_column *column;
	unsigned room;
};

static void sample(void *arg, const struct replay_sample *s)
{
	struct sampler *sampler = arg;
	struct allocator_column *c = sampler->column;

	if (c->nr_moments < sampler->room)
		c->moments[c->nr_moments++] = (struct allocator_moment){
			.event = s->event, .stored_pages = s->stored_pages, .pool = s->pool};
}

static void keep_result(struct allocator_column *c, const struct replay_result *x)
{
	c->refused_pages =
		x->counts.out_pages[SWAPOUT_DISK] + x->counts.out_pages[SWAPOUT_ACTIVATED];
	c->written_back_pages = x->zswap.written_back_pages;
	c->mismatched_pages = x->counts.mismatched_pages;
	c->failed_loads = x->counts.failed_loads;
	c->peak = x->pool_peak;
	c->stored_at_peak = x->stored_at_peak;
	if (x->counts.events)
		c->mean_pages = (double)x->pool_pages_sum / (double)x->counts.events;
	c->compaction = x->compaction;
}

static int run_column(const struct allocator_table_config *config, struct trace_reader *reader,
		      enum pool_allocator allocator, struct allocator_column *c,
		      struct trace_error *err)
{
	uint64_t nr_events = trace_reader_info(reader)->nr_events;
	struct profile profile = *config->replay->profile;
	struct replay_config replay = *config->replay;
	struct replay_result *result = malloc(sizeof(*result));
	struct sampler sampler = {c, config->rows + 1};
	int ret;

	c->type = zpool_types()[allocator];
	c->moments = calloc(sampler.room, sizeof(*c->moments));
	if (!result || !c->moments) {
		free(result);
		err->offset = UINT64_MAX;
		snprintf(err->message, sizeof(err->message), "out of memory");
		return -ENOMEM;
	}
	profile.changed |= profile.pool.allocator != allocator;
	profile.pool.allocator = allocator;
	replay.profile = &profile;
	replay.mode = REPLAY_POLICY;
	replay.lengths = config->lengths;
	replay.observer = NULL;
	replay.sample = sample;
	replay.sample_arg = &sampler;
	/* Rounded up, so that there are no more moments than rows. */
	replay.sample_interval = (nr_events + config->rows - 1) / config->rows;
	if (!replay.sample_interval)
		replay.sample_interval = 1;
	if (allocator != POOL_ALLOCATOR_ZSMALLOC)
		replay.compact.kind = COMPACT_NEVER;
	ret = replay_run(&replay, reader, result, err);
	if (!ret) {
		keep_result(c, result);
		replay_result_finish(result);
	}
	free(result);
	return ret;
}

int allocator_table_run(const struct allocator_table_config *config, struct trace_reader *reader,
			struct allocator_table *table, struct trace_error *err)
{
	int ret = 0;

	memset(table, 0, sizeof(*table));
	memset(err, 0, sizeof(*err));
	for (unsigned i = 0; !ret && zpool_types()[i]; i++) {
		table->nr++;
		ret = run_column(config, reader, i, &table->columns[i], err);
		if (config->progress)
			config->progress(config->progress_arg);
	}
	return ret;
}

void allocator_table_finish(struct allocator_table *table)
{
	for (unsigned i = 0; i < table->nr; i++)
		free(table->columns[i].moments);
	memset(table, 0, sizeof(*table));
}
