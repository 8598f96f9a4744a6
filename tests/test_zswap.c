// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/zswap_private.h"
#include "tests/machine.h"
#include "tests/test.h"

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void what_is_stored_comes_back_once(void **state)
{
	static const char *const kernels[] = {"6.12", "6.17", "6.18", "7.0", "7.2", "7.3", "7.4"};

	for (unsigned i = 0; i < NR(kernels); i++) {
		struct machine *m = machine_create(&(struct machine_config){.kernel = kernels[i]});
		enum swapin from;

		for (uint32_t id = 1; id < 200; id++)
			machine_store1(m, id, id);
		for (uint32_t id = 1; id < 200; id++)
			assert_int_equal(machine_load(m, id, id, &from), 0);
		assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
		assert_int_equal(zswap_total_pages(m->z), 0);
		/* The load was exclusive; of what lay on disk, the copy stays. */
		assert_int_equal(machine_load(m, 2, 2, &from), -ENOENT);
		machine_destroy(m);
	}
}

static void a_store_in_7_3_builds_two_contexts_and_in_6_12_none(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});

	machine_store1(m, 1, 2);
	assert_int_equal(m->last.path, ZSWAP_PATH_ONESHOT);
	assert_int_equal(m->last_cost.calls[ACOMP_CALL_INIT_CSTREAM], 1);
	assert_int_equal(m->last_cost.calls[ACOMP_CALL_INIT_CCTX], 1);
	machine_destroy(m);
	m = machine_create(&(struct machine_config){.kernel = "6.12"});
	machine_store1(m, 1, 2);
	assert_int_equal(m->last_cost.calls[ACOMP_CALL_INIT_CSTREAM], 0);
	assert_int_equal(m->last_cost.calls[ACOMP_CALL_INIT_CCTX], 0);
	assert_int_equal(m->last_cost.calls[ACOMP_CALL_COMPRESS_CCTX], 1);
	machine_destroy(m);
}

static void a_load_streams_if_and_only_if_its_object_crosses_a_page(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});
	unsigned streamed = 0;

	for (uint32_t id = 2; id < 4000; id += 2)
		machine_store1(m, id, id);
	for (uint32_t id = 2; id < 4000; id += 2) {
		struct zpool_location loc;
		bool crosses;

		assert_true(zswap_locate(m->z, (swp_entry_t){0, id}, &loc));
		/* By its place in the zspage, and not by what the allocator says of it. */
		crosses = loc.slot_size < PAGE_SIZE &&
			  loc.index * loc.slot_size % PAGE_SIZE + 8 + loc.length > PAGE_SIZE;
		assert_int_equal(machine_load(m, id, id, NULL), 0);
		if (m->last.path == ZSWAP_PATH_RAW)
			continue;
		assert_int_equal(m->last.path == ZSWAP_PATH_STREAM, crosses);
		assert_int_equal(m->last_cost.calls[ACOMP_CALL_DECOMPRESS_STREAM], crosses ? 2 : 0);
		streamed += crosses;
	}
	assert_true(streamed > 100);
	machine_destroy(m);
}

static void copying_kernels_never_stream(void **state)
{
	static const char *const kernels[] = {"6.12", "6.17", "6.18"};

	for (unsigned i = 0; i < NR(kernels); i++) {
		struct machine *m = machine_create(&(struct machine_config){.kernel = kernels[i]});

		for (uint32_t id = 2; id < 1000; id += 2)
			machine_store1(m, id, id);
		for (uint32_t id = 2; id < 1000; id += 2)
			assert_int_equal(machine_load(m, id, id, NULL), 0);
		assert_int_equal(zswap_stats(m->z)->dir[ZSWAP_LOAD].pages[ZSWAP_PATH_STREAM], 0);
		assert_true(zswap_stats(m->z)->dir[ZSWAP_LOAD].straddled > 50);
		machine_destroy(m);
	}
}

/* Case C13: 1000 stores and loads of payload 1200. */
static void payload_1200_streams_200_of_1000_loads(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.lengths = true});
	const struct zswap_account *in = &zswap_stats(m->z)->dir[ZSWAP_LOAD];

	for (uint64_t i = 0; i < 1000; i++)
		machine_store1(m, i, 1200);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(machine_load(m, i, 0, NULL), 0);
	assert_int_equal(in->pages[ZSWAP_PATH_ONESHOT], 800);
	assert_int_equal(in->pages[ZSWAP_PATH_STREAM], 200);
	assert_int_equal(in->calls[ACOMP_CALL_INIT_DSTREAM], 1000);
	assert_int_equal(in->calls[ACOMP_CALL_INIT_DCTX], 800);
	machine_destroy(m);
}

