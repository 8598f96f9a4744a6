// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const library_values[] = {"1.5.2", "1.5.7", NULL};
static const char *const api_values[] = {"scomp", "acomp", NULL};
static const char *const adapter_values[] = {"copies", "streams", NULL};
static const char *const context_values[] = {"once", "per_request", NULL};
static const char *const stream_init_values[] = {"eager", "deferred", NULL};
static const char *const cpuid_values[] = {"probe", "skip", "once", "static", NULL};
static const char *const bmi2_values[] = {"off", "on", NULL};
static const char *const allocator_values[] = {"zsmalloc", "zbud", "jemalloc", NULL};
static const char *const read_values[] = {"copy", "sg", NULL};
static const char *const straddle_values[] = {"class", "payload", NULL};
static const char *const obj_word_values[] = {"pfn40+idx24", "pfn40+class9+idx15", NULL};
static const char *const incompressible_values[] = {"reject", "store_raw", NULL};
static const char *const bool_values[] = {"no", "yes", NULL};
static const char *const load_large_values[] = {"error", "probe", NULL};
static const char *const writeback_order_values[] = {"erase_first", "decompress_first", NULL};
static const char *const no_device_values[] = {"enomem", "eexist", "enoent", NULL};
static const char *const dead_folios_values[] = {"own", "parent", NULL};
static const char *const shrinker_values[] = {"protected", "second_chance", NULL};
static const char *const batching_values[] = {"none", "requests", "segmented", "folio", NULL};
static const char *const load_failure_values[] = {"bug", "eio_keep", NULL};

#define NAMED(field, names, when, text)                                                            \
	{                                                                                          \
		.key = #field, .values = names, .since = when, .doc = text,                        \
		.offset = offsetof(struct profile, field)                                          \
	}
#define NUMBER(field, lo, hi, when, text)                                                          \
	{                                                                                          \
		.key = #field, .min = lo, .max = hi, .since = when, .doc = text,                   \
		.offset = offsetof(struct profile, field)                                          \
	}

