/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few rules that zram puts in front of zsmalloc (drivers/block/zram/zram_drv.c, 6.12 to 7.3;
 * kernel-spec G), as far as its mm_stat tells: so that recordings of a zram device can be replayed
 * on the allocator. No compressed byte is kept; what a page compresses to is asked of the caller.
 *
 * Errors are negative errno.
 */
#ifndef SIM_ZRAM_H
#define SIM_ZRAM_H

#include <stdint.h>

#include "sim/kernel.h"

#define ZRAM_MAX_SLOTS (1u << 24) /* 64 GiB */

struct zs_pool;

/*
 * The compressed length of a page in bytes, at least 1; any length from zs_huge_class_size on means
 * that it is kept as it is. @page: its 4096 bytes, or NULL if the writer has none; @src: the number
 * that the writer gave. If @page is NULL, 0 says that the page is same-filled. Negative: an errno,
 * that the write returns.
 */
typedef int (*zram_length_fn)(void *arg, const void *page, uint32_t src);

/* The columns of /sys/block/zram0/mm_stat, but mem_limit. In bytes, or pages where the name says.
 */
struct zram_stats {
	uint64_t orig_data_size;
	uint64_t compr_data_size; /* raw pages count 4096, same-filled ones 0 */
	uint64_t mem_used_total;
	uint64_t mem_used_max;
	uint64_t same_pages;
	uint64_t pages_compacted;
	uint64_t huge_pages;	   /* kept raw now */
	uint64_t huge_pages_since; /* ever */
};

struct zram;

/* A device of @slots pages, 1 to ZRAM_MAX_SLOTS. @length is called with @arg. */
int zram_create(struct kernel *k, uint32_t slots, zram_length_fn length, void *arg,
		struct zram **out);
void zram_destroy(struct zram *zram); /* accepts NULL */

/*
 * Writes a page to @slot. Its new object is allocated before the old one is freed. -ENOMEM leaves
 * the slot as it was. @slot is below the device's size. (zram_write_page)
 */
int zram_write(struct zram *zram, uint32_t slot, const void *page, uint32_t src);
/* Frees what is in @slot, if anything. (zram_free_page) */
void zram_discard(struct zram *zram, uint32_t slot);
/* Writing to the device's "compact" file. */
void zram_compact(struct zram *zram);

void zram_stats(const struct zram *zram, struct zram_stats *stats);
struct zs_pool *zram_pool(struct zram *zram);

#endif
