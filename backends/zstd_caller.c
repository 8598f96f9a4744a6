// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_caller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/zstd_origin.h"
#include "backends/zstd_request.h"

#define KIB 1024u

struct zstd_caller {
	const struct zstd_caller_info *info;
	int (*run[ZSTD_NR_SIDES])(struct zstd_caller *c);
	struct kernel *k;
	struct acomp_cost cost;
	unsigned size;	   /* of the data */
	unsigned frame;	   /* bytes; 0: none */
	unsigned produced; /* by the last request */

	/* zswap: pages, and a request over them. */
	struct crypto_acomp *tfm;
	struct acomp_req req;
	struct page *page[3]; /* data, frame, and what comes back */

	/* The others: buffers and contexts of their own. */
	struct zstd_meter meter;
	zstd_parameters params;
	struct zstd_origin *origin;
	struct zstd_workspace workspace[ZSTD_NR_SIDES];
	void *kept[ZSTD_NR_SIDES]; /* contexts; NULL: built by every request */
	uint8_t *data, *dst, *back;
	unsigned dst_size;
	unsigned piece;
};

enum { DATA, FRAME, BACK };

const struct zstd_caller_info zstd_caller_infos[] = {
	{.name = "zswap",
	 .kind = ZSTD_CALLER_ACOMP,
	 .size = 4 * KIB,
	 .min_size = 4 * KIB,
	 .max_size = 4 * KIB,
	 .compresses = true,
	 .doc = "the acomp driver's, by every request"},
	{.name = "squashfs",
	 .kind = ZSTD_CALLER_STREAM,
	 .size = 128 * KIB,
	 .min_size = 4 * KIB,
	 .max_size = 1024 * KIB,
	 .piece = PAGE_SIZE,
	 .doc = "a stream for every block"},
	{.name = "erofs",
	 .kind = ZSTD_CALLER_STREAM,
	 .size = 128 * KIB,
	 .min_size = 4 * KIB,
	 .max_size = 1024 * KIB,
	 .piece = PAGE_SIZE,
	 .doc = "a stream for every cluster"},
	{.name = "btrfs",
	 .kind = ZSTD_CALLER_STREAM,
	 .size = 128 * KIB,
	 .min_size = 4 * KIB,
	 .max_size = 128 * KIB,
	 .compresses = true,
	 .piece = PAGE_SIZE,
	 .pledges = true,
	 .doc = "a stream for every extent"},
	{.name = "f2fs",
	 .kind = ZSTD_CALLER_STREAM,
	 .size = 16 * KIB,
	 .min_size = 16 * KIB,
	 .max_size = 1024 * KIB,
	 .compresses = true,
	 .doc = "a stream for every cluster"},
	{.name = "zram",
	 .kind = ZSTD_CALLER_KEPT,
	 .size = 4 * KIB,
	 .min_size = 4 * KIB,
	 .max_size = 4 * KIB,
	 .compresses = true,
	 .doc = "kept: none is initialised by a request"},
	{.name = NULL},
};

const struct zstd_caller_info *zstd_caller_find(const char *name)
{
	for (const struct zstd_caller_info *i = zstd_caller_infos; i->name; i++) {
		if (!strcmp(i->name, name))
			return i;
	}
	return NULL;
}

/* ---- zswap: as zswap_compress() and zswap_decompress() set their requests up ---- */

static int acomp_compress(struct zstd_caller *c)
{
	struct scatterlist src, dst;
	int ret;

	sg_init_table(&src, 1);
	sg_set_page(&src, c->page[DATA], PAGE_SIZE, 0);
	sg_init_table(&dst, 1);
	sg_set_page(&dst, c->page[FRAME], PAGE_SIZE, 0);
	acomp_request_set_params(&c->req, &src, &dst, PAGE_SIZE, PAGE_SIZE);
	ret = crypto_acomp_compress(&c->req);
	c->produced = c->req.dlen;
	return ret;
}

static int acomp_decompress(struct zstd_caller *c)
{
	struct scatterlist src, dst;
	int ret;

	sg_init_table(&src, 1);
	sg_set_page(&src, c->page[FRAME], c->frame, 0);
	sg_init_table(&dst, 1);
	sg_set_page(&dst, c->page[BACK], PAGE_SIZE, 0);
	acomp_request_set_params(&c->req, &src, &dst, c->frame, PAGE_SIZE);
	ret = crypto_acomp_decompress(&c->req);
	c->produced = c->req.dlen;
	return ret;
}

static int setup_acomp(struct zstd_caller *c, const struct zstd_caller_config *config)
{
	int ret;

	crypto_init(c->k, config->crypto);
	ret = crypto_alloc_acomp(c->k, config->compressor ? config->compressor : "zstd", &c->tfm);
	if (ret)
		return ret;
	for (int i = 0; i < 3; i++) {
		c->page[i] = alloc_pages(c->k->frames, 0, 0);
		if (!c->page[i])
			return -ENOMEM;
	}
	memcpy(page_address(c->page[DATA]), config->data, PAGE_SIZE);
	acomp_request_set_tfm(&c->req, c->tfm);
	c->run[ZSTD_SIDE_COMPRESS] = acomp_compress;
	c->run[ZSTD_SIDE_DECOMPRESS] = acomp_decompress;
	return 0;
}