static const struct profile_key keys[] = {
	NAMED(zstd.library, library_values, "1.5.7 by 6.16",
	      "the zstd that the kernel carries, to which lengths are compared"),
	NAMED(zstd.api, api_values, "acomp in 6.17",
	      "scomp: linear buffers, one-shot only; acomp: walks scatterlists, may stream"),
	NAMED(zstd.context, context_values, "per_request in 6.17",
	      "whether contexts are kept, or built anew by every request"),
	NAMED(zstd.stream_init, stream_init_values, "deferred by the August 2026 patches",
	      "eager: a stream context is built even if the request turns out one-shot"),
	NAMED(zstd.stream_drain, bool_values, "yes by the March 2026 patches, not merged",
	      "whether streams are drained and checked for their end, or may be cut silently"),
	NUMBER(zstd.params_hint, 0, 1u << 30, "262144 in 6.17",
	       "the source size in bytes that get_params(3, size) is told; 0: unknown"),
	NAMED(zstd.cpuid, cpuid_values, "the last three by patches of August 2026",
	      "how a context learns of BMI2: probe: 2 CPUIDs an initialisation; skip: none, never "
	      "BMI2; once: 2 at the first of each side; static: none, the kernel knows (what it "
	      "saves where the flag is used is not measured: the library is unmodified)"),
	NAMED(zstd.bmi2, bmi2_values, "no kernel's, for comparison",
	      "off: contexts as a processor without BMI2 has them, which run the generic code"),
	NAMED(pool.allocator, allocator_values, "a choice of users (zswap.zpool) to 6.17",
	      "what zswap stores in"),
	NAMED(scomp.adapter, adapter_values, "streams in 6.16",
	      "in front of lz4, lz4hc, lzo; copies: 128 KiB of scratch a side; streams: contexts a "
	      "CPU, a page of scratch for the source, no destination in pieces"),
	NAMED(deflate.api, api_values, "acomp in 6.16",
	      "scomp: linear, a stream that is kept; acomp: walks scatterlists, sets a stream up "
	      "every time"),
	NUMBER(zsmalloc.chain_size, 4, 16, "a build option, 8 by default",
	       "CONFIG_ZSMALLOC_CHAIN_SIZE: the most pages of a zspage"),
	NAMED(zsmalloc.read, read_values, "sg in 7.0",
	      "copy: an object over two pages is made linear; sg: given as two entries"),
	NAMED(zsmalloc.straddle, straddle_values, "payload by 6.16",
	      "whether the whole chunk or the payload must cross a page to count as crossing"),
	NAMED(zsmalloc.obj_word, obj_word_values, "class bits in 7.3",
	      "layout of the word behind a handle"),
	NAMED(zswap.incompressible, incompressible_values, "store_raw in 6.18",
	      "a page that does not shrink: refused, or kept as 4096 bytes"),
	NAMED(zswap.large_folios, bool_values, "yes in 6.13",
	      "whether a large folio is stored page by page, or refused"),
	NAMED(zswap.load_failure, load_failure_values, "eio_keep by 6.16",
	      "an entry that does not decompress: BUG(), or -EIO with the entry kept"),
	NUMBER(zswap.buffer_pages, 1, 2, "1 by 6.16", "pages of the per-CPU buffer"),
	NAMED(zswap.load_large, load_large_values, "probe in 7.4",
	      "a large load: an I/O error, or (probe) only if a page of it is in zswap"),
	NAMED(zswap.load_without_swapcache, bool_values, "no by 6.16",
	      "whether a load from a synchronous device leaves the entry in zswap"),
	NAMED(zswap.writeback_order, writeback_order_values, "decompress_first by 6.16",
	      "what a writeback does first; if it fails, whether the entry is still there"),
	NAMED(zswap.writeback_no_device, no_device_values, "eexist by 7.2, enoent in 7.4",
	      "what a writeback returns if its swap device is gone; eexist ends a shrinker's scan"),
	NAMED(zswap.shrinker, shrinker_values, "second_chance in 6.12",
	      "what spares young entries: a protected size (6.8), or a referenced bit"),
	NUMBER(zswap.shrink_batch, 1, 1024, "32 in 7.3",
	       "entries that shrink_memcg() looks at, a node and call"),
	NAMED(zswap.batching, batching_values, "proposals of 2025 and 2026, not merged",
	      "how a folio goes to the compressor; none: page by page; requests: arrays of 8, one "
	      "a page (v9); segmented: a request of units for 8 pages (v14); folio: one request "
	      "for all, destination pages allocated as they fill (the counter-proposal)"),
	NAMED(swap.nrswp_counters, bool_values, "yes in 7.3",
	      "whether vmstat counts I/O requests of swapping (nrswpin, nrswpout)"),
	NAMED(memcg.dead_folios, dead_folios_values, "parent in 7.1",
	      "whose writeback setting rules a page in memory of a memcg that is gone"),
	{.key = NULL},
};

static const struct profile preset_6_12 = {
	.name = "6.12",
	.zstd = {.library = ZSTD_LIBRARY_1_5_2,
		 .api = ZSTD_API_SCOMP,
		 .context = ZSTD_CONTEXT_ONCE,
		 .stream_init = ZSTD_STREAM_INIT_EAGER,
		 .stream_drain = 0,
		 .params_hint = 0,
		 .cpuid = ZSTD_CPUID_PROBE,
		 .bmi2 = 1},
	.pool = {.allocator = POOL_ALLOCATOR_ZSMALLOC},
	.scomp = {.adapter = SCOMP_ADAPTER_COPIES},
	.deflate = {.api = DEFLATE_API_SCOMP},
	.zsmalloc = {.chain_size = 8,
		     .read = ZS_READ_COPY,
		     .straddle = ZS_STRADDLE_CLASS,
		     .obj_word = ZS_OBJ_WORD_IDX24},
	.zswap = {.incompressible = ZSWAP_INCOMPRESSIBLE_REJECT,
		  .large_folios = 0,
		  .load_failure = ZSWAP_LOAD_FAILURE_BUG,
		  .buffer_pages = 2,
		  .load_large = ZSWAP_LOAD_LARGE_ERROR,
		  .load_without_swapcache = 1,
		  .writeback_order = ZSWAP_WRITEBACK_ERASE_FIRST,
		  .writeback_no_device = ZSWAP_NO_DEVICE_ENOMEM,
		  .shrinker = ZSWAP_SHRINKER_SECOND_CHANCE,
		  .shrink_batch = 1},
	.swap = {.nrswp_counters = 0},
	.memcg = {.dead_folios = MEMCG_DEAD_FOLIOS_OWN},
};

