// SPDX-License-Identifier: GPL-2.0-or-later
/* One page through the codec and into the pool, and back (zswap_compress, zswap_decompress). */
#include <errno.h>
#include <string.h>

#include "sim/codec_model.h"
#include "sim/zswap_batch.h"

static struct crypto_acomp_ctx *acomp_ctx_get(struct zswap *z)
{
	return &z->acomp_ctx[z->k->cpu];
}

enum zswap_path zswap_path_of(enum acomp_path path)
{
	return path == ACOMP_PATH_STREAM ? ZSWAP_PATH_STREAM : ZSWAP_PATH_ONESHOT;
}

void zswap_event_add_cost(struct zswap_page_event *event, const struct acomp_cost *cost)
{
	event->cost = cost;
	event->reason = cost->reason;
	event->init_ns = cost->init_ns;
	event->codec_ns = cost->codec_ns;
	event->copy_ns += cost->copy_ns;
}

/* A request without contents: it takes the CPU's stream, if the driver has streams. */
static void take_stream(struct zswap *z)
{
	if (z->acomp && z->acomp->streams) {
		crypto_acomp_lock_stream_bh(z->acomp);
		crypto_acomp_unlock_stream_bh(z->acomp);
	}
}

static void model_request(struct zswap *z, const struct acomp_cost *cost,
			  struct zswap_page_event *event)
{
	take_stream(z);
	event->path = zswap_path_of(cost->path);
	zswap_event_add_cost(event, cost);
}

void zswap_model_init(struct zswap *z)
{
	codec_model_compress(z->model, &z->k->profile, &z->compress_cost);
	for (unsigned i = 0; i < 2; i++)
		codec_model_decompress(z->model, &z->k->profile, i, PAGE_SIZE,
				       &z->decompress_cost[i]);
}

void zswap_unit_of_length(struct zswap *z, const struct folio *folio, unsigned index, bool first,
			  struct zswap_unit *unit)
{
	int length = z->config.length(z->config.length_arg, folio->ids[index]);

	unit->ret = length < 0 ? length : 0;
	unit->dlen = length < 0 ? 0 : length;
	unit->from = NULL;
	unit->cost = z->compress_cost;
	if (first)
		take_stream(z);
}

/* The codec's verdict on a page: 0 and its length, or a negative errno. */
static int compress_page(struct zswap *z, const struct folio *folio, unsigned index, unsigned *dlen,
			 struct zswap_page_event *event)
{
	struct crypto_acomp_ctx *ctx = acomp_ctx_get(z);
	struct scatterlist input, output;
	int ret;

	if (!z->k->contents) {
		ret = z->config.length(z->config.length_arg, folio->ids[index]);
		model_request(z, &z->compress_cost, event);
		*dlen = ret < 0 ? 0 : ret;
		return ret < 0 ? ret : 0;
	}
	sg_init_table(&input, 1);
	sg_set_page(&input, folio->page + index, PAGE_SIZE, 0);
	/* The entry spans the whole buffer, two pages in 6.12; dlen is one page all the same. */
	sg_init_table(&output, 1);
	sg_set_page(&output, ctx->buffer, z->k->profile.zswap.buffer_pages * PAGE_SIZE, 0);
	acomp_request_set_params(&ctx->req, &input, &output, PAGE_SIZE, PAGE_SIZE);
	ret = crypto_acomp_compress(&ctx->req);
	*dlen = ctx->req.dlen;
	event->path = zswap_path_of(ctx->req.cost.path);
	zswap_event_add_cost(event, &ctx->req.cost);
	return ret;
}

static void write_object(struct zswap *z, struct zswap_entry *entry, const void *from)
{
	if (z->k->profile.zsmalloc.read == ZS_READ_COPY &&
	    z->k->profile.zsmalloc.straddle == ZS_STRADDLE_CLASS) {
		void *to = zpool_map_handle(z->zpool, entry->handle, ZPOOL_MM_WO);

		memcpy(to, from, entry->length);
		zpool_unmap_handle(z->zpool, entry->handle);
	} else {
		zpool_obj_write(z->zpool, entry->handle, from, entry->length);
	}
}

