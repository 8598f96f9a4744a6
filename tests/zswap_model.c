// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/zswap_model.h"

#include <string.h>

#include "tests/test.h"

void model_init(struct model *m, const struct profile *profile, unsigned nr_nodes,
		uint64_t totalram_pages, bool shrinker)
{
	struct kernel_config config = {
		.profile = profile, .nr_nodes = nr_nodes, .no_contents = true};

	memset(m, 0, sizeof(*m));
	assert_int_equal(kernel_create(&config, &m->k), 0);
	m->pool = zs_create_pool(m->k, "model");
	assert_non_null(m->pool);
	m->nr_nodes = nr_nodes;
	m->totalram_pages = totalram_pages;
	m->shrinker = shrinker;
	m->store_raw = profile->zswap.incompressible == ZSWAP_INCOMPRESSIBLE_STORE_RAW;
	m->large_folios = profile->zswap.large_folios;
	m->root_charged = profile->memcg.dead_folios == MEMCG_DEAD_FOLIOS_PARENT;
	m->batch = profile->zswap.shrink_batch;
	m->max_percent = 20;
	m->accept_percent = 90;
	m->cursor = -1;
	model_memcg_create(m, -1);
}

void model_finish(struct model *m)
{
	zs_destroy_pool(m->pool);
	kernel_destroy(m->k);
}

/* ---- memcgs ---- */

int model_memcg_create(struct model *m, int parent)
{
	int i = m->nr_memcgs++;

	m->memcgs[i].parent = parent;
	m->memcgs[i].online = true;
	m->memcgs[i].writeback = true;
	m->memcgs[i].max = MODEL_NO_LIMIT;
	m->memcgs[i].charged_to = i;
	return i;
}

bool model_memcg_has_online_child(const struct model *m, int memcg)
{
	for (unsigned i = 0; i < m->nr_memcgs; i++) {
		if (m->memcgs[i].parent == memcg && m->memcgs[i].online)
			return true;
	}
	return false;
}

/* The next memcg of the tree in pre-order: children in order of creation. -1 at the end. */
static int next_in_tree(const struct model *m, int at)
{
	if (at == -1)
		return MODEL_ROOT;
	for (unsigned i = 0; i < m->nr_memcgs; i++) {
		if (m->memcgs[i].parent == at)
			return i;
	}
	for (; at != -1; at = m->memcgs[at].parent) {
		for (unsigned i = at + 1; i < m->nr_memcgs; i++) {
			if (m->memcgs[i].parent == m->memcgs[at].parent)
				return i;
		}
	}
	return -1;
}

static int next_online(struct model *m)
{
	do {
		m->cursor = next_in_tree(m, m->cursor);
	} while (m->cursor != -1 && !m->memcgs[m->cursor].online);
	return m->cursor;
}

void model_memcg_offline(struct model *m, int memcg)
{
	struct model_memcg *dead = &m->memcgs[memcg], *parent = &m->memcgs[dead->parent];

	for (unsigned nid = 0; nid < m->nr_nodes; nid++) {
		int n = dead->nr_lru[nid];

		memmove(parent->lru[nid] + n, parent->lru[nid], parent->nr_lru[nid] * sizeof(int));
		memcpy(parent->lru[nid], dead->lru[nid], n * sizeof(int));
		parent->nr_lru[nid] += n;
		dead->nr_lru[nid] = 0;
	}
	dead->online = false;
	for (unsigned i = 0; i < m->nr_memcgs; i++) {
		if (m->memcgs[i].charged_to == memcg)
			m->memcgs[i].charged_to = dead->parent;
	}
	if (m->cursor == memcg)
		next_online(m);
}

static bool is_below(const struct model *m, int memcg, int ancestor)
{
	for (; memcg != -1; memcg = m->memcgs[memcg].parent) {
		if (memcg == ancestor)
			return true;
	}
	return false;
}

uint64_t model_memcg_bytes(const struct model *m, int memcg)
{
	uint64_t bytes = 0;

	for (int i = 0; i < MODEL_MAX_SLOTS; i++) {
		const struct model_slot *s = &m->slots[i];

		if (s->in_zswap && s->charged && is_below(m, m->memcgs[s->memcg].charged_to, memcg))
			bytes += s->length;
	}
	return bytes;
}

