// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/batching_private.h"

const char *const batching_mode_names[BATCHING_NR_MODES] = {
	[ZSWAP_BATCHING_NONE] = "none",
	[ZSWAP_BATCHING_REQUESTS] = "requests",
	[ZSWAP_BATCHING_SEGMENTED] = "segmented",
	[ZSWAP_BATCHING_FOLIO] = "folio",
};

int batching_fail(struct trace_error *err, int ret, const char *what)
{
	err->offset = UINT64_MAX;
	snprintf(err->message, sizeof(err->message), "%s", what);
	return ret;
}

static int fail_trace(struct trace_reader *reader, struct trace_error *err, const char *what)
{
	err->offset = UINT64_MAX;
	snprintf(err->message, sizeof(err->message), "%s: %s", trace_reader_path(reader), what);
	return -EINVAL;
}

/* ---- the pages ---- */

static int load_events(struct batching_trace *t, uint64_t max_pages, uint64_t nr_events,
		       struct trace_error *err)
{
	for (uint64_t i = 0; i < nr_events; i++) {
		uint32_t ids[1u << TRACE_MAX_ORDER];
		struct trace_event ev;
		unsigned nr;
		int ret = trace_reader_event(t->reader, i, &ev, err);

		if (ret)
			return ret;
		if (ev.type != TRACE_STORE)
			continue;
		nr = 1u << ev.order;
		if (t->nr_pages + nr > max_pages)
			break;
		ret = trace_reader_store_pages(t->reader, &ev, ids, err);
		if (ret)
			return ret;
		memcpy(t->ids + t->nr_pages, ids, nr * sizeof(*ids));
		t->nr_pages += nr;
		t->orders[t->nr_events++] = ev.order;
	}
	return 0;
}

int batching_trace_load(struct trace_reader *reader, uint64_t max_pages, struct batching_trace *t,
			struct trace_error *err)
{
	const struct trace_info *info = trace_reader_info(reader);
	int ret;

	memset(t, 0, sizeof(*t));
	memset(err, 0, sizeof(*err));
	t->reader = reader;
	if (info->content_free)
		return fail_trace(reader, err,
				  "the trace holds no page contents: there is nothing to compress");
	if (max_pages > info->nr_stored_pages)
		max_pages = info->nr_stored_pages;
	t->ids = calloc(max_pages + 1, sizeof(*t->ids));
	t->orders = calloc(info->nr_type[TRACE_STORE] + 1, sizeof(*t->orders));
	/* One folio a page, at most. */
	t->folios = calloc(max_pages + 1, sizeof(*t->folios));
	if (!t->ids || !t->orders || !t->folios) {
		batching_trace_finish(t);
		return batching_fail(err, -ENOMEM, "out of memory");
	}
	ret = load_events(t, max_pages, info->nr_events, err);
	if (!ret && !t->nr_pages)
		ret = fail_trace(reader, err,
				 info->nr_stored_pages
					 ? "its first folio has more pages than are to be taken"
					 : "it stores nothing");
	if (ret)
		batching_trace_finish(t);
	return ret;
}

void batching_trace_finish(struct batching_trace *t)
{
	free(t->folios);
	free(t->orders);
	free(t->ids);
	memset(t, 0, sizeof(*t));
}

static int is_zero(struct batching_trace *t, const struct batching_folio *folio, bool *zero,
		   struct trace_error *err)
{
	static const unsigned char zeros[PAGE_SIZE];

	*zero = true;
	for (uint64_t i = folio->first; *zero && i < folio->first + (1u << folio->order); i++) {
		const void *data;
		int ret = trace_reader_page(t->reader, t->ids[i], &data, err);

		if (ret)
			return ret;
		*zero = !memcmp(data, zeros, PAGE_SIZE);
	}
	return 0;
}

static int add_folio(struct batching_trace *t, uint64_t first, unsigned order,
		     struct trace_error *err)
{
	struct batching_folio folio = {first, order};
	bool zero;
	int ret = is_zero(t, &folio, &zero, err);

