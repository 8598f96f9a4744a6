// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/straddle_rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/swapdev.h"

struct straddle_rig {
	struct profile profile;
	struct kernel *k;
	struct memcgs memcgs;
	struct swapdev *dev;
	struct zswap *z;
	struct page *out, *in;
	uint64_t load_ns;    /* of the load that was observed last */
	bool load_straddled; /* it streamed or was copied for that */
};

static void observe(void *arg, const struct zswap_page_event *event)
{
	struct straddle_rig *rig = arg;

	if (event->dir != ZSWAP_LOAD)
		return;
	rig->load_ns = event->total_ns;
	rig->load_straddled = event->linearised || event->reason == ACOMP_STREAM_SRC;
}

int straddle_rig_create(const struct replay_config *config, unsigned chain_size,
			struct straddle_rig **out)
{
	struct straddle_rig *rig = calloc(1, sizeof(*rig));
	struct kernel_config kernel = {.clock = config->clock, .clock_arg = config->clock_arg};
	struct zswap_config zswap = {
		.compressor = config->compressor ? config->compressor : "zstd",
		.max_pool_percent = 100,
		.accept_threshold_percent = 100,
		.observer = observe,
		.observer_arg = rig,
	};
	int ret;

	if (!rig)
		return -ENOMEM;
	rig->profile = *config->profile;
	rig->profile.zsmalloc.chain_size = chain_size;
	kernel.profile = &rig->profile;
	ret = kernel_create(&kernel, &rig->k);
	if (ret)
		goto err;
	crypto_init(rig->k, config->crypto);
	ret = memcgs_init(&rig->memcgs, 1);
	if (!ret)
		ret = swapdev_create(true, &rig->dev);
	if (!ret)
		ret = zswap_create(rig->k, &rig->memcgs, rig->dev, &zswap, &rig->z);
	if (ret)
		goto err;
	rig->out = alloc_pages(rig->k->frames, 0, 0);
	rig->in = alloc_pages(rig->k->frames, 0, 0);
	if (!rig->out || !rig->in) {
		ret = -ENOMEM;
		goto err;
	}
	*out = rig;
	return 0;
err:
	straddle_rig_destroy(rig);
	return ret;
}

void straddle_rig_destroy(struct straddle_rig *rig)
{
	if (!rig)
		return;
	if (rig->out)
		free_pages(rig->k->frames, rig->out);
	if (rig->in)
		free_pages(rig->k->frames, rig->in);
	zswap_destroy(rig->z);
	swapdev_destroy(rig->dev);
	memcgs_finish(&rig->memcgs);
	if (rig->k)
		crypto_exit(rig->k);
	kernel_destroy(rig->k);
	free(rig);
}

static struct folio folio_of(struct straddle_rig *rig, struct page *page, unsigned slot)
{
	return (struct folio){
		.page = page, .memcg = root_mem_cgroup(&rig->memcgs), .swap = {0, slot}};
}

/* The page into slot @slot, which is then to be chunk @slot of the only zspage. */
static int store(struct straddle_rig *rig, unsigned slot)
{
	struct folio folio = folio_of(rig, rig->out, slot);
	struct zpool_location loc;
	int ret = zswap_reserve(rig->z, folio.swap, 0);

	if (ret)
		return ret;
	if (!zswap_store(rig->z, &folio) || !zswap_locate(rig->z, folio.swap, &loc))
		return -EUCLEAN;
	return loc.index == slot ? 0 : -EUCLEAN;
}

static bool straddles(struct straddle_rig *rig, unsigned slot)
{
	struct zpool_location loc;

	return zswap_locate(rig->z, (swp_entry_t){0, slot}, &loc) && loc.straddles;
}

static int load(struct straddle_rig *rig, unsigned slot, uint64_t *ns)
{
	struct folio folio = folio_of(rig, rig->in, slot);

	/* What an earlier load left there must not pass for this one's. */
	memset(page_address(rig->in), 0xa5, PAGE_SIZE);
	if (zswap_load(rig->z, &folio) ||
	    memcmp(page_address(rig->in), page_address(rig->out), PAGE_SIZE) ||
	    rig->load_straddled != (slot > 0))
		return -EUCLEAN;
	*ns = rig->load_ns;
	return 0;
}

/* Both once, in an order that changes, and back to where they were. */
static int measure_round(struct straddle_rig *rig, unsigned index, bool swapped, uint64_t *first,
			 uint64_t *other)
{
	int ret = swapped ? load(rig, index, other) : load(rig, 0, first);

	if (!ret)
		ret = swapped ? load(rig, 0, first) : load(rig, index, other);
	/* What was freed last is taken first. */
	if (!ret)
		ret = store(rig, swapped ? 0 : index);
	if (!ret)
		ret = store(rig, swapped ? index : 0);
	return ret;
}

int straddle_rig_measure(struct straddle_rig *rig, const void *page, unsigned index,
			 unsigned rounds, uint64_t *first, uint64_t *other)
{
	/*
	 * Another object than the two that are loaded, so that the zspage is never empty. If only
	 * chunk 1 is left to be the other one, there is a third: two pages for two objects would be
	 * no gain over a page for each, and no class has them.
	 */
	unsigned last = index > 1 ? index : 2;
	int ret = 0;

	memcpy(page_address(rig->out), page, PAGE_SIZE);
	for (unsigned slot = 0; !ret && slot <= last; slot++)
		ret = store(rig, slot);
	if (!ret && (straddles(rig, 0) || !straddles(rig, index)))
		ret = -EUCLEAN;
	for (unsigned i = 0; !ret && i < rounds; i++)
		ret = measure_round(rig, index, i % 2, &first[i], &other[i]);
	for (unsigned slot = 0; slot <= last; slot++)
		zswap_invalidate(rig->z, (swp_entry_t){0, slot});
	page_frames_trim(rig->k->frames);
	return ret;
}
