/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scatterlists, and the scatterwalk's fragment rule (crypto/scatterwalk.c, 6.16 and later, without
 * HIGHMEM). A list is an array of entries of which the last is marked, or several arrays, each but
 * the last with a link to the next as its last element. An entry lies within one allocation of page
 * frames; its offset may reach beyond the first page (a folio).
 */
#ifndef SIM_SCATTERLIST_H
#define SIM_SCATTERLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/page.h"

struct scatterlist {
	union {
		struct page *page;
		struct scatterlist *link; /* of a chain element: the next array */
	};
	unsigned offset; /* bytes from the start of @page */
	unsigned length; /* bytes; 0 is allowed, and ends some walks (quirk Q6) */
	bool end;	 /* the last entry */
	bool chain;	 /* no entry, but a link */
	bool cont;	 /* what begins here goes on in the next entry (sim/acomp_chain.h) */
};

/* @nr >= 1 empty entries, the last one marked. */
void sg_init_table(struct scatterlist *sgl, unsigned nr);
void sg_set_page(struct scatterlist *sg, struct page *page, unsigned length, unsigned offset);
void sg_mark_end(struct scatterlist *sg);
/* Makes @element a link to @next; the list goes on there. */
void sg_chain(struct scatterlist *element, struct scatterlist *next);
/* NULL after the last entry. */
struct scatterlist *sg_next(struct scatterlist *sg);
void *sg_virt(const struct scatterlist *sg);

struct scatter_walk {
	struct scatterlist *sg;
	unsigned offset; /* absolute within the entry's page, as in the kernel */
};

void scatterwalk_start(struct scatter_walk *walk, struct scatterlist *sg);
/*
 * The next fragment of at most @total bytes: its length (0: a zero-length entry was met) and, in
 * *@addr, its address. Moves over a finished entry, one step only. A walk past the last entry is an
 * oops in the kernel; here it returns -EFAULT and *@addr is not set.
 */
int scatterwalk_next(struct scatter_walk *walk, unsigned total, void **addr);
/* @used bytes of the fragment are done; any number up to its length. */
void scatterwalk_advance(struct scatter_walk *walk, unsigned used);

#endif
