/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine of its own for a run, and folios on their way into it. */
#ifndef SIM_BATCHING_PRIVATE_H
#define SIM_BATCHING_PRIVATE_H

#include "sim/acomp_batch.h"
#include "sim/batching.h"
#include "sim/swapdev.h"

#define BATCHING_MAX_ORDER 9u

struct batching_machine {
	struct kernel *k;
	struct memcgs memcgs;
	struct mem_cgroup *memcg;
	struct swapdev *dev;
	struct zswap *z;
	struct page *folio[BATCHING_MAX_ORDER + 1]; /* frames, made when first needed */
	struct page *page;			    /* for loads */
};

/*
 * With @clock NULL its own code reads no clock. The pool takes all that @nr_pages can be. 0, or a
 * negative errno; batching_machine_finish() in any case.
 */
int batching_machine_init(struct batching_machine *m, const struct batching_config *config,
			  enum zswap_batching mode, uint64_t nr_pages, kernel_clock_fn clock,
			  zswap_observer_fn observer, void *observer_arg);
void batching_machine_finish(struct batching_machine *m);

/*
 * @folio of the trace with its contents, in frames of @m, its slots the numbers of its pages; all
 * that its store may need is reserved. 0, or a negative errno and a line in *err.
 */
int batching_machine_fill(struct batching_machine *m, const struct batching_trace *trace,
			  const struct batching_folio *from, struct folio *folio,
			  struct trace_error *err);

int batching_fail(struct trace_error *err, int ret, const char *what);

#endif