/* ---- streams ---- */

static void begin(struct zstd_caller *c)
{
	memset(&c->cost, 0, sizeof(c->cost));
	zstd_meter_start(&c->meter, c->k, &c->cost);
	c->meter.origin = c->origin;
}

/* Ends it, too: 0 or what the codec failed with. */
static int end(struct zstd_caller *c, size_t produced)
{
	zstd_meter_charge(&c->meter, NULL);
	c->produced = zstd_is_error(produced) ? 0 : produced;
	return zstd_is_error(produced) ? -EIO : 0;
}

static unsigned piece_at(const struct zstd_caller *c, size_t at, size_t size)
{
	return size - at < c->piece ? size - at : c->piece;
}

/* The next piece of the destination, once there is no more room in this one. */
static void next_dst(const struct zstd_caller *c, zstd_out_buffer *out, uint8_t *dst, size_t *done,
		     size_t size)
{
	if (out->pos < out->size)
		return;
	*done += out->pos;
	*out = (zstd_out_buffer){.dst = dst + *done, .size = piece_at(c, *done, size)};
}

static int stream_compress(struct zstd_caller *c)
{
	struct zstd_workspace *w = &c->workspace[ZSTD_SIDE_COMPRESS];
	zstd_out_buffer out = {0};
	size_t done = 0, left = 0;
	zstd_cstream *cstream;

	begin(c);
	cstream = zstd_init_cstream(&c->meter, &c->params, c->info->pledges ? c->size : 0, w->start,
				    w->size);
	if (!cstream)
		return -EINVAL;
	for (size_t at = 0; at < c->size; at += c->piece) {
		zstd_in_buffer in = {.src = c->data + at, .size = piece_at(c, at, c->size)};

		while (in.pos < in.size) {
			next_dst(c, &out, c->dst, &done, c->dst_size);
			left = zstd_compress_stream(&c->meter, cstream, &out, &in);
			if (zstd_is_error(left))
				return end(c, left);
		}
	}
	do {
		next_dst(c, &out, c->dst, &done, c->dst_size);
		left = zstd_end_stream(&c->meter, cstream, &out);
		if (zstd_is_error(left))
			return end(c, left);
	} while (left);
	return end(c, done + out.pos);
}

static int stream_decompress(struct zstd_caller *c)
{
	struct zstd_workspace *w = &c->workspace[ZSTD_SIDE_DECOMPRESS];
	zstd_out_buffer out = {0};
	zstd_dstream *dstream;
	size_t done = 0, left = 1;

	begin(c);
	dstream = zstd_init_dstream(&c->meter, c->size, w->start, w->size);
	if (!dstream)
		return -EINVAL;
	for (size_t at = 0; left && at < c->frame; at += c->piece) {
		zstd_in_buffer in = {.src = c->dst + at, .size = piece_at(c, at, c->frame)};

		/* With its room used up it may hold back more of what it has read already. */
		do {
			next_dst(c, &out, c->back, &done, c->size);
			left = zstd_decompress_stream(&c->meter, dstream, &out, &in);
			if (zstd_is_error(left))
				return end(c, left);
		} while (left &&
			 (in.pos < in.size || (out.pos == out.size && done + out.pos < c->size)));
	}
	return end(c, done + out.pos);
}

/* ---- zram ---- */

static int kept_compress(struct zstd_caller *c)
{
	begin(c);
	return end(c, zstd_compress_cctx(&c->meter, c->kept[ZSTD_SIDE_COMPRESS], c->dst,
					 c->dst_size, c->data, c->size, &c->params));
}

static int kept_decompress(struct zstd_caller *c)
{
	begin(c);
	return end(c, zstd_decompress_dctx(&c->meter, c->kept[ZSTD_SIDE_DECOMPRESS], c->back,
					   c->size, c->dst, c->frame));
}

/* ---- set-up ---- */

