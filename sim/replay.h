/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays a trace. In measure mode every event runs the real code on the real contents and is timed
 * on its own; every load is compared with the page that the trace stored. In policy mode no
 * contents are touched and nothing is timed: what a page compresses to is known (sim/lengths.h),
 * every count is that of measure mode, and a load is right if it is the page that the trace stored,
 * by its id.
 *
 * In a trace, a STORE is a folio that reached zswap's door: what the swap cache does before it has
 * been decided already.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/compact_when.h"
#include "sim/histogram.h"
#include "sim/page_io.h"
#include "sim/swap_model.h"
#include "sim/zsmalloc.h"
#include "sim/zswap.h"
#include "sim/zswap_codecs.h"
#include "traces/reader.h"

struct crypto_registry;
struct lengths;
struct policy;
struct future;

enum replay_mode { REPLAY_MEASURE, REPLAY_POLICY };

/* Settings that were chosen, bit by bit: a scenario does not change those. */
#define REPLAY_GIVEN_TOTALRAM	      (1u << 0)
#define REPLAY_GIVEN_MAX_POOL_PERCENT (1u << 1)
#define REPLAY_GIVEN_ACCEPT_THRESHOLD (1u << 2)
#define REPLAY_GIVEN_NODES	      (1u << 3)
#define REPLAY_GIVEN_SHRINKER	      (1u << 4)

/* What compactions did, those that a policy asked for included. Sums. */
struct replay_compaction {
	uint64_t runs;
	uint64_t moved_objects, copied_bytes, freed_pages;
};

/* How things stand after an event. Sums since the start, unless it says "now". */
struct replay_sample {
	uint64_t event;					    /* number of the event */
	uint64_t time_ns;				    /* of the trace */
	struct zpool_usage pool;			    /* now */
	uint64_t stored_pages, stored_incompressible_pages; /* now */
	uint64_t slots_in_use, disk_pages;		    /* now */
	const struct zswap_stats *zswap;
	const struct swap_io_stats *swap;
	const struct swapdev_stats *dev;
	const struct replay_compaction *compaction;
	uint64_t rejected_pages;			/* that zswap refused, for any reason */
	uint64_t in_disk_written_back, in_disk_refused; /* see struct replay_counts */
};

/* Told after every sample_interval events, and after the last one. Outside of the timed calls. */
typedef void (*replay_sample_fn)(void *arg, const struct replay_sample *sample);

struct replay_config {
	enum replay_mode mode;
	/* Of policy mode: of this trace, compressor and profile; several replays may share them. */
	const struct lengths *lengths;
	const struct profile *profile;
	const struct crypto_registry *crypto;
	const char *compressor;	 /* NULL: "zstd" */
	uint64_t totalram_pages; /* 0: KERNEL_DEFAULT_TOTALRAM */
	unsigned nr_nodes;	 /* 0: 1 */
	unsigned max_pool_percent;
	unsigned accept_threshold_percent;
	bool shrinker_enabled;
	unsigned given;		      /* REPLAY_GIVEN_*: which of the five above were chosen */
	const char *scenario;	      /* path of a scenario (docs/scenario.md); NULL: none */
	struct swap_model swap_model; /* of the swap device: modelled, never measured */
	struct compact_when compact;  /* a what-if, of zsmalloc alone */
	kernel_clock_fn clock;	      /* ns; NULL, and in policy mode: all times are 0 */
	void *clock_arg;
	/* Who chooses in the kernel's place (sim/policy.h), by name, or else loaded; NULL: none. */
	const char *policy_spec;
	struct policy *policy;
	/*
	 * Compressors that the policy may choose from beside the first (sim/zswap_codecs.h); in
	 * policy mode with lengths by each.
	 */
	unsigned nr_codecs;
	const char *const *codecs;
	const struct lengths *const *codec_lengths;
	unsigned policy_limit_ms; /* that a call into it may take; 0: for ever */
	/* Of the trace, for policies that ask for it; NULL: it is found out when one does. */
	const struct future *future;
	/*
	 * Bits, by the order in which pages are stored: set for those of memcgs that may not write
	 * back then, which never reach the disk; there is room for all that the trace says it
	 * stores. NULL: not asked for.
	 */
	uint8_t *stays;
	zswap_observer_fn observer; /* told of each page in zswap, within the timed call; or NULL */
	void *observer_arg;
	uint64_t sample_interval; /* events; 0: no samples */
	replay_sample_fn sample;
	void *sample_arg;
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
	uint64_t stores, stored_pages; /* STORE events, and their pages */
	uint64_t loads, loaded_pages;
	uint64_t invalidates;
	uint64_t out_pages[SWAPOUT_NR];
	uint64_t in_pages[SWAPIN_NR];
	/* Pages read from disk: that zswap had and wrote back (refaults), and that it refused. */
	uint64_t in_disk_written_back, in_disk_refused;
	uint64_t pressures;			     /* PRESSURE events */
	uint64_t unknown_loads, unknown_invalidates; /* pages of slots that were never stored */
	uint64_t kept_loads;			     /* pages that had been kept in memory */
	uint64_t refused_large_loads; /* pages of large loads that the kernel does not do */
	uint64_t verified_pages, mismatched_pages;
	uint64_t failed_loads; /* pages: zswap had an entry and could not load it */
};

/*
 * A memcg at the end. As in its memory.stat, bytes, pages and events are those of the memcg and all
 * below it; limits, hits and refused pages are its own.
 */
