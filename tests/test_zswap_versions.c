// SPDX-License-Identifier: GPL-2.0-or-later
/* What changed between kernels in loads, writebacks and shrinkers. */
#include <errno.h>
#include <string.h>

#include "sim/swapdev.h"
#include "sim/zswap_private.h"
#include "tests/machine.h"
#include "tests/test.h"

static struct machine *machine_of(const char *kernel, bool lengths)
{
	return machine_create(&(struct machine_config){
		.kernel = kernel, .lengths = lengths, .shrinker_enabled = true});
}

/* E.7, 6.8 to 6.11: count = floor(max(0, length - protected) * backing / stored). */
static void in_6_8_the_shrinker_spares_a_protected_size(void **state)
{
	struct machine *m = machine_of("6.8", true);
	struct zswap_lru_list *lru = &m->memcg->lru[0];

	for (uint64_t i = 0; i < 100; i++) {
		machine_store1(m, i, 1000);
		assert_true(lru->nr_zswap_protected <= lru->nr_items / 4);
	}
	lru->nr_zswap_protected = 30;
	assert_int_equal(zswap_shrinker_count(m->z, m->memcg, 0), 70 * 24 / 100);
	/* Counting uses nothing up. */
	assert_int_equal(zswap_shrinker_count(m->z, m->memcg, 0), 70 * 24 / 100);
	assert_true(zswap_shrinker_scan(m->z, m->memcg, 0, 70) == SHRINK_STOP);
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 0);
	/* There is no second chance: what is scanned goes. */
	assert_int_equal(zswap_shrinker_scan(m->z, m->memcg, 0, 10), 10);
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 10);
	lru->nr_zswap_protected = 1000;
	assert_int_equal(zswap_shrinker_count(m->z, m->memcg, 0), 0);
	machine_destroy(m);
}

static void in_6_8_a_read_from_disk_protects_one_more(void **state)
{
	struct machine *m = machine_of("6.8", true);
	struct zswap_lru_list *lru = &m->memcg->lru[0];
	uint64_t before;

	for (uint64_t i = 0; i < 100; i++)
		machine_store1(m, i, 1000);
	machine_store1(m, 100, (uint32_t)-EINVAL);
	before = lru->nr_zswap_protected;
	assert_int_equal(machine_load(m, 100, 0, NULL), 0);
	assert_int_equal(lru->nr_zswap_protected, before + 1);
	assert_int_equal(lru->nr_disk_swapins, 0);
	machine_destroy(m);
}

static struct folio large(struct machine *m, uint64_t slot)
{
	return machine_folio(m, slot, 4, NULL);
}

static void in_7_4_a_large_load_without_a_page_in_zswap_is_read_from_disk(void **state)
{
	struct machine *m = machine_of("7.4", false);
	struct folio folio;
	uint32_t ids[16];
	enum swapin from;

	for (unsigned i = 0; i < 16; i++)
		ids[i] = 2 * i + 2;
	zpool_fail_nth(zswap_zpool(m->z), 3);
	assert_int_equal(machine_store(m, 16, 4, ids), SWAPOUT_DISK);
	folio = large(m, 16);
	assert_int_equal(swap_read_folio(m->io, &folio, &from), 0);
	assert_int_equal(from, SWAPIN_DISK);
	assert_int_equal(m->memcg->lru[0].nr_disk_swapins, 1);
	machine_store1(m, 20, 2);
	folio = large(m, 16);
	assert_int_equal(swap_read_folio(m->io, &folio, &from), -EIO);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 1);
	machine_destroy(m);
}

/* Case C21, with page 5 written back. */
static void a_range_of_which_a_page_was_written_back_is_loaded_page_by_page(void **state)
{
	struct machine *m = machine_of("7.0", false);
	struct zswap_entry *entry;
	struct folio folio;
	uint32_t ids[16];
	enum swapin from;

	for (unsigned i = 0; i < 16; i++)
		ids[i] = 2 * i + 2;
	machine_store(m, 0, 4, ids);
	entry = zswap_entry_lookup(m->z, (swp_entry_t){0, 5});
	assert_int_equal(zswap_writeback_entry(m->z, entry), 0);
	m->z->stats.written_back_pages++; /* as its caller counts */
	folio = large(m, 0);
	assert_int_equal(swap_read_folio(m->io, &folio, &from), -EINVAL);
	assert_int_equal(zswap_stats(m->z)->zswpin, 0);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(machine_load(m, i, ids[i], NULL), 0);
	assert_int_equal(zswap_stats(m->z)->zswpin, 15);
	assert_int_equal(swap_io_stats(m->io)->pswpin, 1);
	assert_int_equal(m->memcg->lru[0].nr_disk_swapins, 1);
	machine_destroy(m);
}

