/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live objects of a slab cache, for which the kernel is booted with slab_debug=U for those caches.
 */
#ifndef GUEST_SLUB_H
#define GUEST_SLUB_H

/*
 * A descriptor of the count of zsmalloc's @cache ("zspage", "zs_handle"): one cache a pool in some
 * kernels, one for all in others. -1 if there is neither.
 */
int slub_open_objects(const char *cache, const char *pool);

#endif
