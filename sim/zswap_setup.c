// SPDX-License-Identifier: GPL-2.0-or-later
/* What there is before the first page: the pool, per-CPU contexts of the compressor, caches. */
#include <errno.h>
#include <stdlib.h>

#include "sim/zswap_batch.h"
#include "sim/zswap_private.h"

static int zswap_cpu_comp_prepare(struct zswap *z, unsigned cpu)
{
	unsigned order = z->k->profile.zswap.buffer_pages > 1;
	struct crypto_acomp_ctx *ctx = &z->acomp_ctx[cpu];

	ctx->buffer = alloc_pages(z->k->frames, order, 0);
	if (!ctx->buffer)
		return -ENOMEM;
	acomp_request_set_tfm(&ctx->req, z->acomp);
	return 0;
}

/* Of the compressor that is at hand. */
static int acomp_ctxs_create(struct zswap *z)
{
	int ret = 0;

	z->acomp_ctx = calloc(z->k->nr_cpus, sizeof(*z->acomp_ctx));
	if (!z->acomp_ctx)
		return -ENOMEM;
	for (unsigned cpu = 0; !ret && cpu < z->k->nr_cpus; cpu++)
		ret = zswap_cpu_comp_prepare(z, cpu);
	return ret;
}

static void acomp_ctxs_destroy(struct zswap *z)
{
	for (unsigned cpu = 0; z->acomp_ctx && cpu < z->k->nr_cpus; cpu++) {
		if (z->acomp_ctx[cpu].buffer)
			free_pages(z->k->frames, z->acomp_ctx[cpu].buffer);
	}
	free(z->acomp_ctx);
}

/* Without contents nothing is set up but streams, and a compressor that is not to be had will do.
 */
static int find_compressor(struct zswap *z)
{
	struct acomp_spec spec;
	int ret = crypto_alloc_acomp(z->k, z->config.compressor, &z->acomp);

	if (!ret) {
		z->model = z->acomp->alg->model;
		return 0;
	}
	if (z->k->contents || (ret != -ENOENT && ret != -EOPNOTSUPP))
		return ret;
	crypto_parse_acomp(z->k->crypto, z->config.compressor, &spec, NULL, 0);
	z->model = spec.alg ? spec.alg->model : ACOMP_MODEL_SCOMP;
	return 0;
}

int zswap_codec_create(struct zswap *z)
{
	int ret = find_compressor(z);

	if (ret)
		return ret;
	zswap_model_init(z);
	return acomp_ctxs_create(z);
}

void zswap_codec_destroy(struct zswap *z)
{
	acomp_ctxs_destroy(z);
	crypto_free_acomp(z->acomp);
}

int zswap_create(struct kernel *k, struct memcgs *memcgs, struct swapdev *dev,
		 const struct zswap_config *config, struct zswap **out)
{
	struct zswap *z;
	int ret = -ENOMEM;

	if (config->max_pool_percent > 100 || config->accept_threshold_percent > 100)
		return -EINVAL;
	z = calloc(1, sizeof(*z));
	if (!z)
		return -ENOMEM;
	z->k = k;
	z->memcgs = memcgs;
	z->dev = dev;
	z->config = *config;
	z->entry_cache = kmem_cache_create("zswap_entry", sizeof(struct zswap_entry));
	z->nodes = xa_nodes_create();
	if (!z->entry_cache || !z->nodes)
		goto err;
	ret = zpool_create_pool(k, zpool_types()[k->profile.pool.allocator], "zswap1", &z->zpool);
	if (ret)
		goto err;
	memcgs->lru_entries = z->entry_cache;
	ret = zswap_codec_create(z);
	if (!ret)
		ret = zswap_batch_create(z);
	if (ret)
		goto err;
	ret = -ENOMEM;
	z->writeback_page = alloc_pages(k->frames, 0, 0);
	if (!z->writeback_page)
		goto err;
	*out = z;
	return 0;
err:
	zswap_destroy(z);
	return ret;
}

void zswap_destroy(struct zswap *z)
{
	if (!z)
		return;
	zswap_batch_destroy(z);
	zswap_codecs_destroy(z);
	zswap_codec_destroy(z);
	if (z->writeback_page)
		free_pages(z->k->frames, z->writeback_page);
	zpool_destroy_pool(z->zpool);
	xa_nodes_destroy(z->nodes);
	for (unsigned type = 0; type < ZSWAP_MAX_SWAP_TYPES; type++)
		free(z->zswap_trees[type].trees);
	kmem_cache_destroy(z->entry_cache);
	free(z);
}
