// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/compare_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK	  64u  /* events, or pages */
#define MIN_UNITS 32u  /* as far as the trace has the events */
#define MAX_UNITS 500u /* more would only take longer */

static bool is_call(const struct trace_event *ev)
{
	return ev->type == TRACE_STORE || ev->type == TRACE_LOAD;
}

/* Small traces are cut into smaller chunks. */
static uint64_t chunk_size(uint64_t nr_events, unsigned nr_settings)
{
	uint64_t size = nr_events / (MIN_UNITS * nr_settings);

	return size < 1 ? 1 : size > CHUNK ? CHUNK : size;
}

static int cut_chunks(struct compare_plan *plan, struct trace_reader *reader, uint64_t size,
		      struct trace_error *err)
{
	struct compare_span at = {0};
	int ret;

	for (uint64_t i = 0; i < plan->nr_events; i++) {
		const struct compare_span *begin = &plan->chunk[plan->nr_chunks];
		struct trace_event ev;
		uint64_t pages;

		ret = trace_reader_event(reader, i, &ev, err);
		if (ret)
			return ret;
		pages = is_call(&ev) ? 1u << ev.order : 0;
		if (i - begin->event >= size ||
		    (i > begin->event && at.page - begin->page + pages > size)) {
			at.event = i;
			plan->chunk[++plan->nr_chunks] = at;
		}
		at.page += pages;
		at.call += is_call(&ev);
		*(ev.type == TRACE_STORE ? &plan->out_pages : &plan->in_pages) += pages;
	}
	at.event = plan->nr_events;
	if (plan->nr_events)
		plan->chunk[++plan->nr_chunks] = at;
	plan->nr_pages = at.page;
	plan->nr_calls = at.call;
	return 0;
}

/* As even as whole multiples of the number of settings allow. */
static void join_chunks(struct compare_plan *plan, unsigned nr_settings)
{
	uint64_t chunks = plan->nr_chunks / MAX_UNITS + 1;

	chunks = (chunks + nr_settings - 1) / nr_settings * nr_settings;
	for (uint64_t i = 0; i < plan->nr_chunks; i += chunks)
		plan->unit[plan->nr_units++] = plan->chunk[i];
	plan->unit[plan->nr_units] = plan->chunk[plan->nr_chunks];
}

int compare_plan_init(struct compare_plan *plan, struct trace_reader *reader, unsigned nr_settings,
		      struct trace_error *err)
{
	uint64_t nr_events = trace_reader_info(reader)->nr_events;
	int ret;

	*plan = (struct compare_plan){.nr_events = nr_events};
	/* A chunk for each event at most. */
	plan->chunk = calloc(nr_events + 1, sizeof(*plan->chunk));
	plan->unit = calloc(MAX_UNITS + 2, sizeof(*plan->unit));
	if (!plan->chunk || !plan->unit) {
		compare_plan_finish(plan);
		snprintf(err->message, sizeof(err->message), "out of memory");
		return -ENOMEM;
	}
	ret = cut_chunks(plan, reader, chunk_size(nr_events, nr_settings), err);
	if (ret) {
		compare_plan_finish(plan);
		return ret;
	}
	join_chunks(plan, nr_settings);
	return 0;
}

void compare_plan_finish(struct compare_plan *plan)
{
	free(plan->chunk);
	free(plan->unit);
	plan->chunk = plan->unit = NULL;
}

int compare_samples_init(struct compare_samples *s, const struct compare_plan *plan,
			 unsigned rounds)
{
	/* One more than there is, so that nothing is empty. */
	size_t pages = plan->nr_pages + 1, calls = plan->nr_calls + 1, units = plan->nr_units + 1;

	*s = (struct compare_samples){
		.note = calloc(pages, sizeof(*s->note)),
		.call = calloc(calls, sizeof(*s->call)),
		.page_ns = calloc(pages, rounds * sizeof(*s->page_ns)),
		.request_ns = calloc(pages, rounds * sizeof(*s->request_ns)),
		.call_ns = calloc(calls, rounds * sizeof(*s->call_ns)),
		.writeback_ns = calloc(units, rounds * sizeof(*s->writeback_ns)),
		.worker_ns = calloc(units, rounds * sizeof(*s->worker_ns)),
		.writebacks = calloc(units, sizeof(*s->writebacks)),
	};
	if (s->note && s->call && s->page_ns && s->request_ns && s->call_ns && s->writeback_ns &&
	    s->worker_ns && s->writebacks)
		return 0;
	compare_samples_finish(s);
	return -ENOMEM;
}

void compare_samples_finish(struct compare_samples *s)
{
	free(s->note);
	free(s->call);
	free(s->page_ns);
	free(s->request_ns);
	free(s->call_ns);
	free(s->writeback_ns);
	free(s->worker_ns);
	free(s->writebacks);
	memset(s, 0, sizeof(*s));
}
