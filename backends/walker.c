// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/walker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "backends/registry.h"
#include "backends/walker_log.h"
#include "backends/walker_quirks.h"
#include "backends/zstd.h"
#include "sim/poison.h"

/* Memory of one side. What lies around its entries is poisoned. */
struct buffers {
	struct page_frames *frames; /* that the struct pages are of */
	uint8_t *bytes;
	size_t size;
	struct scatterlist *sg;
	struct page **pages;
	unsigned entries;
};

struct machine {
	struct kernel *k;
	struct crypto_acomp *tfm;
	struct buffers src, dst;
};

struct walker {
	struct machine main;
	/* For the same request between linear buffers, and for frames: it leaves the first alone.
	 */
	struct machine aside;
	struct walker_reader *reader;
	struct walker_log log;
	struct walker_result result;
	uint8_t *output, *other; /* of result, of the linear request */
	size_t output_size, other_size;
	uint8_t *frame;
	size_t frame_size;
	/* Taken by the first request: it is stepped through, which takes a while. */
	struct cpuid_census census;
	bool census_taken;
};

static int grow(uint8_t **bytes, size_t *size, size_t needed)
{
	uint8_t *p;

	if (*bytes && needed <= *size)
		return 0;
	p = realloc(*bytes, needed ? needed : 1);
	if (!p)
		return -ENOMEM;
	*bytes = p;
	*size = needed;
	return 0;
}

/* ---- a side ---- */

#define ENTRY_ALIGN 64u

static size_t room_of_entry(unsigned offset, unsigned length)
{
	return ((size_t)offset + length + 2 * ENTRY_ALIGN - 1) & ~(size_t)(ENTRY_ALIGN - 1);
}

static void pages_give_back(struct buffers *b)
{
	for (unsigned i = 0; b->pages && i < b->entries; i++) {
		if (b->pages[i])
			free_pages(b->frames, b->pages[i]);
	}
	free(b->pages);
}

static int buffers_reserve(struct buffers *b, const struct walker_side *side)
{
	size_t size = ENTRY_ALIGN;

	for (unsigned i = 0; i < side->nr; i++)
		size += room_of_entry(side->offset, side->lengths[i]);
	if (b->bytes)
		unpoison(b->bytes, b->size);
	if (size > b->size) {
		free(b->bytes);
		b->size = 0;
		b->bytes = aligned_alloc(ENTRY_ALIGN, size);
		if (!b->bytes)
			return -ENOMEM;
		b->size = size;
	}
	if (side->nr > b->entries) {
		free(b->sg);
		pages_give_back(b);
		b->entries = 0;
		b->sg = calloc(side->nr, sizeof(*b->sg));
		b->pages = calloc(side->nr, sizeof(*b->pages));
		if (!b->sg || !b->pages)
			return -ENOMEM;
		b->entries = side->nr;
	}
	return 0;
}

static int buffers_place(struct buffers *b, const struct walker_side *side)
{
	uint8_t *p;
	int ret = buffers_reserve(b, side);

	if (ret)
		return ret;
	sg_init_table(b->sg, side->nr);
	poison(b->bytes, b->size);
	p = b->bytes;
	for (unsigned i = 0; i < side->nr; i++) {
		if (b->pages[i])
			free_pages(b->frames, b->pages[i]);
		b->pages[i] = page_of_memory(b->frames, p);
		if (!b->pages[i])
			return -ENOMEM;
		sg_set_page(&b->sg[i], b->pages[i], side->lengths[i], side->offset);
		/* From the page on: shadow memory begins at multiples of 8. */
		unpoison(p, side->offset + side->lengths[i]);
		p += room_of_entry(side->offset, side->lengths[i]);
	}
	return 0;
}

static void buffers_finish(struct buffers *b)
{
	if (b->bytes)
		unpoison(b->bytes, b->size);
	free(b->bytes);
	free(b->sg);
	if (b->frames)
		pages_give_back(b);
}

static void fill(struct buffers *b, const struct walker_side *side, const uint8_t *bytes)
{
	for (unsigned i = 0; i < side->nr; i++) {
		if (side->lengths[i])
			memcpy(sg_virt(&b->sg[i]), bytes, side->lengths[i]);
		bytes += side->lengths[i];
	}
}

static void gather(const struct buffers *b, const struct walker_side *side, uint8_t *to, unsigned n)
{
	for (unsigned i = 0; i < side->nr && n; i++) {
		unsigned part = side->lengths[i] < n ? side->lengths[i] : n;

		memcpy(to, sg_virt(&b->sg[i]), part);
		to += part;
		n -= part;
	}
}

/* ---- a machine ---- */

static void machine_finish(struct machine *m)
{
	buffers_finish(&m->src);
	buffers_finish(&m->dst);
	if (!m->k)
		return;
	crypto_free_acomp(m->tfm);
	crypto_exit(m->k);
	kernel_destroy(m->k);
}

