/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of zswap share among themselves. */
#ifndef SIM_ZSWAP_PRIVATE_H
#define SIM_ZSWAP_PRIVATE_H

#include <assert.h>

#include "sim/ref_list.h"
#include "sim/xarray.h"
#include "sim/zswap.h"
#include "sim/zswap_codecs.h"
#include "sim/zswap_policy.h"

#define MAX_RECLAIM_RETRIES 16

/* Packed: there is one for each stored page. */
struct zswap_entry {
	struct ref_link lru; /* first, as ref_list wants it */
	/* A handle is an address, of which x86-64 uses 48 bits. Length 4096: raw. */
	uint64_t handle : 48, length : 16;
	uint64_t swp_offset : 48, swp_type : 8, nid : 7, referenced : 1;
	uint32_t objcg; /* 1 + number of the memcg whose it is; 0 (NULL): the root's, not charged */
	uint32_t id;	/* of the contents, when there are none */
};
static_assert(sizeof(struct zswap_entry) == 32, "entry");

static inline swp_entry_t zswap_entry_swp(const struct zswap_entry *entry)
{
	return (swp_entry_t){entry->swp_type, entry->swp_offset};
}

/* One tree for 1 << SWAP_ADDRESS_SPACE_SHIFT slots of a device. */
struct zswap_tree {
	struct xarray xa;
};

/* The per-CPU request context (struct crypto_acomp_ctx). */
struct crypto_acomp_ctx {
	struct acomp_req req;
	struct page *buffer; /* one or two pages */
};

struct zswap {
	struct kernel *k;
	struct memcgs *memcgs;
	struct swapdev *dev;
	struct zswap_config config;
	struct zswap_stats stats;
	struct zpool *zpool;
	struct crypto_acomp *acomp;
	struct crypto_acomp_ctx *acomp_ctx; /* [nr_cpus] */
	struct zswap_batch *batch;	    /* [nr_cpus]; NULL: page by page (zswap_batch.h) */
	unsigned batch_size;		    /* pages that the compressor is given at once */
	struct page *writeback_page;	    /* the folio that a writeback decompresses into */
	struct kmem_cache *entry_cache;
	struct xa_nodes *nodes; /* of all trees */
	/* By offset >> SWAP_ADDRESS_SPACE_SHIFT; one without nodes was not made yet. */
	struct zswap_trees {
		struct zswap_tree *trees;
		uint64_t nr;
	} zswap_trees[ZSWAP_MAX_SWAP_TYPES];
	bool pool_reached_full;
	bool shrink_queued;
	enum zswap_reject reject; /* why the store at hand is refused */
	int dev_error;		  /* the first failed write to the swap device's file */
	enum acomp_model model;	  /* of the compressor */
	/* Without contents: of a page stored; of one loaded, whose object lies in one page or two.
	 */
	struct acomp_cost compress_cost, decompress_cost[2];
	struct zswap_compress_stats compress;
	struct mem_cgroup *next_shrink; /* cursor of the shrink worker */
	struct policy_run *policy;	/* NULL: the kernel's own choice */
	struct zswap_policy_stats policy_stats;
	struct zswap_codecs codecs; /* that a policy may choose from */
};

/*
 * zswap.c: the compressor of z->config and what belongs to it. 0 or a negative errno; what is there
 * then is to be destroyed in any case.
 */
int zswap_codec_create(struct zswap *z);
void zswap_codec_destroy(struct zswap *z);

/* zswap.c: what stores, loads and writebacks share. */
struct zswap_entry *zswap_entry_lookup(const struct zswap *z, swp_entry_t swp);
struct zswap_entry *zswap_entry_erase(struct zswap *z, swp_entry_t swp);
void zswap_entry_free(struct zswap *z, struct zswap_entry *entry);
/* NULL: the root's, not charged. */
struct obj_cgroup *zswap_entry_objcg(const struct zswap *z, const struct zswap_entry *entry);
struct mem_cgroup *zswap_entry_memcg(const struct zswap *z, const struct zswap_entry *entry);
/* A page of @folio is in the pool: its entry goes into the tree, in place of a stale one. */
bool zswap_insert_entry(struct zswap *z, const struct folio *folio, unsigned index,
			struct zswap_entry *entry, struct zswap_page_event *event);
void zswap_observe(struct zswap *z, const struct zswap_page_event *event);

/* zswap_compress.c: one page through the codec and the pool. Times and calls go to @event. */
bool zswap_compress(struct zswap *z, const struct folio *folio, unsigned index,
		    struct zswap_entry *entry, struct zswap_page_event *event);
bool zswap_decompress(struct zswap *z, struct zswap_entry *entry, struct page *page,
		      struct zswap_page_event *event);
/* The second half of zswap_compress(): @dlen bytes at @from become the entry's object. */
bool zswap_store_object(struct zswap *z, const struct folio *folio, unsigned index,
			struct zswap_entry *entry, const void *from, unsigned dlen,
			struct zswap_page_event *event);
/* Counts a page that is not stored: what the codec said, or else the allocator. */
void zswap_reject_page(struct zswap *z, int comp_ret, int alloc_ret,
		       struct zswap_page_event *event);
enum zswap_path zswap_path_of(enum acomp_path path);
void zswap_event_add_cost(struct zswap_page_event *event, const struct acomp_cost *cost);
/* Once the compressor is known. */
void zswap_model_init(struct zswap *z);
void zswap_account_page(struct zswap *z, const struct zswap_page_event *event);

/* zswap_lru.c */
void zswap_lru_add(struct zswap *z, struct zswap_entry *entry);
void zswap_lru_del(struct zswap *z, struct zswap_entry *entry);
struct zswap_lru_list *zswap_entry_lru(const struct zswap *z, const struct zswap_entry *entry);

static inline uint32_t zswap_entry_ref(const struct zswap *z, const struct zswap_entry *entry)
{
	return kmem_cache_ref(z->entry_cache, entry);
}

/* NULL for 0. */
static inline struct zswap_entry *zswap_entry_of_ref(const struct zswap *z, uint32_t ref)
{
	return ref ? kmem_cache_object(z->entry_cache, ref) : NULL;
}

/* zswap_shrink.c */
int shrink_memcg(struct zswap *z, struct mem_cgroup *memcg);
/* The shrink worker: until the pool has @thr pages, or it gives up. */
void zswap_shrink_to(struct zswap *z, uint64_t thr);
/* zswap_writeback.c: 0, or the negative errno of the step that failed (E.6). */
int zswap_writeback_entry(struct zswap *z, struct zswap_entry *entry);

#endif
