/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jemalloc as the allocator that zswap stores in (pool.allocator=jemalloc): what a general-purpose
 * allocator would make of the same history. No kernel has it.
 *
 * Each pool is an arena of its own, without thread caches, that gives pages back at once. Objects
 * lie where jemalloc puts them: in regions of slabs of its size classes, each in one piece, so that
 * no load straddles. The pool's pages are those of jemalloc's slabs (sim/jemalloc_arena.h); its
 * metadata is not counted, as the kernel's slabs of handles and descriptors are not for zsmalloc.
 */
#ifndef SIM_JEMALLOC_POOL_H
#define SIM_JEMALLOC_POOL_H

#include "sim/jemalloc_arena.h"
#include "sim/zpool.h"

/* The arena of a pool of type "jemalloc"; NULL of another allocator. */
const struct je_arena *jemalloc_pool_arena(const struct zpool *zpool);

#endif