static int machine_init(struct machine *m, const struct profile *profile)
{
	struct kernel_config config = {.profile = profile, .nr_cpus = 1};
	int ret = kernel_create(&config, &m->k);

	if (ret)
		return ret;
	m->src.frames = m->dst.frames = m->k->frames;
	crypto_init(m->k, backends_registry());
	return crypto_alloc_acomp(m->k, "zstd", &m->tfm);
}

struct call {
	struct acomp_req req;
	bool compress;
	int ret;
};

static void make_call(void *arg)
{
	struct call *call = arg;

	call->ret = call->compress ? crypto_acomp_compress(&call->req)
				   : crypto_acomp_decompress(&call->req);
}

static void set_src(struct acomp_req *req, struct buffers *b, const struct walker_request *r)
{
	switch (r->src.kind) {
	case WALKER_VIRT:
		acomp_request_set_src_dma(req, b->bytes, r->slen);
		break;
	case WALKER_SG:
		acomp_request_set_src_sg(req, b->sg, r->slen);
		break;
	case WALKER_FOLIO:
		acomp_request_set_src_folio(req, b->pages[0], r->src.offset, r->src.size);
		req->slen = r->slen;
		break;
	}
}

static void set_dst(struct acomp_req *req, struct buffers *b, const struct walker_request *r)
{
	switch (r->dst.kind) {
	case WALKER_VIRT:
		acomp_request_set_dst_dma(req, b->bytes, r->dlen);
		break;
	case WALKER_SG:
		acomp_request_set_dst_sg(req, b->sg, r->dlen);
		break;
	case WALKER_FOLIO:
		acomp_request_set_dst_folio(req, b->pages[0], r->dst.offset, r->dst.size);
		req->dlen = r->dlen;
		break;
	}
}

/* Buffers for @r, filled, and a call that is ready to be made. */
static int prepare(struct machine *m, const struct walker_request *r, struct call *call)
{
	int ret = buffers_place(&m->src, &r->src);

	if (!ret)
		ret = buffers_place(&m->dst, &r->dst);
	if (ret)
		return ret;
	fill(&m->src, &r->src, r->bytes);
	memset(call, 0, sizeof(*call));
	call->compress = r->compress;
	acomp_request_set_tfm(&call->req, m->tfm);
	set_src(&call->req, &m->src, r);
	set_dst(&call->req, &m->dst, r);
	return 0;
}

/* ---- a walker ---- */

int walker_create(const struct profile *profile, struct walker **out, char *err, size_t err_size)
{
	struct walker *w;
	int ret = zstd_check_profile(profile, err, err_size);

	if (ret)
		return ret;
	w = calloc(1, sizeof(*w));
	ret = w ? machine_init(&w->main, profile) : -ENOMEM;
	if (!ret)
		ret = machine_init(&w->aside, profile);
	if (!ret)
		ret = walker_reader_create(&w->reader);
	if (ret) {
		snprintf(err, err_size, "%s", strerror(-ret));
		walker_destroy(w);
		return ret;
	}
	w->log.census = &w->census;
	w->log.released = profile->zstd.api == ZSTD_API_ACOMP && !profile->zstd.stream_drain;
	*out = w;
	return 0;
}

void walker_destroy(struct walker *w)
{
	if (!w)
		return;
	walker_log_finish(&w->log);
	walker_reader_destroy(w->reader);
	free(w->frame);
	free(w->other);
	free(w->output);
	machine_finish(&w->aside);
	machine_finish(&w->main);
	free(w);
}

static int take_census(struct walker *w)
{
	int ret = w->census_taken ? 0 : cpuid_census_take(&w->census, &w->main.k->profile);

	w->census_taken = !ret;
	return ret;
}

const char *walker_cpuid_reason(struct walker *w)
{
	if (take_census(w))
		return "out of memory";
	return w->census.counted ? NULL : w->census.reason;
}

static const struct scatterlist *list_of(const struct walker_side *side,
					 const struct scatterlist *list,
					 const struct scatterlist *embedded)
{
	switch (side->kind) {
	case WALKER_VIRT:
		return NULL;
	case WALKER_SG:
		return list;
	case WALKER_FOLIO:
		return embedded;
	}
	return NULL;
}

static int run_watched(struct walker *w, const struct walker_request *r)
{
	struct walker_result *res = &w->result;
	struct call call;
	int ret = prepare(&w->main, r, &call);

	if (ret)
		return ret;
	w->log.compress = r->compress;
	w->log.src = list_of(&r->src, w->main.src.sg, &call.req.src_sg);
	w->log.dst = list_of(&r->dst, w->main.dst.sg, &call.req.dst_sg);
	walker_log_start(&w->log);
	call.req.trace = &w->log.trace;
	make_call(&call);
	if (w->log.failed)
		return -ENOMEM;
	res->ret = call.ret;
	/* Drivers other than zstd's may leave a length there. */
	res->dlen = call.ret ? 0 : call.req.dlen;
	res->oops = call.ret == -EFAULT;
	res->path = call.req.cost.path;
	res->reason = call.req.cost.reason;
	res->steps = w->log.steps;
	res->nr_steps = w->log.nr;
	res->facts = w->log.facts;
	ret = grow(&w->output, &w->output_size, res->dlen);
	if (ret)
		return ret;
	gather(&w->main.dst, &r->dst, w->output, res->dlen);
	res->output = w->output;
	return 0;
}