static const struct profile preset_7_3 = {
	.name = "7.3",
	.zstd = {.library = ZSTD_LIBRARY_1_5_7,
		 .api = ZSTD_API_ACOMP,
		 .context = ZSTD_CONTEXT_PER_REQUEST,
		 .stream_init = ZSTD_STREAM_INIT_EAGER,
		 .stream_drain = 0,
		 .params_hint = 262144,
		 .cpuid = ZSTD_CPUID_PROBE,
		 .bmi2 = 1},
	.pool = {.allocator = POOL_ALLOCATOR_ZSMALLOC},
	.scomp = {.adapter = SCOMP_ADAPTER_STREAMS},
	.deflate = {.api = DEFLATE_API_ACOMP},
	.zsmalloc = {.chain_size = 8,
		     .read = ZS_READ_SG,
		     .straddle = ZS_STRADDLE_PAYLOAD,
		     .obj_word = ZS_OBJ_WORD_CLASS9_IDX15},
	.zswap = {.incompressible = ZSWAP_INCOMPRESSIBLE_STORE_RAW,
		  .large_folios = 1,
		  .load_failure = ZSWAP_LOAD_FAILURE_EIO_KEEP,
		  .buffer_pages = 1,
		  .load_large = ZSWAP_LOAD_LARGE_ERROR,
		  .load_without_swapcache = 0,
		  .writeback_order = ZSWAP_WRITEBACK_DECOMPRESS_FIRST,
		  .writeback_no_device = ZSWAP_NO_DEVICE_EEXIST,
		  .shrinker = ZSWAP_SHRINKER_SECOND_CHANCE,
		  .shrink_batch = 32},
	.swap = {.nrswp_counters = 1},
	.memcg = {.dead_folios = MEMCG_DEAD_FOLIOS_PARENT},
};

static const char *const preset_names[] = {"6.8", "6.12", "6.17", "6.18", "7.0",
					   "7.2", "7.3",  "7.4",  NULL};

const struct profile_key *profile_keys(void)
{
	return keys;
}

const char *const *profile_presets(void)
{
	return preset_names;
}

