// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every single allocation of a 64 KiB folio's store fails in turn, in every interface: nothing
 * leaks, no page is lost, no folio is half stored, and what comes back is what comes back without
 * batching.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/acomp_chain.h"
#include "sim/zswap_batch.h"
#include "tests/batch_rig.h"
#include "tests/test.h"

#define ORDER 4u
#define PAGES (1u << ORDER)
/* Far from the neighbour: the tree has to grow. */
#define SLOT 6400u

/* What can fail, and how many times it is asked for. */
enum what { FRAME, OBJECT, ENTRY, NODE, TABLE, NR_WHAT };

static void arm(struct machine *m, enum what what, uint64_t nth)
{
	struct acomp_chain *chain = m->z->batch ? m->z->batch[0].chain : NULL;

	switch (what) {
	case FRAME: /* destination pages, and those of zspages */
		page_frames_fail_nth(m->k->frames, nth);
		break;
	case OBJECT:
		zpool_fail_nth(m->z->zpool, nth);
		break;
	case ENTRY:
		kmem_cache_fail_nth(m->z->entry_cache, nth);
		break;
	case NODE:
		xa_nodes_fail_nth(m->z->nodes, nth);
		break;
	case TABLE:
		if (chain)
			acomp_chain_fail_table(chain, nth);
		break;
	case NR_WHAT:
		break;
	}
}

/* Incompressible pages and tiny ones among those that shrink by half. */
static uint32_t content(unsigned i)
{
	return i % 5 == 4 ? 4 * i + 3 : i % 7 == 6 ? 4 * i + 1 : 2 * i + 2;
}

struct standing {
	uint64_t frames, entries, nodes, pool_pages, stored, chain_bytes;
};

static struct standing standing_of(struct machine *m)
{
	struct standing s = {
		.frames = machine_live_pages(m),
		.entries = kmem_cache_nr_live(m->z->entry_cache),
		.nodes = xa_nodes_nr_live(m->z->nodes),
		.pool_pages = zswap_total_pages(m->z),
		.stored = zswap_stats(m->z)->stored_pages,
	};

	if (m->z->batch && m->z->batch[0].chain)
		s.chain_bytes = acomp_chain_stats(m->z->batch[0].chain)->bytes;
	return s;
}

static void assert_same_standing(const struct standing *a, const struct standing *b)
{
	assert_int_equal(a->frames, b->frames);
	assert_int_equal(a->entries, b->entries);
	assert_int_equal(a->nodes, b->nodes);
	assert_int_equal(a->pool_pages, b->pool_pages);
	assert_int_equal(a->stored, b->stored);
	assert_int_equal(a->chain_bytes, b->chain_bytes);
}

struct outcome {
	unsigned stored, refused, failures; /* folios; stores in which something did fail */
};

/* One store with the @nth allocation failing; false: it has fewer. */
static bool try_one(struct machine *m, enum what what, uint64_t nth, struct outcome *outcome)
{
	struct standing before = standing_of(m), after;
	struct zswap_stats stats = *zswap_stats(m->z);
	uint64_t stops = 0, left = 0;
	struct acomp_chain *chain = m->z->batch ? m->z->batch[0].chain : NULL;
	uint32_t ids[PAGES];
	enum swapout where;
	char err[256] = "";
	bool failed;

	for (unsigned i = 0; i < PAGES; i++)
		ids[i] = content(i);
	if (chain)
		stops = acomp_chain_stats(chain)->stops;
	arm(m, what, nth);
	where = machine_store(m, SLOT, ORDER, ids);
	arm(m, what, 0);
	if (chain)
		stops = acomp_chain_stats(chain)->stops - stops;
	left = zswap_stats(m->z)->stored_pages - before.stored;

	zswap_check(m->z, err, sizeof(err));
	assert_string_equal(err, "");
	/* All or nothing. */
	assert_int_equal(left, where == SWAPOUT_ZSWAP ? PAGES : 0);
	for (unsigned i = 0; i < PAGES; i++) {
		struct zpool_location loc;

		assert_int_equal(zswap_locate(m->z, (swp_entry_t){0, SLOT + i}, &loc),
				 where == SWAPOUT_ZSWAP);
	}
	failed = where != SWAPOUT_ZSWAP || stops;
	if (where != SWAPOUT_ZSWAP) {
		assert_int_equal(where, SWAPOUT_DISK);
		assert_int_equal(zswap_stats(m->z)->reject_alloc_fail - stats.reject_alloc_fail +
					 zswap_stats(m->z)->reject_kmemcache_fail -
					 stats.reject_kmemcache_fail,
				 1);
	}
	outcome->stored += where == SWAPOUT_ZSWAP;
	outcome->refused += where != SWAPOUT_ZSWAP;
	outcome->failures += failed;
	for (unsigned i = 0; i < PAGES; i++)
		assert_int_equal(machine_load(m, SLOT + i, ids[i], NULL), 0);
	swap_slot_free(m->io, (swp_entry_t){0, SLOT}, ORDER);
	after = standing_of(m);
	assert_same_standing(&before, &after);
	return failed;
}

