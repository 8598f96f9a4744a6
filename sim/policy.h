/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between zswapsim and a policy: which pages are stored, which are written back and
 * when, which compressor a page gets, when the pool is compacted (docs/policies.md walks through
 * one). It is installed as <zswapsim/policy.h> and needs nothing else; C11 and C++.
 *
 * A policy is a shared object with one symbol,
 *
 *	const struct zswapsim_policy_ops zswapsim_policy = {
 *		.abi_version = ZSWAPSIM_POLICY_ABI,
 *		.struct_size = sizeof(struct zswapsim_policy_ops),
 *		.name = "mine",
 *		...
 *	};
 *
 * Every function may be absent (NULL, or beyond the struct_size of an older header); what then
 * holds is said at each. "self" is what create() left, and all that is called for one run is called
 * by one thread. Another run of the same policy may be at work in another thread at that time: what
 * changes belongs to self. Pages are told one by one, those of a large folio too.
 *
 * All sizes are bytes. Structures grow at their end; a change that is not that is a new
 * ZSWAPSIM_POLICY_ABI, and a policy that has another one is refused.
 */
#ifndef ZSWAPSIM_POLICY_H
#define ZSWAPSIM_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZSWAPSIM_POLICY_ABI 1u

#define ZSWAPSIM_NONE  UINT64_C(0) /* no entry */
#define ZSWAPSIM_NEVER UINT64_MAX  /* no event */
#define ZSWAPSIM_ANY   UINT32_MAX  /* memcg or node */

enum zswapsim_objective {
	/* Fewest disk reads: a capacity in bytes of objects, no hysteresis, any page may go. */
	ZSWAPSIM_IDEAL,
	/* The kernel: a pool of pages with its limits and its shrink worker, memcgs, nodes. */
	ZSWAPSIM_KERNEL,
};

/*
 * A page that may be stored, or is. Valid during the call; that of a stored page until the call
 * that says that it is gone, at the same address.
 */
struct zswapsim_entry {
	/*
	 * Of a stored page, else ZSWAPSIM_NONE. The lower 32 bits are below the number of pages
	 * that were ever stored at a time, and are used again when it is gone: good for an array.
	 * The whole is never used again.
	 */
	uint64_t id;
	uint64_t slot;	  /* of the swap device: any number, the same whenever it is stored there */
	uint64_t event;	  /* number of the trace's event that stores it, from 0 */
	uint64_t time_ns; /* of that event, by the trace's clock */
	uint64_t next_use; /* event that loads it, or ZSWAPSIM_NEVER; if flags ask for it, else 0 */
	/*
	 * A load takes a page out of zswap: what is used is stored again. hits says how often that
	 * happened on end, without a read from disk or the slot being freed in between, and born is
	 * the event of the first of these stores.
	 */
	uint64_t born;
	uint32_t hits;
	uint32_t size;	/* stored; 4096: not compressed. 0 in codec(), where nobody knows it yet */
	uint32_t memcg; /* 0 is the root; changes when it goes offline (reparented()) */
	uint16_t node;	/* of memory */
	uint8_t order;	/* of the folio that it belongs to */
	uint8_t codec;	/* index of its compressor */
	void *priv;	/* entry_bytes of the policy's own, zero at first; NULL if it wants none */
};

/* The pool as it is now. */
struct zswapsim_pool {
	uint64_t event, time_ns; /* now */
	uint64_t used;		 /* ZSWAPSIM_IDEAL: sum of the sizes; _KERNEL: pages of the pool */
	uint64_t limit;		 /* at which (_IDEAL: above which) no page is accepted */
	uint64_t accept;	 /* a pool that was full accepts again from here; _IDEAL: limit */
	uint64_t payload;	 /* sum of the sizes */
	uint64_t entries;
	uint64_t disk_reads, written_back; /* pages until now */
};

/* What a victim is wanted for. */
struct zswapsim_want {
	uint32_t memcg, node; /* where it must be (zswapsim_fits()), or ZSWAPSIM_ANY */
	uint64_t bytes;	      /* to be freed in all; 0: not known */
	uint64_t newcomer; /* _IDEAL: the page that does not fit, stored already; it may go, too */
	/*
	 * How many more entries may be looked at in this round: each victim costs one. A policy
	 * that passes entries by may count them here.
	 */
	uint64_t budget;
};

