/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of sim/compare alone: how a trace is cut, what is kept of each page, and rows made from it. */
#ifndef SIM_COMPARE_SAMPLES_H
#define SIM_COMPARE_SAMPLES_H

#include "sim/compare.h"

/* A run of events, and what of the trace's pages and calls is in it. */
struct compare_span {
	uint64_t event, page, call; /* first ones; the next span's are the ends */
};

/*
 * Chunks of at most CHUNK events and, unless it is one event, pages; units of as many chunks as
 * there are settings, or a multiple: in a unit, each setting comes first equally often.
 */
struct compare_plan {
	uint64_t nr_events, nr_pages, nr_calls; /* pages and calls of STOREs and LOADs */
	uint64_t out_pages, in_pages;		/* of the trace: the parts of nr_pages */
	struct compare_span *chunk;		/* [nr_chunks + 1] */
	uint64_t nr_chunks;
	struct compare_span *unit; /* [nr_units + 1] */
	unsigned nr_units;
};

int compare_plan_init(struct compare_plan *plan, struct trace_reader *reader, unsigned nr_settings,
		      struct trace_error *err);
void compare_plan_finish(struct compare_plan *plan);

/* What happened to a page of the trace; the same in every round. */
struct compare_note {
	uint32_t calls;	 /* a hash of the codec's calls, the reason to stream and the result */
	uint16_t length; /* bytes stored */
	uint8_t path;	 /* 1 + enum zswap_path; 0: zswap never saw the page */
	uint8_t flags;
};
#define COMPARE_NOTE_LOAD    1u
#define COMPARE_NOTE_REQUEST 2u /* the codec was reached */

struct compare_call_note {
	uint16_t pages; /* of the folio */
	uint8_t place;	/* 1 + enum replay_op; 0: none, the event was not carried out */
	uint8_t load;
};

/* One setting's. Times are capped at UINT32_MAX ns. */
struct compare_samples {
	struct compare_note *note;	    /* [nr_pages] */
	struct compare_call_note *call;	    /* [nr_calls] */
	uint32_t *page_ns, *request_ns;	    /* [rounds][nr_pages] */
	uint32_t *call_ns;		    /* [rounds][nr_calls] */
	uint64_t *writeback_ns, *worker_ns; /* [rounds][nr_units]: of all pages and runs there */
	uint64_t *writebacks;		    /* [nr_units]: pages, in each round */
};

int compare_samples_init(struct compare_samples *s, const struct compare_plan *plan,
			 unsigned rounds);
void compare_samples_finish(struct compare_samples *s);

/* Fills in what compare_run() promises of rows and events; counts and plan are there already. */
int compare_rows(const struct compare_config *config, const struct compare_plan *plan,
		 const struct compare_samples *samples, struct compare_result *result);

#endif
