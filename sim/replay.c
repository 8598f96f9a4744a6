// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/slots.h"

const char *const replay_op_names[REPLAY_NR_OPS] = {
	"swap-out to zswap", "swap-out of a large folio to zswap", "swap-out of zeros",
	"swap-out to disk",  "swap-out refused, kept",		   "swap-in from zswap",
	"swap-in of zeros",  "swap-in from disk",
};

struct replay {
	const struct replay_config *config;
	struct trace_reader *reader;
	const struct trace_info *info;
	struct replay_result *result;
	struct trace_error *err;
	uint64_t event; /* number of the one at hand */

	struct kernel *k;
	struct memcgs memcgs;
	struct mem_cgroup **memcg_of; /* [info->nr_memcgs]; NULL: not created yet */
	struct swapdev *dev;
	struct zswap *z;
	struct swap_io *io;
	struct slots *slots;
	/* Frames that folios are in on their way out and in; made when first needed, by order. */
	struct page *out_page[TRACE_MAX_ORDER + 1], *in_page[TRACE_MAX_ORDER + 1];
	bool classes_current; /* the size classes of the peak were written down */
	uint32_t ids[1u << TRACE_MAX_ORDER];
};

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
	config->clock = replay_monotonic_ns;
}

/* An error of the trace or of the machine at the event at hand. */
static int fail(struct replay *r, int ret, const char *format, ...)
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

static void note_failure(struct replay *r, const char *format, ...)
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

static void observe_page(void *arg, const struct zswap_page_event *event)
{
	struct replay *r = arg;

	histogram_add(&r->result->page[event->dir][event->path], event->total_ns);
	r->result->dir_ns[event->dir] += event->total_ns;
	if (r->config->observer)
		r->config->observer(r->config->observer_arg, event);
}

/* ---- set-up ---- */

static int add_memcg(struct replay *r, unsigned i)
{
	struct trace_memcg m;
	struct mem_cgroup *memcg;

	trace_reader_memcg(r->reader, i, &m);
	if (i == 0) {
		r->memcg_of[0] = root_mem_cgroup(&r->memcgs);
		return 0;
	}
	if (!m.online)
		return 0;
	if (!r->memcg_of[m.parent])
		return fail(r, -EINVAL, "memcg %u is online before its parent", i);
	memcg = mem_cgroup_create(&r->memcgs, r->memcg_of[m.parent], m.path);
	if (!memcg)
		return -ENOMEM;
	memcg->zswap_max = m.zswap_max;
	memcg->zswap_writeback = m.zswap_writeback;
	r->memcg_of[i] = memcg;
	return 0;
}

static int setup_kernel(struct replay *r)
{
	const struct replay_config *config = r->config;
	struct kernel_config kernel = {
		.profile = config->profile,
		.nr_cpus = r->info->nr_cpus,
		.nr_nodes = config->nr_nodes,
		.totalram_pages = config->totalram_pages,
		.clock = config->clock,
		.clock_arg = config->clock_arg,
	};
	struct zswap_config zswap = {
		.compressor = config->compressor ? config->compressor : "zstd",
		.max_pool_percent = config->max_pool_percent,
		.accept_threshold_percent = config->accept_threshold_percent,
		.shrinker_enabled = config->shrinker_enabled,
		.observer = observe_page,
		.observer_arg = r,
	};
	int ret = kernel_create(&kernel, &r->k);

	if (ret)
		return ret;
	crypto_init(r->k, config->crypto);
	ret = memcgs_init(&r->memcgs, r->k->nr_nodes);
	if (!ret)
		ret = swapdev_create(true, &r->dev);
	if (!ret)
		ret = zswap_create(r->k, &r->memcgs, r->dev, &zswap, &r->z);
	if (!ret)
		ret = swap_io_create(r->k, r->z, r->dev, &r->io);
	if (!ret)
		ret = slots_create(&r->slots);
	return ret;
}