/* Each preset is the nearest one that is written out, with what came or went in between. */
int profile_init(struct profile *p, const char *name, char *err, size_t err_size)
{
	int n;

	*p = preset_7_3;
	if (!strcmp(name, "6.12")) {
		*p = preset_6_12;
	} else if (!strcmp(name, "6.8")) {
		*p = preset_6_12;
		p->zswap.shrinker = ZSWAP_SHRINKER_PROTECTED;
	} else if (!strcmp(name, "6.17")) {
		p->zsmalloc.read = ZS_READ_COPY;
		p->zsmalloc.obj_word = ZS_OBJ_WORD_IDX24;
		p->zswap.incompressible = ZSWAP_INCOMPRESSIBLE_REJECT;
		p->zswap.shrink_batch = 1;
		p->swap.nrswp_counters = 0;
		p->memcg.dead_folios = MEMCG_DEAD_FOLIOS_OWN;
	} else if (!strcmp(name, "6.18")) {
		p->zsmalloc.read = ZS_READ_COPY;
		p->zswap.shrink_batch = 1;
		p->swap.nrswp_counters = 0;
		p->zsmalloc.obj_word = ZS_OBJ_WORD_IDX24;
		p->memcg.dead_folios = MEMCG_DEAD_FOLIOS_OWN;
	} else if (!strcmp(name, "7.0") || !strcmp(name, "7.2")) {
		p->zswap.shrink_batch = 1;
		p->swap.nrswp_counters = 0;
		p->zsmalloc.obj_word = ZS_OBJ_WORD_IDX24;
		if (!strcmp(name, "7.0"))
			p->memcg.dead_folios = MEMCG_DEAD_FOLIOS_OWN;
	} else if (!strcmp(name, "7.4")) {
		p->zstd.stream_init = ZSTD_STREAM_INIT_DEFERRED;
		p->zswap.load_large = ZSWAP_LOAD_LARGE_PROBE;
		p->zswap.writeback_no_device = ZSWAP_NO_DEVICE_ENOENT;
	} else if (strcmp(name, "7.3")) {
		n = snprintf(err, err_size, "unknown kernel '%s'; known:", name);
		for (const char *const *s = preset_names; *s && (size_t)n < err_size; s++)
			n += snprintf(err + n, err_size - n, " %s", *s);
		return -EINVAL;
	}
	snprintf(p->name, sizeof(p->name), "%s", name);
	return 0;
}

static unsigned *field(const struct profile *p, const struct profile_key *key)
{
	return (unsigned *)((char *)p + key->offset);
}

static int set_number(unsigned *to, const struct profile_key *key, const char *value, char *err,
		      size_t err_size)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || v < key->min || v > key->max) {
		snprintf(err, err_size, "%s=%s: not a number from %u to %u", key->key, value,
			 key->min, key->max);
		return -EINVAL;
	}
	*to = v;
	return 0;
}

static int set_named(unsigned *to, const struct profile_key *key, const char *value, char *err,
		     size_t err_size)
{
	int n;

	for (unsigned i = 0; key->values[i]; i++) {
		if (!strcmp(key->values[i], value)) {
			*to = i;
			return 0;
		}
	}
	n = snprintf(err, err_size, "%s=%s: the values are", key->key, value);
	for (unsigned i = 0; key->values[i] && (size_t)n < err_size; i++)
		n += snprintf(err + n, err_size - n, " %s", key->values[i]);
	return -EINVAL;
}

int profile_set(struct profile *p, const char *assignment, char *err, size_t err_size)
{
	const char *eq = strchr(assignment, '=');
	const struct profile_key *key;
	int n;

	if (!eq) {
		snprintf(err, err_size, "'%s' is not KEY=VALUE", assignment);
		return -EINVAL;
	}
	profile_for_each_key (key) {
		unsigned *to = field(p, key), before = *to;
		int ret;

		if (strlen(key->key) != (size_t)(eq - assignment) ||
		    strncmp(key->key, assignment, eq - assignment))
			continue;
		if (key->values)
			ret = set_named(to, key, eq + 1, err, err_size);
		else
			ret = set_number(to, key, eq + 1, err, err_size);
		p->changed |= *to != before;
		return ret;
	}
	n = snprintf(err, err_size, "unknown key '%.*s'; known:", (int)(eq - assignment),
		     assignment);
	profile_for_each_key (key) {
		if ((size_t)n < err_size)
			n += snprintf(err + n, err_size - n, " %s", key->key);
	}
	return -EINVAL;
}

const char *profile_value(const struct profile *p, const struct profile_key *key, char *buf,
			  size_t size)
{
	unsigned v = *field(p, key);

	if (key->values)
		snprintf(buf, size, "%s", key->values[v]);
	else
		snprintf(buf, size, "%u", v);
	return buf;
}

const char *profile_title(const struct profile *p, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", p->name, p->changed ? "+changes" : "");
	return buf;
}
