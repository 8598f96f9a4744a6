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
	"swap-out to zswap", "swap-out of a large folio to zswap", "swap-out of zeros",
	"swap-out to disk",  "swap-out refused, kept",		   "swap-in from zswap",
	"swap-in of zeros",  "swap-in from disk",
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
	struct zs_usage usage;

	if (zswap_total_pages(r->z) <= r->result->pool_peak.pages)
		return;
	zs_usage(zswap_zs_pool(r->z), &usage);
	r->result->pool_peak = usage;
	r->result->stored_at_peak = zswap_stats(r->z)->stored_pages;
	r->result->peak_event = r->event;
	r->classes_current = false;
}

/* Before anything is freed: the size classes as they were when the pool was largest. */
void replay_note_classes(struct replay *r)
{
	struct zs_pool *pool = zswap_zs_pool(r->z);

	if (r->classes_current || zswap_total_pages(r->z) != r->result->pool_peak.pages)
		return;
	for (unsigned i = 0; i < r->result->nr_classes; i++)
		zs_class_stats(pool, i, &r->result->classes_at_peak[i]);
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
	struct replay_result *result = r->result;

	result->nr_classes = zs_nr_classes(zswap_zs_pool(r->z));
	result->classes_at_peak = calloc(result->nr_classes, sizeof(*result->classes_at_peak));
	if (!result->classes_at_peak)
		return -ENOMEM;
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++)
		histogram_init(&result->op[op]);
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
			histogram_init(&result->page[dir][path]);
	}
	result->clock_ns = clock_cost(r->k);
	return 0;
}

void replay_collect(struct replay *r)
{
	struct replay_result *result = r->result;

	replay_note_classes(r);
	result->zswap = *zswap_stats(r->z);
	result->swap = *swap_io_stats(r->io);
	result->dev = *swapdev_stats(r->dev);
	zs_usage(zswap_zs_pool(r->z), &result->pool_end);
	result->stream_contexts = zswap_nr_stream_contexts(r->z);
	result->stream_fallbacks = zswap_nr_stream_fallbacks(r->z);
	result->nr_cpus = r->k->nr_cpus;
	result->nr_nodes = r->k->nr_nodes;
	result->totalram_pages = r->k->totalram_pages;
	result->max_pool_percent = r->config->max_pool_percent;
	result->accept_threshold_percent = r->config->accept_threshold_percent;
	result->max_pages = zswap_max_pages(r->z);
	result->accept_thr_pages = zswap_accept_thr_pages(r->z);
}

void replay_result_finish(struct replay_result *result)
{
	free(result->classes_at_peak);
	result->classes_at_peak = NULL;
}
