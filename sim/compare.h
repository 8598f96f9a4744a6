/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several settings over one trace, side by side, so that what differs between their times is
 * theirs.
 *
 * A round replays the whole trace once under each setting. The trace is cut into chunks of some
 * events; in each, the settings take turns, in an order that changes from chunk to chunk and from
 * round to round, and the pages are decoded before the first of them: warmth, drift and what the
 * branch predictors have learnt are shared. Compression and decompression keep the order that they
 * have in the trace.
 *
 * A row of the result is the mean over its pages and all rounds; but what took a page (a request, a
 * call) more than COMPARE_INTERRUPTED times the median of its rounds was interrupted, and counts as
 * that median. Intervals are bootstrapped over rounds and over units of neighbouring chunks, both
 * sides drawn together (sim/bootstrap.h).
 */
#ifndef SIM_COMPARE_H
#define SIM_COMPARE_H

#include "sim/bootstrap.h"
#include "sim/replay.h"

#define COMPARE_MAX_SETTINGS 8u
#define COMPARE_MAX_ROUNDS   99u
#define COMPARE_INTERRUPTED  1.5

struct compare_config {
	/* The first is the baseline. Observers in them are ignored. They may differ in anything. */
	struct replay_config settings[COMPARE_MAX_SETTINGS];
	unsigned nr_settings; /* 2 to COMPARE_MAX_SETTINGS */
	unsigned rounds;      /* 1 to COMPARE_MAX_ROUNDS */
	struct bootstrap_config bootstrap;
	/*
	 * Called after each chunk, events @first to @end - 1, outside of what is timed: for those
	 * who measure something else beside it. NULL: nobody does.
	 */
	void (*after_chunk)(void *arg, unsigned round, uint64_t first, uint64_t end);
	void *after_chunk_arg;
};

/*
 * What is timed. A request is what crypto_acomp_compress() and _decompress() take in building
 * contexts, in the codec and in linearising: what patch letters measure. A page is all that zswap
 * does for one page. A call is the whole swap_writeout() or swap_read_folio() of a folio, zero
 * pages and pages that zswap refuses included, divided by its pages.
 */
enum compare_row {
	COMPARE_COMPRESS, /* a request: + enum zswap_path; the sum of them is last */
	COMPARE_COMPRESS_ALL = COMPARE_COMPRESS + ZSWAP_NR_PATHS,
	COMPARE_DECOMPRESS,
	COMPARE_DECOMPRESS_ALL = COMPARE_DECOMPRESS + ZSWAP_NR_PATHS,
	COMPARE_STORE, /* a page in zswap: the same */
	COMPARE_STORE_ALL = COMPARE_STORE + ZSWAP_NR_PATHS,
	COMPARE_LOAD,
	COMPARE_LOAD_ALL = COMPARE_LOAD + ZSWAP_NR_PATHS,
	COMPARE_WRITEBACK,
	COMPARE_OUT, /* calls, per page of the trace */
	COMPARE_IN,
	COMPARE_CALLS,	/* both, weighted as the trace has them */
	COMPARE_WORKER, /* the shrink worker, per page of the trace; in no call */
	COMPARE_NR_ROWS,
};

struct compare_row_name {
	const char *key;  /* "decompress_streamed" */
	const char *name; /* "decompress, streamed" */
};
extern const struct compare_row_name compare_row_names[COMPARE_NR_ROWS];

struct compare_value {
	uint64_t pages; /* that the row is a mean over, in one round */
	double ns;	/* a page; NAN if there are none */
};

/* Against the baseline; NAN unless both have pages. */
struct compare_delta {
	double ns, percent;
	struct interval ns_interval, percent_interval;
};

/* How the events of a setting went, compared with the baseline's. */
struct compare_events {
	uint64_t paths; /* pages that took another path in zswap, or were not there at all */
	uint64_t calls; /* pages whose requests made other calls of the codec, or ended otherwise */
	uint64_t lengths; /* pages that were stored in another number of bytes */
	uint64_t places;  /* folios that went to, or came from, another place */
	uint64_t first;	  /* number of the first event that differs in any of these; UINT64_MAX */
};

struct compare_setting {
	struct compare_value value[COMPARE_NR_ROWS];
	struct compare_delta delta[COMPARE_NR_ROWS]; /* of the baseline: all 0 */
	struct compare_events events;
	uint64_t mismatched_pages, failed_loads; /* in all rounds together */
	uint64_t interrupted; /* times that count as their median: of pages, requests and calls */
	struct replay_result *replay; /* of the last round: its counts, which are the same in all */
};

struct compare_result {
	unsigned nr_settings, rounds;
	uint64_t nr_chunks;
	unsigned nr_units; /* what is resampled */
	uint64_t pages;	   /* stored and loaded by the trace's events */
	uint64_t wall_ns;  /* all rounds, by the clock of the baseline */
	struct compare_setting setting[COMPARE_MAX_SETTINGS];
};

/*
 * 0; or a negative errno and one line in *err: the trace is at fault (-EINVAL, -ENODATA as
 * replay_run() has it), or the machine.
 * Takes 12 bytes of memory a page, setting and round. compare_result_finish() after 0.
 */
int compare_run(const struct compare_config *config, struct trace_reader *reader,
		struct compare_result *result, struct trace_error *err);
void compare_result_finish(struct compare_result *result);

/* Whether every event of @setting did what it did under the baseline. */
bool compare_same_events(const struct compare_setting *setting);

#endif
