// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/zstd_rig.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "tests/test.h"

static uint64_t tick(void *arg)
{
	struct rig *rig = arg;

	return 1000 * ++rig->clock_reads;
}

static struct rig *create(const char *preset, const char *compressor, va_list changes)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct profile profile;
	struct kernel_config config = {
		.profile = &profile, .nr_cpus = 4, .clock = tick, .clock_arg = rig};
	const char *change;
	char err[1024];

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	while ((change = va_arg(changes, const char *)))
		assert_int_equal(profile_set(&profile, change, err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&config, &rig->k), 0);
	crypto_init(rig->k, backends_registry());
	assert_int_equal(crypto_alloc_acomp(rig->k, compressor, &rig->tfm), 0);
	acomp_request_set_tfm(&rig->req, rig->tfm);
	return rig;
}

struct rig *rig_create(const char *preset, ...)
{
	struct rig *rig;
	va_list changes;

	va_start(changes, preset);
	rig = create(preset, "zstd", changes);
	va_end(changes);
	return rig;
}

struct rig *rig_create_codec(const char *preset, const char *compressor, ...)
{
	struct rig *rig;
	va_list changes;

	va_start(changes, compressor);
	rig = create(preset, compressor, changes);
	va_end(changes);
	return rig;
}

void rig_destroy(struct rig *rig)
{
	crypto_free_acomp(rig->tfm);
	crypto_exit(rig->k);
	kernel_destroy(rig->k);
	free(rig);
}

void side_virt(struct side *side, struct rig *rig, unsigned len, const void *data)
{
	memset(side, 0, sizeof(*side));
	side->rig = rig;
	side->len = len;
	/* Exactly this long, so that a sanitizer sees a byte too far. */
	side->virt = malloc(len ? len : 1);
	if (data)
		memcpy(side->virt, data, len);
	else
		memset(side->virt, RIG_FILL, len);
}

/* Of the pages that entry @i lies in, which leave some bytes around it. */
static unsigned entry_order(unsigned length)
{
	unsigned order = 0;

	while (PAGE_SIZE << order < length + 64)
		order++;
	return order;
}

void side_list(struct side *side, struct rig *rig, const unsigned *lengths, unsigned nr,
	       const void *data)
{
	const char *p = data;

	memset(side, 0, sizeof(*side));
	side->rig = rig;
	side->nr = nr;
	assert_in_range(nr, 1, RIG_MAX_ENTRIES);
	sg_init_table(side->sg, nr);
	for (unsigned i = 0; i < nr; i++) {
		unsigned order = entry_order(lengths[i]);
		size_t room = (PAGE_SIZE << order) - lengths[i];
		struct page *page = alloc_pages(rig->k->frames, order, 0);

		memset(page_address(page), RIG_FILL, PAGE_SIZE << order);
		/* Some offset, not always an even one. */
		sg_set_page(&side->sg[i], page, lengths[i], (i * 37 + 5) % (room + 1));
		if (p) {
			memcpy(sg_virt(&side->sg[i]), p, lengths[i]);
			p += lengths[i];
		}
		side->len += lengths[i];
	}
}

void side_read(const struct side *side, void *buf, unsigned n)
{
	char *p = buf;

	if (!side->nr) {
		memcpy(p, side->virt, n);
		return;
	}
	for (unsigned i = 0; i < side->nr && n; i++) {
		unsigned part = side->sg[i].length < n ? side->sg[i].length : n;

		memcpy(p, sg_virt(&side->sg[i]), part);
		p += part;
		n -= part;
	}
	assert_int_equal(n, 0);
}

static void check_fill(const void *from, const void *to)
{
	for (const uint8_t *p = from; p < (const uint8_t *)to; p++)
		assert_int_equal(*p, RIG_FILL);
}

void side_check_around(const struct side *side)
{
	for (unsigned i = 0; i < side->nr; i++) {
		const struct scatterlist *sg = &side->sg[i];
		char *begin = page_address(sg->page), *entry = sg_virt(sg);

		check_fill(begin, entry);
		check_fill(entry + sg->length, begin + (PAGE_SIZE << sg->page->order));
	}
}

void side_finish(struct side *side)
{
	free(side->virt);
	for (unsigned i = 0; i < side->nr; i++)
		free_pages(side->rig->k->frames, side->sg[i].page);
}

static void set_sides(struct rig *rig, struct side *src, struct side *dst)
{
	if (src->nr)
		acomp_request_set_src_sg(&rig->req, src->sg, src->len);
	else
		acomp_request_set_src_dma(&rig->req, src->virt, src->len);
	if (dst->nr)
		acomp_request_set_dst_sg(&rig->req, dst->sg, dst->len);
	else
		acomp_request_set_dst_dma(&rig->req, dst->virt, dst->len);
}

