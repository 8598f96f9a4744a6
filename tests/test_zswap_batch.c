// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zswap_batch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/batch_rig.h"
#include "tests/test.h"

#define NR(array) (sizeof(array) / sizeof(*(array)))

static const unsigned orders[] = {0, 2, 4, 9};

/* Contents of every kind, zero pages among them. */
static uint32_t content(unsigned i)
{
	return i % 13 == 5 ? 0 : i % 17 == 3 ? 4 * i + 3 : i + 1;
}

static void store_all(struct machine *m, unsigned order, unsigned nr_pages)
{
	uint32_t ids[512];

	for (unsigned slot = 0; slot < nr_pages; slot += 1u << order) {
		for (unsigned i = 0; i < 1u << order; i++)
			ids[i] = content(slot + i);
		machine_store(m, slot, order, ids);
	}
}

static void load_all(struct machine *m, unsigned nr_pages)
{
	for (unsigned slot = 0; slot < nr_pages; slot++)
		assert_int_equal(machine_load(m, slot, content(slot), NULL), 0);
}

static void objects_and_counters_are_those_of_single_pages(void **state)
{
	/* To 6.16 a destination in one entry is used in place, and any other is copied. */
	static const char *const kernels[] = {"6.8", "6.17", "6.18", "7.3", "7.4"};

	for (unsigned k = 0; k < NR(kernels); k++) {
		struct machine_config config = {
			.kernel = kernels[k],
			/* Nothing is refused. */
			.set = {"zswap.incompressible=store_raw", "zswap.large_folios=yes"},
			.max_pool_percent = 100,
		};

		for (unsigned o = 0; o < NR(orders); o++) {
			struct machine *none = batch_machine(&config, ZSWAP_BATCHING_NONE);
			unsigned nr_pages = orders[o] == 9 ? 512 : 256;

			store_all(none, orders[o], nr_pages);
			for (unsigned mode = 1; mode < NR_BATCHING; mode++) {
				struct machine *m = batch_machine(&config, mode);

				store_all(m, orders[o], nr_pages);
				assert_true(assert_same_objects(none, m, nr_pages) > 200);
				assert_same_counters(none, m);
				load_all(m, nr_pages);
				assert_int_equal(zswap_total_pages(m->z), 0);
				machine_destroy(m);
			}
			load_all(none, nr_pages);
			machine_destroy(none);
		}
	}
}

static void without_contents_the_counts_are_the_same(void **state)
{
	struct machine_config with = {.max_pool_percent = 100}, without = with;
	uint32_t ids[16];

	without.lengths = true;
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct machine *real = batch_machine(&with, mode);
		struct machine *m = batch_machine(&without, mode);
		struct zswap_compress_stats a, b;
		unsigned char buf[PAGE_SIZE];

		store_all(real, 4, 256);
		for (unsigned slot = 0; slot < 256; slot += 16) {
			for (unsigned i = 0; i < 16; i++) {
				ids[i] =
					zswap_copy_object(real->z, (swp_entry_t){0, slot + i}, buf);
				/* Raw ones are those that the codec had refused. */
				if (ids[i] == PAGE_SIZE)
					ids[i] = (uint32_t)-EINVAL;
			}
			machine_store(m, slot, 4, ids);
		}
		assert_same_counters(real, m);
		zswap_compress_stats(real->z, &a);
		zswap_compress_stats(m->z, &b);
		assert_int_equal(a.units, b.units);
		assert_int_equal(a.mutex_locks, b.mutex_locks);
		assert_int_equal(a.pages, b.pages);
		assert_int_equal(a.tables, b.tables);
		assert_int_equal(a.peak_bytes, b.peak_bytes);
		assert_int_equal(a.crossings, b.crossings);
		machine_destroy(m);
		machine_destroy(real);
	}
}

/* What the compressor is asked for a folio of 19 units' worth: 16 and tails. */
static void calls_of(const char *alg, unsigned order, unsigned batch, unsigned calls[4],
		     unsigned submissions[4], unsigned locks[4])
{
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = batch};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, alg, mode);
		struct zswap_compress_stats s;
		int results[512];

		for (unsigned i = 0; i < 512; i++)
			results[i] = 700 + i;
		assert_int_equal(toy_store(m, 0, order, results), SWAPOUT_ZSWAP);
		zswap_compress_stats(m->z, &s);
		calls[mode] = s.calls;
		submissions[mode] = s.submissions;
		locks[mode] = s.mutex_locks;
		assert_int_equal(s.units, 1u << order);
		machine_destroy(m);
	}
}

static void expect_calls(const char *alg, unsigned order, unsigned batch, const char *expected)
{
	unsigned calls[4], submissions[4], locks[4];
	char text[128];

	calls_of(alg, order, batch, calls, submissions, locks);
	snprintf(text, sizeof(text), "%u %u %u %u / %u %u %u %u / %u %u %u %u", calls[0], calls[1],
		 calls[2], calls[3], submissions[0], submissions[1], submissions[2], submissions[3],
		 locks[0], locks[1], locks[2], locks[3]);
	assert_string_equal(text, expected);
}