void zswap_reject_page(struct zswap *z, int comp_ret, int alloc_ret, struct zswap_page_event *event)
{
	if (comp_ret == -ENOSPC || alloc_ret == -ENOSPC) {
		z->stats.reject_compress_poor++;
		z->reject = ZSWAP_REJECT_COMPRESS_POOR;
	} else if (comp_ret) {
		z->stats.reject_compress_fail++;
		z->reject = ZSWAP_REJECT_COMPRESS_FAIL;
	} else {
		z->stats.reject_alloc_fail++;
		z->reject = ZSWAP_REJECT_ALLOC_FAIL;
	}
	event->ret = comp_ret ? comp_ret : alloc_ret;
	event->path = ZSWAP_PATH_FAILED;
}

bool zswap_store_object(struct zswap *z, const struct folio *folio, unsigned index,
			struct zswap_entry *entry, const void *from, unsigned dlen,
			struct zswap_page_event *event)
{
	unsigned long handle;
	uint64_t start;

	if (z->policy && !zswap_policy_admits(z, folio, index, entry->nid, dlen)) {
		z->reject = ZSWAP_REJECT_POLICY;
		event->ret = -EPERM;
		event->path = ZSWAP_PATH_FAILED;
		return false;
	}
	handle = zpool_malloc(z->zpool, dlen, entry->nid);
	if (IS_ERR_VALUE(handle)) {
		zswap_reject_page(z, 0, (int)handle, event);
		return false;
	}
	entry->handle = handle;
	entry->length = dlen;
	if (z->k->contents) {
		start = kernel_now(z->k);
		write_object(z, entry, from);
		event->copy_ns += kernel_now(z->k) - start;
	}
	return true;
}

bool zswap_compress(struct zswap *z, const struct folio *folio, unsigned index,
		    struct zswap_entry *entry, struct zswap_page_event *event)
{
	const struct profile *profile = &z->k->profile;
	const void *from = NULL;
	unsigned dlen;
	int comp_ret;

	if (z->codecs.nr)
		zswap_codec_use(z, zswap_policy_codec(z, folio, index, entry->nid));
	z->compress.mutex_locks++;
	z->compress.units++;
	comp_ret = compress_page(z, folio, index, &dlen, event);
	if (z->k->contents)
		from = page_address(acomp_ctx_get(z)->buffer);
	if (zswap_page_is_incompressible(profile, comp_ret, dlen)) {
		if (!zswap_stores_raw(profile, zswap_writeback_enabled(z, folio->memcg))) {
			zswap_reject_page(z, comp_ret ? comp_ret : -EINVAL, 0, event);
			return false;
		}
		dlen = PAGE_SIZE;
		event->path = ZSWAP_PATH_RAW;
		if (z->k->contents)
			from = page_address(folio->page + index);
	}
	return zswap_store_object(z, folio, index, entry, from, dlen, event);
}

/* Where none are stored raw, an object of a page is a frame of that length. */
static bool is_raw(const struct zswap *z, const struct zswap_entry *entry)
{
	return entry->length == PAGE_SIZE &&
	       z->k->profile.zswap.incompressible == ZSWAP_INCOMPRESSIBLE_STORE_RAW;
}

/* The object as one or two scatterlist entries (7.0); a raw page is copied, without the codec. */
static int decompress_sg(struct zswap *z, struct zswap_entry *entry, struct page *page,
			 struct zswap_page_event *event, unsigned *dlen)
{
	struct crypto_acomp_ctx *ctx = acomp_ctx_get(z);
	struct scatterlist input[2], output;
	uint64_t start;
	int ret = 0;

	zpool_obj_read_sg_begin(z->zpool, entry->handle, input, entry->length);
	if (is_raw(z, entry)) {
		start = kernel_now(z->k);
		memcpy(page_address(page), sg_virt(input), PAGE_SIZE);
		event->copy_ns += kernel_now(z->k) - start;
		event->path = ZSWAP_PATH_RAW;
		*dlen = PAGE_SIZE;
	} else {
		sg_init_table(&output, 1);
		sg_set_page(&output, page, PAGE_SIZE, 0);
		acomp_request_set_params(&ctx->req, input, &output, entry->length, PAGE_SIZE);
		ret = crypto_acomp_decompress(&ctx->req);
		*dlen = ctx->req.dlen;
		event->path = zswap_path_of(ctx->req.cost.path);
		zswap_event_add_cost(event, &ctx->req.cost);
	}
	zpool_obj_read_sg_end(z->zpool, entry->handle);
	return ret;
}

