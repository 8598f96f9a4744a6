// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/acomp_chain.h"

#include <stdlib.h>
#include <string.h>

#include "sim/slab.h"

#define TABLE_ENTRIES 15u

struct table {
	struct table *next;
	struct scatterlist sg[TABLE_ENTRIES + 1]; /* the last one is for the link */
};

struct acomp_chain {
	struct kernel *k;
	unsigned max_units, batch;
	struct kmem_cache *table_cache;
	struct page *seed_page, *scratch[ACOMP_MAX_BATCH_SIZE];
	struct scatterlist seed[2]; /* an entry, and room for a link */
	struct acomp_cost *cost;    /* [max_units] */

	struct page **pages; /* [max_units]: those behind the seed */
	unsigned nr_pages;
	struct table *tables, *last_table; /* NULL: entries go to the seed */
	struct scatterlist *last;	   /* entry; NULL: none */
	struct table *spare;		   /* allocated, and not linked yet */
	unsigned entries_left;		   /* of the table at hand */
	unsigned fill;			   /* bytes used of the page at hand */
	unsigned nr_done;
	struct acomp_chain_stats stats;
};

int acomp_chain_create(struct kernel *k, struct page *seed, unsigned max_units, unsigned batch,
		       struct acomp_chain **out)
{
	struct acomp_chain *chain = calloc(1, sizeof(*chain));

	if (!chain)
		return -ENOMEM;
	chain->k = k;
	chain->max_units = max_units;
	chain->batch = batch;
	chain->table_cache = kmem_cache_create("acomp_chain", sizeof(struct table));
	chain->cost = calloc(max_units, sizeof(*chain->cost));
	chain->pages = calloc(max_units, sizeof(*chain->pages));
	chain->seed_page = seed;
	if (!chain->table_cache || !chain->cost || !chain->pages)
		goto err;
	for (unsigned i = 0; i < batch; i++) {
		chain->scratch[i] = alloc_pages(k->frames, 0, 0);
		if (!chain->scratch[i])
			goto err;
	}
	acomp_chain_begin(chain);
	*out = chain;
	return 0;
err:
	acomp_chain_destroy(chain);
	return -ENOMEM;
}

void acomp_chain_destroy(struct acomp_chain *chain)
{
	if (!chain)
		return;
	if (chain->table_cache)
		acomp_chain_release(chain);
	for (unsigned i = 0; i < chain->batch; i++) {
		if (chain->scratch[i])
			free_pages(chain->k->frames, chain->scratch[i]);
	}
	kmem_cache_destroy(chain->table_cache);
	free(chain->pages);
	free(chain->cost);
	free(chain);
}

int acomp_chain_reserve(struct acomp_chain *chain, unsigned units)
{
	/* Two entries a unit at most. */
	return kmem_cache_reserve(chain->table_cache, 2 * units / TABLE_ENTRIES + 2);
}

void acomp_request_set_dst_chain(struct acomp_req *req, struct acomp_chain *chain)
{
	acomp_chain_begin(chain);
	acomp_request_set_dst_sg(req, NULL, 0);
	req->chain = chain;
}

/* ---- what the chain is made of ---- */

void acomp_chain_release(struct acomp_chain *chain)
{
	for (unsigned i = 0; i < chain->nr_pages; i++)
		free_pages(chain->k->frames, chain->pages[i]);
	chain->nr_pages = 0;
	while (chain->tables) {
		struct table *table = chain->tables;

		chain->tables = table->next;
		kmem_cache_free(chain->table_cache, table);
	}
	if (chain->spare)
		kmem_cache_free(chain->table_cache, chain->spare);
	chain->spare = NULL;
	chain->last_table = NULL;
	chain->last = NULL;
	chain->nr_done = 0;
	chain->stats.bytes = 0;
}

void acomp_chain_begin(struct acomp_chain *chain)
{
	acomp_chain_release(chain);
	sg_init_table(chain->seed, 2);
	chain->entries_left = 1;
	chain->fill = 0;
}

static void count_bytes(struct acomp_chain *chain, size_t bytes)
{
	chain->stats.bytes += bytes;
	if (chain->stats.bytes > chain->stats.peak_bytes)
		chain->stats.peak_bytes = chain->stats.bytes;
}

