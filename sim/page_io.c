// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/page_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct swap_io {
	struct kernel *k;
	struct zswap *z;
	struct swapdev *dev;
	struct swap_io_stats stats;
};

int swap_io_create(struct kernel *k, struct zswap *z, struct swapdev *dev, struct swap_io **out)
{
	struct swap_io *io = calloc(1, sizeof(*io));

	if (!io)
		return -ENOMEM;
	io->k = k;
	io->z = z;
	io->dev = dev;
	*out = io;
	return 0;
}

void swap_io_destroy(struct swap_io *io)
{
	free(io);
}

int swap_io_reserve(struct swap_io *io, swp_entry_t swap)
{
	return swapdev_reserve(io->dev, swap.type, swap.offset);
}

/* The last word is looked at first: it settles most pages that are not zero. */
bool page_is_zero(const void *addr)
{
	const uint64_t *words = addr;
	unsigned last = PAGE_SIZE / sizeof(*words) - 1;

	if (words[last])
		return false;
	for (unsigned i = 0; i < last; i++) {
		if (words[i])
			return false;
	}
	return true;
}

static bool is_folio_zero_filled(const struct swap_io *io, const struct folio *folio)
{
	for (unsigned i = 0; i < folio_nr_pages(folio); i++) {
		bool zero = io->k->contents ? page_is_zero(page_address(folio->page + i))
					    : folio->ids[i] == ZSWAP_ZERO_ID;

		if (!zero)
			return false;
	}
	return true;
}

static int swap_zeromap_folio_set(struct swap_io *io, const struct folio *folio)
{
	for (unsigned i = 0; i < folio_nr_pages(folio); i++) {
		if (swapdev_set_zero(io->dev, folio->swap.type, folio->swap.offset + i))
			return -ENOMEM;
		swapdev_discard(io->dev, folio->swap.type, folio->swap.offset + i);
	}
	return 0;
}

static void swap_zeromap_clear(struct swap_io *io, swp_entry_t swap, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		swapdev_clear_zero(io->dev, swap.type, swap.offset + i);
}

static void discard_disk_copies(struct swap_io *io, const struct folio *folio)
{
	if (!swapdev_stats(io->dev)->pages)
		return;
	for (unsigned i = 0; i < folio_nr_pages(folio); i++)
		swapdev_discard(io->dev, folio->swap.type, folio->swap.offset + i);
}

int swap_writeout(struct swap_io *io, const struct folio *folio, enum swapout *where)
{
	unsigned nr = folio_nr_pages(folio);
	int ret;

	if (is_folio_zero_filled(io, folio)) {
		*where = SWAPOUT_ZERO;
		io->stats.swpout_zero += nr;
		return swap_zeromap_folio_set(io, folio);
	}
	swap_zeromap_clear(io, folio->swap, nr);
	if (zswap_store(io->z, folio)) {
		*where = SWAPOUT_ZSWAP;
		/* What an earlier use of the slots left on disk is stale from now on. */
		discard_disk_copies(io, folio);
		return zswap_dev_error(io->z);
	}
	if (!zswap_writeback_enabled(io->z, folio->memcg)) {
		*where = SWAPOUT_ACTIVATED;
		io->stats.refused_activated += nr;
		return zswap_dev_error(io->z);
	}
	*where = SWAPOUT_DISK;
	ret = swapdev_write(io->dev, folio->swap.type, folio->swap.offset,
			    io->k->contents ? page_address(folio->page) : (const void *)folio->ids,
			    nr);
	folio->memcg->pswpout += nr;
	io->stats.pswpout += nr;
	return ret ? ret : zswap_dev_error(io->z);
}

/* How many of the folio's slots are marked. */
static unsigned swap_zeromap_count(const struct swap_io *io, const struct folio *folio)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < folio_nr_pages(folio); i++)
		nr += swapdev_is_zero(io->dev, folio->swap.type, folio->swap.offset + i);
	return nr;
}

static int read_from_disk(struct swap_io *io, const struct folio *folio)
{
	void *to = io->k->contents ? page_address(folio->page) : folio->loaded;
	unsigned nr = folio_nr_pages(folio);
	int ret = swapdev_read(io->dev, folio->swap.type, folio->swap.offset, to, nr);

	if (ret)
		return ret;
	io->stats.pswpin += nr;
	folio->memcg->pswpin += nr;
	/* One a folio, whatever its size. */
	zswap_folio_swapin(io->z, folio->memcg, folio->page ? folio->page->nid : 0);
	return 0;
}

int swap_read_folio(struct swap_io *io, const struct folio *folio, enum swapin *from)
{
	unsigned nr = folio_nr_pages(folio), zero = swap_zeromap_count(io, folio);
	int ret;

	if (zero) {
		*from = SWAPIN_ZERO;
		if (zero != nr) {
			io->stats.zero_mixed++;
			return -EINVAL;
		}
		if (io->k->contents)
			memset(page_address(folio->page), 0, (size_t)nr * PAGE_SIZE);
		for (unsigned i = 0; folio->loaded && i < nr; i++)
			folio->loaded[i] = ZSWAP_ZERO_ID;
		io->stats.swpin_zero += nr;
		return 0;
	}
	ret = zswap_load(io->z, folio);
	if (ret != -ENOENT) {
		*from = SWAPIN_ZSWAP;
		return ret;
	}
	*from = SWAPIN_DISK;
	return read_from_disk(io, folio);
}

void swap_slot_free(struct swap_io *io, swp_entry_t swap, unsigned order)
{
	unsigned nr = 1u << order;

	for (unsigned i = 0; i < nr; i++) {
		zswap_invalidate(io->z, (swp_entry_t){swap.type, swap.offset + i});
		swapdev_discard(io->dev, swap.type, swap.offset + i);
	}
	swap_zeromap_clear(io, swap, nr);
}

void swap_slot_prefetch(const struct swap_io *io, swp_entry_t swap)
{
	swapdev_prefetch(io->dev, swap.type, swap.offset);
	zswap_prefetch_slot(io->z, swap);
}

bool swap_slot_has_copy(const struct swap_io *io, swp_entry_t swap)
{
	struct zpool_location loc;

	return swapdev_is_zero(io->dev, swap.type, swap.offset) ||
	       swapdev_has(io->dev, swap.type, swap.offset) || zswap_locate(io->z, swap, &loc);
}

const struct swap_io_stats *swap_io_stats(const struct swap_io *io)
{
	return &io->stats;
}