int rig_compress(struct rig *rig, struct side *src, struct side *dst)
{
	set_sides(rig, src, dst);
	return crypto_acomp_compress(&rig->req);
}

int rig_decompress(struct rig *rig, struct side *src, struct side *dst)
{
	set_sides(rig, src, dst);
	return crypto_acomp_decompress(&rig->req);
}

int rig_compress_flat(struct rig *rig, const void *src, unsigned slen, void *out, unsigned *out_len)
{
	int ret;

	acomp_request_set_src_dma(&rig->req, src, slen);
	acomp_request_set_dst_dma(&rig->req, out, *out_len);
	ret = crypto_acomp_compress(&rig->req);
	*out_len = rig->req.dlen;
	return ret;
}

long ref_decode(const void *frame, size_t size, void *out, size_t capacity)
{
	size_t ret = ZSTD_decompress(out, capacity, frame, size);

	return ZSTD_isError(ret) ? -1 : (long)ret;
}

size_t ref_decode_stream(const void *frame, size_t size, void *out, size_t capacity, bool *error)
{
	ZSTD_DCtx *dctx = ZSTD_createDCtx();
	ZSTD_inBuffer in = {frame, size, 0};
	ZSTD_outBuffer to = {out, capacity, 0};
	size_t before, ret;

	*error = false;
	do {
		before = in.pos + to.pos;
		ret = ZSTD_decompressStream(dctx, &to, &in);
		*error = ZSTD_isError(ret);
	} while (!*error && in.pos + to.pos != before);
	ZSTD_freeDCtx(dctx);
	return to.pos;
}

static ZSTD_CCtx *ref_cctx(void)
{
	ZSTD_parameters p = ZSTD_getParams(3, 262144, 0);
	ZSTD_CCtx *cctx = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(cctx, ZSTD_c_windowLog, p.cParams.windowLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_hashLog, p.cParams.hashLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_chainLog, p.cParams.chainLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_searchLog, p.cParams.searchLog);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_minMatch, p.cParams.minMatch);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_strategy, p.cParams.strategy);
	return cctx;
}

void ref_stream_frame(struct ref_frame *frame, const void *src, const unsigned *fragments,
		      unsigned nr)
{
	ZSTD_CCtx *cctx = ref_cctx();
	size_t slen = 0, done = 0;
	ZSTD_outBuffer out;

	assert_in_range(nr, 0, REF_MAX_FRAGMENTS);
	for (unsigned i = 0; i < nr; i++)
		slen += fragments[i];
	out.size = ZSTD_compressBound(slen) + 32 * (nr + 1);
	out.dst = frame->bytes = malloc(out.size);
	out.pos = 0;
	for (unsigned i = 0; i < nr; i++) {
		ZSTD_inBuffer in = {(const char *)src + done, fragments[i], 0};

		assert_int_equal(ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_flush), 0);
		assert_int_equal(in.pos, in.size);
		frame->flushed[i] = out.pos;
		done += fragments[i];
	}
	assert_int_equal(ZSTD_compressStream2(cctx, &out, &(ZSTD_inBuffer){NULL, 0, 0}, ZSTD_e_end),
			 0);
	frame->len = out.pos;
	ZSTD_freeCCtx(cctx);
}

long ref_oneshot_frame(const void *src, unsigned slen, void *out, size_t capacity)
{
	ZSTD_CCtx *cctx = ref_cctx();
	size_t ret = ZSTD_compress2(cctx, out, capacity, src, slen);

	ZSTD_freeCCtx(cctx);
	return ZSTD_isError(ret) ? -1 : (long)ret;
}

enum ref_end ref_fragments(const struct side *side, unsigned limit, unsigned *fragments,
			   unsigned *nr)
{
	unsigned left = side->len, i = 0;

	*nr = 0;
	if (!side->nr) {
		fragments[(*nr)++] = left;
		return REF_END_TOTAL;
	}
	/* An empty first entry is passed over; any other empty one looks like the end. */
	if (!side->sg[0].length)
		i++;
	for (; left; i++) {
		unsigned length;

		if (i >= side->nr)
			return REF_END_FAULT;
		length = side->sg[i].length;
		if (!length)
			return REF_END_ZERO;
		while (length && left) {
			unsigned part = length < limit ? length : limit;

			part = part < left ? part : left;
			fragments[(*nr)++] = part;
			length -= part;
			left -= part;
		}
	}
	return REF_END_TOTAL;
}
