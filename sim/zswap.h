/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zswap (mm/zswap.c, 6.12 to 7.3; kernel-spec E): the only module that knows both an allocator
 * and compression. One instance a struct kernel.
 *
 * What a store, load or writeback of one page did is told to an observer, page by page; totals
 * are kept under the kernel's names.
 */
#ifndef SIM_ZSWAP_H
#define SIM_ZSWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/acomp.h"
#include "sim/kernel.h"
#include "sim/memcg.h"
#include "sim/zpool.h"

#define ZSWAP_MAX_FOLIO_PAGES	 512
#define ZSWAP_MAX_SWAP_TYPES	 32	      /* MAX_SWAPFILES, about */
#define ZSWAP_MAX_OFFSET	 (1ull << 40) /* slots of a device */
#define SWAP_ADDRESS_SPACE_SHIFT 14	      /* slots of a tree: 1 << 14 */

struct zswap;
struct swapdev;

typedef struct {
	unsigned type;	 /* swap device */
	uint64_t offset; /* slot, in pages */
} swp_entry_t;

/* Pages on their way out or in. The head page's order says how many. */
struct folio {
	struct page *page; /* head; its memory holds (or receives) the contents */
	unsigned order;
	struct mem_cgroup *memcg; /* whose it is; never NULL (the root for uncharged pages) */
	swp_entry_t swap;	  /* slot of the first page */
	/*
	 * Without contents: an id of each page's contents, [1 << order], as zswap_config.length
	 * understands it. ZSWAP_ZERO_ID: a page of zeros.
	 */
	const uint32_t *ids;
	/*
	 * Without contents: where the ids of what is loaded go, [1 << order]; may be NULL. Of what
	 * comes from a swap device that keeps tags, the tags.
	 */
	uint32_t *loaded;
};

#define ZSWAP_ZERO_ID UINT32_MAX

static inline unsigned folio_nr_pages(const struct folio *folio)
{
	return 1u << folio->order;
}

enum zswap_dir { ZSWAP_STORE, ZSWAP_LOAD, ZSWAP_WRITEBACK, ZSWAP_NR_DIRS };

/* How one page went through zswap. */
enum zswap_path {
	ZSWAP_PATH_ONESHOT, /* codec, both sides in one fragment */
	ZSWAP_PATH_STREAM,  /* codec, streamed */
	ZSWAP_PATH_RAW,	    /* stored as it is, or such a page copied back */
	ZSWAP_PATH_FAILED,  /* not stored, not loaded */
	ZSWAP_NR_PATHS,
};

struct zswap_page_event {
	enum zswap_dir dir;
	enum zswap_path path;
	enum acomp_stream_reason reason;
	int ret;	   /* 0 or a negative errno, of the step that failed */
	unsigned length;   /* stored bytes; 0 if it failed before that */
	bool linearised;   /* a straddling object was copied before decompression */
	uint64_t total_ns; /* from zswap's door to the end of this page */
	uint64_t init_ns, codec_ns, copy_ns;
	const struct acomp_cost *cost;
};

/* A page of a slot that zswap wrote back: it is in the swap cache for a while. */
typedef void (*zswap_writeback_fn)(void *arg, swp_entry_t swap);

typedef void (*zswap_observer_fn)(void *arg, const struct zswap_page_event *event);

/* Calls of and time inside the codec, summed by direction. */
struct zswap_account {
	uint64_t calls[ACOMP_NR_CALLS];
	uint64_t pages[ZSWAP_NR_PATHS];
	uint64_t straddled; /* pages whose object crossed a page when read */
	uint64_t copied_bytes;
	uint64_t init_ns, codec_ns, copy_ns;
};

/* debugfs zswap/ and /proc/vmstat, under the kernel's names. Pages unless the name says else. */
struct zswap_stats {
	uint64_t pool_limit_hit, reject_reclaim_fail, reject_alloc_fail, reject_kmemcache_fail,
		reject_compress_fail, reject_compress_poor, written_back_pages, decompress_fail;
	uint64_t stored_pages, stored_incompressible_pages;
	uint64_t zswpin, zswpout, zswpwb;
	uint64_t store_calls, load_calls; /* of zswap_store(), zswap_load() */
	/* Not the kernel's: stores of folios that were refused, by what stopped them. */
	uint64_t reject_disabled, reject_memcg_limit, reject_pool_limit, reject_large_folio;
	uint64_t load_large_refused; /* folios */
	uint64_t loads_kept;	     /* of zswpin: the entry stayed (a synchronous device) */
	uint64_t invalidated;	     /* entries */
	uint64_t overwritten;	     /* stale entries that a new store replaced */
	uint64_t rolled_back;	     /* entries of a folio whose store failed later */
	uint64_t shrink_worker_runs, shrink_memcg_calls, lru_rotations;
	struct zswap_account dir[ZSWAP_NR_DIRS];
};

