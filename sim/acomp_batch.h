/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proposals of 2025 and 2026 to hand an algorithm several pages at once (kernel-spec E.9). None
 * of it is in a released kernel; written from the mails.
 *
 * - A request of units (v14 of January 2026): the source is cut into units of @unit_size bytes. An
 *   algorithm with CRYPTO_ALG_REQ_SEG is given the whole. In front of any other stands a wrapper
 *   that takes a single unit. Either way the result of each unit is in the length of its entry of
 *   the destination: the compressed length, or the negative errno stored in that unsigned field.
 * - Arrays of requests, one a page (v9 of 2025).
 * - A request over a folio without a destination (the counter-proposal): sim/acomp_chain.h.
 *
 * Here too: who wants to know of each call.
 */
#ifndef SIM_ACOMP_BATCH_H
#define SIM_ACOMP_BATCH_H

#include <errno.h>

#include "sim/acomp.h"

/* The algorithm takes requests of several units. */
#define CRYPTO_ALG_REQ_SEG 0x1u
/* A device that is not there: what compresses is in its place, and its times are modelled_ns. */
#define ACOMP_ALG_MODELLED 0x2u

/* No algorithm is given more units than this at once, whatever it likes. */
#define ACOMP_MAX_BATCH_SIZE 64u

/* How many units @tfm's algorithm, or @alg (may be NULL), likes to be given at once; at least 1. */
unsigned acomp_alg_batch_size(const struct kernel *k, const struct acomp_alg *alg);
unsigned crypto_acomp_batch_size(const struct crypto_acomp *tfm);

/* Of @tfm, all else unset; NULL when out of memory, or by k->acomp_req_fail_in. */
struct acomp_req *acomp_request_alloc(struct crypto_acomp *tfm);
void acomp_request_free(struct acomp_req *req); /* accepts NULL */

/* 0: no units. Stays as it is until it is set again. */
static inline void acomp_request_set_unit_size(struct acomp_req *req, unsigned unit_size)
{
	req->unit_size = unit_size;
}

/* Units of the source; the last one may be short. 1 of a request that has no unit size. */
static inline unsigned acomp_request_units(const struct acomp_req *req)
{
	return req->unit_size ? (req->slen + req->unit_size - 1) / req->unit_size : 1;
}

/* What a unit came to: bytes, or a negative errno. */
static inline int acomp_unit_result(const struct scatterlist *dst)
{
	return (int)dst->length;
}

static inline void acomp_set_unit_result(struct scatterlist *dst, int ret, unsigned dlen)
{
	dst->length = ret ? (unsigned)ret : dlen;
}

/*
 * What crypto_acomp_compress() does if there is a unit size. On entry each entry of the destination
 * has the capacity of its unit as its length, and there is an entry for each unit.
 *
 * 0: every unit was compressed. The errno of a unit: at least one was not (dst says which).
 * -ENOSYS: more than one unit, and the algorithm takes only one; nothing was touched. -EINVAL: a
 * destination that is no list, or no source.
 */
int acomp_compress_units(struct acomp_req *req);

/*
 * Pages to buffers, a request each: @dlens in: capacity, out: length; @errors: 0 or a negative
 * errno. The algorithm gets them together if it knows how to, else one after the other. Whether all
 * went well. @reqs have one transform; their cost records are filled. @nr is 1 to
 * ACOMP_MAX_BATCH_SIZE.
 */
bool crypto_acomp_batch_compress(struct acomp_req *const *reqs, struct page *const *pages,
				 void *const *dsts, unsigned *dlens, int *errors, unsigned nr);
/* Back: @slens bytes at @srcs each into a page; @dlens out. */
bool crypto_acomp_batch_decompress(struct acomp_req *const *reqs, const void *const *srcs,
				   struct page *const *pages, const unsigned *slens,
				   unsigned *dlens, int *errors, unsigned nr);

/*
 * Part @i of @nr of what a request cost: times in equal parts, of which the first has what is left
 * over; counts are the first one's alone. The parts' sum is the whole.
 */
void acomp_cost_part(const struct acomp_cost *whole, unsigned nr, unsigned i,
		     struct acomp_cost *part);

/* ---- who watches ---- */

struct acomp_watch {
	/* A call of the API came back. @ns: measured, by the kernel's clock. */
	void (*called)(struct acomp_watch *watch, unsigned units, uint64_t ns);
	/* The algorithm is called, and comes back. @modelled_ns: of its device, 0 if there is none.
	 */
	void (*submitting)(struct acomp_watch *watch);
	void (*submitted)(struct acomp_watch *watch, unsigned units, uint64_t modelled_ns);
};

static inline void acomp_count_call(struct crypto_acomp *tfm, unsigned units, uint64_t ns)
{
	tfm->counts.calls++;
	tfm->counts.units += units;
	if (tfm->watch)
		tfm->watch->called(tfm->watch, units, ns);
}

static inline void acomp_begin_submission(struct crypto_acomp *tfm)
{
	tfm->counts.submissions++;
	if (tfm->watch)
		tfm->watch->submitting(tfm->watch);
}

static inline void acomp_end_submission(struct crypto_acomp *tfm, unsigned units,
					uint64_t modelled_ns)
{
	if (tfm->watch)
		tfm->watch->submitted(tfm->watch, units, modelled_ns);
}

/* Gives @req, of @units units, to its algorithm. */
static inline int acomp_submit(struct acomp_req *req, unsigned units)
{
	uint64_t before = req->cost.modelled_ns;
	int ret;

	acomp_begin_submission(req->tfm);
	ret = req->tfm->alg->compress(req);
	acomp_end_submission(req->tfm, units, req->cost.modelled_ns - before);
	return ret;
}

#endif
