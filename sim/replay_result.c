// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written down of a replay. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/replay_private.h"

const char *const replay_op_names[REPLAY_NR_OPS] = {
	"swap-out to zswap",	  "swap-out of a large folio to zswap",
	"swap-out of zeros",	  "swap-out to disk",
	"swap-out refused, kept", "swap-in from zswap",
	"swap-in of zeros",	  "swap-in from disk",
};

void replay_note_failure(struct replay *r, const char *format, ...)
{
	char text[200];
	va_list args;

	if (r->result->first_failure[0])
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(r->result->first_failure, sizeof(r->result->first_failure),
		 "event %" PRIu64 ": %s", r->event, text);
}

void replay_observe_page(void *arg, const struct zswap_page_event *event)
{
	struct replay *r = arg;

	histogram_add(&r->result->page[event->dir][event->path], event->total_ns);
	r->result->dir_ns[event->dir] += event->total_ns;
	if (r->config->observer)
		r->config->observer(r->config->observer_arg, event);
}

void replay_note_pool(struct replay *r)
{
	struct zpool_usage *peak = &r->result->pool_peak, usage;

	if (zswap_total_pages(r->z) < peak->pages)
		return;
	zpool_usage(zswap_zpool(r->z), &usage);
	/* Of the moments with most pages, the one when most was in them. */
	if (usage.pages == peak->pages && usage.payload_bytes <= peak->payload_bytes)
		return;
	*peak = usage;
	r->result->stored_at_peak = zswap_stats(r->z)->stored_pages;
	r->result->peak_event = r->event;
	r->classes_current = false;
}

/* Before anything is freed: the size classes as they were when the pool was largest. */
void replay_note_classes(struct replay *r)
{
	struct zs_pool *pool = zswap_zs_pool(r->z);

	/* At the first free after the peak nothing has changed since. */
	if (r->classes_current)
		return;
	for (unsigned i = 0; r->result->nr_classes; i++) {
		i = zs_next_changed_class(pool, i);
		if (i == r->result->nr_classes)
			break;
		zs_class_stats(pool, i, &r->result->classes_at_peak[i]);
	}
	r->classes_current = true;
}

static uint64_t clock_cost(const struct kernel *k)
{
	uint64_t start = kernel_now(k), end = start;

	for (int i = 0; i < 1000; i++)
		end = kernel_now(k);
	return (end - start) / 1000;
}

int replay_result_init(struct replay *r)
{
	struct zs_pool *zs_pool = zswap_zs_pool(r->z);
	struct replay_result *result = r->result;

	result->nr_classes = zs_pool ? zs_nr_classes(zs_pool) : 0;
	result->classes_at_peak = calloc(result->nr_classes + 1, sizeof(*result->classes_at_peak));
	result->changes = calloc(replay_scenario_nr_changes(r) + 1, sizeof(*result->changes));
	if (!result->classes_at_peak || !result->changes)
		return -ENOMEM;
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++)
		histogram_init(&result->op[op]);
	histogram_init(&result->in_modelled);
	histogram_init(&result->in_disk_modelled);
	result->swap_model = r->config->swap_model;
	result->compact = r->config->compact;
	result->nr_cpus = r->k->nr_cpus;
	result->nr_nodes = r->k->nr_nodes;
	result->totalram_pages = r->k->totalram_pages;
	result->max_pool_percent = r->settings.max_pool_percent;
	result->accept_threshold_percent = r->settings.accept_threshold_percent;
	result->max_pages = zswap_max_pages(r->z);
	result->accept_thr_pages = zswap_accept_thr_pages(r->z);
	result->shrinker_enabled = r->settings.shrinker_enabled;
	result->pool_limit_given = r->settings.pool_limit_given;
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
			histogram_init(&result->page[dir][path]);
	}
	result->clock_ns = clock_cost(r->k);
	return 0;
}

void replay_sample(struct replay *r)
{
	struct replay_sample sample = {
		.event = r->event,
		.time_ns = r->last_ns,
		.stored_pages = zswap_stats(r->z)->stored_pages,
		.stored_incompressible_pages = zswap_stats(r->z)->stored_incompressible_pages,
		.slots_in_use = slots_nr_used(r->slots),
		.disk_pages = swapdev_stats(r->dev)->pages,
		.zswap = zswap_stats(r->z),
		.swap = swap_io_stats(r->io),
		.dev = swapdev_stats(r->dev),
		.compaction = &r->result->compaction,
		.rejected_pages = r->result->counts.out_pages[SWAPOUT_DISK] +
				  r->result->counts.out_pages[SWAPOUT_ACTIVATED],
		.in_disk_written_back = r->result->counts.in_disk_written_back,
		.in_disk_refused = r->result->counts.in_disk_refused,
	};

	replay_note_compaction(r);
	zpool_usage(zswap_zpool(r->z), &sample.pool);
	r->config->sample(r->config->sample_arg, &sample);
}