/* Not the kernel's: what compressing a folio takes beside the codec's time. */
struct zswap_compress_stats {
	uint64_t units;	      /* pages that were given to the compressor */
	uint64_t undone;      /* of them, of folios that were refused then */
	uint64_t mutex_locks; /* of the per-CPU context, for stores */
	/* Of the API (struct acomp_counts); 0 without contents. */
	uint64_t calls, submissions;
	uint64_t results_copied; /* times, between the compressor and the pool */
	uint64_t copied_bytes;
	uint64_t crossings; /* results that lay over two destination pages */
	/* Allocated to compress, and gone after it: pages and scatterlists. */
	uint64_t pages, tables, peak_bytes; /* peak: of one CPU */
	uint64_t stops;			    /* at a destination that could not be allocated */
	uint64_t repeated;		    /* pages compressed again for that */
	/* There all the time, a CPU. */
	unsigned requests;
	uint64_t standing_bytes; /* buffers, requests and scatterlists */
};

struct zswap_config {
	const char *compressor;		   /* "NAME[:LEVEL]" (crypto_parse_acomp) */
	unsigned max_pool_percent;	   /* 0 to 100; the kernel's default is 20 */
	unsigned accept_threshold_percent; /* 0 to 100; 90 */
	bool disabled;
	bool shrinker_enabled;
	bool synchronous_device; /* swap-in bypasses the swap cache (zram as the swap device) */
	/*
	 * Without contents: the stored length of the page with this id, 1 to 4096, or the negative
	 * errno that its compression ends with.
	 */
	int (*length)(void *arg, uint32_t id);
	void *length_arg;
	zswap_observer_fn observer; /* may be NULL */
	void *observer_arg;
	zswap_writeback_fn written_back; /* may be NULL */
	void *written_back_arg;
};

/*
 * @k has its crypto registry. @memcgs and @dev outlive it. 0, what crypto_alloc_acomp() ends with,
 * -EINVAL (a percentage above 100), -ENOMEM. Without contents any compressor will do: one that the
 * registry does not know is taken to be behind the scomp adapter.
 */
int zswap_create(struct kernel *k, struct memcgs *memcgs, struct swapdev *dev,
		 const struct zswap_config *config, struct zswap **out);
/* Accepts NULL. */
void zswap_destroy(struct zswap *z);

/* Makes sure that storing a folio of 1 << @order pages at @swap allocates nothing. 0 or -ENOMEM. */
int zswap_reserve(struct zswap *z, swp_entry_t swap, unsigned order);

/* Where nothing is reserved, now and then: gives memory back that was freed. */
void zswap_trim(struct zswap *z);

/* True if all pages are stored. Otherwise none is, and stale entries of the range are gone. */
bool zswap_store(struct zswap *z, const struct folio *folio);
/*
 * 0: the page was loaded and its entry is gone. -ENOENT: not ours. -EINVAL: a large folio (by
 * profile -EIO if any of its slots is in zswap, else -ENOENT). -EIO:
 * it does not decompress; the entry is kept. -ENOTRECOVERABLE: the same where the kernel BUG()s.
 */
int zswap_load(struct zswap *z, const struct folio *folio);
void zswap_invalidate(struct zswap *z, swp_entry_t swap);

/*
 * What zswap makes of the codec's answer for one page (E.4, E.5). Not worth keeping compressed: any
 * error and, since 6.18, lengths that are none; 6.12 passes those on to the allocator.
 */
static inline bool zswap_page_is_incompressible(const struct profile *p, int comp_ret,
						unsigned dlen)
{
	return comp_ret || (p->zswap.incompressible == ZSWAP_INCOMPRESSIBLE_STORE_RAW &&
			    (!dlen || dlen >= PAGE_SIZE));
}

