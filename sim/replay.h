/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays a trace in measure mode: every event runs the real code on the real contents and is timed
 * on its own; every load is compared with the page that the trace stored.
 *
 * In a trace, a STORE is a folio that reached zswap's door: what the swap cache does before it has
 * been decided already.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/histogram.h"
#include "sim/page_io.h"
#include "sim/zsmalloc.h"
#include "sim/zswap.h"
#include "traces/reader.h"

struct crypto_registry;

struct replay_config {
	const struct profile *profile;
	const struct crypto_registry *crypto;
	const char *compressor;		   /* NULL: "zstd" */
	uint64_t totalram_pages;	   /* 0: KERNEL_DEFAULT_TOTALRAM */
	unsigned nr_nodes;		   /* 0: 1 */
	unsigned max_pool_percent;
	unsigned accept_threshold_percent;
	bool shrinker_enabled;
	kernel_clock_fn clock;		   /* ns; NULL: all times are 0 */
	void *clock_arg;
	zswap_observer_fn observer; /* told of each page in zswap, within the timed call; or NULL */
	void *observer_arg;
};

/* The kernel's defaults, and CLOCK_MONOTONIC. */
void replay_config_init(struct replay_config *config);
uint64_t replay_monotonic_ns(void *arg);

/* One whole call of swap_writeout() or swap_read_folio(), by what it came to. */
enum replay_op {
	REPLAY_OUT_ZSWAP, /* order 0 */
	REPLAY_OUT_ZSWAP_LARGE,
	REPLAY_OUT_ZERO,
	REPLAY_OUT_DISK,      /* refused by zswap; the device's time is not in it */
	REPLAY_OUT_ACTIVATED, /* refused, and kept in memory */
	REPLAY_IN_ZSWAP,
	REPLAY_IN_ZERO,
	REPLAY_IN_DISK,
	REPLAY_NR_OPS,
};
extern const char *const replay_op_names[REPLAY_NR_OPS];

struct replay_counts {
	uint64_t events;
	uint64_t stores, stored_pages;	/* STORE events, and their pages */
	uint64_t loads, loaded_pages;
	uint64_t invalidates;
	uint64_t out_pages[SWAPOUT_NR];
	uint64_t in_pages[SWAPIN_NR];
	uint64_t unknown_loads, unknown_invalidates; /* pages of slots that were never stored */
	uint64_t kept_loads;	     /* pages that had been kept in memory */
	uint64_t refused_large_loads; /* pages of large loads that the kernel does not do */
	uint64_t verified_pages, mismatched_pages;
	uint64_t failed_loads;	     /* pages: zswap had an entry and could not load it */
};

struct replay_result {
	struct replay_counts counts;
	struct zswap_stats zswap;
	struct swap_io_stats swap;
	struct swapdev_stats dev;
	struct histogram op[REPLAY_NR_OPS];			/* ns a call */
	struct histogram page[ZSWAP_NR_DIRS][ZSWAP_NR_PATHS];	/* ns a page within zswap */
	uint64_t dir_ns[ZSWAP_NR_DIRS]; /* sum of the pages' times, of which init, codec and copy are parts */
	struct zs_usage pool_peak, pool_end; /* peak: when the pool had most pages */
	uint64_t stored_at_peak;	     /* zswap entries then */
	uint64_t peak_event;		     /* number of the event after which it was so */
	uint64_t stream_contexts, stream_fallbacks;
	uint64_t wall_ns, op_ns, read_ns, verify_ns; /* whole run; in calls; reading the trace; comparing */
	uint64_t worker_ns;	/* shrink worker, outside of the calls */
	uint64_t clock_ns;	/* what one reading of the clock costs, about */
	unsigned nr_cpus, nr_nodes;
	uint64_t totalram_pages, max_pages, accept_thr_pages;
	unsigned max_pool_percent, accept_threshold_percent;
	unsigned nr_classes;
	struct zs_class_stats *classes_at_peak; /* [nr_classes] */
	/* In words, the first mismatch or failed load; "" if there was none. */
	char first_failure[256];
};

/*
 * One replay, event by event, so that several can go through a trace side by side over one reader:
 * what one of them decodes is in the reader's cache for the others. *result is filled as it goes;
 * replay_collect() adds what is read off at the end.
 *
 * replay_step(): 0, or a negative errno and a line in the *err given to replay_create().
 */
struct replay;
int replay_create(const struct replay_config *config, struct trace_reader *reader,
		  struct replay_result *result, struct trace_error *err, struct replay **out);
int replay_step(struct replay *r, uint64_t number, const struct trace_event *ev);
void replay_collect(struct replay *r);
/* Pool pages now; where the object of a slot lies (false: zswap has none). */
uint64_t replay_pool_pages(const struct replay *r);
bool replay_locate(const struct replay *r, unsigned swap_type, uint64_t offset,
		   struct zs_obj_location *loc);
void replay_destroy(struct replay *r); /* accepts NULL */

/*
 * Replays the whole trace. 0: done (mismatches are counted in the result); a negative errno and one
 * line in *err: the trace is at fault (-EINVAL), or the machine. replay_result_finish() in any case
 * after 0. The result is large: allocate it.
 */
int replay_run(const struct replay_config *config, struct trace_reader *reader,
	       struct replay_result *result, struct trace_error *err);
void replay_result_finish(struct replay_result *result);

#endif
