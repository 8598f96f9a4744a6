// SPDX-License-Identifier: GPL-2.0-or-later
/* A folio in one request, whose results lie packed in a chain of pages (sim/acomp_chain.h). */
#include <errno.h>

#include "sim/acomp_chain.h"
#include "sim/zswap_batch.h"

/* Unit @i of a submission of @nr: the calls of all are told with the first, as by the chain. */
static void cost_of_unit(const struct zswap *z, unsigned nr, unsigned i, struct acomp_cost *cost)
{
	struct acomp_cost whole = z->compress_cost;

	for (unsigned call = 0; call < ACOMP_NR_CALLS; call++)
		whole.calls[call] *= nr;
	acomp_cost_part(&whole, nr, i, cost);
}

/* Without contents: the units from @first on, as far as there is room for them. */
static void chain_of_lengths(struct zswap *z, const struct folio *folio, unsigned first,
			     struct acomp_chain *chain)
{
	unsigned nr = folio_nr_pages(folio) - first, size = z->batch_size;
	struct zswap_unit unit;

	acomp_chain_begin(chain);
	for (unsigned i = 0; i < nr; i++) {
		unsigned at = i % size, left = nr - (i - at);

		zswap_unit_of_length(z, folio, first + i, !at, &unit);
		z->compress.units++;
		if (acomp_chain_add(chain, NULL, unit.ret ? 0 : unit.dlen))
			break;
		cost_of_unit(z, left < size ? left : size, at, &unit.cost);
		acomp_chain_set_cost(chain, i, &unit.cost);
	}
}

/* How many units of the folio from @first on are in the chain then: at least one. */
static unsigned compress_from(struct zswap *z, const struct folio *folio, unsigned first,
			      struct acomp_chain *chain)
{
	struct acomp_req *req = &z->acomp_ctx[z->k->cpu].req;
	unsigned nr = folio_nr_pages(folio) - first;
	uint64_t repeated = acomp_chain_stats(chain)->repeated;

	if (!z->k->contents) {
		chain_of_lengths(z, folio, first, chain);
		return acomp_chain_nr_done(chain);
	}
	acomp_request_set_unit_size(req, PAGE_SIZE);
	acomp_request_set_src_folio(req, folio->page, first * PAGE_SIZE, nr * PAGE_SIZE);
	acomp_request_set_dst_chain(req, chain);
	crypto_acomp_compress(req);
	acomp_request_set_unit_size(req, 0);
	nr = acomp_chain_nr_done(chain);
	z->compress.units += nr + acomp_chain_stats(chain)->repeated - repeated;
	return nr;
}

struct result {
	unsigned dlen; /* 0: it did not shrink, or failed */
	const void *data;
	struct acomp_cost cost;
	uint64_t ns; /* its part of the request's time */
};

static bool store_result(struct zswap *z, const struct folio *folio, unsigned index,
			 struct result *result, struct zswap_page_event *event)
{
	const struct profile *profile = &z->k->profile;
	struct zswap_entry *entry = kmem_cache_alloc(z->entry_cache);

	if (!entry) {
		z->stats.reject_kmemcache_fail++;
		z->reject = ZSWAP_REJECT_KMEMCACHE_FAIL;
		event->ret = -ENOMEM;
		return false;
	}
	entry->nid = folio->page ? folio->page->nid : 0;
	event->path = zswap_path_of(result->cost.path);
	zswap_event_add_cost(event, &result->cost);
	if (zswap_page_is_incompressible(profile, result->dlen ? 0 : -EINVAL, result->dlen)) {
		/* What the error was, the length does not say. */
		if (!zswap_stores_raw(profile, zswap_writeback_enabled(z, folio->memcg))) {
			zswap_reject_page(z, -EINVAL, 0, event);
			goto err_free_entry;
		}
		result->dlen = PAGE_SIZE;
		event->path = ZSWAP_PATH_RAW;
		if (z->k->contents)
			result->data = page_address(folio->page + index);
	}
	if (!zswap_store_object(z, folio, index, entry, result->data, result->dlen, event))
		goto err_free_entry;
	if (zswap_insert_entry(z, folio, index, entry, event))
		return true;
	zpool_free(z->zpool, entry->handle);
err_free_entry:
	kmem_cache_free(z->entry_cache, entry);
	return false;
}

/* Takes the next result, and stores it as page @index. */
static bool store_next(struct zswap *z, const struct folio *folio, unsigned index,
		       struct acomp_chain *chain, struct scatterlist **sg, struct result *result)
{
	struct zswap_page_event event = {.dir = ZSWAP_STORE, .path = ZSWAP_PATH_FAILED};
	uint64_t start = kernel_now(z->k);
	bool stored;

	result->dlen = acomp_chain_take(chain, sg, &result->data);
	event.copy_ns = kernel_now(z->k) - start;
	stored = store_result(z, folio, index, result, &event);
	event.total_ns = result->ns + kernel_now(z->k) - start;
	zswap_observe(z, &event);
	return stored;
}

unsigned zswap_folio_store(struct zswap *z, const struct folio *folio)
{
	struct acomp_chain *chain = z->batch[z->k->cpu].chain;
	unsigned nr_pages = folio_nr_pages(folio), index = 0;

	while (index < nr_pages) {
		uint64_t start = kernel_now(z->k), ns;
		struct scatterlist *sg;
		unsigned nr, i;

		z->compress.mutex_locks++;
		nr = compress_from(z, folio, index, chain);
		sg = acomp_chain_results(chain);
		ns = kernel_now(z->k) - start;
		for (i = 0; i < nr; i++) {
			struct result result = {.ns = ns / nr + (i ? 0 : ns % nr)};

			result.cost = *acomp_chain_cost(chain, i);
			if (!store_next(z, folio, index + i, chain, &sg, &result))
				break;
		}
		acomp_chain_release(chain);
		index += i;
		if (i < nr)
			break;
	}
	return index;
}
