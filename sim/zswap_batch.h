/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How zswap stores a folio under the proposals for batching, profile zswap.batching (kernel-spec
 * E.9). Written from the mails; none of it is in a kernel.
 *
 * requests and segmented: the folio is walked in store batches, of the compressor's batch size if
 * that is above 1, else of 8. The entries of a store batch are allocated together, all or none; the
 * per-CPU mutex is taken once; the compressor is given min(8, its batch size) pages at a time. An
 * error of a page makes it a raw one, or, where raw pages are not stored, counts for each page that
 * has one, and the store fails. Entries that are in the tree by then are swept by zswap_store(),
 * those that are not are freed here.
 *
 * Under segmented a length of 4096 with success is taken for a raw page: so it is in the mails (no
 * zstd frame is that long; some of lzo are).
 *
 * folio: the compressor is given the whole folio (sim/acomp_chain.h); the per-CPU buffer is the
 * seed. Then page by page, as without batching. Where memory ran out, again from there.
 */
#ifndef SIM_ZSWAP_BATCH_H
#define SIM_ZSWAP_BATCH_H

#include "sim/zswap_private.h"

#define ZSWAP_MAX_BATCH_SIZE 8u

struct acomp_chain;

/* What a CPU has for it, beside its struct crypto_acomp_ctx. */
struct zswap_batch {
	struct page *buffers[ZSWAP_MAX_BATCH_SIZE];	  /* the first is the context's */
	struct scatterlist sg[ZSWAP_MAX_BATCH_SIZE];	  /* segmented */
	struct acomp_req *requests[ZSWAP_MAX_BATCH_SIZE]; /* requests; the first is the context's */
	struct acomp_chain *chain;			  /* folio */
};

/* What the compressor made of a page. */
struct zswap_unit {
	int ret; /* 0 or a negative errno */
	unsigned dlen;
	const void *from; /* NULL without contents */
	struct acomp_cost cost;
};

/* After the contexts were made. 0 or -ENOMEM; zswap_batch_destroy() in any case. */
int zswap_batch_create(struct zswap *z);
void zswap_batch_destroy(struct zswap *z);
/* For a folio of @nr pages, outside of the timed path. 0 or -ENOMEM. */
int zswap_batch_reserve(struct zswap *z, unsigned nr);

/* How many of the folio's pages were stored, from the first one on. z->batch is there. */
unsigned zswap_batch_store(struct zswap *z, const struct folio *folio);

/*
 * zswap_compress.c: page @index without contents. @first: it is the first of a submission, for
 * which the driver takes the CPU's stream once.
 */
void zswap_unit_of_length(struct zswap *z, const struct folio *folio, unsigned index, bool first,
			  struct zswap_unit *unit);
/* zswap_folio.c: zswap_batch_store() for folio. */
unsigned zswap_folio_store(struct zswap *z, const struct folio *folio);

#endif
