// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/batch_rig.h"

#include <stdio.h>
#include <string.h>

#include "tests/test.h"

const char *const batching_names[NR_BATCHING] = {"none", "requests", "segmented", "folio"};

struct machine *batch_machine(const struct machine_config *config, unsigned mode)
{
	struct machine_config with = *config;
	char set[64];

	snprintf(set, sizeof(set), "zswap.batching=%s", batching_names[mode]);
	with.set[7] = set;
	for (unsigned i = 0; i < 7; i++) {
		if (with.set[i])
			continue;
		with.set[i] = set;
		with.set[7] = NULL;
		break;
	}
	return machine_create(&with);
}

struct machine *toy_machine(struct toy *toy, struct crypto_registry *registry, const char *name,
			    unsigned mode)
{
	*registry = toy_registry(toy);
	return batch_machine(&(struct machine_config){.compressor = name, .registry = registry},
			     mode);
}

enum swapout toy_store(struct machine *m, uint64_t slot, unsigned order, const int *results)
{
	struct folio folio = machine_folio(m, slot, order, NULL);
	enum swapout where = SWAPOUT_NR;

	for (unsigned i = 0; i < 1u << order; i++)
		toy_fill(page_address(folio.page + i), results[i], i + 1);
	assert_int_equal(swap_writeout(m->io, &folio, &where), 0);
	return where;
}

unsigned assert_same_objects(struct machine *a, struct machine *b, uint64_t slots)
{
	unsigned char one[PAGE_SIZE], other[PAGE_SIZE];
	unsigned nr = 0;

	for (uint64_t slot = 0; slot < slots; slot++) {
		unsigned length = zswap_copy_object(a->z, (swp_entry_t){0, slot}, one);

		assert_int_equal(zswap_copy_object(b->z, (swp_entry_t){0, slot}, other), length);
		assert_memory_equal(one, other, length);
		nr += length != 0;
	}
	return nr;
}

static void assert_same_account(const struct zswap_account *a, const struct zswap_account *b)
{
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		assert_int_equal(a->calls[i], b->calls[i]);
	for (unsigned i = 0; i < ZSWAP_NR_PATHS; i++)
		assert_int_equal(a->pages[i], b->pages[i]);
	assert_int_equal(a->straddled, b->straddled);
	assert_int_equal(a->copied_bytes, b->copied_bytes);
}

static void assert_same_stats(struct machine *a, struct machine *b)
{
	struct zswap_stats one = *zswap_stats(a->z), other = *zswap_stats(b->z);

	memset(one.dir, 0, sizeof(one.dir));
	memset(other.dir, 0, sizeof(other.dir));
	assert_memory_equal(&one, &other, sizeof(one));
	assert_memory_equal(swap_io_stats(a->io), swap_io_stats(b->io),
			    sizeof(struct swap_io_stats));
	assert_int_equal(a->memcg->zswap_bytes, b->memcg->zswap_bytes);
	assert_int_equal(a->memcg->zswapped, b->memcg->zswapped);
	assert_int_equal(a->memcg->zswpout, b->memcg->zswpout);
}

void assert_same_counters(struct machine *a, struct machine *b)
{
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++)
		assert_same_account(&zswap_stats(a->z)->dir[dir], &zswap_stats(b->z)->dir[dir]);
	assert_same_stats(a, b);
	assert_int_equal(zswap_total_pages(a->z), zswap_total_pages(b->z));
}

void assert_same_counters_but_place(struct machine *a, struct machine *b)
{
	const struct zswap_account *x = zswap_stats(a->z)->dir, *y = zswap_stats(b->z)->dir;

	assert_same_account(&x[ZSWAP_STORE], &y[ZSWAP_STORE]);
	assert_int_equal(x[ZSWAP_LOAD].pages[ZSWAP_PATH_RAW], y[ZSWAP_LOAD].pages[ZSWAP_PATH_RAW]);
	assert_int_equal(x[ZSWAP_LOAD].pages[ZSWAP_PATH_FAILED], 0);
	assert_int_equal(y[ZSWAP_LOAD].pages[ZSWAP_PATH_FAILED], 0);
	assert_same_stats(a, b);
}