	if (ret)
		return ret;
	if (zero) {
		t->zero_folios++;
		t->zero_pages += 1u << order;
		return 0;
	}
	t->folios[t->nr_folios++] = folio;
	t->folio_pages += 1u << order;
	return 0;
}

int batching_trace_cut(struct batching_trace *t, unsigned order, struct trace_error *err)
{
	uint64_t at = 0, event = 0;
	int ret = 0;

	t->nr_folios = t->folio_pages = t->zero_folios = t->zero_pages = 0;
	while (!ret && at < t->nr_pages) {
		unsigned o = order == BATCHING_AS_TRACED ? t->orders[event++] : order;

		while (1u << o > t->nr_pages - at)
			o--;
		ret = add_folio(t, at, o, err);
		at += 1u << o;
	}
	if (!ret && !t->nr_folios)
		ret = fail_trace(t->reader, err, "it stores nothing but zeros");
	return ret;
}

/* ---- the machine ---- */

int batching_machine_init(struct batching_machine *m, const struct batching_config *config,
			  enum zswap_batching mode, uint64_t nr_pages, kernel_clock_fn clock,
			  zswap_observer_fn observer, void *observer_arg)
{
	struct profile profile = *config->profile;
	struct kernel_config kernel = {
		.profile = &profile,
		.totalram_pages = 2 * nr_pages + 4096,
		.clock = clock,
		.clock_arg = config->clock_arg,
	};
	struct zswap_config zswap = {
		.compressor = config->compressor,
		.max_pool_percent = 100,
		.accept_threshold_percent = 100,
		.observer = observer,
		.observer_arg = observer_arg,
	};
	int ret;

	memset(m, 0, sizeof(*m));
	profile.zswap.batching = mode;
	ret = kernel_create(&kernel, &m->k);
	if (ret)
		return ret;
	crypto_init(m->k, config->crypto);
	ret = memcgs_init(&m->memcgs, 1);
	if (!ret)
		ret = swapdev_create(false, &m->dev);
	if (!ret)
		ret = zswap_create(m->k, &m->memcgs, m->dev, &zswap, &m->z);
	if (ret)
		return ret;
	m->memcg = mem_cgroup_create(&m->memcgs, root_mem_cgroup(&m->memcgs), "/batch");
	m->page = alloc_pages(m->k->frames, 0, 0);
	return m->memcg && m->page ? 0 : -ENOMEM;
}

void batching_machine_finish(struct batching_machine *m)
{
	if (!m->k)
		return;
	for (unsigned order = 0; order <= BATCHING_MAX_ORDER; order++) {
		if (m->folio[order])
			free_pages(m->k->frames, m->folio[order]);
	}
	if (m->page)
		free_pages(m->k->frames, m->page);
	zswap_destroy(m->z);
	swapdev_destroy(m->dev);
	memcgs_finish(&m->memcgs);
	crypto_exit(m->k);
	kernel_destroy(m->k);
}

int batching_machine_fill(struct batching_machine *m, const struct batching_trace *trace,
			  const struct batching_folio *from, struct folio *folio,
			  struct trace_error *err)
{
	struct page **page = &m->folio[from->order];
	int ret;

	if (!*page)
		*page = alloc_pages(m->k->frames, from->order, 0);
	if (!*page)
		return batching_fail(err, -ENOMEM, "out of memory");
	*folio = (struct folio){
		.page = *page, .order = from->order, .memcg = m->memcg, .swap = {0, from->first}};
	for (unsigned i = 0; i < 1u << from->order; i++) {
		const void *data;

		ret = trace_reader_page(trace->reader, trace->ids[from->first + i], &data, err);
		if (ret)
			return ret;
		memcpy(page_address(*page + i), data, PAGE_SIZE);
	}
	ret = zswap_reserve(m->z, folio->swap, folio->order);
	return ret ? batching_fail(err, ret, "out of memory") : 0;
}