/* One that is allocated and not used after all is there for the next unit. */
static int make_entries(struct acomp_chain *chain, unsigned nr)
{
	if (nr <= chain->entries_left || chain->spare)
		return 0;
	chain->spare = kmem_cache_alloc(chain->table_cache);
	if (!chain->spare)
		return -ENOMEM;
	chain->spare->next = NULL;
	sg_init_table(chain->spare->sg, TABLE_ENTRIES + 1);
	chain->stats.tables++;
	count_bytes(chain, sizeof(*chain->spare));
	return 0;
}

static struct scatterlist *link_spare(struct acomp_chain *chain)
{
	struct table *table = chain->spare;

	/* The element behind the last entry of a full table. */
	sg_chain(chain->last + 1, table->sg);
	if (chain->last_table)
		chain->last_table->next = table;
	else
		chain->tables = table;
	chain->last_table = table;
	chain->spare = NULL;
	chain->entries_left = TABLE_ENTRIES;
	return table->sg;
}

static struct scatterlist *new_entry(struct acomp_chain *chain)
{
	struct scatterlist *sg;

	if (!chain->last)
		sg = chain->seed;
	else
		sg = chain->entries_left ? chain->last + 1 : link_spare(chain);
	if (chain->last)
		chain->last->end = false;
	sg_mark_end(sg);
	chain->last = sg;
	chain->entries_left--;
	return sg;
}

static struct page *page_at_hand(const struct acomp_chain *chain)
{
	return chain->nr_pages ? chain->pages[chain->nr_pages - 1] : chain->seed_page;
}

static void use_page(struct acomp_chain *chain, struct page *page)
{
	chain->pages[chain->nr_pages++] = page;
	chain->fill = 0;
	chain->stats.pages++;
	count_bytes(chain, PAGE_SIZE);
}

/* @length bytes of the page at hand are an entry's. @data: NULL if they are there already. */
static struct scatterlist *put(struct acomp_chain *chain, const void *data, unsigned length)
{
	struct scatterlist *sg = new_entry(chain);
	struct page *page = page_at_hand(chain);

	sg_set_page(sg, page, length, chain->fill);
	if (data && length && chain->k->contents)
		memcpy((char *)page_address(page) + chain->fill, data, length);
	chain->fill += length;
	return sg;
}

int acomp_chain_add(struct acomp_chain *chain, const void *data, unsigned length)
{
	unsigned room = PAGE_SIZE - chain->fill;
	bool crosses = length > room && room;
	struct page *next = NULL;

	if (make_entries(chain, 1 + crosses)) {
		chain->stats.stops++;
		return -ENOMEM;
	}
	/* The page comes last: without it, nothing was changed. */
	if (length > room) {
		next = alloc_pages(chain->k->frames, 0, 0);
		if (!next) {
			chain->stats.stops++;
			return -ENOMEM;
		}
	}
	chain->stats.copies += length != 0;
	chain->stats.copied_bytes += length;
	if (crosses) {
		put(chain, data, room)->cont = true;
		data = data ? (const char *)data + room : NULL;
		length -= room;
		chain->stats.crossings++;
	}
	if (next)
		use_page(chain, next);
	put(chain, data, length);
	chain->nr_done++;
	return 0;
}

/* ---- a request ---- */

static void add_cost(struct acomp_cost *to, const struct acomp_cost *cost)
{
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		to->calls[i] += cost->calls[i];
	to->path = cost->path;
	to->reason = cost->reason;
	to->init_ns += cost->init_ns;
	to->codec_ns += cost->codec_ns;
	to->copy_ns += cost->copy_ns;
	to->copy_bytes += cost->copy_bytes;
	to->modelled_ns += cost->modelled_ns;
}

/* A unit, straight into the page at hand, which is empty. */
static int compress_in_place(struct acomp_chain *chain, struct acomp_req *some)
{
	int ret;

	acomp_request_set_dst_folio(some, page_at_hand(chain), 0, PAGE_SIZE);
	some->dlen = some->slen;
	ret = acomp_submit(some, 1);
	if (make_entries(chain, 1)) {
		chain->stats.stops++;
		chain->stats.repeated++;
		return -ENOMEM;
	}
	put(chain, NULL, ret ? 0 : some->dlen);
	chain->nr_done++;
	return 0;
}

