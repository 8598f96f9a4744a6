// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zswap_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acomp_chain.h"

static unsigned batching(const struct zswap *z)
{
	return z->k->profile.zswap.batching;
}

/* ---- what a CPU has ---- */

static int create_buffers(struct zswap *z, struct zswap_batch *batch)
{
	for (unsigned i = 1; i < z->batch_size; i++) {
		batch->buffers[i] = alloc_pages(z->k->frames, 0, 0);
		if (!batch->buffers[i])
			return -ENOMEM;
	}
	return 0;
}

static int create_requests(struct zswap *z, struct zswap_batch *batch)
{
	for (unsigned i = 1; i < z->batch_size && z->acomp; i++) {
		batch->requests[i] = acomp_request_alloc(z->acomp);
		if (!batch->requests[i])
			return -ENOMEM;
	}
	return 0;
}

static int create_one(struct zswap *z, struct crypto_acomp_ctx *ctx, struct zswap_batch *batch)
{
	int ret;

	batch->buffers[0] = ctx->buffer;
	batch->requests[0] = &ctx->req;
	if (batching(z) == ZSWAP_BATCHING_FOLIO) {
		unsigned at_once = z->acomp ? crypto_acomp_batch_size(z->acomp) : 1;

		return acomp_chain_create(z->k, ctx->buffer, ZSWAP_MAX_FOLIO_PAGES, at_once,
					  &batch->chain);
	}
	ret = create_buffers(z, batch);
	if (!ret && batching(z) == ZSWAP_BATCHING_REQUESTS)
		ret = create_requests(z, batch);
	sg_init_table(batch->sg, z->batch_size);
	return ret;
}

int zswap_batch_create(struct zswap *z)
{
	int ret = 0;

	z->batch_size = 1;
	if (batching(z) == ZSWAP_BATCHING_NONE)
		return 0;
	if (z->acomp)
		z->batch_size = crypto_acomp_batch_size(z->acomp);
	if (z->batch_size > ZSWAP_MAX_BATCH_SIZE)
		z->batch_size = ZSWAP_MAX_BATCH_SIZE;
	z->batch = calloc(z->k->nr_cpus, sizeof(*z->batch));
	if (!z->batch)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < z->k->nr_cpus && !ret; cpu++)
		ret = create_one(z, &z->acomp_ctx[cpu], &z->batch[cpu]);
	return ret;
}

void zswap_batch_destroy(struct zswap *z)
{
	for (unsigned cpu = 0; z->batch && cpu < z->k->nr_cpus; cpu++) {
		struct zswap_batch *batch = &z->batch[cpu];

		for (unsigned i = 1; i < ZSWAP_MAX_BATCH_SIZE; i++) {
			if (batch->buffers[i])
				free_pages(z->k->frames, batch->buffers[i]);
			acomp_request_free(batch->requests[i]);
		}
		acomp_chain_destroy(batch->chain);
	}
	free(z->batch);
	z->batch = NULL;
}

int zswap_batch_reserve(struct zswap *z, unsigned nr)
{
	int ret = 0;

	/* Destination pages beside those of the pool: as if it took twice as many. */
	if (batching(z) == ZSWAP_BATCHING_FOLIO) {
		ret = zpool_reserve(z->zpool, 2 * nr);
		for (unsigned cpu = 0; cpu < z->k->nr_cpus && !ret; cpu++)
			ret = acomp_chain_reserve(z->batch[cpu].chain, nr);
	}
	return ret;
}

/* ---- pages through the compressor ---- */

static void compress_requests(struct zswap *z, struct zswap_batch *batch, const struct folio *folio,
			      unsigned first, unsigned nr, struct zswap_unit *units)
{
	struct page *pages[ZSWAP_MAX_BATCH_SIZE];
	unsigned dlens[ZSWAP_MAX_BATCH_SIZE];
	void *dsts[ZSWAP_MAX_BATCH_SIZE];
	int errors[ZSWAP_MAX_BATCH_SIZE];

	for (unsigned i = 0; i < nr; i++) {
		pages[i] = folio->page + first + i;
		dsts[i] = page_address(batch->buffers[i]);
		dlens[i] = PAGE_SIZE;
	}
	crypto_acomp_batch_compress(batch->requests, pages, dsts, dlens, errors, nr);
	for (unsigned i = 0; i < nr; i++) {
		units[i].ret = errors[i];
		units[i].dlen = dlens[i];
		units[i].cost = batch->requests[i]->cost;
	}
}

static void compress_segmented(struct zswap *z, struct zswap_batch *batch,
			       const struct folio *folio, unsigned first, unsigned nr,
			       struct zswap_unit *units)
{
	struct acomp_req *req = batch->requests[0];