static uint64_t memcg_pages(const struct model *m, int memcg)
{
	uint64_t pages = 0;

	for (int i = 0; i < MODEL_MAX_SLOTS; i++) {
		const struct model_slot *s = &m->slots[i];

		pages += s->in_zswap && s->charged &&
			 is_below(m, m->memcgs[s->memcg].charged_to, memcg);
	}
	return pages;
}

uint64_t model_stored_pages(const struct model *m)
{
	uint64_t pages = 0;

	for (int i = 0; i < MODEL_MAX_SLOTS; i++)
		pages += m->slots[i].in_zswap;
	return pages;
}

static bool may_write_back(const struct model *m, int memcg)
{
	for (; memcg != -1; memcg = m->memcgs[memcg].parent) {
		if (!m->memcgs[memcg].writeback)
			return false;
	}
	return true;
}

static bool is_over_limit(const struct model *m, int memcg)
{
	for (; memcg != MODEL_ROOT; memcg = m->memcgs[memcg].parent) {
		if (m->memcgs[memcg].max != MODEL_NO_LIMIT &&
		    model_memcg_bytes(m, memcg) / 4096 >= m->memcgs[memcg].max / 4096)
			return true;
	}
	return false;
}

/* ---- lists ---- */

static int *list_of(struct model *m, int slot, int **nr)
{
	const struct model_slot *s = &m->slots[slot];
	struct model_memcg *memcg =
		&m->memcgs[s->charged ? m->memcgs[s->memcg].charged_to : MODEL_ROOT];

	*nr = &memcg->nr_lru[s->nid];
	return memcg->lru[s->nid];
}

static void list_remove(struct model *m, int slot)
{
	int *nr, *list = list_of(m, slot, &nr), at = 0;

	while (list[at] != slot)
		at++;
	memmove(list + at, list + at + 1, (*nr - at - 1) * sizeof(int));
	(*nr)--;
}

static void list_append(struct model *m, int slot)
{
	int *nr, *list = list_of(m, slot, &nr);

	list[(*nr)++] = slot;
}

static void drop(struct model *m, int slot)
{
	list_remove(m, slot);
	zs_free(m->pool, m->slots[slot].handle);
	m->slots[slot].in_zswap = false;
}

/* ---- writing back ---- */

static uint64_t walk(struct model *m, int memcg, int nid, uint64_t budget, uint64_t *scanned)
{
	struct model_memcg *owner = &m->memcgs[memcg];
	uint64_t written = 0;
	int at = 0;

	*scanned = 0;
	while (at < owner->nr_lru[nid] && *scanned < budget) {
		int slot = owner->lru[nid][at];
		bool was_last = at == owner->nr_lru[nid] - 1;

		++*scanned;
		if (m->slots[slot].referenced) {
			m->slots[slot].referenced = false;
			m->rotations++;
			list_remove(m, slot);
			list_append(m, slot);
			/* What followed it has moved up to its place; nothing follows the last one.
			 */
			if (was_last)
				break;
			continue;
		}
		drop(m, slot);
		m->slots[slot].on_disk = true;
		m->written_back_pages++;
		written++;
		at = 0;
	}
	return written;
}

/* 0: written; 1: only looked; 2: nobody to look at. */
static int shrink(struct model *m, int memcg)
{
	uint64_t written = 0, scanned = 0;

	if (!m->memcgs[memcg].online || !may_write_back(m, memcg))
		return 2;
	for (unsigned nid = 0; nid < m->nr_nodes; nid++) {
		uint64_t n;

		written += walk(m, memcg, nid, m->batch, &n);
		scanned += n;
	}
	return !scanned ? 2 : written ? 0 : 1;
}

static uint64_t max_pages(const struct model *m)
{
	return m->totalram_pages * m->max_percent / 100;
}

static void run_worker(struct model *m)
{
	uint64_t target = max_pages(m) * m->accept_percent / 100;
	int failures = 0, attempts = 0;

	do {
		int memcg = next_online(m), ret;

		if (memcg == -1) {
			if (!attempts && ++failures == 16)
				return;
			attempts = 0;
			continue;
		}
		ret = shrink(m, memcg);
		if (ret == 2)
			continue;
		attempts++;
		if (ret && ++failures == 16)
			return;
	} while (zs_get_total_pages(m->pool) > target);
}

