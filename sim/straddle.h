/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The straddle tax: what loads cost because their object lay over two pages of its zspage, for each
 * chain size (CONFIG_ZSMALLOC_CHAIN_SIZE), beside what the chain size gives: pool pages.
 *
 * How many loads straddle is counted by a replay of the trace in policy mode under each chain size.
 * What one costs is measured. Of the loads that straddled some are drawn, each as likely as the
 * other. For each, a machine of its own stores the same page until it lies in the chunk that it was
 * loaded from, and in the first chunk of the same zspage, where no object straddles; then it loads
 * the one and the other in turn. So both sides have the same contents, the same length and the same
 * moment. The chain sizes take turns as well.
 */
#ifndef SIM_STRADDLE_H
#define SIM_STRADDLE_H

#include "sim/bootstrap.h"
#include "sim/replay.h"

#define STRADDLE_MIN_CHAIN  4u
#define STRADDLE_MAX_CHAIN  16u
#define STRADDLE_MAX_PAGES  100000u
#define STRADDLE_MAX_ROUNDS 99u

struct straddle_config {
	/*
	 * Whose chain size is replaced; its mode is policy mode, its observer and samples are
	 * ignored. The clock is that of the measurement.
	 */
	const struct replay_config *replay;
	const struct lengths *lengths;
	unsigned pages;	 /* loads that are drawn under each chain size; 0: nothing is measured */
	unsigned rounds; /* how often each is measured; 1 to STRADDLE_MAX_ROUNDS */
	uint64_t seed;	 /* of the draw */
	struct bootstrap_config bootstrap;
	void (*progress)(void *arg, uint64_t done, uint64_t total); /* may be NULL */
	void *progress_arg;
};

/*
 * Measured, ns a load within zswap (zswap_load of a page). A load's time is the median of its
 * rounds, these are means over the loads drawn. All NAN if none was.
 */
struct straddle_cost {
	unsigned loads; /* that were measured */
	double linear, straddling;
	double tax; /* of a load that straddles: the difference */
	struct interval tax_interval;
};

struct straddle_row {
	unsigned chain_size;
	uint64_t peak_pages;
	double mean_pages; /* of the pool, over all events */
	uint64_t loads;	   /* of pages, from zswap */
	uint64_t straddling;
	uint64_t streamed; /* of those: what became of them */
	uint64_t copied;
	uint64_t mismatched, failed; /* loads: 0 but for a bug */
	struct straddle_cost cost;
	/* Computed: the tax times the share of loads that straddled, and times their number. */
	double per_load_ns, total_ns;
	struct interval per_load_interval;
};

struct straddle_result {
	unsigned nr_rows;
	struct straddle_row rows[STRADDLE_MAX_CHAIN - STRADDLE_MIN_CHAIN + 1];
};

/* How many steps progress() is told of. */
uint64_t straddle_steps(const struct straddle_config *config);
/*
 * 0; -EINVAL (not zsmalloc, contents are to be measured and the trace has none, the trace is at
 * fault), -EUCLEAN (a page came back changed while it was measured), -ENOMEM; one line in *err.
 */
int straddle_run(const struct straddle_config *config, struct trace_reader *reader,
		 struct straddle_result *result, struct trace_error *err);

#endif