static void random_page(struct machine *m, uint64_t slot, enum swapout expected)
{
	assert_int_equal(machine_store1(m, slot, 3), expected);
}

static void an_incompressible_page_is_refused_in_6_12(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "6.12"});

	random_page(m, 7, SWAPOUT_DISK);
	assert_int_equal(zswap_stats(m->z)->reject_compress_fail, 1);
	assert_int_equal(zswap_stats(m->z)->reject_compress_poor, 0);
	assert_int_equal(swap_io_stats(m->io)->pswpout, 1);
	machine_destroy(m);
}

/* Case C08. */
static void an_incompressible_page_is_stored_raw_in_7_0(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.0"});
	struct zpool_location loc;

	random_page(m, 7, SWAPOUT_ZSWAP);
	assert_int_equal(zswap_stats(m->z)->stored_incompressible_pages, 1);
	assert_int_equal(m->memcg->zswap_bytes, 4096);
	assert_true(zswap_locate(m->z, (swp_entry_t){0, 7}, &loc));
	assert_int_equal(loc.slot_size, PAGE_SIZE);
	assert_int_equal(machine_load(m, 7, 3, NULL), 0);
	assert_int_equal(m->last.path, ZSWAP_PATH_RAW);
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		assert_int_equal(m->last_cost.calls[i], 0);
	assert_int_equal(zpool_nr_mapped(zswap_zpool(m->z)), 0);
	assert_int_equal(zswap_stats(m->z)->stored_incompressible_pages, 0);
	machine_destroy(m);
}

static void without_writeback_an_incompressible_page_stays_in_memory(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});

	m->memcg->zswap_writeback = false;
	random_page(m, 7, SWAPOUT_ACTIVATED);
	assert_int_equal(zswap_stats(m->z)->reject_compress_fail, 1);
	assert_int_equal(swap_io_stats(m->io)->pswpout, 0);
	machine_destroy(m);
}

static void zeros_never_reach_zswap(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});
	enum swapin from;

	assert_int_equal(machine_store1(m, 5, 0), SWAPOUT_ZERO);
	assert_int_equal(zswap_stats(m->z)->zswpout, 0);
	assert_int_equal(machine_load(m, 5, 0, &from), 0);
	assert_int_equal(from, SWAPIN_ZERO);
	assert_int_equal(machine_load(m, 5, 0, &from), 0);
	assert_int_equal(swap_io_stats(m->io)->swpin_zero, 2);
	machine_destroy(m);
}

/* Case C20: 1166 of 2702 pages are same-filled. */
static void constant_pages_are_compressed_and_zeros_are_not(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.lengths = true});

	for (uint64_t i = 0; i < 1166; i++)
		machine_store1(m, i, 19);
	assert_int_equal(zswap_total_pages(m->z), 10);
	machine_destroy(m);
	m = machine_create(&(struct machine_config){.lengths = true});
	for (uint64_t i = 0; i < 1166; i++)
		machine_store1(m, i, 25);
	assert_int_equal(zswap_total_pages(m->z), 15);
	machine_destroy(m);
	m = machine_create(&(struct machine_config){.lengths = true});
	for (uint64_t i = 0; i < 1166; i++)
		machine_store1(m, i, ZSWAP_ZERO_ID);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
	assert_int_equal(swap_io_stats(m->io)->swpout_zero, 1166);
	machine_destroy(m);
}

static void a_new_store_replaces_the_stale_copy(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});

	machine_store1(m, 1, 2);
	machine_store1(m, 1, 5);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 1);
	assert_int_equal(zswap_stats(m->z)->overwritten, 1);
	assert_int_equal(machine_load(m, 1, 5, NULL), 0);
	machine_destroy(m);
}

static void a_failed_store_erases_the_stale_copy(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "6.12"});
	enum swapin from;

	machine_store1(m, 1, 2);
	random_page(m, 1, SWAPOUT_DISK);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
	assert_int_equal(machine_load(m, 1, 3, &from), 0);
	assert_int_equal(from, SWAPIN_DISK);
	machine_destroy(m);
}

static void a_large_folio_is_stored_page_by_page(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});
	uint32_t ids[16];

	for (unsigned i = 0; i < 16; i++)
		ids[i] = 2 * i + 2;
	assert_int_equal(machine_store(m, 32, 4, ids), SWAPOUT_ZSWAP);
	assert_int_equal(zswap_stats(m->z)->zswpout, 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(machine_load(m, 32 + i, ids[i], NULL), 0);
	machine_destroy(m);
}

