/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of zsmalloc share: zspage.c (chunks, free lists, fullness groups), zsmalloc.c (the
 * pool), zs_object.c (contents) and zs_compact.c. Nobody else includes this, but its tests.
 */
#ifndef SIM_ZS_PRIVATE_H
#define SIM_ZS_PRIVATE_H

#include "sim/ref_list.h"
#include "sim/zsmalloc.h"

#define ZS_FULL		  (ZS_NR_FULLNESS - 1)
#define ZS_MAX_CACHES	  64 /* of zspage descriptors, by their size */
#define OBJ_ALLOCATED_TAG 1u
#define OBJ_TAG_BITS	  1
#define OBJ_LIST_END	  UINT16_MAX

/* mm/zsmalloc.c: struct size_class */
struct size_class {
	uint16_t index; /* as in zs_class_geometry, all five */
	uint16_t size;
	uint16_t objs;
	uint16_t pages;
	bool huge;
	uint16_t groups;		 /* a bit for each fullness group that has a zspage */
	uint32_t per_obj;		 /* zs_fullness_scale(objs) */
	struct kmem_cache *zspage_cache; /* shared with classes of like needs */
	uint64_t objs_allocated, objs_inuse;
	uint64_t payload_bytes, straddling_objs;
	struct ref_list fullness_list[ZS_NR_FULLNESS]; /* of struct zspage */
	uint32_t zspages[ZS_NR_FULLNESS];
};

/*
 * A descriptor and, in the same allocation, its pages and what is known of each chunk. It is kept
 * small: there is one for each few stored pages.
 *   pages[class->pages]     pfns of the page frames, in order
 *   headers[class->objs]    the word that the kernel keeps at the start of a chunk (for the huge
 *                           class, in the page descriptor), in 32 bits: next free index << 1, or
 *                           reference to the handle << 1 | 1
 * How many bytes an object has that were asked for is in its handle.
 */
struct zspage {
	struct ref_link list; /* in its fullness group, unless isolated by compaction */
	uint16_t readers;     /* read locks held */
	uint16_t inuse;
	uint16_t freeobj;      /* index of the first free chunk */
	uint16_t class : 10;   /* its place in pool->classes */
	uint16_t fullness : 6; /* group it is filed under */
	uint32_t pages[];
};
static_assert(sizeof(struct zspage) == 16, "zspage");

struct zspage_cache {
	struct kmem_cache *cache;
	size_t size;   /* bytes of a descriptor with its arrays */
	unsigned need; /* for pool->reserve_nr allocations */
};

struct zs_pool {
	struct kernel *k;
	char *name;
	struct zs_class_table table;
	struct size_class *classes;		 /* [table.nr] */
	uint16_t class_of[PAGE_SIZE / ZS_ALIGN]; /* of payloads of 1 to 8 bytes, of 9 to 16, ... */
	struct page *vmemmap;			 /* of the machine's frames */
	struct kmem_cache *handle_cache;
	struct zspage_cache caches[ZS_MAX_CACHES];
	unsigned nr_caches;
	unsigned reserve_nr, reserve_pages; /* what the last zs_reserve worked out */

	/* A bit a class: something of it changed since zs_next_changed_class() named it. */
	uint64_t changed[(ZS_MAX_CLASSES + 63) / 64];
	uint64_t pages, zspages, objects;
	uint64_t straddling_objs, payload_bytes;
	uint64_t chunk_bytes, used_chunk_bytes; /* all chunks; those of live objects */
	uint64_t tail_bytes;
	uint64_t pages_compacted, objs_moved, bytes_copied;

	struct zs_calls calls;
	uint64_t nr_mapped;
	uint64_t fail_in;
	/* 6.12's mapping area; the kernel has one a CPU. */
	struct {
		bool busy;
		enum zs_mapmode mode;
		char *buf; /* one chunk, or one page */
	} area;
};

