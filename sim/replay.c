// SPDX-License-Identifier: GPL-2.0-or-later
/* The events, one by one. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/replay_private.h"

int replay_fail(struct replay *r, int ret, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	r->err->offset = UINT64_MAX;
	snprintf(r->err->message, sizeof(r->err->message), "%s: event %" PRIu64 ": %s",
		 trace_reader_path(r->reader), r->event, text);
	return ret;
}

int replay_dev_error(struct replay *r)
{
	int ret = zswap_dev_error(r->z);

	return ret ? replay_fail(r, ret, "the swap device's file: %s", strerror(-ret)) : 0;
}

static int folio_of_event(struct replay *r, const struct trace_event *ev, struct page **pages,
			  struct folio *folio)
{
	struct page **page = &pages[ev->order];
	int nid = r->k->nr_nodes > 1 ? ev->cpu * r->k->nr_nodes / r->k->nr_cpus : 0;

	if (!*page)
		*page = alloc_pages(r->k->frames, ev->order, nid);
	if (!*page)
		return replay_fail(r, -ENOMEM, "out of memory");
	folio->page = *page;
	folio->page->nid = nid;
	folio->order = ev->order;
	folio->memcg = replay_memcg_of(r, ev);
	folio->swap = (swp_entry_t){ev->swap_type, ev->offset};
	folio->ids = replay_is_policy(r) ? r->content_ids : NULL;
	folio->loaded = replay_is_policy(r) ? r->loaded : NULL;
	/* One that went offline may have pages left (memcg.dead_folios). */
	if (folio->memcg)
		return 0;
	if (r->memcg_of[ev->memcg])
		return replay_fail(r, -EINVAL,
				   "the memcg that the scenario gives slot %u:%" PRIu64
				   " was not created yet",
				   ev->swap_type, ev->offset);
	return replay_fail(r, -EINVAL, "memcg %u was not created yet", ev->memcg);
}

static int read_contents(struct replay *r, const struct trace_event *ev, const struct folio *folio)
{
	int ret = trace_reader_store_pages(r->reader, ev, r->ids, r->err);

	for (unsigned i = 0; !ret && i < folio_nr_pages(folio); i++) {
		const void *data;

		if (replay_is_policy(r)) {
			r->content_ids[i] = replay_content_id(r, r->ids[i]);
			continue;
		}
		ret = trace_reader_page(r->reader, r->ids[i], &data, r->err);
		if (!ret)
			memcpy(page_address(folio->page + i), data, PAGE_SIZE);
	}
	return ret;
}

#define TRIM_INTERVAL 1024u /* stores */

static int reserve(struct replay *r, const struct folio *folio)
{
	int ret;

	/* Nothing is timed in policy mode: memory comes when it is needed. */
	if (replay_is_policy(r)) {
		if (r->result->counts.stores % TRIM_INTERVAL == 0)
			zswap_trim(r->z);
		return 0;
	}
	ret = zswap_reserve(r->z, folio->swap, folio->order);
	if (!ret)
		ret = swap_io_reserve(r->io, folio->swap);
	if (!ret)
		ret = slots_reserve(r->slots, folio->swap.type, folio->swap.offset,
				    folio_nr_pages(folio));
	return ret ? replay_fail(r, ret, "out of memory") : 0;
}

static const enum replay_op op_of_out[SWAPOUT_NR] = {
	[SWAPOUT_ZERO] = REPLAY_OUT_ZERO,
	[SWAPOUT_ZSWAP] = REPLAY_OUT_ZSWAP,
	[SWAPOUT_DISK] = REPLAY_OUT_DISK,
	[SWAPOUT_ACTIVATED] = REPLAY_OUT_ACTIVATED,
};

static const enum replay_op op_of_in[SWAPIN_NR] = {
	[SWAPIN_ZERO] = REPLAY_IN_ZERO,
	[SWAPIN_ZSWAP] = REPLAY_IN_ZSWAP,
	[SWAPIN_DISK] = REPLAY_IN_DISK,
};

static int run_worker(struct replay *r)
{
	uint64_t start = replay_clock_begin(r);

	if (!zswap_run_shrink_worker(r->z))
		return 0;
	r->result->worker_ns += replay_clock_end(r, start);
	return replay_dev_error(r);
}

