/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every scenario is given, and the scenarios by the file that they are in. */
#ifndef GUEST_H
#define GUEST_H

#include "output.h"
#include "pages.h"

struct guest {
	struct output out;
	struct pages pages;
	const char *algorithm;
};

/* zram_ops.c: one operation a row. */
void zram_perpage(struct guest *guest);
void zram_random(struct guest *guest);
/* zram_made.c: pages of zeros and random bytes, made here. */
void zram_sweep(struct guest *guest);
void zram_fixed(struct guest *guest);

/* zswap_ops.c: what stores and loads do while there is room. */
void zswap_perpage(struct guest *guest);
void zswap_paths(struct guest *guest);
/* zswap_limits.c: one memcg against one limit. */
void zswap_limit(struct guest *guest);
void zswap_burst(struct guest *guest);
void zswap_memcgmax(struct guest *guest);
void zswap_nowb(struct guest *guest);
void zswap_memmax(struct guest *guest);
void zswap_shrinker(struct guest *guest);
/* zswap_folio64.c: folios of 64 KiB. */
void zswap_folio64(struct guest *guest);
/* zswap_hysteresis.c: to the pool's limit and back, several times. */
void zswap_hysteresis(struct guest *guest);
/* zswap_memcgs.c, zswap_worker.c: several memcgs. */
void zswap_memcgs(struct guest *guest);
void zswap_worker(struct guest *guest);
/* zswap_pressure.c: the dynamic shrinker, call by call. */
void zswap_pressure(struct guest *guest);
/* zswap_nodes.c: two NUMA nodes. */
void zswap_nodes(struct guest *guest);

#endif