/* @nr units of @unit bytes into scratch pages, and from there into the chain. */
static int compress_and_pack(struct acomp_chain *chain, struct acomp_req *some, unsigned nr,
			     unsigned unit)
{
	struct scatterlist dst[ACOMP_MAX_BATCH_SIZE];
	uint64_t start;
	int ret;

	sg_init_table(dst, nr);
	for (unsigned i = 0; i < nr; i++)
		sg_set_page(&dst[i], chain->scratch[i], unit, 0);
	acomp_request_set_dst_sg(some, dst, nr * unit);
	ret = acomp_submit(some, nr);
	if (!some->unit_size)
		acomp_set_unit_result(dst, ret, some->dlen);
	start = kernel_now(chain->k);
	ret = 0;
	for (unsigned i = 0; i < nr && !ret; i++) {
		int result = acomp_unit_result(&dst[i]);

		ret = acomp_chain_add(chain, page_address(chain->scratch[i]),
				      result < 0 ? 0 : result);
		if (ret)
			chain->stats.repeated += nr - i;
	}
	some->cost.copy_ns += kernel_now(chain->k) - start;
	return ret;
}

/* Units @first to @first + @nr - 1 of @req. 0, or -ENOMEM: some of them are not in the chain. */
static int compress_window(struct acomp_req *req, unsigned first, unsigned nr)
{
	bool segments = req->tfm->alg->flags & CRYPTO_ALG_REQ_SEG;
	struct acomp_req some = {.tfm = req->tfm, .trace = req->trace};
	unsigned off = first * req->unit_size, length = nr * req->unit_size;
	struct acomp_chain *chain = req->chain;
	int ret;

	if (off + length > req->slen)
		length = req->slen - off;
	acomp_request_set_src_folio(&some, req->src->page, req->src->offset + off, length);
	if (segments)
		acomp_request_set_unit_size(&some, req->unit_size);
	if (!segments && !chain->fill)
		ret = compress_in_place(chain, &some);
	else
		ret = compress_and_pack(chain, &some, nr, req->unit_size);
	add_cost(&req->cost, &some.cost);
	for (unsigned i = 0; i < nr; i++)
		acomp_cost_part(&some.cost, nr, i, &chain->cost[first + i]);
	return ret;
}

int acomp_chain_compress(struct acomp_req *req)
{
	bool segments = req->tfm->alg->flags & CRYPTO_ALG_REQ_SEG;
	unsigned units = acomp_request_units(req);
	struct acomp_chain *chain = req->chain;

	if (!units || units > chain->max_units || req->unit_size > PAGE_SIZE)
		return -EINVAL;
	if (req->flags & ACOMP_REQ_SRC_VIRT || req->src->length < req->slen)
		return -EINVAL;
	for (unsigned done = 0; done < units;) {
		unsigned nr = segments ? chain->batch : 1;

		if (nr > units - done)
			nr = units - done;
		if (compress_window(req, done, nr))
			break;
		done += nr;
	}
	req->dlen = 0;
	return 0;
}

unsigned acomp_chain_nr_done(const struct acomp_chain *chain)
{
	return chain->nr_done;
}

void acomp_chain_set_cost(struct acomp_chain *chain, unsigned i, const struct acomp_cost *cost)
{
	chain->cost[i] = *cost;
}

const struct acomp_cost *acomp_chain_cost(const struct acomp_chain *chain, unsigned i)
{
	return &chain->cost[i];
}

struct scatterlist *acomp_chain_results(struct acomp_chain *chain)
{
	return chain->nr_done ? chain->seed : NULL;
}

unsigned acomp_chain_take(struct acomp_chain *chain, struct scatterlist **sg, const void **data)
{
	struct scatterlist *first = *sg, *second;
	unsigned length = first->length;
	char *linear;

	*sg = sg_next(first);
	*data = chain->k->contents ? sg_virt(first) : NULL;
	if (!first->cont)
		return length;
	second = *sg;
	*sg = sg_next(second);
	if (chain->k->contents) {
		linear = page_address(chain->scratch[0]);
		memcpy(linear, *data, length);
		memcpy(linear + length, sg_virt(second), second->length);
		*data = linear;
	}
	chain->stats.copies += 2;
	chain->stats.copied_bytes += length + second->length;
	return length + second->length;
}

const struct acomp_chain_stats *acomp_chain_stats(const struct acomp_chain *chain)
{
	return &chain->stats;
}

size_t acomp_chain_standing_bytes(const struct acomp_chain *chain)
{
	return chain->batch * PAGE_SIZE + sizeof(chain->seed);
}

void acomp_chain_fail_table(struct acomp_chain *chain, uint64_t nth)
{
	kmem_cache_fail_nth(chain->table_cache, nth);
}