static void collect_memcg(const struct replay *r, const struct mem_cgroup *memcg,
			  struct replay_memcg *to)
{
	to->parent = memcg->parent ? memcg->parent->id : 0;
	to->online = memcg->online;
	to->zswap_max = memcg->zswap_max;
	to->zswap_writeback = memcg->zswap_writeback;
	/* What an offline memcg's counters still say has moved to its parent. */
	to->zswap_bytes = memcg->online ? memcg->zswap_bytes : 0;
	to->zswapped_pages = memcg->online ? memcg->zswapped : 0;
	to->zswap_incomp_pages = memcg->online ? memcg->zswap_incomp : 0;
	to->zswpin += memcg->zswpin;
	to->zswpout += memcg->zswpout;
	to->zswpwb += memcg->zswpwb;
	to->pswpin += memcg->pswpin;
	to->pswpout += memcg->pswpout;
	to->zswap_max_hits = memcg->zswap_max_hits;
	memcpy(to->rejected, memcg->zswap_rejects, sizeof(to->rejected));
	for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++)
		r->result->rejected[i] += to->rejected[i];
	for (unsigned nid = 0; nid < r->k->nr_nodes; nid++) {
		to->nr_disk_swapins += memcg->lru[nid].nr_disk_swapins;
		to->nr_zswap_protected += memcg->lru[nid].nr_zswap_protected;
	}
	r->result->nr_disk_swapins += to->nr_disk_swapins;
}

/* Children have higher numbers than their parents: events are summed up on the way down. */
static int collect_memcgs(struct replay *r)
{
	struct replay_memcg *memcgs = calloc(r->memcgs.nr, sizeof(*memcgs));

	r->result->memcgs = memcgs;
	if (!memcgs)
		return -ENOMEM;
	r->result->nr_memcgs = r->memcgs.nr;
	for (unsigned i = r->memcgs.nr; i-- > 0;) {
		struct replay_memcg *m = &memcgs[i], *parent;

		collect_memcg(r, r->memcgs.all[i], m);
		m->path = strdup(r->memcgs.all[i]->path);
		if (!m->path)
			return -ENOMEM;
		if (!i)
			break;
		parent = &memcgs[m->parent];
		parent->zswpin += m->zswpin;
		parent->zswpout += m->zswpout;
		parent->zswpwb += m->zswpwb;
		parent->pswpin += m->pswpin;
		parent->pswpout += m->pswpout;
	}
	return 0;
}

/* A store is accepted below the limit; then each of its pages may be the first of a group. */
static uint64_t allowed_pages(const struct replay *r)
{
	const struct profile *p = &r->k->profile;
	uint64_t group = p->pool.allocator == POOL_ALLOCATOR_ZSMALLOC ? p->zsmalloc.chain_size : 1;
	uint64_t pages = r->most_pages ? r->most_pages - 1 + (group << r->max_order) : 0;

	return pages > r->result->pool_peak.pages ? pages : r->result->pool_peak.pages;
}

int replay_collect(struct replay *r)
{
	struct replay_result *result = r->result;
	int ret = r->policy ? replay_policy_end(r) : 0;

	if (ret)
		return ret;
	/* What is asked of zswap's compressor is asked of the first. */
	zswap_codec_use(r->z, 0);
	replay_note_classes(r);
	result->zswap = *zswap_stats(r->z);
	result->swap = *swap_io_stats(r->io);
	result->dev = *swapdev_stats(r->dev);
	result->file_ns = result->dev.file_ns;
	replay_note_compaction(r);
	zpool_usage(zswap_zpool(r->z), &result->pool_end);
	result->stream_contexts = zswap_nr_stream_contexts(r->z);
	result->stream_fallbacks = zswap_nr_stream_fallbacks(r->z);
	result->slots_in_use = slots_nr_used(r->slots);
	result->allowed_pages = allowed_pages(r);
	replay_policy_collect(r);
	result->trace_ns = r->last_ns - r->first_ns;
	if (collect_memcgs(r))
		return replay_fail(r, -ENOMEM, "out of memory");
	return 0;
}

void replay_result_finish(struct replay_result *result)
{
	for (unsigned i = 0; i < result->nr_memcgs; i++)
		free(result->memcgs[i].path);
	free(result->memcgs);
	free(result->changes);
	free(result->classes_at_peak);
	result->memcgs = NULL;
	result->nr_memcgs = 0;
	result->changes = NULL;
	result->classes_at_peak = NULL;
}