/* Calls of the API, of the algorithm, and the mutex: none, requests, segmented, folio. */
static void a_device_is_called_once_for_8_pages(void **state)
{
	expect_calls("toy-seg", 4, 8, "16 2 2 1 / 16 2 2 2 / 16 2 2 1");
	expect_calls("toy-seg", 9, 8, "512 64 64 1 / 512 64 64 64 / 512 64 64 1");
	expect_calls("toy-seg", 2, 8, "4 1 1 1 / 4 1 1 1 / 4 1 1 1");
	expect_calls("toy-seg", 0, 8, "1 1 1 1 / 1 1 1 1 / 1 1 1 1");
}

static void zswap_gives_no_more_than_8_and_the_folio_request_is_not_bound_by_that(void **state)
{
	expect_calls("toy-seg", 5, 16, "32 4 4 1 / 32 4 4 2 / 32 4 4 1");
	expect_calls("toy-seg", 4, 3, "16 6 6 1 / 16 6 6 6 / 16 6 6 1");
}

static void software_is_called_for_each_page_but_store_batches_are_of_8(void **state)
{
	expect_calls("toy", 4, 8, "16 16 16 1 / 16 16 16 16 / 16 2 2 1");
	expect_calls("toy", 2, 8, "4 4 4 1 / 4 4 4 4 / 4 1 1 1");
}

static void what_each_has_standing_by_is_told(void **state)
{
	static const unsigned requests[] = {1, 8, 1, 1};
	static const unsigned pages[] = {1, 8, 8, 9}; /* folio: the seed, and 8 of scratch */

	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, "toy-seg", mode);
		struct zswap_compress_stats s;

		zswap_compress_stats(m->z, &s);
		assert_int_equal(s.requests, requests[mode]);
		assert_int_equal(s.standing_bytes / PAGE_SIZE, pages[mode]);
		/* One frame is a writeback's. */
		assert_int_equal(machine_live_pages(m), pages[mode] + 1);
		machine_destroy(m);
	}
}

struct refused {
	const char *alg;
	unsigned mode;
	/* counters, and what was compressed and swept */
	uint64_t poor, fail, units, rolled_back;
};

/* Writeback is off: no raw pages. Pages 9 and 11 do not shrink, page 13 fails. */
static void a_refused_page_is_counted_as_the_interface_counts(void **state)
{
	static const struct refused expected[] = {
		/* The first one ends it, and what is in the tree is swept. */
		{"toy", ZSWAP_BATCHING_NONE, 1, 0, 10, 9},
		{"toy-seg", ZSWAP_BATCHING_NONE, 1, 0, 10, 9},
		/* The whole batch was compressed: each negative entry counts. */
		{"toy-seg", ZSWAP_BATCHING_REQUESTS, 2, 1, 16, 8},
		{"toy-seg", ZSWAP_BATCHING_SEGMENTED, 2, 1, 16, 8},
		/* One by one; page 8 had its object, but was not in the tree yet. */
		{"toy", ZSWAP_BATCHING_REQUESTS, 1, 0, 10, 9},
		{"toy", ZSWAP_BATCHING_SEGMENTED, 1, 0, 10, 9},
		/* A length of 0 does not say why. */
		{"toy", ZSWAP_BATCHING_FOLIO, 0, 1, 16, 9},
		{"toy-seg", ZSWAP_BATCHING_FOLIO, 0, 1, 16, 9},
	};

	for (unsigned e = 0; e < NR(expected); e++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, expected[e].alg, expected[e].mode);
		uint64_t live = machine_live_pages(m), frames;
		struct zswap_compress_stats s;
		int results[16];

		m->memcg->zswap_writeback = false;
		for (unsigned i = 0; i < 16; i++)
			results[i] = 1000 + i;
		results[9] = -ENOSPC;
		results[11] = -ENOSPC;
		results[13] = -EINVAL;
		assert_int_equal(toy_store(m, 16, 4, results), SWAPOUT_ACTIVATED);
		zswap_compress_stats(m->z, &s);
		assert_int_equal(zswap_stats(m->z)->reject_compress_poor, expected[e].poor);
		assert_int_equal(zswap_stats(m->z)->reject_compress_fail, expected[e].fail);
		assert_int_equal(s.units, expected[e].units);
		assert_int_equal(s.undone, expected[e].units);
		assert_int_equal(zswap_stats(m->z)->rolled_back, expected[e].rolled_back);
		assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
		frames = machine_live_pages(m);
		assert_int_equal(frames, live + 16); /* the folio itself */
		machine_destroy(m);
	}
}

static void a_stale_copy_goes_when_a_batch_is_refused(void **state)
{
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, "toy-seg", mode);
		int results[16], one = 50;

		for (unsigned i = 0; i < 16; i++)
			results[i] = 500;
		results[12] = -EINVAL;
		m->memcg->zswap_writeback = false;
		/* One that a new entry replaces, and one that no entry reaches. */
		assert_int_equal(toy_store(m, 2, 0, &one), SWAPOUT_ZSWAP);
		assert_int_equal(toy_store(m, 15, 0, &one), SWAPOUT_ZSWAP);
		assert_int_equal(toy_store(m, 0, 4, results), SWAPOUT_ACTIVATED);
		assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
		assert_int_equal(zswap_stats(m->z)->overwritten, 1);
		assert_int_equal(zswap_stats(m->z)->invalidated, 1);
		machine_destroy(m);
	}
}