	/* The results of the last request are in the lengths. */
	for (unsigned i = 0; i < nr; i++)
		sg_set_page(&batch->sg[i], batch->buffers[i], PAGE_SIZE, 0);
	acomp_request_set_unit_size(req, PAGE_SIZE);
	acomp_request_set_src_folio(req, folio->page, first * PAGE_SIZE, nr * PAGE_SIZE);
	acomp_request_set_dst_sg(req, batch->sg, nr * PAGE_SIZE);
	crypto_acomp_compress(req);
	acomp_request_set_unit_size(req, 0);
	for (unsigned i = 0; i < nr; i++) {
		int result = acomp_unit_result(&batch->sg[i]);

		units[i].ret = result < 0 ? result : 0;
		units[i].dlen = result < 0 ? 0 : result;
		acomp_cost_part(&req->cost, nr, i, &units[i].cost);
	}
}

static void compress_units(struct zswap *z, const struct folio *folio, unsigned first, unsigned nr,
			   struct zswap_unit *units)
{
	struct zswap_batch *batch = &z->batch[z->k->cpu];

	z->compress.units += nr;
	if (!z->k->contents) {
		for (unsigned i = 0; i < nr; i++)
			zswap_unit_of_length(z, folio, first + i, !i, &units[i]);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		units[i].from = page_address(batch->buffers[i]);
	if (batching(z) == ZSWAP_BATCHING_REQUESTS)
		compress_requests(z, batch, folio, first, nr, units);
	else
		compress_segmented(z, batch, folio, first, nr, units);
}

/* ---- a store batch ---- */

struct store {
	const struct folio *folio;
	unsigned first, nr; /* pages of the folio */
	bool raw;	    /* what does not shrink is stored as it is */
	struct zswap_entry *entries[ZSWAP_MAX_BATCH_SIZE];
	struct zswap_unit units[ZSWAP_MAX_BATCH_SIZE];
	struct zswap_page_event events[ZSWAP_MAX_BATCH_SIZE];
	unsigned seen; /* pages that the compressor saw, or that failed before it */
};

static bool alloc_entries(struct zswap *z, struct store *s)
{
	for (unsigned i = 0; i < s->nr; i++) {
		s->entries[i] = kmem_cache_alloc(z->entry_cache);
		if (!s->entries[i]) {
			while (i--)
				kmem_cache_free(z->entry_cache, s->entries[i]);
			z->stats.reject_kmemcache_fail++;
			z->reject = ZSWAP_REJECT_KMEMCACHE_FAIL;
			s->events[0].ret = -ENOMEM;
			s->seen = 1;
			return false;
		}
		s->entries[i]->handle = 0;
		s->entries[i]->nid = s->folio->page ? s->folio->page->nid : 0;
	}
	return true;
}

static bool is_incompressible(const struct zswap *z, const struct zswap_unit *unit)
{
	if (batching(z) == ZSWAP_BATCHING_SEGMENTED)
		return unit->ret;
	return zswap_page_is_incompressible(&z->k->profile, unit->ret, unit->dlen);
}

/* A frame of a whole page, which a load takes for a page that was stored as it is. */
static bool is_lost(const struct zswap *z, const struct zswap_unit *unit)
{
	return batching(z) == ZSWAP_BATCHING_SEGMENTED && !unit->ret && unit->dlen == PAGE_SIZE &&
	       z->k->profile.zswap.incompressible == ZSWAP_INCOMPRESSIBLE_STORE_RAW;
}

/* Every page that may not be stored counts, and then no page of these is. */
static bool reject_units(struct zswap *z, struct store *s, unsigned at, unsigned nr)
{
	bool any = false;

	for (unsigned i = at; i < at + nr && !s->raw; i++) {
		const struct zswap_unit *unit = &s->units[i];

		if (!is_incompressible(z, unit))
			continue;
		zswap_reject_page(z, unit->ret ? unit->ret : -EINVAL, 0, &s->events[i]);
		any = true;
	}
	return any;
}

static bool store_unit(struct zswap *z, struct store *s, unsigned i)
{
	struct zswap_unit *unit = &s->units[i];

	if (is_incompressible(z, unit)) {
		unit->dlen = PAGE_SIZE;
		s->events[i].path = ZSWAP_PATH_RAW;
		if (z->k->contents)
			unit->from = page_address(s->folio->page + s->first + i);
	}
	return zswap_store_object(z, s->folio, s->first + i, s->entries[i], unit->from, unit->dlen,
				  &s->events[i]);
}

/* The mutex is held from here to the end of it. */
static bool compress_and_store(struct zswap *z, struct store *s)
{
	z->compress.mutex_locks++;
	for (unsigned at = 0; at < s->nr; at += z->batch_size) {
		unsigned nr = s->nr - at < z->batch_size ? s->nr - at : z->batch_size;

		compress_units(z, s->folio, s->first + at, nr, s->units + at);
		s->seen = at + nr;
		for (unsigned i = at; i < at + nr; i++) {
			s->events[i].path = zswap_path_of(s->units[i].cost.path);
			zswap_event_add_cost(&s->events[i], &s->units[i].cost);
		}
		if (reject_units(z, s, at, nr))
			return false;
		for (unsigned i = at; i < at + nr; i++) {
			if (!store_unit(z, s, i))
				return false;
		}
	}
	return true;
}

/* Entries that did not get into the tree. */
static void free_entries(struct zswap *z, struct store *s, unsigned from)
{
	for (unsigned i = from; i < s->nr; i++) {
		if (s->entries[i]->handle) {
			zpool_free(z->zpool, s->entries[i]->handle);
			z->stats.rolled_back++;
		}
		kmem_cache_free(z->entry_cache, s->entries[i]);
	}
}

static void observe_all(struct zswap *z, struct store *s, uint64_t ns)
{
	/* What was done for all together counts for each in equal parts. */
	for (unsigned i = 0; i < s->seen; i++) {
		s->events[i].total_ns = ns / s->seen + (i ? 0 : ns % s->seen);
		zswap_observe(z, &s->events[i]);
	}
}

static unsigned store_pages(struct zswap *z, struct store *s)
{
	uint64_t start = kernel_now(z->k);
	unsigned inserted = 0;

	s->seen = 0;
	for (unsigned i = 0; i < s->nr; i++)
		s->events[i] =
			(struct zswap_page_event){.dir = ZSWAP_STORE, .path = ZSWAP_PATH_FAILED};
	if (!alloc_entries(z, s))
		goto out;
	if (compress_and_store(z, s)) {
		while (inserted < s->nr &&
		       zswap_insert_entry(z, s->folio, s->first + inserted, s->entries[inserted],
					  &s->events[inserted])) {
			/* Without contents: what comes back will be another page. */
			if (is_lost(z, &s->units[inserted]))
				s->entries[inserted]->id = ~s->entries[inserted]->id;
			inserted++;
		}
	}
	free_entries(z, s, inserted);
out:
	observe_all(z, s, kernel_now(z->k) - start);
	return inserted;
}

unsigned zswap_batch_store(struct zswap *z, const struct folio *folio)
{
	unsigned size = z->batch_size > 1 ? z->batch_size : ZSWAP_MAX_BATCH_SIZE;
	unsigned nr_pages = folio_nr_pages(folio);
	struct store s;

	if (batching(z) == ZSWAP_BATCHING_FOLIO)
		return zswap_folio_store(z, folio);
	s.folio = folio;
	s.first = 0;
	s.raw = zswap_stores_raw(&z->k->profile, zswap_writeback_enabled(z, folio->memcg));
	while (s.first < nr_pages) {
		unsigned stored;

		s.nr = nr_pages - s.first < size ? nr_pages - s.first : size;
		stored = store_pages(z, &s);
		s.first += stored;
		if (stored < s.nr)
			break;
	}
	return s.first;
}

/* ---- looking in from outside ---- */

void zswap_compress_stats(const struct zswap *z, struct zswap_compress_stats *stats)
{
	*stats = z->compress;
	stats->requests = 1;
	stats->standing_bytes =
		sizeof(struct acomp_req) + (PAGE_SIZE << (z->k->profile.zswap.buffer_pages > 1));
	if (z->acomp) {
		stats->calls = z->acomp->counts.calls;
		stats->submissions = z->acomp->counts.submissions;
	}
	if (!z->batch)
		return;
	if (batching(z) == ZSWAP_BATCHING_REQUESTS) {
		stats->requests = z->batch_size;
		stats->standing_bytes += (z->batch_size - 1) * sizeof(struct acomp_req);
	}
	if (batching(z) == ZSWAP_BATCHING_SEGMENTED)
		stats->standing_bytes += z->batch_size * sizeof(struct scatterlist);
	if (batching(z) != ZSWAP_BATCHING_FOLIO)
		stats->standing_bytes += (z->batch_size - 1) * PAGE_SIZE;
	for (unsigned cpu = 0; cpu < z->k->nr_cpus && z->batch[cpu].chain; cpu++) {
		const struct acomp_chain_stats *chain = acomp_chain_stats(z->batch[cpu].chain);

		stats->pages += chain->pages;
		stats->tables += chain->tables;
		if (chain->peak_bytes > stats->peak_bytes)
			stats->peak_bytes = chain->peak_bytes;
		stats->results_copied += chain->copies;
		stats->copied_bytes += chain->copied_bytes;
		stats->crossings += chain->crossings;
		stats->stops += chain->stops;
		stats->repeated += chain->repeated;
		if (!cpu)
			stats->standing_bytes += acomp_chain_standing_bytes(z->batch[cpu].chain);
	}
}
