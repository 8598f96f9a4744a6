// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/random.h"
#include "traces/zipf.h"

#define EVENTS_A_PAGE 4u
#define BURSTS	      4u
#define BURST_STAGES  (2 + 2 * BURSTS) /* warm, work, then burst and work, over and over */

/* Pages whose slots follow each other, all in folios or all single; up to the next extent. */
struct extent {
	uint64_t page, offset;
	bool folios;
};

struct trace_pattern {
	struct trace_pattern_config config;
	struct extent *extents;
	size_t nr_extents, cap_extents;
	uint64_t nr_pages, nr_slots;
	size_t last_extent; /* where the last page was found */

	struct random random;
	struct zipf zipf;
	uint64_t *swapped; /* a bit a page */

	bool started, in_phase;
	unsigned phase;
	uint64_t page; /* the next in order */
	uint64_t nr_events;
	uint64_t time_ns;

	/* Of burst. */
	uint64_t warm;	 /* pages from the first on; those behind are cold */
	uint64_t cold;	 /* the next to be stored */
	uint64_t stored; /* pages since the last PRESSURE */
	unsigned stage;
	uint64_t touches; /* left of this stage */
};

/* A page's folio, or the page alone. */
struct unit {
	uint64_t page, offset;
	unsigned order;
};

static const char *const madvise_phases[] = {"store", "load", "invalidate"};
enum burst_phase { PHASE_WARM, PHASE_BURST, PHASE_WORK, NR_BURST_PHASES };
static const char *const burst_phases[NR_BURST_PHASES] = {"warm", "burst", "work"};
static const char *const names[] = {
	[TRACE_PATTERN_RANDOM] = "random",
	[TRACE_PATTERN_ZIPF] = "zipf",
	[TRACE_PATTERN_LOOP] = "loop",
};

int trace_pattern_create(const struct trace_pattern_config *config, struct trace_pattern **out)
{
	struct trace_pattern *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->config = *config;
	*out = p;
	return 0;
}

void trace_pattern_destroy(struct trace_pattern *p)
{
	if (!p)
		return;
	free(p->swapped);
	free(p->extents);
	free(p);
}

/* Adds @nr pages that begin at a slot that is a multiple of @align. */
static int add_extent(struct trace_pattern *p, uint64_t nr, uint64_t align, bool folios)
{
	uint64_t offset = (p->nr_slots + align - 1) & ~(align - 1);
	struct extent *last = p->nr_extents ? &p->extents[p->nr_extents - 1] : NULL;

	if (nr > TRACE_MAX_OFFSET || offset > TRACE_MAX_OFFSET - nr)
		return -EOVERFLOW;
	if (!last || last->folios != folios || offset != p->nr_slots) {
		if (p->nr_extents == p->cap_extents) {
			size_t cap = p->cap_extents ? p->cap_extents * 2 : 16;
			struct extent *extents = reallocarray(p->extents, cap, sizeof(*extents));

			if (!extents)
				return -ENOMEM;
			p->extents = extents;
			p->cap_extents = cap;
		}
		p->extents[p->nr_extents++] =
			(struct extent){.page = p->nr_pages, .offset = offset, .folios = folios};
	}
	p->nr_slots = offset + nr;
	p->nr_pages += nr;
	return 0;
}

int trace_pattern_add_file(struct trace_pattern *p, uint64_t nr_pages)
{
	uint64_t folio = 1ull << p->config.folio_order, single = nr_pages & (folio - 1);
	int ret = 0;

	if (nr_pages - single)
		ret = add_extent(p, nr_pages - single, folio, true);
	if (ret == 0 && single)
		ret = add_extent(p, single, 1, false);
	return ret;
}

static const struct extent *extent_of(struct trace_pattern *p, uint64_t page)
{
	size_t low = 0, high = p->nr_extents, i = p->last_extent;

	while (!(p->extents[i].page <= page &&
		 (i + 1 == p->nr_extents || page < p->extents[i + 1].page))) {
		if (p->extents[i].page > page)
			high = i;
		else
			low = i + 1;
		i = low + (high - low) / 2;
	}
	p->last_extent = i;
	return &p->extents[i];
}

static struct unit unit_of(struct trace_pattern *p, uint64_t page)
{
	const struct extent *e = extent_of(p, page);
	unsigned order = e->folios ? p->config.folio_order : 0;
	uint64_t in_extent = (page - e->page) >> order << order;

