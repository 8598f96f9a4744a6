/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small simulated machine for tests: kernel, memcgs, swap device, zswap and what is around it.
 * Pages are named by content: content_fill() makes the same bytes for the same id.
 */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include "sim/page_io.h"
#include "sim/zswap.h"

struct machine_config {
	const char *kernel;	/* preset; NULL: the default */
	const char *set[8];	/* KEY=VALUE, up to 8 */
	const char *compressor; /* NULL: zstd */
	unsigned nr_cpus, nr_nodes;
	uint64_t totalram_pages;
	unsigned max_pool_percent;	   /* 0: 20 */
	unsigned accept_threshold_percent; /* 0: 90 */
	bool shrinker_enabled;
	bool disabled;
	bool root_only;				/* no memcg below the root: pages are the root's */
	const struct crypto_registry *registry; /* NULL: the program's */
	/* Pages have no bytes: an id is its stored length (or, negative as int32, an errno). */
	bool lengths;
};

struct machine {
	struct kernel *k;
	struct memcgs memcgs;
	struct mem_cgroup *memcg; /* one below the root */
	struct swapdev *dev;
	struct zswap *z;
	struct swap_io *io;
	struct page *out[10], *in[10]; /* folios by order */
	bool lengths;
	struct zswap_page_event last; /* what zswap reported last; cost is in last_cost */
	struct acomp_cost last_cost;
};

struct machine *machine_create(const struct machine_config *config);
void machine_destroy(struct machine *m); /* checks zswap's invariants first */

/* Contents by id: 0 zeros, 1 mod 4 text, 3 mod 4 random bytes, even ids random in part. */
void content_fill(void *page, uint32_t id);

/* Stores a folio whose page i has the contents (or, with lengths, the length) ids[i]. */
enum swapout machine_store(struct machine *m, uint64_t slot, unsigned order, const uint32_t *ids);
enum swapout machine_store1(struct machine *m, uint64_t slot, uint32_t id);
/* swap_read_folio()'s value; with contents, a page that came back is compared with @id. */
int machine_load(struct machine *m, uint64_t slot, uint32_t id, enum swapin *from);
/* Frames that are in use. */
uint64_t machine_live_pages(struct machine *m);
struct folio machine_folio(struct machine *m, uint64_t slot, unsigned order, const uint32_t *ids);

#endif
