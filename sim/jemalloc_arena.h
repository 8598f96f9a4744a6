/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jemalloc arena for objects of up to a page, whose pages are counted as they come and go.
 *
 * jemalloc works its statistics out on demand, and slowly. But it asks to commit each slab that it
 * begins and to decommit each that it ends, if the arena's extent hooks give address space out
 * uncommitted and decay times are 0: so the hooks know at any moment, exactly, how many pages are
 * active. je_arena_stats() asks jemalloc itself.
 *
 * Addresses are of one range, handed out upwards, so that where an object goes depends on the
 * history alone. Without contents there is no memory behind them: jemalloc keeps what it knows of
 * its regions elsewhere and does not look into them.
 */
#ifndef SIM_JEMALLOC_ARENA_H
#define SIM_JEMALLOC_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jemalloc/jemalloc.h>

#include "sim/page.h"

#define JE_MAX_BINS 64

/* Regions of one size, in slabs (jemalloc calls it a bin). Bytes. */
struct je_bin {
	size_t region;
	size_t slab;
	size_t tail; /* behind the last region of a slab */
};

struct je_arena {
	extent_hooks_t hooks;
	bool contents;
	bool fills; /* jemalloc writes to regions itself: it was told to (MALLOC_CONF) */
	unsigned index;
	int flags; /* of mallocx; 0: there is no arena yet */

	char *space; /* the range */
	size_t space_bytes;
	size_t given_bytes; /* jemalloc has been given so many of it */
	size_t writable_bytes;
	/* With contents, of each page of the range, whether it has memory and is in use. */
	uint8_t *state;
	size_t first_absent, nr_states; /* none below has no memory, none from here on has any */
	uint64_t idle;			/* pages that have memory and are not in use */

	struct je_bin bins[JE_MAX_BINS];
	unsigned nr_bins;
	uint8_t bin_of[PAGE_SIZE / 8 + 1];
	const struct je_bin
		*at_hand; /* of the allocation or free under way: whose slabs come and go */

	uint64_t pages, slabs; /* active */
	uint64_t tail_bytes;
};

/*
 * @arena must stay where it is. Room for @max_pages and more. 0, -ENOMEM, -ENOTSUP (a jemalloc that
 * has no slabs for objects of a page), or what mallctl gave. je_arena_finish() in any case.
 */
int je_arena_init(struct je_arena *arena, bool contents, uint64_t max_pages);
/* Objects that are live are freed with it. */
void je_arena_finish(struct je_arena *arena);

/* @size 1 to 4096. NULL when out of memory. */
void *je_arena_alloc(struct je_arena *arena, size_t size);
/* @size as it was asked for. */
void je_arena_free(struct je_arena *arena, void *mem, size_t size);

/* Makes sure that @nr pages that jemalloc is likely to take next have memory. 0 or -ENOMEM. */
int je_arena_reserve(struct je_arena *arena, unsigned nr);
/* Gives memory beyond 4 MiB that lies idle back to the system. */
void je_arena_trim(struct je_arena *arena);

static inline const struct je_bin *je_arena_bin(const struct je_arena *arena, size_t size)
{
	return &arena->bins[arena->bin_of[(size + 7) / 8]];
}

/* By jemalloc's own statistics: takes it a while. Pages are of 4 KiB. */
struct je_arena_stats {
	uint64_t active_pages;	 /* of slabs that it holds */
	uint64_t mapped_pages;	 /* address space of them and of metadata */
	uint64_t resident_pages; /* an upper bound, metadata included */
	uint64_t regions, slabs; /* in use */
};
int je_arena_stats(const struct je_arena *arena, struct je_arena_stats *stats);

#endif