/* Of a run, when it begins. */
struct zswapsim_params {
	const char *args; /* what follows the ':' of --policy mine.so:ARGS; "" if nothing does */
	enum zswapsim_objective objective;
	uint32_t nr_nodes;
	uint64_t limit;	    /* of the pool, at first */
	uint64_t nr_events; /* of the trace; 0: not known */
	uint32_t nr_codecs; /* compressors to choose from */
	const char *const *codecs;
	char *error; /* why create() failed, in words; at most error_size bytes with the NUL */
	size_t error_size;
};

/* flags */
#define ZSWAPSIM_FUTURE 1u /* next_use is filled in: no policy of a real kernel can have this */
/*
 * ZSWAPSIM_KERNEL: the shrink worker asks for a victim of any memcg and node. Without it, it goes
 * round the memcgs as the kernel's does, and asks for so many victims of each as the kernel would
 * look at.
 */
#define ZSWAPSIM_GLOBAL 2u

struct zswapsim_policy_ops {
	uint32_t abi_version; /* ZSWAPSIM_POLICY_ABI */
	uint32_t struct_size; /* sizeof(struct zswapsim_policy_ops) */
	const char *name;     /* one line, for reports; not NULL */
	uint32_t flags;
	uint32_t entry_bytes; /* of zswapsim_entry.priv, up to 4096 */

	/* 0, or a negative errno: there is no run. Absent: self is NULL. */
	int (*create)(const struct zswapsim_params *params, void **self);
	void (*destroy)(void *self);

	/* ---- events: what has happened ---- */

	void (*stored)(void *self, const struct zswapsim_entry *entry);
	/* The entry goes: it was loaded; its slot was freed or stored anew; it was written back. */
	void (*loaded)(void *self, const struct zswapsim_entry *entry);
	void (*invalidated)(void *self, const struct zswapsim_entry *entry);
	void (*written_back)(void *self, const struct zswapsim_entry *entry);
	/* A victim of its own stays: it could not be written back (no device; memcg forbids it). */
	void (*kept)(void *self, const struct zswapsim_entry *entry);
	/* A page was read from disk. Of the entry, slot, memcg, event and time (now) are set. */
	void (*missed)(void *self, const struct zswapsim_entry *page);
	/* @memcg went offline: its entries are @parent's, and say so already. */
	void (*reparented)(void *self, uint32_t memcg, uint32_t parent);

	/* ---- questions ---- */

	/*
	 * 1: store the page, 0: refuse it. Asked when its size is known and the kernel would store
	 * it. Absent: 1.
	 */
	int (*admit)(void *self, const struct zswapsim_entry *page,
		     const struct zswapsim_pool *pool);
	/*
	 * The id of the entry to write back, or ZSWAPSIM_NONE. _IDEAL: asked until what was stored
	 * fits; NONE gives up the newcomer. Absent: NONE.
	 */
	uint64_t (*victim)(void *self, struct zswapsim_want *want,
			   const struct zswapsim_pool *pool);
	/*
	 * _KERNEL: asked after each store, be it refused: the pool should have so many bytes at
	 * most; if it has more, entries are written back. Absent: the kernel's rule, which begins
	 * when a store is refused by a full pool, and ends at pool->accept. Even then it ends after
	 * 16 rounds in which nothing could be written back.
	 */
	uint64_t (*target)(void *self, const struct zswapsim_pool *pool);
	/* _KERNEL: asked after each store and its writebacks. 1: compact now. Absent: 0. */
	int (*compact)(void *self, const struct zswapsim_pool *pool);
	/*
	 * _KERNEL, where there are several: index of the compressor for a page, asked before
	 * admit(). Absent: 0.
	 */
	uint32_t (*codec)(void *self, const struct zswapsim_entry *page,
			  const struct zswapsim_pool *pool);
};

static inline uint32_t zswapsim_index(uint64_t id)
{
	return (uint32_t)id;
}

/* Whether @entry is one that @want may have. */
static inline int zswapsim_fits(const struct zswapsim_want *want,
				const struct zswapsim_entry *entry)
{
	return (want->memcg == ZSWAPSIM_ANY || want->memcg == entry->memcg) &&
	       (want->node == ZSWAPSIM_ANY || want->node == entry->node);
}

#define ZSWAPSIM_POLICY_SYMBOL "zswapsim_policy"
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct zswapsim_policy_ops zswapsim_policy;

#ifdef __cplusplus
}
#endif
#endif
