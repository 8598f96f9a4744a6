// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits, second chance, the shrink worker, memcgs: cases with lengths in place of contents. */
#include <errno.h>
#include <string.h>

#include "sim/zswap_private.h"
#include "tests/machine.h"
#include "tests/test.h"

/* Case C01: refused from 100 % on, accepted again at 90 %. */
static void the_pool_refuses_at_its_limit_and_until_the_accept_threshold(void **state)
{
	struct machine *m =
		machine_create(&(struct machine_config){.lengths = true, .totalram_pages = 65536});
	const struct zswap_stats *s = zswap_stats(m->z);
	uint64_t next = 0, gone = 0;

	m->memcg->zswap_writeback = false;
	assert_int_equal(zswap_max_pages(m->z), 13107);
	assert_int_equal(zswap_accept_thr_pages(m->z), 11796);
	while (next < 12000)
		assert_int_equal(machine_store1(m, next++, 3700), SWAPOUT_ZSWAP);
	assert_int_equal(s->stored_pages, 12000);
	assert_int_equal(swap_io_stats(m->io)->pswpout, 0);
	while (next < 13107)
		assert_int_equal(machine_store1(m, next++, 3700), SWAPOUT_ZSWAP);
	assert_int_equal(machine_store1(m, next++, 3700), SWAPOUT_ACTIVATED);
	assert_int_equal(s->pool_limit_hit, 1);
	while (s->stored_pages > 11797)
		zswap_invalidate(m->z, (swp_entry_t){0, gone++});
	assert_int_equal(machine_store1(m, next++, 3700), SWAPOUT_ACTIVATED);
	assert_int_equal(s->pool_limit_hit, 1);
	zswap_invalidate(m->z, (swp_entry_t){0, gone++});
	assert_int_equal(machine_store1(m, next++, 3700), SWAPOUT_ZSWAP);
	assert_false(m->z->pool_reached_full);
	machine_destroy(m);
}

/* Case C03: fresh cold entries keep a full pool from taking warm pages. */
static void second_chance_keeps_cold_pages_and_sends_warm_ones_to_disk(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){
		.kernel = "7.2", .lengths = true, .totalram_pages = 100000, .max_pool_percent = 1});
	const struct zswap_stats *s = zswap_stats(m->z);

	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(machine_store1(m, i, 3700), SWAPOUT_ZSWAP);
	for (unsigned round = 0; round < 10; round++) {
		for (uint64_t warm = 2000; warm < 2006; warm++) {
			enum swapin from;

			assert_int_equal(machine_store1(m, warm, 3700), SWAPOUT_DISK);
			assert_int_equal(machine_load(m, warm, 0, &from), 0);
			assert_int_equal(from, SWAPIN_DISK);
		}
	}
	assert_int_equal(swap_io_stats(m->io)->pswpout, 60);
	assert_int_equal(swap_io_stats(m->io)->pswpin, 60);
	assert_int_equal(s->zswpin, 0);
	assert_int_equal(s->stored_pages, 1000);
	assert_int_equal(s->written_back_pages, 0);
	assert_int_equal(m->memcg->lru[0].nr_disk_swapins, 60);
	machine_destroy(m);
}

/* Case C04. */
static void zswap_max_refuses_once_per_entry_before_it_gives_way(void **state)
{
	static const enum swapout expected[10] = {
		SWAPOUT_ZSWAP, SWAPOUT_ZSWAP, SWAPOUT_ZSWAP, SWAPOUT_DISK,  SWAPOUT_DISK,
		SWAPOUT_DISK,  SWAPOUT_ZSWAP, SWAPOUT_ZSWAP, SWAPOUT_ZSWAP, SWAPOUT_DISK,
	};
	struct machine *m =
		machine_create(&(struct machine_config){.kernel = "7.2", .lengths = true});

	m->memcg->zswap_max = 8192;
	for (uint64_t i = 0; i < 10; i++) {
		assert_int_equal(machine_store1(m, i, 3000), expected[i]);
		if (i >= 2)
			assert_int_equal(m->memcg->zswap_bytes, 9000);
	}
	assert_int_equal(zswap_stats(m->z)->reject_memcg_limit, 4);
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 3);
	assert_int_equal(zswap_stats(m->z)->pool_limit_hit, 0);
	machine_destroy(m);
}

