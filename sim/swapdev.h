/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The swap devices' contents: pages that zswap refused or wrote back, kept in an unlinked temporary
 * file (mode 0600), so that they can be loaded again and verified, and take no anonymous memory.
 * Without contents a page is its id, a uint32_t, which is kept in memory, or its lowest bits are.
 *
 * The file stands for a device, and how long it takes says nothing: that time is measured apart,
 * for callers to take off theirs. How long a real device would take is modelled (sim/swap_model.h).
 */
#ifndef SIM_SWAPDEV_H
#define SIM_SWAPDEV_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel.h"
#include "sim/swap_model.h"

struct swapdev;
struct slot_bytes;

struct swapdev_stats {
	uint64_t pages; /* slots on disk now */
	uint64_t read_pages, written_pages;
	uint64_t read_requests, written_requests;
	uint64_t modelled_ns[SWAP_MODEL_NR_DIRS]; /* sum of what the requests would take */
	uint64_t file_ns;			  /* measured: in the file's system calls */
};

/* The file is made in $TMPDIR, or /var/tmp, when it is first written. 0 or -ENOMEM. */
int swapdev_create(bool contents, struct swapdev **out);
void swapdev_destroy(struct swapdev *dev); /* accepts NULL */

/* Before the first write, without contents: only the lowest SWAPDEV_TAG_BITS of ids are kept. */
void swapdev_keep_tags(struct swapdev *dev);
#define SWAPDEV_TAG_BITS 2

/* Without: no device takes any time; the file's time is not measured. @clock may be NULL. */
void swapdev_set_model(struct swapdev *dev, const struct swap_model *model);
void swapdev_set_clock(struct swapdev *dev, kernel_clock_fn clock, void *arg);

/*
 * Writes @nr pages to slots @offset.. of device @type, as one request. @data: their contents, or,
 * without contents, a uint32_t each (NULL: 0). 0, -ENOSPC, -EIO, ...
 */
int swapdev_write(struct swapdev *dev, unsigned type, uint64_t offset, const void *data,
		  unsigned nr);
/*
 * Reads @nr pages, as one request. -ENOENT if one of the slots was never written: nothing is read
 * then. @data: as it was written, or the tags; without contents it may be NULL.
 */
int swapdev_read(struct swapdev *dev, unsigned type, uint64_t offset, void *data, unsigned nr);
bool swapdev_has(const struct swapdev *dev, unsigned type, uint64_t offset);
/* Soon one of these will be done with the slot. */
void swapdev_prefetch(const struct swapdev *dev, unsigned type, uint64_t offset);
/* The slot is free or its data is stale; nothing happens if it was not on disk. */
void swapdev_discard(struct swapdev *dev, unsigned type, uint64_t offset);

/* The zero map (swap_info_struct.zeromap): slots whose page is all zeros. 0 or -ENOMEM. */
int swapdev_set_zero(struct swapdev *dev, unsigned type, uint64_t offset);
void swapdev_clear_zero(struct swapdev *dev, unsigned type, uint64_t offset);
bool swapdev_is_zero(const struct swapdev *dev, unsigned type, uint64_t offset);
/* Makes room for the marks of the slots of a folio at @offset. 0 or -ENOMEM. */
int swapdev_reserve(struct swapdev *dev, unsigned type, uint64_t offset);
/* Of what is kept of the slots in use. */
uint64_t swapdev_metadata_bytes(const struct swapdev *dev);
/* A byte of each slot, of which the device uses the lower four bits. */
struct slot_bytes *swapdev_slot_bytes(struct swapdev *dev);

/* A device that is being switched off takes no writebacks any more; reads go on. */
void swapdev_set_gone(struct swapdev *dev, unsigned type, bool gone);
bool swapdev_is_gone(const struct swapdev *dev, unsigned type);

const struct swapdev_stats *swapdev_stats(const struct swapdev *dev);

#endif
