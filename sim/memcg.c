// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/memcg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/page.h"

const char *const zswap_reject_names[ZSWAP_NR_REJECTS] = {
	[ZSWAP_REJECT_LARGE_FOLIO] = "large_folio",
	[ZSWAP_REJECT_DISABLED] = "disabled",
	[ZSWAP_REJECT_MEMCG_LIMIT] = "memcg_limit",
	[ZSWAP_REJECT_POOL_LIMIT] = "pool_limit",
	[ZSWAP_REJECT_COMPRESS_FAIL] = "compress_fail",
	[ZSWAP_REJECT_COMPRESS_POOR] = "compress_poor",
	[ZSWAP_REJECT_ALLOC_FAIL] = "alloc_fail",
	[ZSWAP_REJECT_KMEMCACHE_FAIL] = "kmemcache_fail",
	[ZSWAP_REJECT_POLICY] = "policy",
};

static void mem_cgroup_free(struct mem_cgroup *memcg)
{
	if (!memcg)
		return;
	free(memcg->lru);
	free(memcg->objcg);
	free(memcg->path);
	free(memcg);
}

static struct mem_cgroup *mem_cgroup_alloc(struct memcgs *memcgs, const char *path)
{
	struct mem_cgroup *memcg = calloc(1, sizeof(*memcg));

	if (!memcg)
		return NULL;
	memcg->path = strdup(path);
	memcg->lru = calloc(memcgs->nr_nodes, sizeof(*memcg->lru));
	memcg->objcg = calloc(1, sizeof(*memcg->objcg));
	if (!memcg->path || !memcg->lru || !memcg->objcg) {
		mem_cgroup_free(memcg);
		return NULL;
	}
	memcg->online = true;
	memcg->zswap_max = MEMCG_MAX;
	memcg->zswap_writeback = true;
	memcg->objcg->memcg = memcg;
	return memcg;
}

static int memcgs_append(struct memcgs *memcgs, struct mem_cgroup *memcg)
{
	if (memcgs->nr == memcgs->cap) {
		unsigned cap = memcgs->cap ? memcgs->cap * 2 : 16;
		struct mem_cgroup **all = realloc(memcgs->all, cap * sizeof(*all));

		if (!all)
			return -ENOMEM;
		memcgs->all = all;
		memcgs->cap = cap;
	}
	memcg->id = memcgs->nr;
	memcgs->all[memcgs->nr++] = memcg;
	return 0;
}

int memcgs_init(struct memcgs *memcgs, unsigned nr_nodes)
{
	struct mem_cgroup *root;

	memset(memcgs, 0, sizeof(*memcgs));
	memcgs->nr_nodes = nr_nodes;
	root = mem_cgroup_alloc(memcgs, "/");
	if (!root)
		return -ENOMEM;
	if (memcgs_append(memcgs, root)) {
		mem_cgroup_free(root);
		return -ENOMEM;
	}
	return 0;
}

void memcgs_finish(struct memcgs *memcgs)
{
	for (unsigned i = 0; i < memcgs->nr; i++)
		mem_cgroup_free(memcgs->all[i]);
	free(memcgs->all);
	memset(memcgs, 0, sizeof(*memcgs));
}

struct mem_cgroup *mem_cgroup_create(struct memcgs *memcgs, struct mem_cgroup *parent,
				     const char *path)
{
	struct mem_cgroup *memcg = mem_cgroup_alloc(memcgs, path);

	if (!memcg)
		return NULL;
	if (memcgs_append(memcgs, memcg)) {
		mem_cgroup_free(memcg);
		return NULL;
	}
	memcg->parent = parent;
	if (parent->last_child)
		parent->last_child->next_sibling = memcg;
	else
		parent->first_child = memcg;
	parent->last_child = memcg;
	return memcg;
}

static void reparent_objcgs(struct mem_cgroup *memcg, struct mem_cgroup *parent)
{
	struct obj_cgroup **tail = &memcg->inherited;

	for (; *tail; tail = &(*tail)->next)
		(*tail)->memcg = parent;
	memcg->objcg->memcg = parent;
	*tail = parent->inherited;
	parent->inherited = memcg->inherited;
	memcg->inherited = NULL;
	/* Its own one stays allocated with it, and is the parent's from now on. */
	memcg->objcg->next = parent->inherited;
	parent->inherited = memcg->objcg;
}

int mem_cgroup_offline(struct memcgs *memcgs, struct mem_cgroup *memcg)
{
	struct mem_cgroup *parent = memcg->parent;

	if (!parent || !memcg->online)
		return -EINVAL;
	for (struct mem_cgroup *child = memcg->first_child; child; child = child->next_sibling) {
		if (child->online)
			return -EBUSY;
	}
	memcg->online = false;
	for (unsigned nid = 0; nid < memcgs->nr_nodes; nid++) {
		struct zswap_lru_list *from = &memcg->lru[nid], *to = &parent->lru[nid];

		ref_list_splice_init(memcgs->lru_entries, &from->list, &to->list);
		to->nr_items += from->nr_items;
		from->nr_items = 0;
	}
	reparent_objcgs(memcg, parent);
	return 0;
}

struct mem_cgroup *mem_cgroup_iter(const struct memcgs *memcgs, struct mem_cgroup *prev)
{
	if (!prev)
		return root_mem_cgroup(memcgs);
	if (prev->first_child)
		return prev->first_child;
	while (prev && !prev->next_sibling)
		prev = prev->parent;
	return prev ? prev->next_sibling : NULL;
}

bool mem_cgroup_zswap_writeback_enabled(const struct mem_cgroup *memcg, bool zswap_enabled)
{
	if (!zswap_enabled)
		return true;
	for (; memcg; memcg = memcg->parent) {
		if (!memcg->zswap_writeback)
			return false;
	}
	return true;
}

struct mem_cgroup *obj_cgroup_at_limit(struct mem_cgroup *memcg)
{
	for (; !mem_cgroup_is_root(memcg); memcg = memcg->parent) {
		if (memcg->zswap_max == MEMCG_MAX)
			continue;
		if (memcg->zswap_max == 0 ||
		    memcg->zswap_bytes / PAGE_SIZE >= memcg->zswap_max / PAGE_SIZE)
			return memcg;
	}
	return NULL;
}

void obj_cgroup_charge_zswap(struct obj_cgroup *objcg, unsigned bytes)
{
	for (struct mem_cgroup *m = objcg->memcg; m; m = m->parent) {
		m->zswap_bytes += bytes;
		m->zswapped++;
		m->zswap_incomp += bytes == PAGE_SIZE;
	}
}

void obj_cgroup_uncharge_zswap(struct obj_cgroup *objcg, unsigned bytes)
{
	for (struct mem_cgroup *m = objcg->memcg; m; m = m->parent) {
		m->zswap_bytes -= bytes;
		m->zswapped--;
		m->zswap_incomp -= bytes == PAGE_SIZE;
	}
}
