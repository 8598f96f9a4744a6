/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a trace, cut anew into folios, through zswap under each of the interfaces of profile
 * zswap.batching: what each call takes, what it needs beside the compressor, and what it leaves
 * behind. What is stored is loaded again, and compared.
 *
 * Measured and modelled times are kept apart: an algorithm is either software, and its calls are
 * measured, or a modelled device, and its calls have the time of the model.
 */
#ifndef SIM_BATCHING_H
#define SIM_BATCHING_H

#include "sim/bootstrap.h"
#include "sim/histogram.h"
#include "sim/zswap.h"
#include "traces/reader.h"

#define BATCHING_NR_MODES   4	       /* enum zswap_batching */
#define BATCHING_AS_TRACED  UINT32_MAX /* in place of an order: folios as the trace has them */
#define BATCHING_MAX_ROUNDS 999

/* "none", "requests", "segmented", "folio" */
extern const char *const batching_mode_names[BATCHING_NR_MODES];

/* ---- the pages ---- */

/* A folio that is stored: pages @first to @first + (1 << @order) - 1 of the trace's stores. */
struct batching_folio {
	uint64_t first;
	unsigned order;
};

/*
 * The pages that the trace stores, in the order of its STORE events, and the folios that they are
 * cut into. What is left at the end is cut into smaller folios. Folios of zeros are left out, since
 * they never come to zswap.
 */
struct batching_trace {
	struct trace_reader *reader;
	uint32_t *ids;	  /* [nr_pages] */
	unsigned *orders; /* [nr_events]: of the trace's folios */
	uint64_t nr_pages, nr_events;
	struct batching_folio *folios; /* [nr_folios] */
	uint64_t nr_folios;
	uint64_t folio_pages;		  /* in all folios */
	uint64_t zero_folios, zero_pages; /* that were left out */
};

/*
 * At most @max_pages pages of @reader's trace, which outlives it. 0; or a negative errno and a line
 * in *err: it has no contents, or stores nothing.
 */
int batching_trace_load(struct trace_reader *reader, uint64_t max_pages,
			struct batching_trace *trace, struct trace_error *err);
void batching_trace_finish(struct batching_trace *trace);
/* Cuts into folios of 1 << @order pages (0 to 9), or as the trace has them. 0, or a line in *err.
 */
int batching_trace_cut(struct batching_trace *trace, unsigned order, struct trace_error *err);

/* ---- one run ---- */

struct batching_config {
	const struct profile *profile; /* but for zswap.batching */
	const struct crypto_registry *crypto;
	const char *compressor;
	kernel_clock_fn clock;
	void *clock_arg;
};

struct batching_result {
	struct zswap_stats zswap;
	struct zswap_compress_stats compress;
	uint64_t folios, pages;
	uint64_t refused_folios, refused_pages;
	/*
	 * Calls of the API for compression, measured: ns a call, and a page of it. And calls of the
	 * algorithm, as its model has them; empty if it is software.
	 */
	struct histogram call_ns, call_page_ns;
	struct histogram device_ns, device_page_ns;
	struct histogram call_units, device_units; /* pages a call */
	/* Loads, one page each: as modelled, empty if that is not known. */
	struct histogram load_device_ns;
	uint64_t verified_pages, mismatched_pages;
	uint64_t stored_bytes;
	char objects[33]; /* XXH3-128 over all objects, slot by slot, with their lengths; hex */
};

/*
 * Stores all folios under @mode, hashes what is stored, loads every page. Without @writeback what
 * does not shrink is refused (and kept in memory), and its folio with it. The pool has no limit. 0,
 * or a negative errno and a line in *err. The result is large: allocate it.
 */
int batching_run(const struct batching_config *config, enum zswap_batching mode, bool writeback,
		 struct batching_trace *trace, struct batching_result *result,
		 struct trace_error *err);

/* Whether all of zswap's counters, and the pages by path and calls of the codec, are the same. */
bool batching_same_counters(const struct zswap_stats *a, const struct zswap_stats *b);

/* ---- software overhead ---- */

struct batching_overhead {
	unsigned rounds;
	unsigned pages; /* a round and mode, about: whole folios */
	/*
	 * Medians over the rounds, ns a page, and of the difference to page by page. A round's
	 * value is the median over its folios, so that the task switch in one of them does not
	 * count.
	 */
	double ns[BATCHING_NR_MODES], delta_ns[BATCHING_NR_MODES];
	struct interval interval[BATCHING_NR_MODES], delta_interval[BATCHING_NR_MODES];
	double codec_ns[BATCHING_NR_MODES]; /* what was taken out, medians */
	double clock_ns;		    /* of a reading, which was taken out as well */
	double *samples;		    /* [BATCHING_NR_MODES][rounds] */
};

/*
 * What zswap_store() takes beside the algorithm: round after round, in which each mode stores the
 * same pages, in an order that turns. The clock is read around a store, and around each call of the
 * algorithm; config->clock is needed. 0, or a negative errno and a line in *err. To be finished.
 */
int batching_overhead_measure(const struct batching_config *config,
			      const struct bootstrap_config *bootstrap, unsigned rounds,
			      unsigned pages, struct batching_trace *trace,
			      struct batching_overhead *overhead, struct trace_error *err);
void batching_overhead_finish(struct batching_overhead *overhead);

#endif