static int alloc_buffers(struct zstd_caller *c, const struct zstd_caller_config *config)
{
	struct zstd_workspace *w = c->workspace;

	c->params = zstd_get_params(ZSTD_DEF_LEVEL, c->size);
	w[ZSTD_SIDE_COMPRESS].size = zstd_cstream_workspace_bound(&c->params.cParams);
	w[ZSTD_SIDE_DECOMPRESS].size =
		zstd_dstream_workspace_bound((size_t)1 << c->params.cParams.windowLog);
	for (int side = 0; side < ZSTD_NR_SIDES; side++) {
		w[side].size = (w[side].size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
		w[side].start = aligned_alloc(PAGE_SIZE, w[side].size);
		if (!w[side].start)
			return -ENOMEM;
	}
	c->dst_size = ZSTD_compressBound(c->size);
	c->data = malloc(c->size);
	c->dst = malloc(c->dst_size);
	c->back = malloc(c->size);
	if (!c->data || !c->dst || !c->back)
		return -ENOMEM;
	memcpy(c->data, config->data, c->size);
	return 0;
}

static int keep_contexts(struct zstd_caller *c)
{
	struct zstd_workspace *w = c->workspace;

	begin(c);
	c->kept[ZSTD_SIDE_COMPRESS] =
		zstd_init_cctx(&c->meter, w[ZSTD_SIDE_COMPRESS].start, w[ZSTD_SIDE_COMPRESS].size);
	c->kept[ZSTD_SIDE_DECOMPRESS] = zstd_init_dctx(&c->meter, w[ZSTD_SIDE_DECOMPRESS].start,
						       w[ZSTD_SIDE_DECOMPRESS].size);
	c->run[ZSTD_SIDE_COMPRESS] = kept_compress;
	c->run[ZSTD_SIDE_DECOMPRESS] = kept_decompress;
	return c->kept[ZSTD_SIDE_COMPRESS] && c->kept[ZSTD_SIDE_DECOMPRESS] ? 0 : -EINVAL;
}

static int setup_own(struct zstd_caller *c, const struct zstd_caller_config *config, char *err,
		     size_t err_size)
{
	int ret = alloc_buffers(c, config);

	if (!ret)
		ret = zstd_origin_create(c->k, &c->params, c->workspace, &c->origin, err, err_size);
	if (ret)
		return ret;
	if (c->info->kind == ZSTD_CALLER_KEPT)
		return keep_contexts(c);
	c->piece = c->info->piece ? c->info->piece : c->dst_size;
	c->run[ZSTD_SIDE_COMPRESS] = stream_compress;
	c->run[ZSTD_SIDE_DECOMPRESS] = stream_decompress;
	return 0;
}

/* What comes back must be what was sent; what does not shrink is not sent. */
static int try_both(struct zstd_caller *c, const void *data)
{
	int ret = c->run[ZSTD_SIDE_COMPRESS](c);

	if (c->tfm ? ret == -EINVAL || ret == -ENOSPC : !ret && c->produced >= c->size)
		return 0;
	if (ret)
		return ret;
	c->frame = c->produced;
	ret = c->run[ZSTD_SIDE_DECOMPRESS](c);
	if (!ret && (c->produced != c->size ||
		     memcmp(c->tfm ? page_address(c->page[BACK]) : c->back, data, c->size)))
		ret = -EILSEQ;
	return ret;
}

static int setup(struct zstd_caller *c, const struct zstd_caller_config *config, char *err,
		 size_t err_size)
{
	struct kernel_config kernel = {.profile = config->profile};
	int ret = kernel_create(&kernel, &c->k);

	if (ret)
		return ret;
	c->info = config->info;
	c->size = config->size;
	if (c->info->kind == ZSTD_CALLER_ACOMP)
		ret = setup_acomp(c, config);
	else
		ret = setup_own(c, config, err, err_size);
	return ret ? ret : try_both(c, config->data);
}

int zstd_caller_create(const struct zstd_caller_config *config, struct zstd_caller **out, char *err,
		       size_t err_size)
{
	const struct zstd_caller_info *info = config->info;
	struct zstd_caller *c;
	int ret;

	err[0] = '\0';
	if (config->size < info->min_size || config->size > info->max_size ||
	    config->size % PAGE_SIZE) {
		snprintf(err, err_size,
			 "%s has requests of %u to %u bytes, in multiples of 4096, not of %u",
			 info->name, info->min_size, info->max_size, config->size);
		return -EINVAL;
	}
	c = calloc(1, sizeof(*c));
	ret = c ? setup(c, config, err, err_size) : -ENOMEM;
	if (ret) {
		zstd_caller_destroy(c);
		if (!err[0])
			snprintf(err, err_size, "%s: %s", info->name, strerror(-ret));
		return ret;
	}
	*out = c;
	return 0;
}

void zstd_caller_destroy(struct zstd_caller *c)
{
	if (!c)
		return;
	zstd_origin_destroy(c->origin);
	for (int side = 0; side < ZSTD_NR_SIDES; side++)
		free(c->workspace[side].start);
	free(c->data);
	free(c->dst);
	free(c->back);
	for (int i = 0; i < 3; i++) {
		if (c->page[i])
			free_pages(c->k->frames, c->page[i]);
	}
	crypto_free_acomp(c->tfm);
	if (c->k)
		crypto_exit(c->k);
	kernel_destroy(c->k);
	free(c);
}

bool zstd_caller_does(const struct zstd_caller *c, enum zstd_side side)
{
	return side == ZSTD_SIDE_COMPRESS ? c->info->compresses : c->frame != 0;
}

int zstd_caller_run(struct zstd_caller *c, enum zstd_side side)
{
	return c->run[side](c);
}

const struct acomp_cost *zstd_caller_cost(const struct zstd_caller *c)
{
	return c->tfm ? &c->req.cost : &c->cost;
}

unsigned zstd_caller_frame_bytes(const struct zstd_caller *c)
{
	return c->frame;
}