static void with_writeback_what_does_not_shrink_is_raw_in_all(void **state)
{
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, "toy-seg", mode);
		unsigned char page[PAGE_SIZE], object[PAGE_SIZE];
		int results[16];

		for (unsigned i = 0; i < 16; i++)
			results[i] = i % 5 ? 300 : -ENOSPC;
		assert_int_equal(toy_store(m, 0, 4, results), SWAPOUT_ZSWAP);
		assert_int_equal(zswap_stats(m->z)->stored_incompressible_pages, 4);
		assert_int_equal(zswap_stats(m->z)->reject_compress_poor, 0);
		for (unsigned i = 0; i < 16; i += 5) {
			toy_fill(page, results[i], i + 1);
			assert_int_equal(zswap_copy_object(m->z, (swp_entry_t){0, i}, object),
					 PAGE_SIZE);
			assert_memory_equal(object, page, PAGE_SIZE);
		}
		machine_destroy(m);
	}
}

/* E.9: the test for lengths that are none went away with v14. */
static void a_frame_of_4096_bytes_is_taken_for_a_raw_page_in_segmented_alone(void **state)
{
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, "toy-seg", mode);
		unsigned char page[PAGE_SIZE], frame[PAGE_SIZE], object[PAGE_SIZE];
		int result = PAGE_SIZE;

		assert_int_equal(toy_store(m, 0, 0, &result), SWAPOUT_ZSWAP);
		toy_fill(page, result, 1);
		toy_expect(frame, PAGE_SIZE, 1);
		assert_int_equal(zswap_copy_object(m->z, (swp_entry_t){0, 0}, object), PAGE_SIZE);
		if (mode == ZSWAP_BATCHING_SEGMENTED)
			assert_memory_equal(object, frame, PAGE_SIZE);
		else
			assert_memory_equal(object, page, PAGE_SIZE);
		machine_destroy(m);
	}
}

static void the_times_of_a_batch_are_shared_out_without_loss(void **state)
{
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct toy toy = {.batch = 8};
		struct crypto_registry registry;
		struct machine *m = toy_machine(&toy, &registry, "toy-seg", mode);
		int results[16];

		for (unsigned i = 0; i < 16; i++)
			results[i] = 300;
		toy_store(m, 0, 4, results);
		/* Ten a page, but of a segmented request none. */
		assert_int_equal(zswap_stats(m->z)->dir[ZSWAP_STORE].codec_ns,
				 mode < ZSWAP_BATCHING_SEGMENTED ? 160 : 0);
		assert_int_equal(zswap_stats(m->z)->dir[ZSWAP_STORE].pages[ZSWAP_PATH_ONESHOT], 16);
		machine_destroy(m);
	}
}

static void every_cpu_has_its_own(void **state)
{
	struct machine_config config = {.nr_cpus = 3, .max_pool_percent = 100};

	for (unsigned mode = 1; mode < NR_BATCHING; mode++) {
		struct machine *none = batch_machine(&config, 0), *m = batch_machine(&config, mode);
		uint32_t ids[16];

		for (unsigned folio = 0; folio < 12; folio++) {
			none->k->cpu = m->k->cpu = folio % 3;
			for (unsigned i = 0; i < 16; i++)
				ids[i] = content(16 * folio + i);
			machine_store(none, 16 * folio, 4, ids);
			machine_store(m, 16 * folio, 4, ids);
		}
		assert_same_objects(none, m, 192);
		assert_same_counters(none, m);
		machine_destroy(none);
		machine_destroy(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_and_counters_are_those_of_single_pages),
		cmocka_unit_test(without_contents_the_counts_are_the_same),
		cmocka_unit_test(a_device_is_called_once_for_8_pages),
		cmocka_unit_test(
			zswap_gives_no_more_than_8_and_the_folio_request_is_not_bound_by_that),
		cmocka_unit_test(software_is_called_for_each_page_but_store_batches_are_of_8),
		cmocka_unit_test(what_each_has_standing_by_is_told),
		cmocka_unit_test(a_refused_page_is_counted_as_the_interface_counts),
		cmocka_unit_test(a_stale_copy_goes_when_a_batch_is_refused),
		cmocka_unit_test(with_writeback_what_does_not_shrink_is_raw_in_all),
		cmocka_unit_test(a_frame_of_4096_bytes_is_taken_for_a_raw_page_in_segmented_alone),
		cmocka_unit_test(the_times_of_a_batch_are_shared_out_without_loss),
		cmocka_unit_test(every_cpu_has_its_own),
	};

	return cmocka_run_group_tests_name("zswap_batch", tests, NULL, NULL);
}