/* What a store may free: a stale copy in its slots, or what a memcg at its limit writes back. */
static bool may_free(const struct replay *r, const struct folio *folio)
{
	uint32_t id;
	bool in_memory;

	if (obj_cgroup_at_limit(folio->memcg->objcg->memcg))
		return true;
	for (unsigned i = 0; i < folio_nr_pages(folio); i++) {
		if (slots_get(r->slots, folio->swap.type, folio->swap.offset + i, &id, &in_memory))
			return true;
	}
	return false;
}

static int note_stored(struct replay *r, const struct folio *folio, enum swapout where)
{
	struct replay_counts *counts = &r->result->counts;
	const uint32_t *ids = r->exact_ids ? r->ids : r->content_ids;
	unsigned nr = folio_nr_pages(folio);

	counts->stores++;
	counts->stored_pages += nr;
	counts->out_pages[where] += nr;
	for (unsigned i = 0; i < nr; i++) {
		uint64_t slot = folio->swap.offset + i;

		if (slots_set(r->slots, folio->swap.type, slot, ids[i], where == SWAPOUT_ACTIVATED))
			return replay_fail(r, -ENOMEM, "out of memory");
		if (r->scenario &&
		    slots_note_memcg(r->slots, folio->swap.type, slot, folio->memcg->id))
			return replay_fail(r, -ENOMEM, "out of memory");
	}
	return 0;
}

static int replay_store(struct replay *r, const struct trace_event *ev)
{
	uint64_t start, ns;
	enum swapout where;
	struct folio folio;
	enum replay_op op;
	int ret;

	start = kernel_now(r->k);
	ret = folio_of_event(r, ev, r->out_page, &folio);
	if (!ret)
		ret = read_contents(r, ev, &folio);
	if (ret)
		return ret;
	r->result->read_ns += kernel_now(r->k) - start;
	ret = reserve(r, &folio);
	if (ret)
		return ret;
	if (may_free(r, &folio))
		replay_note_classes(r);

	start = replay_clock_begin(r);
	ret = swap_writeout(r->io, &folio, &where);
	ns = replay_clock_end(r, start);
	if (ret)
		return replay_fail(r, ret, "the swap device's file: %s", strerror(-ret));

	r->result->op_ns += ns;
	op = op_of_out[where];
	if (op == REPLAY_OUT_ZSWAP && folio.order)
		op = REPLAY_OUT_ZSWAP_LARGE;
	histogram_add(&r->result->op[op], ns);
	ret = note_stored(r, &folio, where);
	replay_note_pool(r);
	if (!ret && where != SWAPOUT_ZSWAP) {
		/* Only after a refusal is the worker queued, and it frees. */
		replay_note_classes(r);
		ret = run_worker(r);
	}
	if (folio.order > r->max_order)
		r->max_order = folio.order;
	if (r->config->stays && !zswap_writeback_enabled(r->z, folio.memcg))
		replay_policy_note_stays(r, &folio);
	if (!ret && r->policy)
		ret = replay_policy_settle(r);
	r->ordinal += folio_nr_pages(&folio);
	return ret;
}

/* What an earlier load left there must not pass for what this one loads. */
static void spoil(struct replay *r, const struct folio *folio)
{
	unsigned nr = folio_nr_pages(folio);

	if (!replay_is_policy(r)) {
		memset(page_address(folio->page), 0xa5, (size_t)nr * PAGE_SIZE);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		r->loaded[i] = r->exact_ids ? ~replay_content_id(r, r->ids[i]) : ~r->ids[i];
}

/* In policy mode: whether what was loaded is what the slot should have. */
static bool is_content(const struct replay *r, uint32_t loaded, uint32_t id)
{
	if (r->exact_ids)
		return loaded == replay_content_id(r, id);
	return !((loaded ^ id) & ((1u << SLOTS_TAG_BITS) - 1));
}

/* Compares what came back with what the trace stored. */
static int verify_page(struct replay *r, const struct folio *folio, unsigned i, uint32_t id)
{
	uint64_t t0 = kernel_now(r->k), t1;
	const void *expected = NULL;
	bool same;

	if (!replay_is_policy(r)) {
		int ret = trace_reader_page(r->reader, id, &expected, r->err);

		if (ret)
			return ret;
	}
	t1 = kernel_now(r->k);
	r->result->read_ns += t1 - t0;
	r->result->counts.verified_pages++;
	if (expected)
		same = !memcmp(page_address(folio->page + i), expected, PAGE_SIZE);
	else
		same = is_content(r, r->loaded[i], id);
	if (!same) {
		r->result->counts.mismatched_pages++;
		if (r->exact_ids)
			replay_note_failure(
				r, "slot %u:%" PRIu64 " came back changed (page %u of the trace)",
				folio->swap.type, folio->swap.offset + i, id);
		else
			replay_note_failure(r, "slot %u:%" PRIu64 " came back changed",
					    folio->swap.type, folio->swap.offset + i);
	}
	r->result->verify_ns += kernel_now(r->k) - t1;
	return 0;
}

/* What the trace's slots say before the kernel is asked. 1: there is nothing to load. */
static int check_slots(struct replay *r, const struct folio *folio, uint32_t *ids)
{
	struct replay_counts *counts = &r->result->counts;
	unsigned nr = folio_nr_pages(folio), unknown = 0, kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		bool in_memory;

		if (!slots_get(r->slots, folio->swap.type, folio->swap.offset + i, &ids[i],
			       &in_memory))
			unknown++;
		else
			kept += in_memory;
	}
	counts->unknown_loads += unknown;
	counts->kept_loads += kept;
	if (unknown + kept == 0)
		return 0;
	if (unknown + kept < nr)
		counts->refused_large_loads += nr - unknown - kept;
	return 1;
}