/* Case C06. */
static void the_shrinkers_count_uses_up_the_disk_swapins(void **state)
{
	struct machine *m =
		machine_create(&(struct machine_config){.lengths = true, .shrinker_enabled = true});
	struct zswap_lru_list *lru = &m->memcg->lru[0];
	unsigned referenced = 0;

	for (uint64_t i = 0; i < 100; i++)
		machine_store1(m, i, 1000);
	lru->nr_disk_swapins = 30;
	assert_int_equal(zswap_shrinker_count(m->z, m->memcg, 0), 16);
	assert_int_equal(lru->nr_disk_swapins, 0);
	assert_int_equal(zswap_shrinker_count(m->z, m->memcg, 0), 24);
	assert_true(zswap_shrinker_scan(m->z, m->memcg, 0, 16) == SHRINK_STOP);
	for (const struct zswap_entry *e = zswap_entry_of_ref(m->z, lru->list.first); e;
	     e = zswap_entry_of_ref(m->z, e->lru.next))
		referenced += e->referenced;
	assert_int_equal(referenced, 84);
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 0);
	machine_destroy(m);
}

/* C06, without memcgs: pool pages (25) in place of the memcg's bytes. */
static void without_memcgs_the_shrinker_counts_pool_pages(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){
		.lengths = true, .shrinker_enabled = true, .root_only = true});
	struct mem_cgroup *root = root_mem_cgroup(&m->memcgs);

	for (uint64_t i = 0; i < 100; i++)
		machine_store1(m, i, 1000);
	root->lru[0].nr_disk_swapins = 30;
	assert_int_equal(zswap_shrinker_count(m->z, root, 0), 70 * zswap_total_pages(m->z) / 100);
	assert_int_equal(zswap_shrinker_count(m->z, root, 0), zswap_total_pages(m->z));
	assert_in_range(zswap_total_pages(m->z), 25, 26);
	machine_destroy(m);
}

/* The table in E.7: what one walk of budget 32 does to n fresh entries. */
static void a_walk_meets_rotated_entries_again_if_its_budget_allows(void **state)
{
	static const struct {
		unsigned n, written, cleared;
	} rows[] = {{1, 0, 1},	  {2, 2, 2},   {10, 10, 10}, {16, 16, 16},
		    {20, 12, 20}, {31, 1, 31}, {32, 0, 32},  {50, 0, 32}};

	for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		struct machine *m =
			machine_create(&(struct machine_config){.kernel = "7.3", .lengths = true});
		int ret;

		for (uint64_t i = 0; i < rows[r].n; i++)
			machine_store1(m, i, 1000);
		ret = shrink_memcg(m->z, m->memcg);
		assert_int_equal(ret, rows[r].written ? 0 : -EAGAIN);
		assert_int_equal(zswap_stats(m->z)->written_back_pages, rows[r].written);
		assert_int_equal(zswap_stats(m->z)->lru_rotations, rows[r].cleared);
		machine_destroy(m);
	}
}

/* E.7: with 5269 fresh entries, 16 + 15 a run, the first writeback is at the 352nd limit hit. */
static void the_worker_clears_16_bits_first_and_15_in_later_runs(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "6.12",
								    .lengths = true,
								    .totalram_pages = 526900,
								    .max_pool_percent = 1});
	const struct zswap_stats *s = zswap_stats(m->z);
	uint64_t next = 0;

	while (next < 5269)
		assert_int_equal(machine_store1(m, next++, 4000), SWAPOUT_ZSWAP);
	assert_int_equal(machine_store1(m, next++, 4000), SWAPOUT_DISK);
	assert_int_equal(s->lru_rotations, 16);
	assert_int_equal(machine_store1(m, next++, 4000), SWAPOUT_DISK);
	assert_int_equal(s->lru_rotations, 31);
	while (!s->written_back_pages)
		machine_store1(m, next++, 4000);
	assert_int_equal(s->pool_limit_hit, 352);
	machine_destroy(m);
}

static void written_back_pages_are_read_from_disk(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});
	enum swapin from;

	for (uint32_t i = 1; i <= 10; i++)
		machine_store1(m, i, 2 * i);
	assert_int_equal(shrink_memcg(m->z, m->memcg), 0);
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 10);
	assert_int_equal(zswap_stats(m->z)->zswpwb, 10);
	for (uint32_t i = 1; i <= 10; i++) {
		assert_int_equal(machine_load(m, i, 2 * i, &from), 0);
		assert_int_equal(from, SWAPIN_DISK);
	}
	assert_int_equal(m->memcg->lru[0].nr_disk_swapins, 10);
	machine_destroy(m);
}