/* Descriptors of all caches lie in one range: any of them tells what a reference refers to. */
static inline struct zspage *zspage_of_ref(const struct zs_pool *pool, uint32_t ref)
{
	return kmem_cache_object(pool->caches[0].cache, ref);
}

static inline uint32_t zspage_ref(const struct zs_pool *pool, const struct zspage *zspage)
{
	return kmem_cache_ref(pool->caches[0].cache, zspage);
}

static inline struct size_class *zspage_class(const struct zs_pool *pool,
					      const struct zspage *zspage)
{
	return &pool->classes[zspage->class];
}

/* Page @i of the zspage. */
static inline struct page *zspage_page(const struct zs_pool *pool, const struct zspage *zspage,
				       unsigned i)
{
	return pool->vmemmap + zspage->pages[i];
}

static inline uint32_t *zspage_headers(const struct size_class *class, struct zspage *zspage)
{
	return zspage->pages + class->pages;
}

static inline size_t zspage_bytes(const struct zs_class_geometry *c)
{
	return sizeof(struct zspage) + (c->pages + c->objs) * sizeof(uint32_t);
}

/* Byte of chunk @idx in the concatenated pages. */
static inline unsigned chunk_start(const struct size_class *class, unsigned idx)
{
	return idx * class->size;
}

/* Bytes of a chunk before its payload. */
static inline unsigned header_size(const struct size_class *class)
{
	return class->huge ? 0 : ZS_HANDLE_SIZE;
}

/* Whether a payload of @len bytes crosses a page (6.16 and later; D.6). */
static inline bool payload_straddles(const struct size_class *class, unsigned idx, unsigned len)
{
	return chunk_start(class, idx) % PAGE_SIZE + header_size(class) + len > PAGE_SIZE;
}

/* ---- object words (D.1) ---- */

#define OBJ_PFN_SHIFT	24
#define OBJ_CLASS_SHIFT 15 /* 7.3 */
#define OBJ_CLASS_MASK	0x1fful

/* (location_to_obj) @pfn: of the page where the chunk begins; @idx: its index in the zspage. */
static inline unsigned long location_to_obj(const struct zs_pool *pool, uint64_t pfn,
					    const struct size_class *class, unsigned idx)
{
	unsigned long obj = pfn << OBJ_PFN_SHIFT | idx;

	if (pool->k->profile.zsmalloc.obj_word == ZS_OBJ_WORD_CLASS9_IDX15)
		obj |= (unsigned long)class->index << OBJ_CLASS_SHIFT;
	return obj;
}

static inline unsigned obj_to_index(const struct zs_pool *pool, unsigned long obj)
{
	unsigned bits = pool->k->profile.zsmalloc.obj_word == ZS_OBJ_WORD_CLASS9_IDX15
				? OBJ_CLASS_SHIFT
				: OBJ_PFN_SHIFT;

	return obj & ((1ul << bits) - 1);
}

/* The class by the word alone, without a look at the page (7.3's zs_free). */
static inline struct size_class *obj_to_class(const struct zs_pool *pool, unsigned long obj)
{
	unsigned index = obj >> OBJ_CLASS_SHIFT & OBJ_CLASS_MASK;

	return &pool->classes[pool->table.raw_to_class[index]];
}

/*
 * What a handle points to: the object word, whose pfn leaves the upper bits free, and above it the
 * payload bytes that were asked for, less one.
 */
#define HANDLE_LENGTH_SHIFT 52
static_assert(PAGE_FRAMES_MAX <= 1ull << (HANDLE_LENGTH_SHIFT - OBJ_PFN_SHIFT),
	      "a pfn fits below the length");

static inline unsigned long handle_to_obj(unsigned long handle)
{
	return *(const unsigned long *)handle & ((1ul << HANDLE_LENGTH_SHIFT) - 1);
}

static inline unsigned handle_to_length(unsigned long handle)
{
	return (*(const unsigned long *)handle >> HANDLE_LENGTH_SHIFT) + 1;
}