static int load_failed(struct replay *r, const struct folio *folio, int ret)
{
	unsigned nr = folio_nr_pages(folio);
	uint64_t slot = folio->swap.offset;

	switch (ret) {
	case -ENOENT:
		while (swap_slot_has_copy(r->io, (swp_entry_t){folio->swap.type, slot}))
			slot++;
		return replay_fail(r, -ENODATA,
				   "slot %u:%" PRIu64
				   " is loaded, but no copy is left anywhere: it "
				   "was loaded before and not stored since",
				   folio->swap.type, slot);
	case -EINVAL:
		r->result->counts.refused_large_loads += nr;
		return 0;
	case -EIO:
		if (folio->order) {
			r->result->counts.refused_large_loads += nr;
			return 0;
		}
		/* fall through */
	case -ENOTRECOVERABLE:
		r->result->counts.failed_loads += nr;
		replay_note_failure(r, "slot %u:%" PRIu64 " does not decompress%s",
				    folio->swap.type, folio->swap.offset,
				    ret == -EIO ? "" : " (the kernel would BUG)");
		return 0;
	default:
		return replay_fail(r, ret, "the swap device's file: %s", strerror(-ret));
	}
}

static void note_loaded(struct replay *r, const struct folio *folio, enum swapin from, uint64_t ns,
			uint64_t device_ns)
{
	struct replay_counts *counts = &r->result->counts;
	unsigned nr = folio_nr_pages(folio);

	histogram_add(&r->result->op[op_of_in[from]], ns);
	histogram_add(&r->result->in_modelled, ns + device_ns);
	counts->in_pages[from] += nr;
	if (from != SWAPIN_DISK)
		return;
	histogram_add(&r->result->in_disk_modelled, ns + device_ns);
	if (r->policy)
		replay_policy_missed(r, folio);
	for (unsigned i = 0; i < nr; i++) {
		if (slots_written_back(r->slots, folio->swap.type, folio->swap.offset + i))
			counts->in_disk_written_back++;
		else
			counts->in_disk_refused++;
	}
}

static int replay_load(struct replay *r, const struct trace_event *ev)
{
	const struct swapdev_stats *dev = swapdev_stats(r->dev);
	struct replay_counts *counts = &r->result->counts;
	uint64_t start, ns, device_ns;
	enum swapin from;
	struct folio folio;
	int ret = folio_of_event(r, ev, r->in_page, &folio);

	if (ret)
		return ret;
	counts->loads++;
	counts->loaded_pages += folio_nr_pages(&folio);
	if (check_slots(r, &folio, r->ids))
		return 0;
	spoil(r, &folio);
	replay_note_classes(r);

	device_ns = dev->modelled_ns[SWAP_MODEL_READ];
	start = replay_clock_begin(r);
	ret = swap_read_folio(r->io, &folio, &from);
	ns = replay_clock_end(r, start);
	device_ns = dev->modelled_ns[SWAP_MODEL_READ] - device_ns;
	r->result->op_ns += ns;
	if (ret)
		return load_failed(r, &folio, ret);

	note_loaded(r, &folio, from, ns, device_ns);
	for (unsigned i = 0; !ret && i < folio_nr_pages(&folio); i++)
		ret = verify_page(r, &folio, i, r->ids[i]);
	return ret;
}