static void a_large_folio_is_all_or_nothing(void **state)
{
	struct machine_config config = {.kernel = "7.3", .set = {"zswap.incompressible=reject"}};
	struct machine *m = machine_create(&config);
	uint32_t ids[16], stale = 2;

	for (unsigned i = 0; i < 16; i++)
		ids[i] = i == 9 ? 3 : 2 * i + 2;
	machine_store(m, 32 + 12, 0, &stale);
	assert_int_equal(machine_store(m, 32, 4, ids), SWAPOUT_DISK);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
	assert_int_equal(zswap_stats(m->z)->rolled_back, 9);
	assert_int_equal(zswap_stats(m->z)->invalidated, 1);
	assert_int_equal(zswap_stats(m->z)->zswpout, 1);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(machine_load(m, 32 + i, ids[i], NULL), 0);
	machine_destroy(m);
}

static void in_6_12_a_large_folio_is_refused_and_stale_copies_stay(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "6.12"});
	uint32_t ids[16], stale = 2;

	for (unsigned i = 0; i < 16; i++)
		ids[i] = 2 * i + 4;
	machine_store(m, 32, 0, &stale);
	assert_int_equal(machine_store(m, 32, 4, ids), SWAPOUT_DISK);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 1);
	assert_int_equal(zswap_stats(m->z)->reject_large_folio, 1);
	machine_destroy(m);
}

/* Case C21. */
static void a_large_load_is_refused_and_erases_nothing(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.0"});
	struct folio folio;
	uint32_t ids[16];
	enum swapin from;

	for (unsigned i = 0; i < 16; i++)
		ids[i] = 2 * i + 2;
	machine_store(m, 0, 4, ids);
	folio = machine_folio(m, 0, 4, NULL);
	assert_int_equal(swap_read_folio(m->io, &folio, &from), -EINVAL);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 16);
	assert_int_equal(zswap_stats(m->z)->zswpin, 0);
	machine_destroy(m);
}

static void allocation_failures_are_counted_and_leave_nothing(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});

	zpool_fail_nth(zswap_zpool(m->z), 1);
	assert_int_equal(machine_store1(m, 1, 2), SWAPOUT_DISK);
	assert_int_equal(zswap_stats(m->z)->reject_alloc_fail, 1);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
	machine_destroy(m);
}

static void an_object_that_was_damaged_is_kept_and_counted(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});
	struct zpool *pool = zswap_zpool(m->z);
	unsigned char junk[64];

	machine_store1(m, 1, 2);
	memset(junk, 0xff, sizeof(junk));
	zpool_obj_write(pool, zswap_entry_lookup(m->z, (swp_entry_t){0, 1})->handle, junk,
			sizeof(junk));
	assert_int_equal(machine_load(m, 1, 2, NULL), -EIO);
	assert_int_equal(zswap_stats(m->z)->decompress_fail, 1);
	assert_int_equal(zswap_stats(m->z)->stored_pages, 1);
	assert_int_equal(zpool_nr_mapped(pool), 0);
	machine_destroy(m);
}

static void a_disabled_zswap_stores_nothing(void **state)
{
	struct machine *m = machine_create(&(struct machine_config){.disabled = true});

	assert_int_equal(machine_store1(m, 1, 2), SWAPOUT_DISK);
	assert_int_equal(zswap_stats(m->z)->reject_disabled, 1);
	machine_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_stored_comes_back_once),
		cmocka_unit_test(a_store_in_7_3_builds_two_contexts_and_in_6_12_none),
		cmocka_unit_test(a_load_streams_if_and_only_if_its_object_crosses_a_page),
		cmocka_unit_test(copying_kernels_never_stream),
		cmocka_unit_test(payload_1200_streams_200_of_1000_loads),
		cmocka_unit_test(an_incompressible_page_is_refused_in_6_12),
		cmocka_unit_test(an_incompressible_page_is_stored_raw_in_7_0),
		cmocka_unit_test(without_writeback_an_incompressible_page_stays_in_memory),
		cmocka_unit_test(zeros_never_reach_zswap),
		cmocka_unit_test(constant_pages_are_compressed_and_zeros_are_not),
		cmocka_unit_test(a_new_store_replaces_the_stale_copy),
		cmocka_unit_test(a_failed_store_erases_the_stale_copy),
		cmocka_unit_test(a_large_folio_is_stored_page_by_page),
		cmocka_unit_test(a_large_folio_is_all_or_nothing),
		cmocka_unit_test(in_6_12_a_large_folio_is_refused_and_stale_copies_stay),
		cmocka_unit_test(a_large_load_is_refused_and_erases_nothing),
		cmocka_unit_test(allocation_failures_are_counted_and_leave_nothing),
		cmocka_unit_test(an_object_that_was_damaged_is_kept_and_counted),
		cmocka_unit_test(a_disabled_zswap_stores_nothing),
	};

	return cmocka_run_group_tests_name("zswap", tests, NULL, NULL);
}