/*
 * Once more, without the observer, so that all that is counted is the request. Which sides have
 * asked CPUID already is put back to what it was before the request.
 */
static int run_stepped(struct walker *w, const struct walker_request *r, const bool asked[2])
{
	struct call call;
	int ret = prepare(&w->main, r, &call);

	if (ret)
		return ret;
	memcpy(w->main.k->zstd_cpuid_asked, asked, sizeof(w->main.k->zstd_cpuid_asked));
	ret = cpuid_count_call(make_call, &call, NULL, &w->result.count);
	w->result.stepped = !ret;
	return ret == -ECANCELED ? 0 : ret;
}

static void judge_linear(struct walker *w, const struct call *call)
{
	struct walker_result *res = &w->result;

	res->linear_run = true;
	res->linear_ret = call->ret;
	res->linear_dlen = call->ret ? 0 : call->req.dlen;
	res->linear_same = res->dlen == res->linear_dlen && !memcmp(w->output, w->other, res->dlen);
}

static int run_linear(struct walker *w, const struct walker_request *r)
{
	struct call call = {.compress = r->compress};
	int ret = grow(&w->other, &w->other_size, r->dlen);

	if (ret)
		return ret;
	acomp_request_set_tfm(&call.req, w->aside.tfm);
	acomp_request_set_src_dma(&call.req, r->bytes, r->slen);
	acomp_request_set_dst_dma(&call.req, w->other, r->dlen);
	make_call(&call);
	judge_linear(w, &call);
	return 0;
}

static int judge(struct walker *w, const struct walker_request *r)
{
	unsigned size = r->slen < r->src.size ? r->slen : r->src.size;
	struct walker_result *res = &w->result;
	int ret;

	if (r->compress) {
		if (!res->dlen)
			return 0;
		res->judged = true;
		return walker_frame_read(w->reader, w->output, res->dlen, size, r->bytes, size,
					 &res->frame);
	}
	if (res->oops || !r->slen || r->slen > r->src.size)
		return 0;
	res->judged = true;
	ret = walker_frame_read(w->reader, r->bytes, r->slen, r->dlen, r->plain, r->plain_size,
				&res->frame);
	if (!ret)
		res->output_same = walker_frame_began_with(w->reader, w->output, res->dlen);
	return ret;
}

int walker_run(struct walker *w, const struct walker_request *r, const struct walker_result **out)
{
	struct walker_result *res = &w->result;
	bool asked[2];
	int ret;

	memset(res, 0, sizeof(*res));
	*out = res;
	memcpy(asked, w->main.k->zstd_cpuid_asked, sizeof(asked));
	ret = take_census(w);
	if (!ret)
		ret = run_watched(w, r);
	if (!ret && r->step)
		ret = run_stepped(w, r, asked);
	/* Where a list is too short there is no such request. */
	if (!ret && res->path == ACOMP_PATH_STREAM && r->slen <= r->src.size)
		ret = run_linear(w, r);
	if (!ret)
		ret = judge(w, r);
	if (!ret)
		walker_quirks_find(r, w->reader, res);
	return ret;
}

/* Room for a frame of @size bytes in @nr fragments, and more than a fragment in any case. */
static unsigned room_for_frame(unsigned size, unsigned nr)
{
	return ZSTD_compressBound(size) + 16 * (nr + size / PAGE_SIZE) + 2 * PAGE_SIZE;
}

int walker_make_frame(struct walker *w, const struct walker_side *src, const void *bytes,
		      bool oneshot, const uint8_t **frame, unsigned *len)
{
	unsigned room = room_for_frame(src->size, src->nr);
	/* An entry of more than a page is never one fragment: that streams. */
	struct walker_request r = {
		.compress = true,
		.src = *src,
		.dst = {.kind = oneshot ? WALKER_VIRT : WALKER_SG,
			.nr = 1,
			.lengths = &room,
			.size = room},
		.slen = src->size,
		.dlen = room,
		.bytes = bytes,
	};
	struct call call;
	int ret;

	if (oneshot) {
		r.src.kind = WALKER_VIRT;
		r.src.nr = 1;
		r.src.lengths = &src->size;
		r.src.offset = 0;
	}
	ret = prepare(&w->aside, &r, &call);
	if (ret)
		return ret;
	make_call(&call);
	if (call.ret)
		return call.ret;
	ret = grow(&w->frame, &w->frame_size, call.req.dlen);
	if (ret)
		return ret;
	gather(&w->aside.dst, &r.dst, w->frame, call.req.dlen);
	*frame = w->frame;
	*len = call.req.dlen;
	return 0;
}
