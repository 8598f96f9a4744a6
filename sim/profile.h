/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel profile: one field for each behaviour that changed between kernel versions, or that a
 * patch series changes. The port reads these fields; it never asks for a version. Presets are the
 * columns of the table in docs/profiles.md (`zswapsim profiles` prints them).
 *
 * To add a switch: a field here, a row in profile.c's table, a value in every preset.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

enum zstd_library { ZSTD_LIBRARY_1_5_2, ZSTD_LIBRARY_1_5_7 };
enum zstd_api { ZSTD_API_SCOMP, ZSTD_API_ACOMP };
enum zstd_context { ZSTD_CONTEXT_ONCE, ZSTD_CONTEXT_PER_REQUEST };
enum zstd_stream_init { ZSTD_STREAM_INIT_EAGER, ZSTD_STREAM_INIT_DEFERRED };
enum zstd_cpuid { ZSTD_CPUID_PROBE, ZSTD_CPUID_SKIP, ZSTD_CPUID_ONCE, ZSTD_CPUID_STATIC };
enum pool_allocator { POOL_ALLOCATOR_ZSMALLOC, POOL_ALLOCATOR_ZBUD, POOL_ALLOCATOR_JEMALLOC };
enum scomp_adapter { SCOMP_ADAPTER_COPIES, SCOMP_ADAPTER_STREAMS };
enum deflate_api { DEFLATE_API_SCOMP, DEFLATE_API_ACOMP };
enum zs_read { ZS_READ_COPY, ZS_READ_SG };
enum zs_straddle { ZS_STRADDLE_CLASS, ZS_STRADDLE_PAYLOAD };
enum zs_obj_word { ZS_OBJ_WORD_IDX24, ZS_OBJ_WORD_CLASS9_IDX15 };
enum zswap_incompressible { ZSWAP_INCOMPRESSIBLE_REJECT, ZSWAP_INCOMPRESSIBLE_STORE_RAW };
enum zswap_shrinker { ZSWAP_SHRINKER_PROTECTED, ZSWAP_SHRINKER_SECOND_CHANCE };
enum zswap_load_large { ZSWAP_LOAD_LARGE_ERROR, ZSWAP_LOAD_LARGE_PROBE };
enum zswap_writeback_order {
	ZSWAP_WRITEBACK_ERASE_FIRST,
	ZSWAP_WRITEBACK_DECOMPRESS_FIRST,
};
enum zswap_no_device { ZSWAP_NO_DEVICE_ENOMEM, ZSWAP_NO_DEVICE_EEXIST, ZSWAP_NO_DEVICE_ENOENT };
enum zswap_load_failure { ZSWAP_LOAD_FAILURE_BUG, ZSWAP_LOAD_FAILURE_EIO_KEEP };
enum zswap_batching {
	ZSWAP_BATCHING_NONE,
	ZSWAP_BATCHING_REQUESTS,
	ZSWAP_BATCHING_SEGMENTED,
	ZSWAP_BATCHING_FOLIO,
};
enum memcg_dead_folios { MEMCG_DEAD_FOLIOS_OWN, MEMCG_DEAD_FOLIOS_PARENT };

struct profile {
	char name[16]; /* of the preset it began as; a changed one prints as "7.3+changes" */
	bool changed;

	struct {
		unsigned library; /* enum zstd_library: the one the kernel carries */
		unsigned api;	  /* enum zstd_api: acomp since 6.17 */
		unsigned context; /* enum zstd_context: built once (6.12) or per request (6.17) */
		unsigned stream_init;  /* enum zstd_stream_init: deferred by the 2026-08 patches */
		unsigned stream_drain; /* 0, or 1: loops that end properly, mailed in March 2026 */
		unsigned params_hint;  /* bytes, 0 = unknown: the size that get_params() is told */
		unsigned cpuid;	       /* enum zstd_cpuid: who asks the processor for BMI2 */
		unsigned bmi2;	       /* 1: as the processor has it; 0: as one without it */
	} zstd;
	struct {
		unsigned allocator; /* enum pool_allocator: a choice (zswap.zpool) to 6.17 */
	} pool;
	struct {
		unsigned adapter; /* enum scomp_adapter: per-CPU streams since 6.16 */
	} scomp;
	struct {
		unsigned api; /* enum deflate_api: acomp since 6.16 */
	} deflate;
	struct {
		unsigned chain_size; /* pages, 4 to 16: CONFIG_ZSMALLOC_CHAIN_SIZE */
		unsigned read;	     /* enum zs_read: copy to 6.19, scatterlist since 7.0 */
		unsigned straddle;   /* enum zs_straddle: payload since 6.16 */
		unsigned obj_word;   /* enum zs_obj_word: class bits since 7.3 */
	} zsmalloc;
	struct {
		unsigned incompressible; /* enum zswap_incompressible: stored raw since 6.18 */
		unsigned large_folios;	 /* 0 refused (6.12), 1 stored page by page (6.13) */
		unsigned load_failure;	 /* enum zswap_load_failure: BUG in 6.12 */
		unsigned buffer_pages;	 /* 1 or 2: of the per-CPU buffer; 2 in 6.12 */
		unsigned load_large;	 /* enum zswap_load_large: looks at the range in 7.4 */
		unsigned load_without_swapcache; /* 1: a synchronous device keeps entries (6.12) */
		unsigned writeback_order;     /* enum zswap_writeback_order: erase first in 6.12 */
		unsigned writeback_no_device; /* enum zswap_no_device: the device is gone */
		unsigned shrinker;	      /* enum zswap_shrinker: second chance since 6.12 */
		unsigned shrink_batch;	      /* entries a node and call: 1 to 7.2, 32 since 7.3 */
		unsigned batching;	      /* enum zswap_batching: proposals, in no kernel */
	} zswap;
	struct {
		unsigned nrswp_counters; /* 1: I/O requests are counted too (7.3) */
	} swap;
	struct {
		/*
		 * enum memcg_dead_folios: whose the pages in memory are whose memcg is gone; the
		 * parent's since 7.1, when the root became charged as well.
		 */
		unsigned dead_folios;
	} memcg;
};

/* What a key of a profile looks like from outside; profile_keys() lists them all. */
struct profile_key {
	const char *key;	   /* "zstd.stream_init" */
	const char *const *values; /* names of values 0, 1, ...; NULL-terminated; NULL: a number */
	unsigned min, max;	   /* of a number */
	const char *since;	   /* version or series that introduced the change */
	const char *doc;	   /* one line: what it means */
	size_t offset;		   /* of its unsigned in struct profile */
};

#define PROFILE_DEFAULT "7.3"

/* Keys in order of print; ends with key == NULL. */
const struct profile_key *profile_keys(void);
#define profile_for_each_key(k) for (k = profile_keys(); (k)->key; (k)++)

/* Names of the presets, oldest first; ends with NULL. */
const char *const *profile_presets(void);

/* Fills @p with the preset @name. 0, or -EINVAL with a line in @err that lists the presets. */
int profile_init(struct profile *p, const char *name, char *err, size_t err_size);

/*
 * Changes one field by an assignment "KEY=VALUE". 0, or -EINVAL with one line in @err: an unknown
 * key lists the known ones, a bad value the good ones.
 */
int profile_set(struct profile *p, const char *assignment, char *err, size_t err_size);

/* The value of @key in words, into @buf; returns @buf. */
const char *profile_value(const struct profile *p, const struct profile_key *key, char *buf,
			  size_t size);

/* "7.3", or "7.3+changes"; into @buf, returns @buf. */
const char *profile_title(const struct profile *p, char *buf, size_t size);

#endif
