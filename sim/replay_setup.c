// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated machine of a replay. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/policy_load.h"
#include "sim/replay_private.h"

uint64_t replay_monotonic_ns(void *arg)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void replay_config_init(struct replay_config *config)
{
	memset(config, 0, sizeof(*config));
	config->compressor = "zstd";
	config->totalram_pages = KERNEL_DEFAULT_TOTALRAM;
	config->nr_nodes = 1;
	config->max_pool_percent = 20;
	config->accept_threshold_percent = 90;
	config->policy_limit_ms = POLICY_LIMIT_MS;
	config->clock = replay_monotonic_ns;
	swap_model_init(&config->swap_model);
}

static void written_back(void *arg, swp_entry_t swap)
{
	struct replay *r = arg;

	slots_note_written_back(r->slots, swap.type, swap.offset);
}

static void default_settings(struct replay *r)
{
	const struct replay_config *config = r->config;

	r->settings = (struct replay_settings){
		.totalram_pages = config->totalram_pages,
		.nr_nodes = config->nr_nodes,
		.max_pool_percent = config->max_pool_percent,
		.accept_threshold_percent = config->accept_threshold_percent,
		.shrinker_enabled = config->shrinker_enabled,
		.pool_limit_given =
			config->given & (REPLAY_GIVEN_TOTALRAM | REPLAY_GIVEN_MAX_POOL_PERCENT),
	};
}

static int length_of(void *arg, uint32_t id)
{
	const struct lengths *l = arg;

	return id == ZSWAP_ZERO_ID ? l->zeros : lengths_of(l, id);
}

/*
 * Whether a load can, with all else right, bring back another page than the one that was stored
 * last: kernels without large folios in zswap leave a stale entry behind when they refuse one; one
 * of the proposals for batching loses frames of a whole page (sim/zswap_batch.h). Such loads are
 * counted exactly; everywhere else tags are enough to notice a mistake.
 */
static bool loads_may_be_wrong(const struct replay *r)
{
	const struct profile *p = r->config->profile;

	if (p->zswap.batching == ZSWAP_BATCHING_SEGMENTED)
		return true;
	return !p->zswap.large_folios && r->info->nr_stored_pages != r->info->nr_type[TRACE_STORE];
}

static int setup_kernel(struct replay *r)
{
	const struct replay_config *config = r->config;
	kernel_clock_fn clock = replay_is_policy(r) ? NULL : config->clock;
	struct kernel_config kernel = {
		.profile = config->profile,
		.nr_cpus = r->info->nr_cpus,
		.nr_nodes = r->settings.nr_nodes,
		.totalram_pages = r->settings.totalram_pages,
		.no_contents = replay_is_policy(r),
		.clock = clock,
		.clock_arg = config->clock_arg,
	};
	struct zswap_config zswap = {
		.compressor = config->compressor ? config->compressor : "zstd",
		.max_pool_percent = r->settings.max_pool_percent,
		.accept_threshold_percent = r->settings.accept_threshold_percent,
		.shrinker_enabled = r->settings.shrinker_enabled,
		.length = length_of,
		.length_arg = (struct lengths *)config->lengths,
		.written_back = written_back,
		.written_back_arg = r,
		.observer = replay_observe_page,
		.observer_arg = r,
	};
	int ret = kernel_create(&kernel, &r->k);

	if (ret)
		return ret;
	crypto_init(r->k, config->crypto);
	r->exact_ids = !replay_is_policy(r) || loads_may_be_wrong(r);
	ret = memcgs_init(&r->memcgs, r->k->nr_nodes);
	if (!ret)
		ret = swapdev_create(r->k->contents, &r->dev);
	if (!ret && !r->exact_ids)
		swapdev_keep_tags(r->dev);
	if (!ret) {
		swapdev_set_model(r->dev, &config->swap_model);
		swapdev_set_clock(r->dev, clock, config->clock_arg);
	}
	if (!ret)
		ret = zswap_create(r->k, &r->memcgs, r->dev, &zswap, &r->z);
	if (!ret)
		ret = swap_io_create(r->k, r->z, r->dev, &r->io);
	if (!ret)
		ret = slots_create(r->exact_ids, swapdev_slot_bytes(r->dev), &r->slots);
	return ret;
}

