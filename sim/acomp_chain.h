/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter-proposal to batching (mail of 2025-05-01 and the series of that day; kernel-spec
 * E.9): one request over a whole folio, cut into units, and no destination. The API allocates one
 * page at a time, packs the results tightly, chains what it allocated into one scatterlist, and
 * allocates the next page only when it is needed. None of it is in a kernel.
 *
 * The caller seeds the list: one page, one entry and one link. So the first unit cannot fail for
 * memory. When an allocation fails, the API stops and gives back what is done; the caller uses
 * that, and calls again with an offset into the folio.
 *
 * A unit has one entry, or two if its result goes on in the next page; then the first is marked
 * (cont). An entry of length 0: the unit did not shrink, or the algorithm failed. Its capacity is
 * the unit, so that no result is longer.
 *
 * Modelled, since the mails leave it open: an algorithm is given a linear page of scratch a unit,
 * and the result is copied from there; it writes into the chain itself if the page at hand is empty
 * (as scomp uses a destination in place if it is large enough in one piece). A frame is then the
 * same wherever it comes to lie. One that takes several units gets as many scratch pages as its
 * batch size. Links come in tables of 16.
 */
#ifndef SIM_ACOMP_CHAIN_H
#define SIM_ACOMP_CHAIN_H

#include "sim/acomp_batch.h"

struct acomp_chain;

struct acomp_chain_stats {
	uint64_t pages, tables;	    /* that were allocated */
	uint64_t bytes, peak_bytes; /* in use now, and at most */
	uint64_t copies, copied_bytes;
	uint64_t crossings; /* results that lie in two pages */
	uint64_t stops;	    /* at an allocation that failed */
	uint64_t repeated;  /* units compressed in vain: their result had no place */
};

/*
 * A list that takes up to @max_units units, on @k's page frames, with scratch for @batch units at
 * once (1 to ACOMP_MAX_BATCH_SIZE). @seed is the caller's, and outlives it. Without contents
 * nothing has bytes. 0 or -ENOMEM.
 */
int acomp_chain_create(struct kernel *k, struct page *seed, unsigned max_units, unsigned batch,
		       struct acomp_chain **out);
void acomp_chain_destroy(struct acomp_chain *chain); /* accepts NULL */

/* Makes room for the tables of @units units, which need at most as many pages. 0 or -ENOMEM. */
int acomp_chain_reserve(struct acomp_chain *chain, unsigned units);

/* The destination of @req is NULL: results go to @chain, which is empty again but for its seed. */
void acomp_request_set_dst_chain(struct acomp_req *req, struct acomp_chain *chain);

/*
 * What crypto_acomp_compress() does then. The source is one entry of at most @max_units units of
 * at most PAGE_SIZE bytes. 0, also if it stopped early: acomp_chain_nr_done(). -EINVAL.
 */
int acomp_chain_compress(struct acomp_req *req);

/* The same by hand: empties the chain; adds the result of a unit. 0, or -ENOMEM and it is as
 * before. */
void acomp_chain_begin(struct acomp_chain *chain);
int acomp_chain_add(struct acomp_chain *chain, const void *data, unsigned length);
void acomp_chain_set_cost(struct acomp_chain *chain, unsigned i, const struct acomp_cost *cost);

/* Units that are in the chain: the first of the request, as many as there was room for. */
unsigned acomp_chain_nr_done(const struct acomp_chain *chain);
/* What unit @i cost the algorithm and the API. */
const struct acomp_cost *acomp_chain_cost(const struct acomp_chain *chain, unsigned i);
/* The list; NULL if it is empty. */
struct scatterlist *acomp_chain_results(struct acomp_chain *chain);
/*
 * The unit at *@sg: its length; in *@data its bytes, made linear by a copy if they lie in two pages
 * (valid until the next call). *@sg moves on to the next unit.
 */
unsigned acomp_chain_take(struct acomp_chain *chain, struct scatterlist **sg, const void **data);

/* Gives back all pages and tables but the seed. */
void acomp_chain_release(struct acomp_chain *chain);

const struct acomp_chain_stats *acomp_chain_stats(const struct acomp_chain *chain);
/* Bytes that are there all the time: scratch, and the seed's entries, but not its page. */
size_t acomp_chain_standing_bytes(const struct acomp_chain *chain);
/* Fault injection: the @nth table from now cannot be allocated; 0 switches it off. */
void acomp_chain_fail_table(struct acomp_chain *chain, uint64_t nth);

#endif