/* Case C22, with a synchronous device. */
static void in_6_12_a_synchronous_device_keeps_the_entry_after_a_load(void **state)
{
	struct machine *m = machine_of("6.12", false);

	m->z->config.synchronous_device = true;
	machine_store1(m, 1, 2);
	assert_int_equal(machine_load(m, 1, 2, NULL), 0);
	assert_int_equal(machine_load(m, 1, 2, NULL), 0);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 1);
	zswap_invalidate(m->z, (swp_entry_t){0, 1});
	machine_destroy(m);
	m = machine_of("7.3", false);
	m->z->config.synchronous_device = true;
	machine_store1(m, 1, 2);
	assert_int_equal(machine_load(m, 1, 2, NULL), 0);
	assert_int_equal(machine_load(m, 1, 2, NULL), -ENOENT);
	machine_destroy(m);
}

static void a_writeback_to_a_device_that_is_gone_fails_by_version(void **state)
{
	static const struct {
		const char *kernel;
		int error;
	} rows[] = {{"6.12", -ENOMEM}, {"7.2", -EEXIST}, {"7.3", -EEXIST}, {"7.4", -ENOENT}};

	for (unsigned i = 0; i < 4; i++) {
		struct machine *m = machine_of(rows[i].kernel, true);
		struct zswap_entry *entry;

		for (uint64_t slot = 0; slot < 40; slot++)
			machine_store1(m, slot, 1000);
		swapdev_set_gone(m->dev, 0, true);
		entry = zswap_entry_lookup(m->z, (swp_entry_t){0, 1});
		assert_int_equal(zswap_writeback_entry(m->z, entry), rows[i].error);
		assert_int_equal(zswap_stats(m->z)->stored_pages, 40);
		/* All bits cleared, then 10 more tries; -EEXIST ends the shrinker's scan at once.
		 */
		zswap_shrinker_scan(m->z, m->memcg, 0, 50);
		assert_int_equal(zswap_stats(m->z)->reject_reclaim_fail,
				 rows[i].error == -EEXIST ? 1 : 10);
		machine_destroy(m);
	}
}

static void damage(struct machine *m, uint64_t slot)
{
	unsigned char junk[64];

	memset(junk, 0xff, sizeof(junk));
	zpool_obj_write(zswap_zpool(m->z), zswap_entry_lookup(m->z, (swp_entry_t){0, slot})->handle,
			junk, sizeof(junk));
}

static void a_writeback_that_does_not_decompress_keeps_the_entry_in_7_3(void **state)
{
	struct machine *m = machine_of("7.3", false);

	machine_store1(m, 1, 2);
	damage(m, 1);
	assert_int_equal(zswap_writeback_entry(m->z, zswap_entry_lookup(m->z, (swp_entry_t){0, 1})),
			 -EIO);
	assert_int_equal(zswap_stats(m->z)->decompress_fail, 1);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 1);
	assert_int_equal(zpool_nr_mapped(zswap_zpool(m->z)), 0);
	machine_destroy(m);
}

static void a_pressure_that_meets_only_fresh_entries_clears_128_bits_and_stops(void **state)
{
	struct machine *m = machine_of("7.3", true);

	for (uint64_t i = 0; i < 300; i++)
		machine_store1(m, i, 1000);
	assert_true(zswap_shrinker_scan(m->z, m->memcg, 0, 128) == SHRINK_STOP);
	assert_int_equal(zswap_stats(m->z)->lru_rotations, 128);
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 0);
	machine_destroy(m);
}

/* Stores a page of a child that is gone; @id as machine_store1() takes it. */
static enum swapout store_of_a_dead_child(struct machine *m, struct mem_cgroup *child, uint32_t id)
{
	struct mem_cgroup *parent = m->memcg;
	enum swapout where;