	return (struct unit){
		.page = e->page + in_extent, .offset = e->offset + in_extent, .order = order};
}

static bool is_swapped(const struct trace_pattern *p, uint64_t page)
{
	return p->swapped[page / 64] >> (page % 64) & 1;
}

static void set_swapped(struct trace_pattern *p, uint64_t page, bool swapped)
{
	uint64_t bit = 1ull << (page % 64);

	if (swapped)
		p->swapped[page / 64] |= bit;
	else
		p->swapped[page / 64] &= ~bit;
}

unsigned trace_pattern_nr_phases(const struct trace_pattern *p)
{
	switch (p->config.kind) {
	case TRACE_PATTERN_MADVISE:
		return 3;
	case TRACE_PATTERN_BURST:
		return NR_BURST_PHASES;
	default:
		return 1;
	}
}

const char *trace_pattern_phase(const struct trace_pattern *p, unsigned phase)
{
	switch (p->config.kind) {
	case TRACE_PATTERN_MADVISE:
		return madvise_phases[phase];
	case TRACE_PATTERN_BURST:
		return burst_phases[phase];
	default:
		return names[p->config.kind];
	}
}

static int start(struct trace_pattern *p)
{
	p->started = true;
	random_init(&p->random, p->config.seed, 0);
	if (p->config.kind == TRACE_PATTERN_MADVISE || p->nr_pages == 0)
		return 0;
	/* Folios are not divided between warm and cold. */
	p->warm = p->nr_pages / 2 ? unit_of(p, p->nr_pages / 2).page : 0;
	p->cold = p->warm;
	p->nr_events = p->config.nr_events ? p->config.nr_events
					   : EVENTS_A_PAGE * (p->config.kind == TRACE_PATTERN_BURST
								      ? p->warm
								      : p->nr_pages);
	if (p->config.kind == TRACE_PATTERN_ZIPF)
		zipf_init(&p->zipf, p->nr_pages, p->config.zipf_a);
	p->swapped = calloc((p->nr_pages + 63) / 64, sizeof(*p->swapped));
	return p->swapped ? 0 : -ENOMEM;
}

static int mark(struct trace_pattern *p, unsigned phase, struct trace_pattern_step *step)
{
	p->in_phase = true;
	p->page = 0;
	step->event = (struct trace_event){.type = TRACE_MARK, .time_ns = p->time_ns, .arg = phase};
	step->page = 0;
	return 1;
}

/* 1 << order pages from @page on, the slots from @offset on. */
static int emit(struct trace_pattern *p, enum trace_event_type type, uint64_t page, uint64_t offset,
		unsigned order, struct trace_pattern_step *step)
{
	step->event = (struct trace_event){
		.type = type,
		.order = order,
		.time_ns = p->time_ns,
		.offset = offset,
		.cpu = (offset >> p->config.folio_order) % p->config.nr_cpus,
	};
	step->page = page;
	p->time_ns += (uint64_t)TRACE_PATTERN_PAGE_NS << order;
	return 1;
}

static int emit_page(struct trace_pattern *p, enum trace_event_type type, struct unit u,
		     uint64_t page, struct trace_pattern_step *step)
{
	return emit(p, type, page, u.offset + (page - u.page), 0, step);
}

static int next_madvise(struct trace_pattern *p, struct trace_pattern_step *step)
{
	static const enum trace_event_type types[] = {TRACE_STORE, TRACE_LOAD, TRACE_INVALIDATE};
	uint64_t page = p->page;
	struct unit u;

	if (page == p->nr_pages) {
		p->phase++;
		p->in_phase = false;
		return trace_pattern_next(p, step);
	}
	u = unit_of(p, page);
	if (types[p->phase] == TRACE_STORE) {
		p->page += 1ull << u.order;
		return emit(p, TRACE_STORE, page, u.offset, u.order, step);
	}
	p->page++;
	return emit_page(p, types[p->phase], u, page, step);
}

static uint64_t touch(struct trace_pattern *p)
{
	switch (p->config.kind) {
	case TRACE_PATTERN_ZIPF:
		return random_permute(zipf_draw(&p->zipf, &p->random) - 1, p->nr_pages,
				      p->config.seed);
	case TRACE_PATTERN_LOOP:
		return p->page < p->nr_pages ? p->page : 0;
	case TRACE_PATTERN_BURST:
		return random_below(&p->random, p->warm);
	default:
		return random_below(&p->random, p->nr_pages);
	}
}

