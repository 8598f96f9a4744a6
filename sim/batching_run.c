// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "sim/batching_private.h"

struct run {
	struct acomp_watch watch;
	struct batching_machine m;
	struct batching_trace *trace;
	struct batching_result *result;
	struct trace_error *err;
};

static struct run *run_of(struct acomp_watch *watch)
{
	return (struct run *)((char *)watch - offsetof(struct run, watch));
}

static void called(struct acomp_watch *watch, unsigned units, uint64_t ns)
{
	struct batching_result *result = run_of(watch)->result;

	histogram_add(&result->call_ns, ns);
	histogram_add(&result->call_page_ns, ns / units);
	histogram_add(&result->call_units, units);
}

static void submitting(struct acomp_watch *watch)
{
}

static void submitted(struct acomp_watch *watch, unsigned units, uint64_t modelled_ns)
{
	struct batching_result *result = run_of(watch)->result;

	histogram_add(&result->device_units, units);
	if (!modelled_ns)
		return;
	histogram_add(&result->device_ns, modelled_ns);
	histogram_add(&result->device_page_ns, (modelled_ns + units / 2) / units);
}

static void observe_page(void *arg, const struct zswap_page_event *event)
{
	struct run *r = arg;

	if (event->dir == ZSWAP_LOAD && event->cost && event->cost->modelled_ns)
		histogram_add(&r->result->load_device_ns, event->cost->modelled_ns);
}

static int store_all(struct run *r)
{
	for (uint64_t i = 0; i < r->trace->nr_folios; i++) {
		const struct batching_folio *from = &r->trace->folios[i];
		struct folio folio;
		int ret = batching_machine_fill(&r->m, r->trace, from, &folio, r->err);

		if (ret)
			return ret;
		r->result->folios++;
		r->result->pages += 1u << from->order;
		if (!zswap_store(r->m.z, &folio)) {
			r->result->refused_folios++;
			r->result->refused_pages += 1u << from->order;
		}
		crypto_acomp_run_worker(r->m.k);
		page_frames_trim(r->m.k->frames);
	}
	return 0;
}

/* Slot by slot, so that it does not matter where an object lies. */
static int hash_objects(struct run *r)
{
	XXH3_state_t *state = XXH3_createState();
	unsigned char object[PAGE_SIZE];
	XXH128_hash_t hash;

	if (!state)
		return batching_fail(r->err, -ENOMEM, "out of memory");
	XXH3_128bits_reset(state);
	for (uint64_t slot = 0; slot < r->trace->nr_pages; slot++) {
		uint32_t length = zswap_copy_object(r->m.z, (swp_entry_t){0, slot}, object);

		XXH3_128bits_update(state, &length, sizeof(length));
		XXH3_128bits_update(state, object, length);
		r->result->stored_bytes += length;
	}
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(r->result->objects, sizeof(r->result->objects), "%016" PRIx64 "%016" PRIx64,
		 (uint64_t)hash.high64, (uint64_t)hash.low64);
	return 0;
}

static int load_page(struct run *r, uint64_t slot)
{
	struct folio folio = {.page = r->m.page, .memcg = r->m.memcg, .swap = {0, slot}};
	const void *expected;
	int ret;

	memset(page_address(r->m.page), 0xa5, PAGE_SIZE);
	ret = zswap_load(r->m.z, &folio);
	if (ret == -ENOENT) /* it was refused */
		return 0;
	r->result->verified_pages++;
	if (ret) {
		r->result->mismatched_pages++;
		return 0;
	}
	ret = trace_reader_page(r->trace->reader, r->trace->ids[slot], &expected, r->err);
	if (!ret)
		r->result->mismatched_pages +=
			memcmp(page_address(r->m.page), expected, PAGE_SIZE) != 0;
	return ret;
}

static int load_all(struct run *r)
{
	int ret = 0;

	for (uint64_t i = 0; i < r->trace->nr_folios && !ret; i++) {
		const struct batching_folio *folio = &r->trace->folios[i];

		for (unsigned page = 0; page < 1u << folio->order && !ret; page++)
			ret = load_page(r, folio->first + page);
	}
	return ret;
}

static void init_result(struct batching_result *result)
{
	memset(result, 0, sizeof(*result));
	histogram_init(&result->call_ns);
	histogram_init(&result->call_page_ns);
	histogram_init(&result->device_ns);
	histogram_init(&result->device_page_ns);
	histogram_init(&result->call_units);
	histogram_init(&result->device_units);
	histogram_init(&result->load_device_ns);
}

int batching_run(const struct batching_config *config, enum zswap_batching mode, bool writeback,
		 struct batching_trace *trace, struct batching_result *result,
		 struct trace_error *err)
{
	struct run r = {.watch = {called, submitting, submitted},
			.trace = trace,
			.result = result,
			.err = err};
	int ret;

	init_result(result);
	memset(err, 0, sizeof(*err));
	ret = batching_machine_init(&r.m, config, mode, trace->nr_pages, config->clock,
				    observe_page, &r);
	if (ret) {
		batching_fail(err, ret, strerror(-ret));
		goto out;
	}
	r.m.memcg->zswap_writeback = writeback;
	zswap_acomp(r.m.z)->watch = &r.watch;
	ret = store_all(&r);
	if (!ret)
		ret = hash_objects(&r);
	result->zswap = *zswap_stats(r.m.z);
	zswap_compress_stats(r.m.z, &result->compress);
	if (!ret)
		ret = load_all(&r);
out:
	batching_machine_finish(&r.m);
	return ret;
}

bool batching_same_counters(const struct zswap_stats *a, const struct zswap_stats *b)
{
	struct zswap_stats one = *a, other = *b;

	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		struct zswap_account *x = &one.dir[dir], *y = &other.dir[dir];

		/* Times are not the same twice. */
		x->init_ns = y->init_ns = 0;
		x->codec_ns = y->codec_ns = 0;
		x->copy_ns = y->copy_ns = 0;
	}
	return !memcmp(&one, &other, sizeof(one));
}