static void without_writeback_a_memcg_is_no_candidate(void **state)
{
	struct machine *m =
		machine_create(&(struct machine_config){.kernel = "7.3", .lengths = true});

	for (uint64_t i = 0; i < 10; i++)
		machine_store1(m, i, 1000);
	m->memcg->zswap_writeback = false;
	assert_int_equal(shrink_memcg(m->z, m->memcg), -ENOENT);
	m->memcg->zswap_writeback = true;
	root_mem_cgroup(&m->memcgs)->zswap_writeback = false;
	assert_int_equal(shrink_memcg(m->z, m->memcg), -ENOENT);
	root_mem_cgroup(&m->memcgs)->zswap_writeback = true;
	assert_int_equal(shrink_memcg(m->z, m->memcg), 0);
	machine_destroy(m);
}

static void a_parents_limit_refuses_its_childrens_pages(void **state)
{
	struct machine *m =
		machine_create(&(struct machine_config){.kernel = "7.2", .lengths = true});
	struct mem_cgroup *a = mem_cgroup_create(&m->memcgs, m->memcg, "/t/a");
	struct mem_cgroup *b = mem_cgroup_create(&m->memcgs, m->memcg, "/t/b");
	struct mem_cgroup *parent = m->memcg;

	parent->zswap_max = 8192;
	m->memcg = a;
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(machine_store1(m, i, 3000), SWAPOUT_ZSWAP);
	/* b has no entry of its own to give up: there is no candidate. */
	m->memcg = b;
	assert_int_equal(machine_store1(m, 10, 3000), SWAPOUT_DISK);
	assert_int_equal(parent->zswap_bytes, 9000);
	assert_int_equal(b->zswap_bytes, 0);
	m->memcg = parent;
	machine_destroy(m);
}

static void an_offline_memcgs_entries_and_charges_move_to_its_parent(void **state)
{
	struct machine *m =
		machine_create(&(struct machine_config){.kernel = "7.3", .lengths = true});
	struct mem_cgroup *parent = m->memcg;
	struct mem_cgroup *child = mem_cgroup_create(&m->memcgs, parent, "/t/a");

	machine_store1(m, 1, 500);
	m->memcg = child;
	for (uint64_t i = 2; i < 12; i++)
		machine_store1(m, i, 1000);
	m->memcg = parent;
	m->z->next_shrink = child;
	assert_int_equal(zswap_memcg_offline(m->z, child), 0);
	assert_ptr_not_equal(m->z->next_shrink, child);
	assert_int_equal(parent->lru[0].nr_items, 11);
	assert_int_equal(parent->zswap_bytes, 10500);
	/* The child's come first: they were spliced in at the head. */
	assert_int_equal(zswap_entry_of_ref(m->z, parent->lru[0].list.first)->length, 1000);
	assert_int_equal(shrink_memcg(m->z, child), -ENOENT);
	zswap_invalidate(m->z, (swp_entry_t){0, 2});
	assert_int_equal(parent->zswap_bytes, 9500);
	machine_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pool_refuses_at_its_limit_and_until_the_accept_threshold),
		cmocka_unit_test(second_chance_keeps_cold_pages_and_sends_warm_ones_to_disk),
		cmocka_unit_test(zswap_max_refuses_once_per_entry_before_it_gives_way),
		cmocka_unit_test(the_shrinkers_count_uses_up_the_disk_swapins),
		cmocka_unit_test(without_memcgs_the_shrinker_counts_pool_pages),
		cmocka_unit_test(a_walk_meets_rotated_entries_again_if_its_budget_allows),
		cmocka_unit_test(the_worker_clears_16_bits_first_and_15_in_later_runs),
		cmocka_unit_test(written_back_pages_are_read_from_disk),
		cmocka_unit_test(without_writeback_a_memcg_is_no_candidate),
		cmocka_unit_test(a_parents_limit_refuses_its_childrens_pages),
		cmocka_unit_test(an_offline_memcgs_entries_and_charges_move_to_its_parent),
	};

	return cmocka_run_group_tests_name("zswap_limits", tests, NULL, NULL);
}
