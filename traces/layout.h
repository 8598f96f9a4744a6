/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a trace file, version 1: docs/trace-format.md says what they mean. All integers are
 * little-endian (convert with le64toh() and its kin); every struct is free of padding.
 */
#ifndef TRACES_LAYOUT_H
#define TRACES_LAYOUT_H

#include <assert.h>
#include <endian.h>
#include <stdint.h>

#define ZSWT_MAGIC	     "ZSWT"
#define ZSWT_END_MAGIC	     "ZSWTEND" /* with its NUL */
#define ZSWT_VERSION	     1u
#define ZSWT_ALIGN	     8u /* of sections and the footer */
#define ZSWT_MAX_BLOCK_PAGES 64u
#define ZSWT_MAX_COMPRESSORS 64u
#define ZSWT_MAX_STRINGS     (1u << 31) /* bytes */

#define ZSWT_CONTENT_FREE (1u << 0) /* lengths in place of the page dictionary */
#define ZSWT_WITHHELD	  (1u << 1) /* no command line, no memcg paths */
#define ZSWT_FLAGS	  (ZSWT_CONTENT_FREE | ZSWT_WITHHELD)

struct zswt_header {
	char magic[4];
	uint32_t version;
	uint32_t page_size;
	uint32_t flags;
	uint64_t file_bytes;
	uint64_t nr_pages;
	uint64_t nr_events;
	uint64_t nr_list_ids;
	uint64_t nr_stored_pages;
	uint64_t seed;
	uint32_t nr_memcgs;
	uint32_t nr_marks;
	uint32_t nr_cpus;
	uint32_t nr_swap_types;
	uint32_t block_pages;
	uint32_t nr_compressors;
	uint32_t maker; /* this and the next two: position in the strings */
	uint32_t command;
	uint32_t title;
	uint32_t reserved0;
	uint64_t nr_type[8];
	uint8_t reserved1[80];
	uint64_t checksum; /* XXH3-64 of the bytes before it */
};
static_assert(sizeof(struct zswt_header) == 256, "header");

/* Sections, in the order in which they lie in the file. */
enum zswt_section_kind {
	ZSWT_BLOCKS,	  /* packed pages, block after block */
	ZSWT_INDEX,	  /* struct zswt_block, one a block */
	ZSWT_KEYS,	  /* XXH3-128 of each page, canonical (big-endian) */
	ZSWT_COMPRESSORS, /* u32 name, one a compressor: content-free traces only */
	ZSWT_LENGTHS,	  /* u16, compressors of page 0, of page 1, ...: likewise */
	ZSWT_LISTS,	  /* u32 page ids */
	ZSWT_MEMCGS,	  /* struct zswt_memcg */
	ZSWT_MARKS,	  /* u32 name */
	ZSWT_STRINGS,	  /* each ends with a NUL; the first is empty */
	ZSWT_EVENTS,	  /* struct zswt_event */
	ZSWT_SECTIONS,
};

/* For messages. */
extern const char *const zswt_section_names[ZSWT_SECTIONS];

struct zswt_block {
	uint64_t offset; /* in the file */
	uint32_t bytes;	 /* as many as the pages have: not compressed; less: one zstd frame */
	uint32_t reserved;
	uint64_t checksum; /* XXH3-64 of the bytes as they are in the file */
};
static_assert(sizeof(struct zswt_block) == 24, "block");

struct zswt_memcg {
	uint32_t path;
	uint16_t parent;
	uint8_t zswap_writeback;
	uint8_t online;
	uint64_t zswap_max;
};
static_assert(sizeof(struct zswt_memcg) == 16, "memcg");

struct zswt_event {
	uint64_t time_ns;
	uint8_t type;
	uint8_t order;
	uint8_t swap_type;
	uint8_t what;
	uint16_t cpu;
	uint16_t memcg;
	uint64_t offset;
	uint64_t arg;
};
static_assert(sizeof(struct zswt_event) == 32, "event");

struct zswt_section {
	uint32_t kind;
	uint32_t reserved;
	uint64_t offset;
	uint64_t bytes;
	uint64_t checksum; /* XXH3-64; 0 for the blocks, which have their own */
};
static_assert(sizeof(struct zswt_section) == 32, "section");

struct zswt_footer {
	struct zswt_section sections[ZSWT_SECTIONS];
	uint64_t checksum; /* XXH3-64 of the bytes before it in the footer */
	uint8_t hash[16];  /* XXH3-128 of all bytes of the file before it, canonical */
	char magic[8];
};
static_assert(sizeof(struct zswt_footer) == 352, "footer");

#define ZSWT_HASH_TO_END 24u /* bytes of the hash and what follows it */

static inline uint64_t zswt_align(uint64_t offset)
{
	return (offset + ZSWT_ALIGN - 1) & ~(uint64_t)(ZSWT_ALIGN - 1);
}

#endif
