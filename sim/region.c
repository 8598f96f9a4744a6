// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REGION_MAX_ORDER 9

struct region_page {
	uint32_t src;
	bool mapped; /* in memory, and the process sees it without a fault */
	bool dirty;  /* no copy elsewhere equals it */
	bool cached; /* not mapped, but a fault finds it in the swap cache */
};

struct region {
	struct region_config config;
	struct region_page *pages;
	struct page *out[REGION_MAX_ORDER + 1], *in;
	uint32_t ids[1u << REGION_MAX_ORDER];
	int nid;
};

int region_create(const struct region_config *config, struct region **out)
{
	struct region *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->config = *config;
	r->pages = calloc(config->nr_pages, sizeof(*r->pages));
	r->in = alloc_pages(config->k->frames, 0, 0);
	if (!r->pages || !r->in) {
		region_destroy(r);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < config->nr_pages; i++)
		r->pages[i] = (struct region_page){.mapped = true, .dirty = true};
	*out = r;
	return 0;
}

void region_destroy(struct region *r)
{
	if (!r)
		return;
	for (unsigned order = 0; order <= REGION_MAX_ORDER; order++) {
		if (r->out[order])
			free_pages(r->config.k->frames, r->out[order]);
	}
	if (r->in)
		free_pages(r->config.k->frames, r->in);
	free(r->pages);
	free(r);
}

void region_set_memcg(struct region *r, struct mem_cgroup *memcg)
{
	r->config.memcg = memcg;
}

void region_set_node(struct region *r, int nid)
{
	r->nid = nid;
}

void region_fill(struct region *r, uint64_t page, uint32_t src)
{
	r->pages[page].src = src;
}

static const uint8_t *content(const struct region *r, uint64_t page)
{
	return r->config.contents + (size_t)r->pages[page].src * PAGE_SIZE;
}

static int writeout(struct region *r, uint64_t page, unsigned order, enum swapout *where)
{
	struct folio folio = {
		.order = order, .memcg = r->config.memcg, .swap = {0, page}, .ids = r->ids};

	if (!r->out[order])
		r->out[order] = alloc_pages(r->config.k->frames, order, 0);
	if (!r->out[order])
		return -ENOMEM;
	folio.page = r->out[order];
	folio.page->nid = r->nid;
	for (uint64_t i = 0; i < 1u << order; i++) {
		r->ids[i] = r->pages[page + i].src;
		if (r->config.contents)
			memcpy(page_address(folio.page + i), content(r, page + i), PAGE_SIZE);
	}
	return swap_writeout(r->config.io, &folio, where);
}

int region_pageout(struct region *r, uint64_t page, unsigned order)
{
	struct region_page *p = &r->pages[page];
	enum swapout where;
	int ret;

	if (!p->mapped)
		return 0;
	if (!p->dirty) {
		p->mapped = p->cached = false;
		return 0;
	}
	ret = writeout(r, page, order, &where);
	if (ret)
		return ret;
	for (uint64_t i = 0; i < 1u << order; i++) {
		p[i].mapped = false;
		p[i].dirty = where == SWAPOUT_ACTIVATED;
		p[i].cached = where == SWAPOUT_ACTIVATED || where == SWAPOUT_DISK;
	}
	return 0;
}

int region_touch(struct region *r, uint64_t page)
{
	struct region_page *p = &r->pages[page];
	struct folio folio = {.page = r->in, .memcg = r->config.memcg, .swap = {0, page}};
	enum swapin from;
	int ret;

	if (p->mapped)
		return 0;
	if (p->cached) {
		p->mapped = true;
		p->cached = false;
		return 0;
	}
	r->in->nid = r->nid;
	if (r->config.contents)
		memset(page_address(r->in), 0xa5, PAGE_SIZE);
	ret = swap_read_folio(r->config.io, &folio, &from);
	if (ret)
		return ret;
	if (r->config.contents && memcmp(page_address(r->in), content(r, page), PAGE_SIZE))
		return -EUCLEAN;
	p->mapped = true;
	p->dirty = from == SWAPIN_ZSWAP;
	return 0;
}

int region_write(struct region *r, uint64_t page, uint32_t src)
{
	int ret = region_touch(r, page);

	if (ret)
		return ret;
	swap_slot_free(r->config.io, (swp_entry_t){0, page}, 0);
	r->pages[page].dirty = true;
	r->pages[page].src = src;
	return 0;
}

void region_discard(struct region *r, uint64_t page)
{
	swap_slot_free(r->config.io, (swp_entry_t){0, page}, 0);
	r->pages[page] = (struct region_page){.mapped = true, .dirty = true};
}

void region_written_back(struct region *r, uint64_t page)
{
	r->pages[page].cached = true;
}

bool region_is_resident(const struct region *r, uint64_t page)
{
	return r->pages[page].mapped || r->pages[page].cached;
}
