/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The swap devices' contents: pages that zswap refused or wrote back, kept in an unlinked temporary
 * file (mode 0600), so that they can be loaded again and verified, and take no anonymous memory.
 * Without contents, only which slots are on disk is kept.
 */
#ifndef SIM_SWAPDEV_H
#define SIM_SWAPDEV_H

#include <stdbool.h>
#include <stdint.h>

struct swapdev;

struct swapdev_stats {
	uint64_t pages; /* slots on disk now */
	uint64_t read_pages, written_pages;
	uint64_t read_requests, written_requests;
};

/* The file is made in $TMPDIR, or /var/tmp, when it is first written. 0 or -ENOMEM. */
int swapdev_create(bool contents, struct swapdev **out);
void swapdev_destroy(struct swapdev *dev); /* accepts NULL */

/* Writes @nr pages to slots @offset.. of device @type, as one request. 0, -ENOSPC, -EIO, ... */
int swapdev_write(struct swapdev *dev, unsigned type, uint64_t offset, const void *data,
		  unsigned nr);
/* -ENOENT if the slot was never written. @data may be NULL without contents. */
int swapdev_read(struct swapdev *dev, unsigned type, uint64_t offset, void *data);
bool swapdev_has(const struct swapdev *dev, unsigned type, uint64_t offset);
/* The slot is free or its data is stale; nothing happens if it was not on disk. */
void swapdev_discard(struct swapdev *dev, unsigned type, uint64_t offset);

/* A device that is being switched off takes no writebacks any more; reads go on. */
void swapdev_set_gone(struct swapdev *dev, unsigned type, bool gone);
bool swapdev_is_gone(const struct swapdev *dev, unsigned type);

const struct swapdev_stats *swapdev_stats(const struct swapdev *dev);

#endif