struct replay_memcg {
	char *path;	 /* "" if the trace withholds it */
	unsigned parent; /* index */
	bool online;
	uint64_t zswap_max; /* bytes; MEMCG_MAX */
	bool zswap_writeback;
	/* Charged; 0 of a memcg that went offline, whose charges are its parent's. */
	uint64_t zswap_bytes, zswapped_pages, zswap_incomp_pages;
	uint64_t zswpin, zswpout, zswpwb, pswpin, pswpout; /* pages */
	uint64_t rejected[ZSWAP_NR_REJECTS];		   /* pages */
	uint64_t zswap_max_hits;			   /* stores that met its limit */
	uint64_t nr_disk_swapins, nr_zswap_protected;	   /* of its lists now, all nodes */
};

/* What a scenario changed in mid-run. */
struct replay_change {
	uint64_t event; /* before this one */
	char text[224]; /* "max_pool_percent = 2" */
};

struct replay_result {
	struct replay_counts counts;
	struct zswap_stats zswap;
	struct swap_io_stats swap;
	struct swapdev_stats dev;	     /* with the modelled time of its requests */
	uint64_t rejected[ZSWAP_NR_REJECTS]; /* pages */
	struct histogram op[REPLAY_NR_OPS];  /* ns a call */
	struct histogram page[ZSWAP_NR_DIRS][ZSWAP_NR_PATHS]; /* ns a page within zswap */
	/*
	 * Calls of swap-in, each as measured plus what the modelled device would take for its
	 * request: all of them, and those that went to disk. ns.
	 */
	struct histogram in_modelled, in_disk_modelled;
	struct swap_model swap_model;
	/* Sum of the pages' times, of which init, codec and copy are parts. */
	uint64_t dir_ns[ZSWAP_NR_DIRS];
	struct zpool_usage pool_peak, pool_end; /* peak: when the pool had most pages */
	uint64_t stored_at_peak;		/* zswap entries then */
	uint64_t peak_event;			/* number of the event after which it was so */
	/* Sum over all events of the pages in the pool after each. */
	uint64_t pool_pages_sum;
	struct compact_when compact;
	struct replay_compaction compaction;
	uint64_t stream_contexts, stream_fallbacks;
	uint64_t slots_in_use, nr_disk_swapins; /* at the end */
	uint64_t trace_ns; /* from the first event to the last, by the trace's clock */
	/* The whole run; in calls; reading the trace; comparing. */
	uint64_t wall_ns, op_ns, read_ns, verify_ns;
	uint64_t worker_ns;  /* shrink worker and shrinker, outside of the calls */
	uint64_t compact_ns; /* in compactions, between events */
	uint64_t file_ns;    /* in the file that stands for the swap device: in no other time */
	uint64_t clock_ns;   /* what one reading of the clock costs, about */
	unsigned nr_cpus, nr_nodes;
	uint64_t totalram_pages, max_pages, accept_thr_pages;
	unsigned max_pool_percent, accept_threshold_percent; /* at the start; so the pages above */
	bool shrinker_enabled;
	bool pool_limit_given; /* not the default, and so meant to be reached */
	/*
	 * What the pool may have held at most at any time: the largest limit that was set, less the
	 * page that would have reached it, and what one folio may add beyond. No less than its
	 * peak.
	 */
	uint64_t allowed_pages;
	uint64_t compactions, compacted_pages;	/* that a policy asked for; what they freed */
	uint64_t codec_pages[ZSWAP_MAX_CODECS]; /* with a policy: stored by each compressor */
	/*
	 * Compressors beside the first, from index 1 on (the configuration's strings), and, if
	 * there are any, whose the calls are that zswap.dir[] has the sum of
	 * (replay_codec_calls()).
	 */
	unsigned nr_codecs;
	const char *codecs[ZSWAP_MAX_CODECS];
	uint64_t codec_calls[ZSWAP_MAX_CODECS][ZSWAP_NR_DIRS][ACOMP_NR_CALLS];
	unsigned nr_memcgs; /* the root is the first */
	struct replay_memcg *memcgs;
	unsigned nr_changes;
	struct replay_change *changes;
	unsigned nr_classes;
	struct zs_class_stats *classes_at_peak; /* [nr_classes], of zsmalloc alone */
	/* In words, the first mismatch or failed load; "" if there was none. */
	char first_failure[256];
};

/* Calls of compressor @codec, 0 to @x->nr_codecs: [ACOMP_NR_CALLS]. */
static inline const uint64_t *replay_codec_calls(const struct replay_result *x, unsigned codec,
						 enum zswap_dir dir)
{
	return x->nr_codecs ? x->codec_calls[codec][dir] : x->zswap.dir[dir].calls;
}

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
/* Events @from to @to - 1 of the trace, in a row: faster than one by one. The same errors. */
int replay_events(struct replay *r, uint64_t from, uint64_t to);
/* Ends the policy. 0, or a negative errno and a line in *err. */
int replay_collect(struct replay *r);
/* Entries of zswap now; what is kept of them and of the swap slots, in bytes. */
uint64_t replay_stored_pages(const struct replay *r);
void replay_metadata(const struct replay *r, struct zswap_metadata *m, uint64_t *slots);
/* Pool pages now; where the object of a slot lies (false: zswap has none). */
uint64_t replay_pool_pages(const struct replay *r);
bool replay_locate(const struct replay *r, unsigned swap_type, uint64_t offset,
		   struct zpool_location *loc);
void replay_destroy(struct replay *r); /* accepts NULL */

/*
 * Replays the whole trace. 0: done (mismatches are counted in the result); a negative errno and one
 * line in *err: the trace or a policy is at fault (-EINVAL), or the machine; -ENODATA: a page is
 * loaded of which, under these settings, no copy is left; -EFAULT: a policy's code crashed or did
 * not return, and the program had better end. replay_result_finish() in any case after 0.
 * The result is large: allocate it.
 */
int replay_run(const struct replay_config *config, struct trace_reader *reader,
	       struct replay_result *result, struct trace_error *err);
void replay_result_finish(struct replay_result *result);

#endif