/* The object made linear first, in the allocator (6.12 map) or in our buffer (6.16 to 6.19). */
static int decompress_linear(struct zswap *z, struct zswap_entry *entry, struct page *page,
			     struct zswap_page_event *event, unsigned *dlen)
{
	bool map = z->k->profile.zsmalloc.straddle == ZS_STRADDLE_CLASS;
	struct crypto_acomp_ctx *ctx = acomp_ctx_get(z);
	void *local = page_address(ctx->buffer), *obj;
	struct scatterlist output;
	uint64_t start = kernel_now(z->k);
	int ret = 0;

	if (map)
		obj = zpool_map_handle(z->zpool, entry->handle, ZPOOL_MM_RO);
	else
		obj = zpool_obj_read_begin(z->zpool, entry->handle, entry->length, local);
	event->copy_ns += kernel_now(z->k) - start;
	if (is_raw(z, entry)) {
		start = kernel_now(z->k);
		memcpy(page_address(page), obj, PAGE_SIZE);
		event->copy_ns += kernel_now(z->k) - start;
		event->path = ZSWAP_PATH_RAW;
		*dlen = PAGE_SIZE;
	} else {
		sg_init_table(&output, 1);
		sg_set_page(&output, page, PAGE_SIZE, 0);
		acomp_request_set_src_nondma(&ctx->req, obj, entry->length);
		acomp_request_set_dst_sg(&ctx->req, &output, PAGE_SIZE);
		ret = crypto_acomp_decompress(&ctx->req);
		*dlen = ctx->req.dlen;
		event->path = zswap_path_of(ctx->req.cost.path);
		zswap_event_add_cost(event, &ctx->req.cost);
	}
	if (map)
		zpool_unmap_handle(z->zpool, entry->handle);
	else
		zpool_obj_read_end(z->zpool, entry->handle, entry->length, obj);
	return ret;
}

/* Which path it would be: the algorithm and the allocator decide. */
static void decompress_without_contents(struct zswap *z, const struct zswap_entry *entry,
					bool straddles, struct zswap_page_event *event)
{
	const struct profile *p = &z->k->profile;
	struct acomp_cost *cost = &z->decompress_cost[straddles && p->zsmalloc.read == ZS_READ_SG];

	if (is_raw(z, entry)) {
		event->path = ZSWAP_PATH_RAW;
		return;
	}
	/* All of it is copied, or nothing. */
	if (cost->copy_bytes)
		cost->copy_bytes = entry->length;
	model_request(z, cost, event);
}

bool zswap_decompress(struct zswap *z, struct zswap_entry *entry, struct page *page,
		      struct zswap_page_event *event)
{
	unsigned dlen = PAGE_SIZE;
	struct zpool_location loc;
	int ret = 0;

	if (z->codecs.nr)
		zswap_codec_use(z, zswap_policy_codec_of(z, entry));
	zpool_locate(z->zpool, entry->handle, &loc);
	if (!z->k->contents)
		decompress_without_contents(z, entry, loc.straddles, event);
	else if (z->k->profile.zsmalloc.read == ZS_READ_SG)
		ret = decompress_sg(z, entry, page, event, &dlen);
	else
		ret = decompress_linear(z, entry, page, event, &dlen);
	/* By the allocator, by us, or by the scomp adapter. */
	event->linearised = loc.straddles && (z->k->profile.zsmalloc.read == ZS_READ_COPY ||
					      (event->cost && event->cost->copy_bytes));
	if (zswap_page_is_back(ret, dlen))
		return true;
	if (z->k->profile.zswap.load_failure != ZSWAP_LOAD_FAILURE_BUG)
		z->stats.decompress_fail++;
	event->ret = ret ? ret : -EIO;
	event->path = ZSWAP_PATH_FAILED;
	return false;
}

void zswap_account_page(struct zswap *z, const struct zswap_page_event *event)
{
	struct zswap_account *account = &z->stats.dir[event->dir];

	account->pages[event->path]++;
	account->init_ns += event->init_ns;
	account->codec_ns += event->codec_ns;
	account->copy_ns += event->copy_ns;
	account->straddled += event->linearised || event->reason == ACOMP_STREAM_SRC;
	if (!event->cost)
		return;
	account->copied_bytes += event->cost->copy_bytes;
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		account->calls[i] += event->cost->calls[i];
	if (!z->codecs.nr)
		return;
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		z->codecs.calls[z->codecs.at_hand][event->dir][i] += event->cost->calls[i];
}
