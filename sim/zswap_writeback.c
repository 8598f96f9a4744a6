// SPDX-License-Identifier: GPL-2.0-or-later
/* One entry to the swap device (zswap_writeback_entry; E.6). */
#include <errno.h>

#include "sim/swapdev.h"
#include "sim/zswap_private.h"

static void observe_writeback(struct zswap *z, struct zswap_page_event *event, uint64_t start)
{
	event->total_ns = kernel_now(z->k) - start;
	zswap_account_page(z, event);
	if (z->config.observer)
		z->config.observer(z->config.observer_arg, event);
}

static int no_device_error(const struct zswap *z)
{
	static const int errors[] = {
		[ZSWAP_NO_DEVICE_ENOMEM] = -ENOMEM,
		[ZSWAP_NO_DEVICE_EEXIST] = -EEXIST,
		[ZSWAP_NO_DEVICE_ENOENT] = -ENOENT,
	};

	return errors[z->k->profile.zswap.writeback_no_device];
}

int zswap_writeback_entry(struct zswap *z, struct zswap_entry *entry)
{
	struct zswap_page_event event = {
		.dir = ZSWAP_WRITEBACK, .path = ZSWAP_PATH_FAILED, .length = entry->length};
	struct mem_cgroup *memcg = zswap_entry_memcg(z, entry);
	struct page *folio = z->writeback_page;
	uint64_t start = kernel_now(z->k);
	swp_entry_t swp = zswap_entry_swp(entry);
	uint32_t id = entry->id;
	int ret;

	if (swapdev_is_gone(z->dev, swp.type))
		return no_device_error(z);
	if (z->k->profile.zswap.writeback_order == ZSWAP_WRITEBACK_ERASE_FIRST)
		zswap_entry_erase(z, swp);
	/* Always in full, even where the device could take the compressed bytes. */
	if (!zswap_decompress(z, entry, folio, &event)) {
		observe_writeback(z, &event, start);
		return -EIO;
	}
	z->stats.zswpwb++;
	memcg->zswpwb++;
	if (z->k->profile.zswap.writeback_order == ZSWAP_WRITEBACK_DECOMPRESS_FIRST)
		zswap_entry_erase(z, swp);
	zswap_entry_free(z, entry);
	if (z->policy)
		zswap_policy_gone(z, swp, POLICY_WRITTEN_BACK, false);
	observe_writeback(z, &event, start);
	ret = swapdev_write(z->dev, swp.type, swp.offset,
			    z->k->contents ? page_address(folio) : &id, 1);
	if (ret)
		z->dev_error = ret;
	memcg->pswpout++;
	if (z->config.written_back)
		z->config.written_back(z->config.written_back_arg, swp);
	return 0;
}
