// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/acomp_batch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/acomp_chain.h"

unsigned acomp_alg_batch_size(const struct kernel *k, const struct acomp_alg *alg)
{
	unsigned size = alg && alg->get_batch_size ? alg->get_batch_size(k) : 1;

	if (!size)
		return 1;
	return size < ACOMP_MAX_BATCH_SIZE ? size : ACOMP_MAX_BATCH_SIZE;
}

unsigned crypto_acomp_batch_size(const struct crypto_acomp *tfm)
{
	return acomp_alg_batch_size(tfm->k, tfm->alg);
}

struct acomp_req *acomp_request_alloc(struct crypto_acomp *tfm)
{
	struct kernel *k = tfm->k;
	struct acomp_req *req;

	if (k->acomp_req_fail_in && --k->acomp_req_fail_in == 0)
		return NULL;
	req = calloc(1, sizeof(*req));
	if (!req)
		return NULL;
	k->acomp_reqs++;
	acomp_request_set_tfm(req, tfm);
	return req;
}

void acomp_request_free(struct acomp_req *req)
{
	if (!req)
		return;
	req->tfm->k->acomp_reqs--;
	free(req);
}

int acomp_compress_units(struct acomp_req *req)
{
	bool segments = req->tfm->alg->flags & CRYPTO_ALG_REQ_SEG;
	unsigned units = acomp_request_units(req);
	int ret;

	if (!units)
		return -EINVAL;
	if (req->chain)
		return acomp_chain_compress(req);
	/* The result has to go somewhere. */
	if (req->flags & ACOMP_REQ_DST_VIRT)
		return -EINVAL;
	if (segments)
		return acomp_submit(req, units);
	if (units > 1)
		return -ENOSYS;
	ret = acomp_submit(req, 1);
	acomp_set_unit_result(req->dst, ret, req->dlen);
	return ret;
}

static bool all_well(const int *errors, unsigned nr)
{
	bool well = true;

	for (unsigned i = 0; i < nr; i++)
		well &= !errors[i];
	return well;
}

static uint64_t modelled_ns(struct acomp_req *const *reqs, unsigned nr)
{
	uint64_t ns = 0;

	for (unsigned i = 0; i < nr; i++)
		ns += reqs[i]->cost.modelled_ns;
	return ns;
}

static void compress_all(struct acomp_req *const *reqs, int *errors, unsigned nr)
{
	struct crypto_acomp *tfm = reqs[0]->tfm;

	for (unsigned i = 0; i < nr; i++)
		memset(&reqs[i]->cost, 0, sizeof(reqs[i]->cost));
	if (tfm->alg->batch_compress) {
		acomp_begin_submission(tfm);
		tfm->alg->batch_compress(reqs, errors, nr);
		acomp_end_submission(tfm, nr, modelled_ns(reqs, nr));
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		errors[i] = acomp_submit(reqs[i], 1);
}

bool crypto_acomp_batch_compress(struct acomp_req *const *reqs, struct page *const *pages,
				 void *const *dsts, unsigned *dlens, int *errors, unsigned nr)
{
	struct crypto_acomp *tfm = reqs[0]->tfm;
	uint64_t start = tfm->watch ? kernel_now(tfm->k) : 0;

	for (unsigned i = 0; i < nr; i++) {
		acomp_request_set_src_folio(reqs[i], pages[i], 0, PAGE_SIZE);
		acomp_request_set_dst_dma(reqs[i], dsts[i], dlens[i]);
	}
	compress_all(reqs, errors, nr);
	for (unsigned i = 0; i < nr; i++)
		dlens[i] = reqs[i]->dlen;
	acomp_count_call(tfm, nr, tfm->watch ? kernel_now(tfm->k) - start : 0);
	return all_well(errors, nr);
}

bool crypto_acomp_batch_decompress(struct acomp_req *const *reqs, const void *const *srcs,
				   struct page *const *pages, const unsigned *slens,
				   unsigned *dlens, int *errors, unsigned nr)
{
	const struct acomp_alg *alg = reqs[0]->tfm->alg;

	for (unsigned i = 0; i < nr; i++) {
		acomp_request_set_src_dma(reqs[i], srcs[i], slens[i]);
		acomp_request_set_dst_folio(reqs[i], pages[i], 0, PAGE_SIZE);
		memset(&reqs[i]->cost, 0, sizeof(reqs[i]->cost));
	}
	if (alg->batch_decompress) {
		alg->batch_decompress(reqs, errors, nr);
	} else {
		for (unsigned i = 0; i < nr; i++)
			errors[i] = alg->decompress(reqs[i]);
	}
	for (unsigned i = 0; i < nr; i++)
		dlens[i] = reqs[i]->dlen;
	return all_well(errors, nr);
}

static uint64_t share(uint64_t whole, unsigned nr, unsigned i)
{
	return whole / nr + (i ? 0 : whole % nr);
}

void acomp_cost_part(const struct acomp_cost *whole, unsigned nr, unsigned i,
		     struct acomp_cost *part)
{
	*part = *whole;
	part->init_ns = share(whole->init_ns, nr, i);
	part->codec_ns = share(whole->codec_ns, nr, i);
	part->copy_ns = share(whole->copy_ns, nr, i);
	part->modelled_ns = share(whole->modelled_ns, nr, i);
	if (!i)
		return;
	memset(part->calls, 0, sizeof(part->calls));
	part->copy_bytes = 0;
}