static void all_in_turn(const char *compressor, const struct crypto_registry *registry)
{
	struct machine_config config = {.compressor = compressor, .registry = registry};
	unsigned cases = 0;

	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		for (enum what what = 0; what < NR_WHAT; what++) {
			struct machine *m = batch_machine(&config, mode);
			struct outcome outcome = {0};
			uint32_t neighbour = 6;
			uint64_t nth = 1;

			/* Frames for folios, and a neighbour that has to stay. */
			machine_store1(m, 1, neighbour);
			machine_folio(m, SLOT, ORDER, NULL);
			machine_load(m, 1, neighbour, NULL);
			machine_store1(m, 1, neighbour);
			while (try_one(m, what, nth, &outcome))
				nth++;
			cases += nth - 1;
			if (what != TABLE)
				assert_true(outcome.failures >= 1);
			if (what == ENTRY || what == OBJECT)
				assert_int_equal(outcome.failures, PAGES);
			if (what == TABLE && mode == ZSWAP_BATCHING_FOLIO) {
				assert_true(outcome.failures >= 1);
				assert_int_equal(outcome.refused, 0);
			}
			assert_int_equal(machine_load(m, 1, neighbour, NULL), 0);
			print_message("%s, allocations of kind %u that failed: %llu\n",
				      batching_names[mode], what, (unsigned long long)nth - 1);
			machine_destroy(m);
		}
	}
	print_message("%s: %u stores, of which each lacked one allocation\n", compressor, cases);
	assert_true(cases > 150);
}

static void each_allocation_fails_with_zstd(void **state)
{
	all_in_turn("zstd", backends_registry());
}

/* Each destination page fails in turn, and the folio is stored all the same. */
static void a_destination_page_that_fails_costs_a_second_request_and_nothing_else(void **state)
{
	struct toy toy = {.batch = 8};
	struct crypto_registry registry;
	struct machine *m = toy_machine(&toy, &registry, "toy-seg", ZSWAP_BATCHING_FOLIO);
	struct zswap_compress_stats s;
	unsigned stopped = 0;
	int results[PAGES];

	for (unsigned i = 0; i < PAGES; i++)
		results[i] = 2500;
	machine_folio(m, 0, ORDER, NULL);
	for (unsigned nth = 1; nth <= 9; nth++) {
		page_frames_fail_nth(m->k->frames, nth);
		assert_int_equal(toy_store(m, 0, ORDER, results), SWAPOUT_ZSWAP);
		zswap_compress_stats(m->z, &s);
		assert_int_equal(s.stops, ++stopped);
		assert_int_equal(s.calls, 2 * stopped);
		swap_slot_free(m->io, (swp_entry_t){0, 0}, ORDER);
	}
	page_frames_fail_nth(m->k->frames, 0);
	assert_int_equal(zswap_stats(m->z)->reject_alloc_fail, 0);
	machine_destroy(m);
}

static void zswap_is_not_made_if_a_request_or_a_buffer_is_missing(void **state)
{
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, "toy-seg", mode);
		struct zswap_config config = m->z->config;
		uint64_t requests = m->k->acomp_reqs, pages = machine_live_pages(m);
		unsigned failed[2] = {0};
		struct zswap *z;

		for (unsigned frames = 0; frames < 2; frames++) {
			for (uint64_t nth = 1; nth < 100; nth++) {
				int ret;

				if (frames)
					page_frames_fail_nth(m->k->frames, nth);
				else
					m->k->acomp_req_fail_in = nth;
				ret = zswap_create(m->k, &m->memcgs, m->dev, &config, &z);
				page_frames_fail_nth(m->k->frames, 0);
				m->k->acomp_req_fail_in = 0;
				if (!ret) {
					zswap_destroy(z);
					break;
				}
				assert_int_equal(ret, -ENOMEM);
				failed[frames]++;
				assert_int_equal(m->k->acomp_reqs, requests);
				assert_int_equal(machine_live_pages(m), pages);
			}
		}
		assert_int_equal(failed[0], mode == ZSWAP_BATCHING_REQUESTS ? 7 : 0);
		assert_int_equal(failed[1], mode ? mode == ZSWAP_BATCHING_FOLIO ? 10 : 9 : 2);
		m->memcgs.lru_entries = m->z->entry_cache;
		machine_destroy(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_fails_with_zstd),
		cmocka_unit_test(
			a_destination_page_that_fails_costs_a_second_request_and_nothing_else),
		cmocka_unit_test(zswap_is_not_made_if_a_request_or_a_buffer_is_missing),
	};

	return cmocka_run_group_tests_name("zswap_batch_faults", tests, NULL, NULL);
}
