// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/toy_alg.h"

#include <string.h>

struct said {
	int result;
	unsigned tag;
};

void toy_fill(void *page, int result, unsigned tag)
{
	struct said said = {result, tag};

	memset(page, 0x5a, PAGE_SIZE);
	memcpy(page, &said, sizeof(said));
}

void toy_expect(void *buf, unsigned length, unsigned tag)
{
	unsigned char *bytes = buf;

	for (unsigned i = 0; i < length; i++)
		bytes[i] = tag + i * 7;
}

static struct toy *toy_of(const struct kernel *k)
{
	return (struct toy *)k->crypto->device;
}

static int one(const void *src, void *dst, unsigned capacity, unsigned *dlen)
{
	struct said said;

	memcpy(&said, src, sizeof(said));
	*dlen = 0;
	if (said.result < 0)
		return said.result;
	if ((unsigned)said.result > capacity)
		return -ENOSPC;
	toy_expect(dst, said.result, said.tag);
	*dlen = said.result;
	return 0;
}

static int compress_one(struct acomp_req *req)
{
	void *dst = req->flags & ACOMP_REQ_DST_VIRT ? req->dvirt : sg_virt(req->dst);

	req->cost.codec_ns += 10;
	return one(sg_virt(req->src), dst, req->dlen, &req->dlen);
}

static int toy_compress(struct acomp_req *req)
{
	struct toy *toy = toy_of(req->tfm->k);

	toy->units[toy->calls++ % 64] = 1;
	return compress_one(req);
}

static int toy_seg_compress(struct acomp_req *req)
{
	struct toy *toy = toy_of(req->tfm->k);
	unsigned units = acomp_request_units(req);
	struct scatterlist *dst = req->dst;
	const char *src = sg_virt(req->src);
	int first = 0;

	toy->units[toy->calls++ % 64] = units;
	if (!req->unit_size)
		return compress_one(req);
	for (unsigned i = 0; i < units; i++, dst = sg_next(dst)) {
		unsigned dlen;
		int ret = one(src + i * req->unit_size, sg_virt(dst), dst->length, &dlen);

		acomp_set_unit_result(dst, ret, dlen);
		first = first ? first : ret;
	}
	req->cost.modelled_ns = 100 * units;
	return first;
}

static void toy_batch_compress(struct acomp_req *const *reqs, int *errors, unsigned nr)
{
	struct toy *toy = toy_of(reqs[0]->tfm->k);

	toy->units[toy->calls++ % 64] = nr;
	for (unsigned i = 0; i < nr; i++) {
		errors[i] = compress_one(reqs[i]);
		reqs[i]->cost.modelled_ns = 100;
	}
}

/* The inverse for results of which the first byte, the tag, is enough. */
static int toy_decompress(struct acomp_req *req)
{
	const unsigned char *src = req->flags & ACOMP_REQ_SRC_VIRT ? req->svirt : sg_virt(req->src);

	if (!*src)
		return -EIO;
	toy_fill(sg_virt(req->dst), req->slen, *src);
	req->dlen = PAGE_SIZE;
	return 0;
}

static void toy_batch_decompress(struct acomp_req *const *reqs, int *errors, unsigned nr)
{
	struct toy *toy = toy_of(reqs[0]->tfm->k);

	toy->units[toy->calls++ % 64] = nr;
	for (unsigned i = 0; i < nr; i++)
		errors[i] = toy_decompress(reqs[i]);
}

static int toy_init(struct crypto_acomp *tfm)
{
	return 0;
}

static unsigned toy_batch_size(const struct kernel *k)
{
	return toy_of(k)->batch;
}

static const struct acomp_alg toy_alg = {
	.cra_name = "toy",
	.cra_driver_name = "toy-generic",
	.init = toy_init,
	.compress = toy_compress,
	.decompress = toy_decompress,
};

static const struct acomp_alg toy_seg_alg = {
	.cra_name = "toy-seg",
	.cra_driver_name = "toy-seg-device",
	.init = toy_init,
	.compress = toy_seg_compress,
	.decompress = toy_decompress,
	.flags = CRYPTO_ALG_REQ_SEG,
	.get_batch_size = toy_batch_size,
	.batch_compress = toy_batch_compress,
	.batch_decompress = toy_batch_decompress,
};

struct crypto_registry toy_registry(struct toy *toy)
{
	static const struct acomp_alg *const algs[] = {&toy_alg, &toy_seg_alg, NULL};

	return (struct crypto_registry){.algs = algs, .device = toy};
}