static void replay_invalidate(struct replay *r, const struct trace_event *ev)
{
	unsigned nr = 1u << ev->order;

	r->result->counts.invalidates++;
	replay_note_classes(r);
	for (unsigned i = 0; i < nr; i++) {
		if (!slots_clear(r->slots, ev->swap_type, ev->offset + i))
			r->result->counts.unknown_invalidates++;
	}
	swap_slot_free(r->io, (swp_entry_t){ev->swap_type, ev->offset}, ev->order);
}

static int replay_event(struct replay *r, const struct trace_event *ev)
{
	r->k->cpu = ev->cpu;
	switch (ev->type) {
	case TRACE_STORE:
		return replay_store(r, ev);
	case TRACE_LOAD:
		return replay_load(r, ev);
	case TRACE_INVALIDATE:
		replay_invalidate(r, ev);
		return 0;
	case TRACE_PRESSURE:
		return replay_pressure(r, ev);
	case TRACE_MEMCG:
		return replay_memcg_event(r, ev);
	}
	return 0;
}

int replay_step(struct replay *r, uint64_t number, const struct trace_event *ev)
{
	int ret;

	r->event = number;
	if (!r->result->counts.events)
		r->first_ns = ev->time_ns;
	r->last_ns = ev->time_ns;
	ret = replay_scenario_step(r, number);
	if (!ret && r->policy)
		replay_policy_event(r, ev);
	if (!ret)
		ret = replay_event(r, ev);
	if (!ret && r->policy)
		ret = replay_policy_error(r);
	if (ret)
		return ret;
	/* Contexts that this CPU asked for are made when it is idle. */
	crypto_acomp_run_worker(r->k);
	r->result->counts.events++;
	replay_compact_step(r);
	r->result->pool_pages_sum += zswap_total_pages(r->z);
	page_frames_trim(r->k->frames);
	zpool_trim(zswap_zpool(r->z));
	if (r->config->sample_interval &&
	    r->result->counts.events % r->config->sample_interval == 0)
		replay_sample(r);
	return 0;
}

uint64_t replay_stored_pages(const struct replay *r)
{
	return zswap_stats(r->z)->stored_pages;
}

void replay_metadata(const struct replay *r, struct zswap_metadata *m, uint64_t *slots)
{
	zswap_metadata(r->z, m);
	*slots = swapdev_metadata_bytes(r->dev);
}

uint64_t replay_pool_pages(const struct replay *r)
{
	return zswap_total_pages(r->z);
}

bool replay_locate(const struct replay *r, unsigned swap_type, uint64_t offset,
		   struct zpool_location *loc)
{
	return zswap_locate(r->z, (swp_entry_t){swap_type, offset}, loc);
}

/* 8 MiB of the trace leave memory at once. */
#define DROP_EVENTS (1u << 18)

int replay_events(struct replay *r, uint64_t from, uint64_t to)
{
	int ret = 0;

	replay_look_ahead_begin(r);
	for (uint64_t i = from; !ret && i < to; i++) {
		struct trace_event ev;

		if (i % DROP_EVENTS == 0 && i >= DROP_EVENTS)
			trace_reader_drop(r->reader, i - DROP_EVENTS, i);
		if (replay_is_policy(r))
			replay_look_ahead(r, i);
		ret = trace_reader_event(r->reader, i, &ev, r->err);
		if (!ret)
			ret = replay_step(r, i, &ev);
	}
	return ret;
}

int replay_run(const struct replay_config *config, struct trace_reader *reader,
	       struct replay_result *result, struct trace_error *err)
{
	struct replay *r;
	uint64_t start;
	int ret = replay_create(config, reader, result, err, &r);

	if (ret)
		return ret;
	start = kernel_now(r->k);
	ret = replay_events(r, 0, r->info->nr_events);
	result->wall_ns = kernel_now(r->k) - start;
	/* The last event has a sample, whatever the interval. */
	if (!ret && config->sample_interval && result->counts.events % config->sample_interval)
		replay_sample(r);
	if (!ret)
		ret = replay_collect(r);
	replay_destroy(r);
	if (ret)
		replay_result_finish(result);
	return ret;
}
