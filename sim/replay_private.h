/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the replay share among themselves. */
#ifndef SIM_REPLAY_PRIVATE_H
#define SIM_REPLAY_PRIVATE_H

#include "sim/lengths.h"
#include "sim/replay.h"
#include "sim/slots.h"

struct replay_scenario;

/* Those of the configuration, or else of the scenario, or else the defaults. */
struct replay_settings {
	uint64_t totalram_pages;
	unsigned nr_nodes, max_pool_percent, accept_threshold_percent;
	bool shrinker_enabled;
	bool pool_limit_given;
};

#define REPLAY_AHEAD 32u /* events: a power of two */

/* Of an event to come. */
struct replay_ahead {
	swp_entry_t swap;
	bool is_read;	/* loads or frees the slot */
	uint32_t entry; /* what zswap_prefetch_entry() said */
};

struct replay {
	const struct replay_config *config;
	struct trace_reader *reader;
	const struct trace_info *info;
	struct replay_result *result;
	struct trace_error *err;
	uint64_t event;		    /* number of the one at hand */
	uint64_t first_ns, last_ns; /* times of the first and of the last event */
	struct replay_settings settings;
	struct replay_scenario *scenario; /* NULL: none */

	struct kernel *k;
	struct memcgs memcgs;
	struct mem_cgroup **memcg_of; /* [info->nr_memcgs]; NULL: not created yet */
	struct swapdev *dev;
	struct zswap *z;
	struct swap_io *io;
	struct slots *slots;
	/* Frames that folios are in on their way out and in; made when first needed, by order. */
	struct page *out_page[TRACE_MAX_ORDER + 1], *in_page[TRACE_MAX_ORDER + 1];
	uint64_t compactions;		      /* that the configuration asked for */
	bool classes_current;		      /* the size classes of the peak were written down */
	uint32_t ids[1u << TRACE_MAX_ORDER];  /* of the event's pages, by the trace */
	struct policy_run *policy;	      /* of the configuration's policy; NULL: none */
	struct policy *loaded_policy;	      /* ours; NULL: none, or the configuration's */
	struct future *future;		      /* ours; NULL: none, or the configuration's */
	const char *codecs[ZSWAP_MAX_CODECS]; /* all that the policy may choose from */
	uint64_t ordinal;		      /* pages that were stored before the event at hand */
	uint64_t most_pages;		      /* the largest limit of the pool until now */
	unsigned max_order;		      /* of the folios that were stored */
	/* Policy mode: what zswap knows the pages by, on their way out and as they came in. */
	uint32_t content_ids[1u << TRACE_MAX_ORDER];
	uint32_t loaded[1u << TRACE_MAX_ORDER];
	struct replay_ahead ahead[REPLAY_AHEAD]; /* by number of the event */
	bool exact_ids; /* slots know their pages' ids; else, in policy mode, tags of them */
};

static inline bool replay_is_policy(const struct replay *r)
{
	return r->config->mode == REPLAY_POLICY;
}

/* What zswap knows page @id of the trace by, in policy mode. */
static inline uint32_t replay_content_id(const struct replay *r, uint32_t id)
{
	return lengths_of(r->config->lengths, id) ? id : ZSWAP_ZERO_ID;
}

/* An error of the trace or of the machine at the event at hand: fills *r->err, returns @ret. */
int replay_fail(struct replay *r, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The time between the two calls, in ns, without what went by in the swap device's file. The second
 * takes what the first gave.
 */
static inline uint64_t replay_clock_begin(const struct replay *r)
{
	return kernel_now(r->k) - swapdev_stats(r->dev)->file_ns;
}

static inline uint64_t replay_clock_end(const struct replay *r, uint64_t begin)
{
	return kernel_now(r->k) - swapdev_stats(r->dev)->file_ns - begin;
}

/* 0, or that a writeback failed in the swap device's file. */
int replay_dev_error(struct replay *r);

/* replay_memcg.c: memcg @i of the trace's table, at the start; a MEMCG event. */
int replay_add_memcg(struct replay *r, unsigned i);
int replay_memcg_event(struct replay *r, const struct trace_event *ev);

/*
 * replay_scenario.c. Reads the configuration's scenario, checks it against the trace and takes its
 * settings over: 0, or a negative errno and *r->err is filled.
 */
int replay_scenario_create(struct replay *r);
void replay_scenario_destroy(struct replay_scenario *s); /* accepts NULL */
unsigned replay_scenario_nr_changes(const struct replay *r);

/* replay_scenario_run.c. Makes the scenario's memcgs, once the trace's are there. 0 or -ENOMEM. */
int replay_scenario_start(struct replay *r);
/* Memcg @i of the trace's table was created: it gets what the scenario says of it. */
void replay_scenario_created(struct replay *r, unsigned i);
/* Does what the scenario does before event @number. */
int replay_scenario_step(struct replay *r, uint64_t number);
/*
 * Whose the pages of an event are: what a rule of the scenario says, or the trace's. Slots that are
 * loaded are whose they were when stored. NULL if that memcg was never created.
 */
struct mem_cgroup *replay_memcg_of(const struct replay *r, const struct trace_event *ev);
/* Whether rules of a scenario may give pages of @ev's memcg to @memcg. */
bool replay_scenario_shares(const struct replay *r, const struct trace_event *ev,
			    const struct mem_cgroup *memcg);

/* replay_policy.c. 0, or a negative errno and *r->err is filled. Once zswap is there. */
int replay_policy_create(struct replay *r);
void replay_policy_destroy(struct replay *r);
/* If there is a policy: before the event; after a store; after a read from disk; after the event.
 */
void replay_policy_event(struct replay *r, const struct trace_event *ev);
int replay_policy_settle(struct replay *r);
void replay_policy_missed(struct replay *r, const struct folio *folio);
int replay_policy_error(struct replay *r);
int replay_policy_end(struct replay *r);
void replay_policy_note_stays(struct replay *r, const struct folio *folio);
void replay_policy_collect(struct replay *r);

/*
 * replay_ahead.c: before event @i of a row of events is replayed. Begin: before the first of the
 * row.
 */
void replay_look_ahead(struct replay *r, uint64_t i);
void replay_look_ahead_begin(struct replay *r);

/* replay_pressure.c: a PRESSURE event. */
int replay_pressure(struct replay *r, const struct trace_event *ev);

/* replay_compact.c: compacts the pool if it is time to; writes down what was compacted so far. */
void replay_compact_step(struct replay *r);
void replay_note_compaction(struct replay *r);

/* replay_result.c: what goes into the result along the way. */
void replay_observe_page(void *arg, const struct zswap_page_event *event);
void replay_note_failure(struct replay *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void replay_note_pool(struct replay *r);
void replay_note_classes(struct replay *r);
int replay_result_init(struct replay *r); /* once zswap is there */
void replay_sample(struct replay *r);

#endif