/* Whether such a page is stored as it is, and not refused. */
static inline bool zswap_stores_raw(const struct profile *p, bool writeback_enabled)
{
	return p->zswap.incompressible == ZSWAP_INCOMPRESSIBLE_STORE_RAW && writeback_enabled;
}

static inline bool zswap_page_is_back(int ret, unsigned dlen)
{
	return !ret && dlen == PAGE_SIZE;
}

/* Whether what zswap refuses of this memcg may go to disk (mem_cgroup_zswap_writeback_enabled). */
bool zswap_writeback_enabled(const struct zswap *z, const struct mem_cgroup *memcg);

/* Runs the shrink worker if a failed store queued it; to its end. Whether it ran. */
bool zswap_run_shrink_worker(struct zswap *z);
/* A memcg goes offline: moves the worker's cursor, then everything to the parent. */
int zswap_memcg_offline(struct zswap *z, struct mem_cgroup *memcg);

/* The dynamic shrinker's two calls (zswap_shrinker_count, _scan) for one lruvec. */
uint64_t zswap_shrinker_count(struct zswap *z, struct mem_cgroup *memcg, int nid);
/* Entries written back; UINT64_MAX for SHRINK_STOP. */
uint64_t zswap_shrinker_scan(struct zswap *z, struct mem_cgroup *memcg, int nid,
			     uint64_t nr_to_scan);
#define SHRINK_STOP UINT64_MAX

/*
 * Soon the slot will be stored, loaded or freed: asks the CPU for the memory that this takes, in
 * steps that rest on each other, best some events apart. Changes nothing.
 *   slot    the leaf of the tree
 *   entry   the entry, if there is one: it returns what the next two steps take, or 0
 *   object  where its object is, and its neighbours on the list; @again: the object's zspage.
 *	     The entry may be gone by then.
 */
void zswap_prefetch_slot(const struct zswap *z, swp_entry_t swap);
uint32_t zswap_prefetch_entry(const struct zswap *z, swp_entry_t swap);
void zswap_prefetch_object(const struct zswap *z, uint32_t entry, bool again);

/* What is kept of the entries that there are, in bytes. */
struct zswap_metadata {
	uint64_t entries, tree, pool;
};
void zswap_metadata(const struct zswap *z, struct zswap_metadata *m);

/* Settings that may change in mid-run. -EINVAL above 100. */
int zswap_set_max_pool_percent(struct zswap *z, unsigned percent);
int zswap_set_accept_threshold_percent(struct zswap *z, unsigned percent);
void zswap_set_shrinker_enabled(struct zswap *z, bool enabled);

/* A folio was read from the swap device (zswap_folio_swapin). */
void zswap_folio_swapin(struct zswap *z, struct mem_cgroup *memcg, int nid);

uint64_t zswap_total_pages(const struct zswap *z); /* of the pool; * 4096 = pool_total_size */
uint64_t zswap_max_pages(const struct zswap *z);
uint64_t zswap_accept_thr_pages(const struct zswap *z);
const struct zswap_stats *zswap_stats(const struct zswap *z);
void zswap_compress_stats(const struct zswap *z, struct zswap_compress_stats *stats);
/* NULL without contents. */
struct crypto_acomp *zswap_acomp(struct zswap *z);
struct zpool *zswap_zpool(struct zswap *z);
/* NULL if the allocator is not zsmalloc. */
struct zs_pool *zswap_zs_pool(struct zswap *z);
/* Per-CPU contexts of the compressor, and requests that CPU 0's served instead (A.6). */
unsigned zswap_nr_stream_contexts(struct zswap *z);
uint64_t zswap_nr_stream_fallbacks(struct zswap *z);
/* Whether there is an entry, and where it lies. False if there is none. */
bool zswap_locate(const struct zswap *z, swp_entry_t swap, struct zpool_location *loc);

/*
 * The object of a slot as it is stored, into @buf of PAGE_SIZE bytes: its length; 0: there is none.
 * For tests and comparisons; with contents.
 */
unsigned zswap_copy_object(struct zswap *z, swp_entry_t swap, void *buf);

/* 0, or what the swap device's file failed with in a writeback: the run cannot go on. */
int zswap_dev_error(const struct zswap *z);

/*
 * Checks what must hold between two operations: counters against the entries, bytes against their
 * sum, list lengths, no object left mapped. 0, or -EUCLEAN and one line in @err. O(entries).
 */
int zswap_check(const struct zswap *z, char *err, size_t err_size);

#endif