static int setup(struct replay *r)
{
	int ret;

	if (r->info->content_free) {
		snprintf(r->err->message, sizeof(r->err->message),
			 "%s: the trace holds no page contents: there is nothing to compress or to "
			 "verify in measure mode",
			 trace_reader_path(r->reader));
		return -EINVAL;
	}
	ret = setup_kernel(r);
	if (ret)
		return fail(r, ret, "cannot set up the simulated machine: %s", strerror(-ret));
	r->result->nr_classes = zs_nr_classes(zswap_zs_pool(r->z));
	r->result->classes_at_peak = calloc(r->result->nr_classes,
					    sizeof(*r->result->classes_at_peak));
	r->memcg_of = calloc(r->info->nr_memcgs, sizeof(*r->memcg_of));
	if (!r->memcg_of || !r->result->classes_at_peak)
		return -ENOMEM;
	for (unsigned i = 0; !ret && i < r->info->nr_memcgs; i++)
		ret = add_memcg(r, i);
	return ret;
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
	swapdev_destroy(r->dev);
	free(r->memcg_of);
	memcgs_finish(&r->memcgs);
	if (r->k)
		crypto_exit(r->k);
	kernel_destroy(r->k);
	free(r);
}

/* ---- events ---- */

static int folio_of_event(struct replay *r, const struct trace_event *ev, struct page **pages,
			  struct folio *folio)
{
	struct page **page = &pages[ev->order];
	int nid = ev->cpu * r->k->nr_nodes / r->k->nr_cpus;

	if (!*page)
		*page = alloc_pages(r->k->frames, ev->order, nid);
	if (!*page)
		return fail(r, -ENOMEM, "out of memory");
	folio->page = *page;
	folio->page->nid = nid;
	folio->order = ev->order;
	folio->memcg = r->memcg_of[ev->memcg];
	folio->swap = (swp_entry_t){ev->swap_type, ev->offset};
	folio->ids = NULL;
	if (!folio->memcg || !folio->memcg->online)
		return fail(r, -EINVAL, "memcg %u is not online", ev->memcg);
	return 0;
}

static int read_contents(struct replay *r, const struct trace_event *ev, const struct folio *folio)
{
	int ret = trace_reader_store_pages(r->reader, ev, r->ids, r->err);

	for (unsigned i = 0; !ret && i < folio_nr_pages(folio); i++) {
		const void *data;

		ret = trace_reader_page(r->reader, r->ids[i], &data, r->err);
		if (!ret)
			memcpy(page_address(folio->page + i), data, PAGE_SIZE);
	}
	return ret;
}

static int reserve(struct replay *r, const struct folio *folio)
{
	int ret = zswap_reserve(r->z, folio->swap, folio->order);

	if (!ret)
		ret = swap_io_reserve(r->io, folio->order);
	if (!ret)
		ret = slots_reserve(r->slots, folio_nr_pages(folio));
	return ret ? fail(r, ret, "out of memory") : 0;
}

