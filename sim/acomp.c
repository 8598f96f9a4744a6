// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/acomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acomp_batch.h"

const char *const acomp_call_names[ACOMP_NR_CALLS] = {
	[ACOMP_CALL_INIT_CCTX] = "zstd_init_cctx",
	[ACOMP_CALL_INIT_CSTREAM] = "zstd_init_cstream",
	[ACOMP_CALL_COMPRESS_CCTX] = "zstd_compress_cctx",
	[ACOMP_CALL_COMPRESS_STREAM] = "zstd_compress_stream",
	[ACOMP_CALL_FLUSH_STREAM] = "zstd_flush_stream",
	[ACOMP_CALL_END_STREAM] = "zstd_end_stream",
	[ACOMP_CALL_INIT_DCTX] = "zstd_init_dctx",
	[ACOMP_CALL_INIT_DSTREAM] = "zstd_init_dstream",
	[ACOMP_CALL_DECOMPRESS_DCTX] = "zstd_decompress_dctx",
	[ACOMP_CALL_DECOMPRESS_STREAM] = "zstd_decompress_stream",
};

void crypto_init(struct kernel *k, const struct crypto_registry *registry)
{
	k->crypto = registry;
}

int crypto_alloc_acomp(struct kernel *k, const char *name, struct crypto_acomp **out)
{
	struct crypto_acomp *tfm;
	struct acomp_spec spec;
	int ret = crypto_parse_acomp(k->crypto, name, &spec, NULL, 0);

	if (ret)
		return ret;
	tfm = calloc(1, sizeof(*tfm));
	if (!tfm)
		return -ENOMEM;
	tfm->k = k;
	tfm->alg = spec.alg;
	tfm->level = spec.level;
	ret = tfm->alg->init(tfm);
	if (ret) {
		free(tfm);
		return ret;
	}
	*out = tfm;
	return 0;
}

void crypto_free_acomp(struct crypto_acomp *tfm)
{
	if (!tfm)
		return;
	if (tfm->alg->exit)
		tfm->alg->exit(tfm);
	free(tfm);
}

void acomp_request_set_tfm(struct acomp_req *req, struct crypto_acomp *tfm)
{
	req->tfm = tfm;
}

void acomp_request_set_params(struct acomp_req *req, struct scatterlist *src,
			      struct scatterlist *dst, unsigned slen, unsigned dlen)
{
	acomp_request_set_src_sg(req, src, slen);
	acomp_request_set_dst_sg(req, dst, dlen);
}

void acomp_request_set_src_sg(struct acomp_req *req, struct scatterlist *src, unsigned slen)
{
	req->src = src;
	req->slen = slen;
	req->flags &= ~(ACOMP_REQ_SRC_VIRT | ACOMP_REQ_SRC_NONDMA);
}

void acomp_request_set_src_dma(struct acomp_req *req, const void *src, unsigned slen)
{
	req->svirt = src;
	req->slen = slen;
	req->flags &= ~ACOMP_REQ_SRC_NONDMA;
	req->flags |= ACOMP_REQ_SRC_VIRT;
}

void acomp_request_set_src_nondma(struct acomp_req *req, const void *src, unsigned slen)
{
	req->svirt = src;
	req->slen = slen;
	req->flags |= ACOMP_REQ_SRC_VIRT | ACOMP_REQ_SRC_NONDMA;
}

void acomp_request_set_src_folio(struct acomp_req *req, struct page *folio, size_t off,
				 unsigned len)
{
	sg_init_table(&req->src_sg, 1);
	sg_set_page(&req->src_sg, folio, len, off);
	acomp_request_set_src_sg(req, &req->src_sg, len);
}

void acomp_request_set_dst_sg(struct acomp_req *req, struct scatterlist *dst, unsigned dlen)
{
	req->dst = dst;
	req->dlen = dlen;
	req->chain = NULL;
	req->flags &= ~(ACOMP_REQ_DST_VIRT | ACOMP_REQ_DST_NONDMA);
}

void acomp_request_set_dst_dma(struct acomp_req *req, void *dst, unsigned dlen)
{
	req->dvirt = dst;
	req->dlen = dlen;
	req->chain = NULL;
	req->flags &= ~ACOMP_REQ_DST_NONDMA;
	req->flags |= ACOMP_REQ_DST_VIRT;
}

void acomp_request_set_dst_nondma(struct acomp_req *req, void *dst, unsigned dlen)
{
	req->dvirt = dst;
	req->dlen = dlen;
	req->chain = NULL;
	req->flags |= ACOMP_REQ_DST_VIRT | ACOMP_REQ_DST_NONDMA;
}

void acomp_request_set_dst_folio(struct acomp_req *req, struct page *folio, size_t off,
				 unsigned len)
{
	sg_init_table(&req->dst_sg, 1);
	sg_set_page(&req->dst_sg, folio, len, off);
	acomp_request_set_dst_sg(req, &req->dst_sg, len);
}

int crypto_acomp_compress(struct acomp_req *req)
{
	struct acomp_watch *watch = req->tfm->watch;
	unsigned units = acomp_request_units(req);
	uint64_t start = 0;
	int ret;

	memset(&req->cost, 0, sizeof(req->cost));
	if (watch)
		start = kernel_now(req->tfm->k);
	ret = req->unit_size ? acomp_compress_units(req) : acomp_submit(req, 1);
	acomp_count_call(req->tfm, units, watch ? kernel_now(req->tfm->k) - start : 0);
	return ret;
}

int crypto_acomp_decompress(struct acomp_req *req)
{
	memset(&req->cost, 0, sizeof(req->cost));
	return req->tfm->alg->decompress(req);
}
