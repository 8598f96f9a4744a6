// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/scomp.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* An algorithm's context and its scratch: of a CPU, or of a transform. */
struct scomp_stream {
	const struct scomp_alg *alg;
	void *ctx;
	void *src_scratch;
	void *dst_scratch; /* of adapter copies */
};

static const struct scomp_alg *scomp_of(const struct acomp_alg *alg)
{
	return (const struct scomp_alg *)((const char *)alg - offsetof(struct scomp_alg, base));
}

static bool has_streams(const struct kernel *k)
{
	return k->profile.scomp.adapter == SCOMP_ADAPTER_STREAMS;
}

void scomp_free_stream(void *stream)
{
	struct scomp_stream *s = stream;

	if (!s)
		return;
	if (s->ctx)
		s->alg->free_ctx(s->ctx);
	free(s->dst_scratch);
	free(s->src_scratch);
	free(s);
}

int scomp_alloc_stream(struct kernel *k, const struct acomp_alg *alg, int level, void **stream)
{
	size_t size = has_streams(k) ? PAGE_SIZE : SCOMP_SCRATCH_SIZE;
	struct scomp_stream *s = calloc(1, sizeof(*s));
	int ret = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->alg = scomp_of(alg);
	s->src_scratch = malloc(size);
	if (!has_streams(k))
		s->dst_scratch = malloc(size);
	if (!s->src_scratch || (!has_streams(k) && !s->dst_scratch))
		goto err;
	ret = s->alg->alloc_ctx(k, level, &s->ctx);
	if (ret)
		goto err;
	*stream = s;
	return 0;
err:
	s->ctx = NULL;
	scomp_free_stream(s);
	return ret;
}

int scomp_init(struct crypto_acomp *tfm)
{
	if (has_streams(tfm->k))
		return crypto_acomp_alloc_streams(tfm);
	if (!tfm->k->contents)
		return 0;
	return scomp_alloc_stream(tfm->k, tfm->alg, tfm->level, &tfm->ctx);
}

void scomp_exit(struct crypto_acomp *tfm)
{
	scomp_free_stream(tfm->ctx);
}

/* Between @buf and the start of @sg. */
static int copy_sg(void *buf, struct scatterlist *sg, unsigned nbytes, bool to_sg)
{
	char *p = buf;

	for (; nbytes; sg = sg_next(sg)) {
		unsigned n;

		if (!sg)
			return -EFAULT;
		n = sg->length < nbytes ? sg->length : nbytes;
		if (n && to_sg)
			memcpy(sg_virt(sg), p, n);
		else if (n)
			memcpy(p, sg_virt(sg), n);
		p += n;
		nbytes -= n;
	}
	return 0;
}

static int copy(struct acomp_req *req, struct meter *m, void *buf, struct scatterlist *sg,
		unsigned nbytes, bool to_sg)
{
	int ret;

	meter_charge(m, &m->cost->copy_ns);
	ret = copy_sg(buf, sg, nbytes, to_sg);
	if (ret)
		return ret;
	m->cost->copy_bytes += nbytes;
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_COPY, .bytes = nbytes);
	return 0;
}

static int run_codec(struct scomp_stream *s, struct meter *m, bool compress, const void *src,
		     unsigned slen, void *dst, unsigned *dlen)
{
	m->cost->path = ACOMP_PATH_ONESHOT;
	return (compress ? s->alg->compress : s->alg->decompress)(s->ctx, m, src, slen, dst, dlen);
}

/* ---- to 6.15 ---- */

/*
 * Where a side lies in one piece, or NULL. The kernel does not look at the length of a list's only
 * entry; one that is too short is left to the copy here, which tells a short list from a good one.
 */
static void *in_place(void *virt, const struct scatterlist *sg, bool is_virt, unsigned len)
{
	if (is_virt)
		return virt;
	return sg->end && sg->length >= len ? sg_virt(sg) : NULL;
}

/* scomp_acomp_comp_decomp(), 6.12, with a destination. */
static int run_with_copies(struct acomp_req *req, struct meter *m, bool compress)
{
	bool src_virt = req->flags & ACOMP_REQ_SRC_VIRT, dst_virt = req->flags & ACOMP_REQ_DST_VIRT;
	struct scomp_stream *s = req->tfm->ctx;
	unsigned produced;
	void *src, *dst;
	int ret;

	if (!req->slen || req->slen > SCOMP_SCRATCH_SIZE || !req->dlen)
		return -EINVAL;
	if (req->dlen > SCOMP_SCRATCH_SIZE)
		req->dlen = SCOMP_SCRATCH_SIZE;
	src = in_place((void *)req->svirt, req->src, src_virt, req->slen);
	dst = in_place(req->dvirt, req->dst, dst_virt, req->dlen);
	if (!src) {
		src = s->src_scratch;
		ret = copy(req, m, src, req->src, req->slen, false);
		if (ret)
			return ret;
	}
	produced = req->dlen;
	ret = run_codec(s, m, compress, src, req->slen, dst ? dst : s->dst_scratch, &produced);
	if (ret)
		return ret;
	if (produced > req->dlen) {
		req->dlen = produced;
		return -ENOSPC;
	}
	req->dlen = produced;
	return dst ? 0 : copy(req, m, s->dst_scratch, req->dst, produced, true);
}

/* ---- since 6.16 ---- */

/* scomp_acomp_comp_decomp(), 7.x. The kernel does not look whether the source fits its scratch. */
static int run_on_stream(struct acomp_req *req, struct meter *m, bool compress)
{
	bool src_virt = req->flags & ACOMP_REQ_SRC_VIRT, dst_virt = req->flags & ACOMP_REQ_DST_VIRT;
	struct scomp_stream *s;
	const void *src = req->svirt;
	void *dst = req->dvirt;
	int ret = 0;

	if (!req->slen || !req->dlen || !src || !dst)
		return -EINVAL;
	if (!dst_virt) {
		if (req->dst->length < req->dlen)
			return -ENOSYS;
		dst = sg_virt(req->dst);
	}
	s = crypto_acomp_lock_stream_bh(req->tfm);
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_LOCK);
	if (!src_virt && req->src->length >= req->slen) {
		src = sg_virt(req->src);
	} else if (!src_virt) {
		src = s->src_scratch;
		ret = req->slen > PAGE_SIZE
			      ? -EFAULT
			      : copy(req, m, s->src_scratch, req->src, req->slen, false);
	}
	if (!ret)
		ret = run_codec(s, m, compress, src, req->slen, dst, &req->dlen);
	crypto_acomp_unlock_stream_bh(req->tfm);
	acomp_trace_event(req->trace, .kind = ACOMP_EVENT_UNLOCK);
	return ret;
}

static int run(struct acomp_req *req, bool compress)
{
	struct meter m;
	int ret;

	meter_start(&m, req->tfm->k, &req->cost);
	m.trace = req->trace;
	ret = (has_streams(req->tfm->k) ? run_on_stream : run_with_copies)(req, &m, compress);
	meter_charge(&m, NULL);
	return ret;
}

int scomp_compress(struct acomp_req *req)
{
	return run(req, true);
}

int scomp_decompress(struct acomp_req *req)
{
	return run(req, false);
}