uint64_t model_shrinker_count(struct model *m, int memcg, int nid)
{
	struct model_memcg *owner = &m->memcgs[memcg];
	uint64_t n = owner->nr_lru[nid], backing, stored, taken;

	if (!m->shrinker || !may_write_back(m, memcg))
		return 0;
	backing = model_memcg_bytes(m, memcg) / 4096;
	stored = memcg_pages(m, memcg);
	if (!stored || !n)
		return 0;
	taken = n < owner->disk_swapins[nid] ? n : owner->disk_swapins[nid];
	owner->disk_swapins[nid] -= taken;
	return (n - taken) * backing / stored;
}

uint64_t model_shrinker_scan(struct model *m, int memcg, int nid, uint64_t nr)
{
	uint64_t scanned, written;

	if (!m->shrinker || !may_write_back(m, memcg))
		return UINT64_MAX;
	written = walk(m, memcg, nid, nr, &scanned);
	return written ? written : UINT64_MAX;
}

/* ---- stores and loads ---- */

static bool store_page(struct model *m, int slot, int length, int memcg, int nid)
{
	struct model_slot *s = &m->slots[slot];
	unsigned long handle;

	if (length < 0 || (m->store_raw && length >= 4096)) {
		if (!m->store_raw || !may_write_back(m, memcg)) {
			m->reject_compress_fail++;
			return false;
		}
		length = 4096;
	}
	handle = zs_malloc(m->pool, length, nid);
	assert_false(IS_ERR_VALUE(handle));
	if (s->in_zswap)
		drop(m, slot);
	s->in_zswap = true;
	s->handle = handle;
	s->length = length;
	s->memcg = memcg;
	s->nid = nid;
	s->charged = memcg != MODEL_ROOT || m->root_charged;
	s->referenced = true;
	list_append(m, slot);
	return true;
}

static bool zswap_takes(struct model *m, int slot, unsigned nr, const int *lengths, int memcg,
			int nid)
{
	bool refused = false;
	unsigned done = 0;

	if (nr > 1 && !m->large_folios)
		return false;
	if (is_over_limit(m, memcg))
		refused = shrink(m, memcg) != 0;
	if (!refused) {
		uint64_t pages = zs_get_total_pages(m->pool);

		if (pages >= max_pages(m)) {
			m->pool_limit_hit++;
			m->full = true;
		} else if (m->full && pages <= max_pages(m) * m->accept_percent / 100) {
			m->full = false;
		}
		refused = m->full;
	}
	while (!refused && done < nr) {
		refused = !store_page(m, slot + done, lengths[done], memcg, nid);
		done += !refused;
	}
	if (!refused) {
		m->zswpout += nr;
		return true;
	}
	for (unsigned i = 0; i < nr; i++) {
		if (m->slots[slot + i].in_zswap)
			drop(m, slot + i);
	}
	return false;
}

enum model_where model_store(struct model *m, int slot, unsigned nr, const int *lengths, int memcg,
			     int nid)
{
	bool zero = true, taken, queue;

	for (unsigned i = 0; i < nr; i++)
		zero &= lengths[i] == MODEL_ZERO;
	if (zero) {
		for (unsigned i = 0; i < nr; i++) {
			m->slots[slot + i].zero = true;
			m->slots[slot + i].on_disk = false;
		}
		return MODEL_ZEROES;
	}
	for (unsigned i = 0; i < nr; i++)
		m->slots[slot + i].zero = false;
	taken = zswap_takes(m, slot, nr, lengths, memcg, nid);
	queue = !taken && m->full && !(nr > 1 && !m->large_folios);
	if (taken) {
		for (unsigned i = 0; i < nr; i++)
			m->slots[slot + i].on_disk = false;
		return MODEL_ZSWAP;
	}
	if (may_write_back(m, memcg)) {
		for (unsigned i = 0; i < nr; i++)
			m->slots[slot + i].on_disk = true;
	}
	if (queue)
		run_worker(m);
	return may_write_back(m, memcg) ? MODEL_DISK : MODEL_MEMORY;
}

enum model_where model_load(struct model *m, int slot, int memcg, int nid)
{
	struct model_slot *s = &m->slots[slot];

	if (s->zero)
		return MODEL_ZEROES;
	if (s->in_zswap) {
		m->zswpin++;
		drop(m, slot);
		return MODEL_ZSWAP;
	}
	if (s->on_disk) {
		m->memcgs[memcg].disk_swapins[nid]++;
		return MODEL_DISK;
	}
	return MODEL_NOWHERE;
}

void model_invalidate(struct model *m, int slot)
{
	struct model_slot *s = &m->slots[slot];

	if (s->in_zswap)
		drop(m, slot);
	s->zero = s->on_disk = false;
}