static void note_pool(struct replay *r)
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
static void note_classes(struct replay *r)
{
	struct zs_pool *pool = zswap_zs_pool(r->z);

	if (r->classes_current || zswap_total_pages(r->z) != r->result->pool_peak.pages)
		return;
	for (unsigned i = 0; i < r->result->nr_classes; i++)
		zs_class_stats(pool, i, &r->result->classes_at_peak[i]);
	r->classes_current = true;
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

static void run_worker(struct replay *r)
{
	uint64_t start = kernel_now(r->k);

	if (zswap_run_shrink_worker(r->z))
		r->result->worker_ns += kernel_now(r->k) - start;
}

static int replay_store(struct replay *r, const struct trace_event *ev)
{
	struct replay_counts *counts = &r->result->counts;
	uint64_t t0, t1, t2;
	enum swapout where;
	struct folio folio;
	enum replay_op op;
	int ret;

	t0 = kernel_now(r->k);
	ret = folio_of_event(r, ev, r->out_page, &folio);
	if (!ret)
		ret = read_contents(r, ev, &folio);
	if (ret)
		return ret;
	t1 = kernel_now(r->k);
	r->result->read_ns += t1 - t0;
	ret = reserve(r, &folio);
	if (ret)
		return ret;

	t1 = kernel_now(r->k);
	ret = swap_writeout(r->io, &folio, &where);
	t2 = kernel_now(r->k);
	if (ret)
		return fail(r, ret, "the swap device's file: %s", strerror(-ret));

	r->result->op_ns += t2 - t1;
	op = op_of_out[where];
	if (op == REPLAY_OUT_ZSWAP && folio.order)
		op = REPLAY_OUT_ZSWAP_LARGE;
	histogram_add(&r->result->op[op], t2 - t1);
	counts->stores++;
	counts->stored_pages += folio_nr_pages(&folio);
	counts->out_pages[where] += folio_nr_pages(&folio);
	for (unsigned i = 0; i < folio_nr_pages(&folio); i++) {
		ret = slots_set(r->slots, ev->swap_type, ev->offset + i, r->ids[i],
				where == SWAPOUT_ACTIVATED);
		if (ret)
			return fail(r, ret, "out of memory");
	}
	note_pool(r);
	run_worker(r);
	return 0;
}

/* Compares what came back with what the trace stored. */
static int verify_page(struct replay *r, const struct folio *folio, unsigned i, uint32_t id)
{
	uint64_t t0 = kernel_now(r->k), t1;
	const void *expected;
	int ret = trace_reader_page(r->reader, id, &expected, r->err);

	if (ret)
		return ret;
	t1 = kernel_now(r->k);
	r->result->read_ns += t1 - t0;
	r->result->counts.verified_pages++;
	if (memcmp(page_address(folio->page + i), expected, PAGE_SIZE)) {
		r->result->counts.mismatched_pages++;
		note_failure(r, "slot %u:%" PRIu64 " came back changed (page %u of the trace)",
			     folio->swap.type, folio->swap.offset + i, id);
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

	switch (ret) {
	case -ENOENT:
		return fail(r, -EINVAL,
			    "slot %u:%" PRIu64 " is loaded, but no copy is left anywhere: it was "
			    "loaded before and not stored since",
			    folio->swap.type, folio->swap.offset);
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
		note_failure(r, "slot %u:%" PRIu64 " does not decompress%s", folio->swap.type,
			     folio->swap.offset, ret == -EIO ? "" : " (the kernel would BUG)");
		return 0;
	default:
		return fail(r, ret, "the swap device's file: %s", strerror(-ret));
	}
}

static int replay_load(struct replay *r, const struct trace_event *ev)
{
	struct replay_counts *counts = &r->result->counts;
	uint64_t t0, t1;
	enum swapin from;
	struct folio folio;
	int ret = folio_of_event(r, ev, r->in_page, &folio);

	if (ret)
		return ret;
	counts->loads++;
	counts->loaded_pages += folio_nr_pages(&folio);
	if (check_slots(r, &folio, r->ids))
		return 0;
	/* What an earlier load left there must not pass for this page. */
	memset(page_address(folio.page), 0xa5, (size_t)folio_nr_pages(&folio) * PAGE_SIZE);
	note_classes(r);

	t0 = kernel_now(r->k);
	ret = swap_read_folio(r->io, &folio, &from);
	t1 = kernel_now(r->k);
	r->result->op_ns += t1 - t0;
	if (ret)
		return load_failed(r, &folio, ret);

	histogram_add(&r->result->op[op_of_in[from]], t1 - t0);
	counts->in_pages[from] += folio_nr_pages(&folio);
	for (unsigned i = 0; !ret && i < folio_nr_pages(&folio); i++)
		ret = verify_page(r, &folio, i, r->ids[i]);
	return ret;
}

static void replay_invalidate(struct replay *r, const struct trace_event *ev)
{
	unsigned nr = 1u << ev->order;

	r->result->counts.invalidates++;
	note_classes(r);
	for (unsigned i = 0; i < nr; i++) {
		if (!slots_clear(r->slots, ev->swap_type, ev->offset + i))
			r->result->counts.unknown_invalidates++;
	}
	swap_slot_free(r->io, (swp_entry_t){ev->swap_type, ev->offset}, ev->order);
}

static int replay_pressure(struct replay *r, const struct trace_event *ev)
{
	struct mem_cgroup *memcg = r->memcg_of[ev->memcg];
	uint64_t start = kernel_now(r->k);

	if (!memcg)
		return fail(r, -EINVAL, "memcg %u is not online", ev->memcg);
	for (unsigned nid = 0; nid < r->k->nr_nodes; nid++) {
		if (ev->arg)
			zswap_shrinker_scan(r->z, memcg, nid, ev->arg);
		else
			zswap_shrinker_count(r->z, memcg, nid);
	}
	r->result->worker_ns += kernel_now(r->k) - start;
	return 0;
}

static int memcg_online(struct replay *r, const struct trace_event *ev)
{
	struct mem_cgroup *memcg, *parent;
	struct trace_memcg m;

	trace_reader_memcg(r->reader, ev->memcg, &m);
	parent = r->memcg_of[m.parent];
	if (!parent || !parent->online)
		return fail(r, -EINVAL, "the parent of memcg %u is not online", ev->memcg);
	if (r->memcg_of[ev->memcg] && r->memcg_of[ev->memcg]->online)
		return fail(r, -EINVAL, "memcg %u is online already", ev->memcg);
	memcg = mem_cgroup_create(&r->memcgs, parent, m.path);
	if (!memcg)
		return fail(r, -ENOMEM, "out of memory");
	memcg->zswap_max = m.zswap_max;
	memcg->zswap_writeback = m.zswap_writeback;
	r->memcg_of[ev->memcg] = memcg;
	return 0;
}

static int replay_memcg(struct replay *r, const struct trace_event *ev)
{
	struct mem_cgroup *memcg = r->memcg_of[ev->memcg];

	if (ev->what == TRACE_MEMCG_ONLINE)
		return memcg_online(r, ev);
	if (!memcg || !memcg->online || mem_cgroup_is_root(memcg))
		return fail(r, -EINVAL, "memcg %u is %s", ev->memcg,
			    ev->memcg ? "not online" : "the root");
	switch (ev->what) {
	case TRACE_MEMCG_OFFLINE:
		if (zswap_memcg_offline(r->z, memcg))
			return fail(r, -EINVAL, "memcg %u has children", ev->memcg);
		break;
	case TRACE_MEMCG_ZSWAP_MAX:
		memcg->zswap_max = ev->arg;
		break;
	case TRACE_MEMCG_ZSWAP_WRITEBACK:
		memcg->zswap_writeback = ev->arg;
		break;
	}
	return 0;
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
		return replay_memcg(r, ev);
	}
	return 0;
}

int replay_step(struct replay *r, uint64_t number, const struct trace_event *ev)
{
	int ret;

	r->event = number;
	ret = replay_event(r, ev);
	if (ret)
		return ret;
	/* Contexts that this CPU asked for are made when it is idle. */
	crypto_acomp_run_worker(r->k);
	page_frames_trim(r->k->frames);
	r->result->counts.events++;
	return 0;
}

/* ---- the result ---- */

static uint64_t clock_cost(const struct kernel *k)
{
	uint64_t start = kernel_now(k), end = start;

	for (int i = 0; i < 1000; i++)
		end = kernel_now(k);
	return (end - start) / 1000;
}

void replay_collect(struct replay *r)
{
	struct replay_result *result = r->result;

	note_classes(r);
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

uint64_t replay_pool_pages(const struct replay *r)
{
	return zswap_total_pages(r->z);
}

bool replay_locate(const struct replay *r, unsigned swap_type, uint64_t offset,
		   struct zs_obj_location *loc)
{
	return zswap_locate(r->z, (swp_entry_t){swap_type, offset}, loc);
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
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++)
		histogram_init(&result->op[op]);
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
			histogram_init(&result->page[dir][path]);
	}
	ret = setup(r);
	if (ret) {
		replay_destroy(r);
		replay_result_finish(result);
		if (!err->message[0])
			snprintf(err->message, sizeof(err->message), "%s", strerror(-ret));
		return ret;
	}
	result->clock_ns = clock_cost(r->k);
	*out = r;
	return 0;
}

static int replay_events(struct replay *r)
{
	int ret = 0;

	for (uint64_t i = 0; !ret && i < r->info->nr_events; i++) {
		struct trace_event ev;

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
	ret = replay_events(r);
	result->wall_ns = kernel_now(r->k) - start;
	if (!ret)
		replay_collect(r);
	replay_destroy(r);
	if (ret)
		replay_result_finish(result);
	return ret;
}

void replay_result_finish(struct replay_result *result)
{
	free(result->classes_at_peak);
	result->classes_at_peak = NULL;
}