/* The first page of the unit from @page on, and around, that is swapped; @page: none is. */
static uint64_t next_swapped(const struct trace_pattern *p, struct unit u, uint64_t page)
{
	uint64_t nr = 1ull << u.order;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t other = u.page + ((page - u.page + i) & (nr - 1));

		if (is_swapped(p, other))
			return other;
	}
	return page;
}

static int store_unit(struct trace_pattern *p, struct unit u, struct trace_pattern_step *step)
{
	for (uint64_t i = 0; i < 1ull << u.order; i++)
		set_swapped(p, u.page + i, true);
	p->stored += 1ull << u.order;
	return emit(p, TRACE_STORE, u.page, u.offset, u.order, step);
}

static int next_touched(struct trace_pattern *p, struct trace_pattern_step *step)
{
	uint64_t page;
	struct unit u;

	if (p->nr_events == 0)
		return 0;
	p->nr_events--;
	page = touch(p);
	u = unit_of(p, page);
	page = next_swapped(p, u, page);
	p->page = page + 1;
	if (is_swapped(p, page)) {
		set_swapped(p, page, false);
		return emit_page(p, TRACE_LOAD, u, page, step);
	}
	p->page = u.page + (1ull << u.order);
	return store_unit(p, u, step);
}

/* ---- burst ---- */

static int pressure(struct trace_pattern *p, struct trace_pattern_step *step)
{
	p->stored = 0;
	step->event = (struct trace_event){
		.type = TRACE_PRESSURE, .time_ns = p->time_ns, .arg = p->config.scan};
	step->page = 0;
	return 1;
}

static enum burst_phase burst_phase(unsigned stage)
{
	return stage == 0 ? PHASE_WARM : stage % 2 ? PHASE_WORK : PHASE_BURST;
}

/* Stages of work share the touches; the first get what is left over. */
static uint64_t touches_of(const struct trace_pattern *p, unsigned stage)
{
	unsigned left = (BURST_STAGES - stage + 1) / 2;

	return p->warm ? (p->nr_events + left - 1) / left : 0;
}

/* The next event of the stage; 0: it has no more. */
static int next_in_stage(struct trace_pattern *p, struct trace_pattern_step *step)
{
	uint64_t cold_end;
	struct unit u;

	switch (burst_phase(p->stage)) {
	case PHASE_WARM:
		if (p->page >= p->warm)
			return 0;
		u = unit_of(p, p->page);
		p->page += 1ull << u.order;
		return store_unit(p, u, step);
	case PHASE_WORK:
		if (!p->touches)
			return 0;
		p->touches--;
		return next_touched(p, step);
	default:
		cold_end = p->warm + (p->nr_pages - p->warm) * (p->stage / 2) / BURSTS;
		if (p->cold >= cold_end)
			return 0;
		u = unit_of(p, p->cold);
		p->cold += 1ull << u.order;
		return store_unit(p, u, step);
	}
}

static int next_burst(struct trace_pattern *p, struct trace_pattern_step *step)
{
	for (; p->stage < BURST_STAGES; p->stage++) {
		int ret;

		if (!p->in_phase) {
			p->touches = touches_of(p, p->stage);
			return mark(p, burst_phase(p->stage), step);
		}
		if (p->stored >= TRACE_PATTERN_PRESSURE_PAGES)
			return pressure(p, step);
		ret = next_in_stage(p, step);
		if (ret)
			return ret;
		p->in_phase = false;
	}
	return 0;
}

int trace_pattern_next(struct trace_pattern *p, struct trace_pattern_step *step)
{
	if (!p->started) {
		int ret = start(p);

		if (ret)
			return ret;
	}
	if (p->config.kind == TRACE_PATTERN_BURST)
		return p->nr_pages ? next_burst(p, step) : 0;
	if (p->nr_pages == 0 || p->phase == trace_pattern_nr_phases(p))
		return 0;
	if (!p->in_phase)
		return mark(p, p->phase, step);
	return p->config.kind == TRACE_PATTERN_MADVISE ? next_madvise(p, step)
						       : next_touched(p, step);
}