	assert_int_equal(zswap_memcg_offline(m->z, child), 0);
	m->memcg = child;
	where = machine_store1(m, 100, id);
	m->memcg = parent;
	return where;
}

static void pages_of_a_dead_memcg_meet_its_parents_limit_and_not_its_own(void **state)
{
	static const char *const kernels[] = {"6.12", "7.3"};

	for (unsigned i = 0; i < 2; i++) {
		struct machine *m = machine_of(kernels[i], true);
		struct mem_cgroup *child = mem_cgroup_create(&m->memcgs, m->memcg, "/t/a");

		child->zswap_max = 0;
		assert_int_equal(store_of_a_dead_child(m, child, 1000), SWAPOUT_ZSWAP);
		assert_int_equal(m->memcg->zswap_bytes, 1000);
		assert_int_equal(m->memcg->zswpout, 1);
		assert_int_equal(m->memcg->lru[0].nr_items, 1);
		/* What makes room is the parent's own list. */
		zswap_entry_of_ref(m->z, m->memcg->lru[0].list.first)->referenced = false;
		m->memcg->zswap_max = 1;
		m->memcg = child;
		assert_int_equal(machine_store1(m, 101, 2000), SWAPOUT_ZSWAP);
		assert_int_equal(zswap_stats(m->z)->written_back_pages, 1);
		assert_int_equal(child->parent->zswap_bytes, 2000);
		m->memcg = child->parent;
		machine_destroy(m);
	}
}

static void a_dead_memcgs_writeback_setting_rules_its_pages_to_7_0(void **state)
{
	static const struct {
		const char *kernel;
		enum swapout where;
	} cases[] = {{"6.12", SWAPOUT_ACTIVATED},
		     {"6.18", SWAPOUT_ACTIVATED},
		     {"7.0", SWAPOUT_ACTIVATED},
		     {"7.2", SWAPOUT_DISK},
		     {"7.3", SWAPOUT_DISK}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine *m = machine_of(cases[i].kernel, true);
		struct mem_cgroup *child = mem_cgroup_create(&m->memcgs, m->memcg, "/t/a");

		child->zswap_writeback = false;
		m->memcg->zswap_max = 0;
		assert_int_equal(store_of_a_dead_child(m, child, 1000), cases[i].where);
		machine_destroy(m);
	}
}

static void the_roots_pages_are_charged_since_7_1(void **state)
{
	static const char *const kernels[] = {"7.0", "7.2"};

	for (unsigned i = 0; i < 2; i++) {
		struct machine *m = machine_of(kernels[i], true);
		struct mem_cgroup *memcg = m->memcg, *root = root_mem_cgroup(&m->memcgs);

		machine_store1(m, 1, 500);
		assert_int_equal(root->zswap_bytes, 500);
		m->memcg = root;
		machine_store1(m, 2, 1000);
		assert_int_equal(root->zswap_bytes, i ? 1500 : 500);
		zswap_invalidate(m->z, (swp_entry_t){0, 2});
		assert_int_equal(root->zswap_bytes, 500);
		m->memcg = memcg;
		machine_destroy(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_6_8_the_shrinker_spares_a_protected_size),
		cmocka_unit_test(in_6_8_a_read_from_disk_protects_one_more),
		cmocka_unit_test(in_7_4_a_large_load_without_a_page_in_zswap_is_read_from_disk),
		cmocka_unit_test(a_range_of_which_a_page_was_written_back_is_loaded_page_by_page),
		cmocka_unit_test(in_6_12_a_synchronous_device_keeps_the_entry_after_a_load),
		cmocka_unit_test(a_writeback_to_a_device_that_is_gone_fails_by_version),
		cmocka_unit_test(a_writeback_that_does_not_decompress_keeps_the_entry_in_7_3),
		cmocka_unit_test(
			a_pressure_that_meets_only_fresh_entries_clears_128_bits_and_stops),
		cmocka_unit_test(pages_of_a_dead_memcg_meet_its_parents_limit_and_not_its_own),
		cmocka_unit_test(a_dead_memcgs_writeback_setting_rules_its_pages_to_7_0),
		cmocka_unit_test(the_roots_pages_are_charged_since_7_1),
	};

	return cmocka_run_group_tests_name("zswap_versions", tests, NULL, NULL);
}
