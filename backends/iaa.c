// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/iaa.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define WINDOW_BITS 12 /* 4 KiB */
#define LEVEL	    6
#define MEM_LEVEL   8

/* A CPU's: the stand-in, and where a source is copied together. */
struct iaa_stream {
	z_stream deflate, inflate;
	bool deflate_ready, inflate_ready;
	unsigned char scratch[PAGE_SIZE];
};

/* A transform's. */
struct iaa_tfm {
	struct iaa_model model;
	double z[IAA_NR_Z];
	uint64_t calls[IAA_NR_DIRS];
};

static const char *const call_names[ACOMP_NR_CALLS] = {
	[ACOMP_CALL_COMPRESS_CCTX] = "iaa_compress",
	[ACOMP_CALL_DECOMPRESS_DCTX] = "iaa_decompress",
};

/* ---- streams ---- */

static void iaa_free_ctx(void *ctx)
{
	struct iaa_stream *s = ctx;

	if (s->deflate_ready)
		deflateEnd(&s->deflate);
	if (s->inflate_ready)
		inflateEnd(&s->inflate);
	free(s);
}

static int iaa_alloc_ctx(struct kernel *k, const struct acomp_alg *alg, int level, void **ctx)
{
	struct iaa_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->deflate_ready = deflateInit2(&s->deflate, LEVEL, Z_DEFLATED, -WINDOW_BITS, MEM_LEVEL,
					Z_FIXED) == Z_OK;
	s->inflate_ready = inflateInit2(&s->inflate, -WINDOW_BITS) == Z_OK;
	if (!s->deflate_ready || !s->inflate_ready) {
		iaa_free_ctx(s);
		return -ENOMEM;
	}
	*ctx = s;
	return 0;
}

static void get_model(const struct kernel *k, struct iaa_model *model)
{
	const struct iaa_model *device = k->crypto->device;
	char err[128];

	if (device)
		*model = *device;
	else
		iaa_model_builtin("letter", model, err, sizeof(err));
}

static int iaa_init(struct crypto_acomp *tfm)
{
	struct iaa_tfm *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	get_model(tfm->k, &t->model);
	iaa_model_spread(t->z);
	ret = crypto_acomp_alloc_streams(tfm);
	if (ret) {
		free(t);
		return ret;
	}
	tfm->ctx = t;
	return 0;
}

static void iaa_exit(struct crypto_acomp *tfm)
{
	free(tfm->ctx);
}

static unsigned iaa_batch_size(const struct kernel *k)
{
	struct iaa_model model;

	get_model(k, &model);
	return model.batch_size;
}

/* ---- the stand-in ---- */

static int deflate_page(struct iaa_stream *s, const void *src, unsigned slen, void *dst,
			unsigned capacity, unsigned *dlen)
{
	z_stream *z = &s->deflate;
	unsigned char spill[8];
	int ret;

	if (!slen || !capacity)
		return -EINVAL;
	deflateReset(z);
	z->next_in = (unsigned char *)src;
	z->avail_in = slen;
	z->next_out = dst;
	z->avail_out = capacity;
	ret = deflate(z, Z_FINISH);
	*dlen = capacity - z->avail_out;
	if (ret == Z_OK && !z->avail_out) {
		/* Whether a frame that fills the buffer is whole zlib says only if asked again. */
		z->next_out = spill;
		z->avail_out = sizeof(spill);
		ret = deflate(z, Z_FINISH);
		if (z->avail_out != sizeof(spill))
			ret = Z_BUF_ERROR;
	}
	if (ret == Z_STREAM_END)
		return 0;
	*dlen = 0;
	return -E2BIG;
}

static int inflate_page(struct iaa_stream *s, const void *src, unsigned slen, void *dst,
			unsigned capacity, unsigned *dlen)
{
	z_stream *z = &s->inflate;
	int ret;

	inflateReset(z);
	z->next_in = (unsigned char *)src;
	z->avail_in = slen;
	z->next_out = dst;
	z->avail_out = capacity;
	ret = inflate(z, Z_FINISH);
	if (ret == Z_STREAM_END) {
		*dlen = capacity - z->avail_out;
		return 0;
	}
	return ret == Z_BUF_ERROR && z->avail_in ? -ENOSPC : -EINVAL;
}

/* ---- requests ---- */

/* Where a side is in one piece; NULL: it is not. */
static void *in_one_piece(void *virt, const struct scatterlist *sg, bool is_virt, unsigned len)
{
	if (is_virt)
		return virt;
	return sg && sg->length >= len ? sg_virt(sg) : NULL;
}

static void *destination(const struct acomp_req *req)
{
	return in_one_piece(req->dvirt, req->dst, req->flags & ACOMP_REQ_DST_VIRT, req->dlen);
}

/* The source, copied together if it is an object over two pages. */
static const void *source(struct acomp_req *req, struct iaa_stream *s)
{
	void *src = in_one_piece((void *)req->svirt, req->src, req->flags & ACOMP_REQ_SRC_VIRT,
				 req->slen);
	uint64_t start;
	unsigned at = 0;

	if (src || req->slen > sizeof(s->scratch))
		return src;
	start = kernel_now(req->tfm->k);
	for (struct scatterlist *sg = req->src; sg && at < req->slen; sg = sg_next(sg)) {
		unsigned n = sg->length < req->slen - at ? sg->length : req->slen - at;

		if (n)
			memcpy(s->scratch + at, sg_virt(sg), n);
		at += n;
	}
	req->cost.copy_ns += kernel_now(req->tfm->k) - start;
	req->cost.copy_bytes += at;
	return at == req->slen ? s->scratch : NULL;
}

