/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order around zswap when a folio is swapped out or in (mm/page_io.c, 6.12 to 7.3; kernel-spec
 * E.2): the zero map, zswap, the swap device.
 */
#ifndef SIM_PAGE_IO_H
#define SIM_PAGE_IO_H

#include "sim/swapdev.h"
#include "sim/zswap.h"

struct swap_io;

/* /proc/vmstat, in pages. */
struct swap_io_stats {
	uint64_t swpin_zero, swpout_zero;
	uint64_t pswpin, pswpout;
	uint64_t refused_activated; /* zswap refused, the memcg allows no writeback: kept in memory
				     */
	uint64_t zero_mixed;	    /* loads of a folio that is zero in part: I/O error */
};

enum swapout { SWAPOUT_ZERO, SWAPOUT_ZSWAP, SWAPOUT_DISK, SWAPOUT_ACTIVATED, SWAPOUT_NR };
enum swapin { SWAPIN_ZERO, SWAPIN_ZSWAP, SWAPIN_DISK, SWAPIN_NR };

/* 0 or -ENOMEM. @z and @dev outlive it. */
int swap_io_create(struct kernel *k, struct zswap *z, struct swapdev *dev, struct swap_io **out);
void swap_io_destroy(struct swap_io *io); /* accepts NULL */

/* Makes room for the marks of a folio's slots from @swap on, outside of the timed path. 0 or
 * -ENOMEM. */
int swap_io_reserve(struct swap_io *io, swp_entry_t swap);

/* 0 and where it went; or what the swap device's file failed with. */
int swap_writeout(struct swap_io *io, const struct folio *folio, enum swapout *where);
/*
 * 0 and where it came from. -ENOENT: no copy is left anywhere. -EINVAL: a large folio that the
 * kernel does not read (nothing was read or erased). -EIO, -ENOTRECOVERABLE: see zswap_load().
 */
int swap_read_folio(struct swap_io *io, const struct folio *folio, enum swapin *from);
/* Frees 1 << @order slots: zero marks, zswap entries and disk blocks go. */
void swap_slot_free(struct swap_io *io, swp_entry_t swap, unsigned order);

/* Whether these 4096 bytes are all zero, as the zero map asks (is_folio_zero_filled). */
bool page_is_zero(const void *addr);

/* Soon something will be done with the slot: asks for what is known of it, but zswap's entry. */
void swap_slot_prefetch(const struct swap_io *io, swp_entry_t swap);

/* Whether a copy is left anywhere. */
bool swap_slot_has_copy(const struct swap_io *io, swp_entry_t swap);
const struct swap_io_stats *swap_io_stats(const struct swap_io *io);

#endif