/* Whether the trace can be replayed in this mode, with these lengths and settings. */
static int check_mode(const struct replay *r)
{
	const struct lengths *l = r->config->lengths;
	const char *why;

	if (!replay_is_policy(r) && r->info->content_free)
		why = "the trace holds no page contents: there is nothing to compress or to verify "
		      "in measure mode; policy mode replays it";
	else if (r->config->compact.kind != COMPACT_NEVER &&
		 r->config->profile->pool.allocator != POOL_ALLOCATOR_ZSMALLOC)
		why = "only zsmalloc compacts (compact.when, pool.allocator)";
	else if (replay_is_policy(r) && !l)
		why = "policy mode needs the lengths of the trace's pages";
	else if (replay_is_policy(r) && l->nr_pages != r->info->nr_pages)
		why = "these lengths are not of this trace";
	else
		return 0;
	snprintf(r->err->message, sizeof(r->err->message), "%s: %s", trace_reader_path(r->reader),
		 why);
	return -EINVAL;
}

static int setup(struct replay *r)
{
	int ret = check_mode(r);

	if (ret)
		return ret;
	default_settings(r);
	ret = replay_scenario_create(r);
	if (ret)
		return ret;
	ret = setup_kernel(r);
	if (ret)
		return replay_fail(r, ret, "cannot set up the simulated machine: %s",
				   strerror(-ret));
	r->most_pages = zswap_max_pages(r->z);
	ret = replay_policy_create(r);
	if (ret)
		return ret;
	ret = replay_result_init(r);
	if (ret)
		return ret;
	r->memcg_of = calloc(r->info->nr_memcgs, sizeof(*r->memcg_of));
	if (!r->memcg_of)
		return -ENOMEM;
	for (unsigned i = 0; !ret && i < r->info->nr_memcgs; i++)
		ret = replay_add_memcg(r, i);
	return ret ? ret : replay_scenario_start(r);
}

void replay_destroy(struct replay *r)
{
	if (!r)
		return;
	for (unsigned order = 0; r->k && order <= TRACE_MAX_ORDER; order++) {
		if (r->out_page[order])
			free_pages(r->k->frames, r->out_page[order]);
		if (r->in_page[order])
			free_pages(r->k->frames, r->in_page[order]);
	}
	slots_destroy(r->slots);
	swap_io_destroy(r->io);
	zswap_destroy(r->z);
	replay_policy_destroy(r);
	swapdev_destroy(r->dev);
	free(r->memcg_of);
	memcgs_finish(&r->memcgs);
	replay_scenario_destroy(r->scenario);
	if (r->k)
		crypto_exit(r->k);
	kernel_destroy(r->k);
	free(r);
}

int replay_create(const struct replay_config *config, struct trace_reader *reader,
		  struct replay_result *result, struct trace_error *err, struct replay **out)
{
	struct replay *r = calloc(1, sizeof(*r));
	int ret;

	memset(result, 0, sizeof(*result));
	memset(err, 0, sizeof(*err));
	if (!r) {
		snprintf(err->message, sizeof(err->message), "out of memory");
		return -ENOMEM;
	}
	r->config = config;
	r->reader = reader;
	r->info = trace_reader_info(reader);
	r->result = result;
	r->err = err;
	ret = setup(r);
	if (ret) {
		replay_destroy(r);
		replay_result_finish(result);
		if (!err->message[0])
			snprintf(err->message, sizeof(err->message), "%s", strerror(-ret));
		return ret;
	}
	*out = r;
	return 0;
}