static uint64_t model_call(struct crypto_acomp *tfm, enum iaa_dir dir, unsigned nr)
{
	struct iaa_tfm *t = tfm->ctx;
	double z = t->z[t->calls[dir]++ % IAA_NR_Z];

	return llround(iaa_model_ns(&t->model, dir, nr, z));
}

static void count_call(struct acomp_req *req, enum acomp_call call)
{
	req->cost.path = ACOMP_PATH_ONESHOT;
	req->cost.calls[call]++;
}

/* One request of one piece, with the stream locked; its time with the device is not told yet. */
static int run_one(struct acomp_req *req, struct iaa_stream *s, enum iaa_dir dir)
{
	const void *src = req->slen && req->dlen ? source(req, s) : NULL;
	void *dst = destination(req);
	unsigned dlen = 0;
	uint64_t start;
	int ret;

	if (!src || !dst) {
		req->dlen = 0;
		return -EINVAL;
	}
	start = kernel_now(req->tfm->k);
	if (dir == IAA_COMPRESS)
		ret = deflate_page(s, src, req->slen, dst, req->dlen, &dlen);
	else
		ret = inflate_page(s, src, req->slen, dst, req->dlen, &dlen);
	req->cost.codec_ns += kernel_now(req->tfm->k) - start;
	count_call(req,
		   dir == IAA_COMPRESS ? ACOMP_CALL_COMPRESS_CCTX : ACOMP_CALL_DECOMPRESS_DCTX);
	req->dlen = dlen;
	return ret;
}

static int run(struct acomp_req *req, enum iaa_dir dir)
{
	struct iaa_stream *s = crypto_acomp_lock_stream_bh(req->tfm);
	int ret = run_one(req, s, dir);

	if (req->cost.path != ACOMP_PATH_NONE)
		req->cost.modelled_ns = model_call(req->tfm, dir, 1);
	crypto_acomp_unlock_stream_bh(req->tfm);
	return ret;
}

static int run_units(struct acomp_req *req, unsigned units)
{
	struct iaa_stream *s = crypto_acomp_lock_stream_bh(req->tfm);
	const char *src = in_one_piece((void *)req->svirt, req->src,
				       req->flags & ACOMP_REQ_SRC_VIRT, req->slen);
	struct scatterlist *dst = req->dst;
	unsigned left = req->slen, total = 0;
	uint64_t start = kernel_now(req->tfm->k);
	int first = src ? 0 : -EINVAL;

	for (unsigned i = 0; src && i < units && dst; i++, dst = sg_next(dst)) {
		unsigned slen = left < req->unit_size ? left : req->unit_size, dlen = 0;
		int ret = deflate_page(s, src, slen, sg_virt(dst), dst->length, &dlen);

		acomp_set_unit_result(dst, ret, dlen);
		first = first ? first : ret;
		total += dlen;
		src += slen;
		left -= slen;
		count_call(req, ACOMP_CALL_COMPRESS_CCTX);
	}
	req->cost.codec_ns += kernel_now(req->tfm->k) - start;
	if (src)
		req->cost.modelled_ns = model_call(req->tfm, IAA_COMPRESS, units);
	req->dlen = total;
	crypto_acomp_unlock_stream_bh(req->tfm);
	return first;
}

static int iaa_compress(struct acomp_req *req)
{
	if (req->unit_size)
		return run_units(req, acomp_request_units(req));
	return run(req, IAA_COMPRESS);
}

static int iaa_decompress(struct acomp_req *req)
{
	return run(req, IAA_DECOMPRESS);
}

/* All of them are with the device at once: the time of the batch is theirs in equal parts. */
static void run_batch(struct acomp_req *const *reqs, int *errors, unsigned nr, enum iaa_dir dir)
{
	struct crypto_acomp *tfm = reqs[0]->tfm;
	struct iaa_stream *s = crypto_acomp_lock_stream_bh(tfm);
	struct acomp_cost whole = {0}, part;

	for (unsigned i = 0; i < nr; i++)
		errors[i] = run_one(reqs[i], s, dir);
	whole.modelled_ns = model_call(tfm, dir, nr);
	for (unsigned i = 0; i < nr; i++) {
		acomp_cost_part(&whole, nr, i, &part);
		reqs[i]->cost.modelled_ns = part.modelled_ns;
	}
	crypto_acomp_unlock_stream_bh(tfm);
}

static void iaa_batch_compress(struct acomp_req *const *reqs, int *errors, unsigned nr)
{
	run_batch(reqs, errors, nr, IAA_COMPRESS);
}

static void iaa_batch_decompress(struct acomp_req *const *reqs, int *errors, unsigned nr)
{
	run_batch(reqs, errors, nr, IAA_DECOMPRESS);
}

static char library_text[64];

static void make_library_text(void)
{
	snprintf(library_text, sizeof(library_text), "zlib %s, in place of a device",
		 zlibVersion());
}

static const char *iaa_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_library_text);
	return library_text;
}

static bool iaa_lengths_exact(const struct profile *p)
{
	return false;
}

const struct acomp_alg iaa_alg = {
	.cra_name = "deflate-iaa",
	.cra_driver_name = "deflate-iaa",
	.model = ACOMP_MODEL_SCOMP,
	.library = iaa_library,
	.lengths_exact = iaa_lengths_exact,
	.call_names = call_names,
	.init = iaa_init,
	.exit = iaa_exit,
	.compress = iaa_compress,
	.decompress = iaa_decompress,
	.alloc_ctx = iaa_alloc_ctx,
	.free_ctx = iaa_free_ctx,
	.flags = CRYPTO_ALG_REQ_SEG | ACOMP_ALG_MODELLED,
	.get_batch_size = iaa_batch_size,
	.batch_compress = iaa_batch_compress,
	.batch_decompress = iaa_batch_decompress,
};