static inline void record_obj(unsigned long handle, unsigned long obj, unsigned len)
{
	*(unsigned long *)handle = obj | (len - 1ul) << HANDLE_LENGTH_SHIFT;
}

static inline uint32_t handle_ref(const struct zs_pool *pool, unsigned long handle)
{
	return kmem_cache_ref(pool->handle_cache, (const void *)handle);
}

static inline unsigned long handle_of_ref(const struct zs_pool *pool, uint32_t ref)
{
	return (unsigned long)kmem_cache_object(pool->handle_cache, ref);
}

/* Where a handle's object is. */
struct obj_place {
	struct zspage *zspage;
	const struct size_class *class;
	struct page *page; /* where its chunk begins */
	unsigned idx;	   /* of the chunk in the zspage */
	unsigned offset;   /* of the chunk in @page */
};

static inline struct obj_place obj_place(const struct zs_pool *pool, unsigned long handle)
{
	unsigned long obj = handle_to_obj(handle);
	struct obj_place at;

	at.page = pool->vmemmap + (obj >> OBJ_PFN_SHIFT);
	at.zspage = zspage_of_ref(pool, at.page->zspage);
	at.class = zspage_class(pool, at.zspage);
	at.idx = obj_to_index(pool, obj);
	at.offset = chunk_start(at.class, at.idx) % PAGE_SIZE;
	return at;
}

static inline void note_changed(struct zs_pool *pool, const struct size_class *class)
{
	unsigned i = class - pool->classes;

	pool->changed[i / 64] |= 1ull << i % 64;
}

/* ---- zspage.c ---- */

/* NULL when out of memory. Not filed yet. */
struct zspage *alloc_zspage(struct zs_pool *pool, struct size_class *class, int nid);
/* Removes it from its group and gives everything back. */
void free_zspage(struct zs_pool *pool, struct zspage *zspage);

/* The head of the fullest group that has room, NULL if there is none. */
static inline struct zspage *find_get_zspage(const struct zs_pool *pool,
					     const struct size_class *class)
{
	unsigned groups = class->groups & ((1u << ZS_FULL) - 1);

	if (!groups)
		return NULL;
	return zspage_of_ref(pool, class->fullness_list[31 - __builtin_clz(groups)].first);
}

static inline unsigned get_fullness_group(const struct size_class *class,
					  const struct zspage *zspage)
{
	return zs_fullness_group_scaled(zspage->inuse, class->objs, class->per_obj);
}

/* At the head of group @fullness. */
void insert_zspage(struct zs_pool *pool, struct zspage *zspage, unsigned fullness);
void remove_zspage(struct zs_pool *pool, struct zspage *zspage);

/* Files it anew if its group changed; returns the group. */
static inline unsigned fix_fullness_group(struct zs_pool *pool, struct zspage *zspage)
{
	unsigned fullness = get_fullness_group(zspage_class(pool, zspage), zspage);

	if (fullness != zspage->fullness) {
		remove_zspage(pool, zspage);
		insert_zspage(pool, zspage, fullness);
	}
	return fullness;
}

/* Takes the first free chunk for @handle and @len bytes; records where it is in the handle. */
void obj_malloc(struct zs_pool *pool, struct zspage *zspage, unsigned long handle, unsigned len);
/* Gives chunk @idx back, an object of @len bytes; its handle stays with the caller. */
void obj_free(struct zs_pool *pool, struct zspage *zspage, unsigned idx, unsigned len);

/* ---- zs_object.c ---- */

/* Copies the payload of chunk @idx, @len bytes, to @buf or from it, in one or two parts. */
void obj_copy_out(const struct zs_pool *pool, const struct obj_place *at, void *buf, size_t len);
void obj_copy_in(const struct zs_pool *pool, const struct obj_place *at, const void *buf,
		 size_t len);

/* ---- zs_compact.c ---- */

/* Pages that compacting @class could free. */
unsigned long zs_can_compact(const struct size_class *class);

#endif
