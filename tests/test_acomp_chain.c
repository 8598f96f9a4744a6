// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/acomp_chain.h"

#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "tests/test.h"
#include "tests/toy_alg.h"

#define MAX_UNITS 512

struct rig {
	struct toy toy;
	struct crypto_registry registry;
	struct kernel *k;
	struct crypto_acomp *tfm;
	struct acomp_chain *chain;
	struct page *folio, *seed;
	struct acomp_req req;
	int result[MAX_UNITS];
	uint64_t live; /* frames, before anything was compressed */
};

static uint64_t live_pages(struct rig *r)
{
	struct page_frames_stats stats;

	page_frames_stats(r->k->frames, &stats);
	return stats.live_pages;
}

static struct rig *rig_create_with(const char *alg, const struct crypto_registry *registry)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct profile profile;
	char err[256];

	assert_int_equal(profile_init(&profile, PROFILE_DEFAULT, err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&(struct kernel_config){.profile = &profile}, &r->k), 0);
	r->toy.batch = 8;
	r->registry = registry ? *registry : toy_registry(&r->toy);
	crypto_init(r->k, &r->registry);
	assert_int_equal(crypto_alloc_acomp(r->k, alg, &r->tfm), 0);
	acomp_request_set_tfm(&r->req, r->tfm);
	r->folio = alloc_pages(r->k->frames, 9, 0);
	r->seed = alloc_pages(r->k->frames, 0, 0);
	assert_int_equal(acomp_chain_create(r->k, r->seed, MAX_UNITS,
					    crypto_acomp_batch_size(r->tfm), &r->chain),
			 0);
	r->live = live_pages(r);
	return r;
}

static struct rig *rig_create(const char *alg)
{
	return rig_create_with(alg, NULL);
}

static void rig_destroy(struct rig *r)
{
	acomp_chain_release(r->chain);
	assert_int_equal(live_pages(r), r->live);
	acomp_chain_destroy(r->chain);
	crypto_free_acomp(r->tfm);
	crypto_exit(r->k);
	assert_int_equal(live_pages(r), 512 + 1);
	kernel_destroy(r->k);
	free(r);
}

static void fill(struct rig *r, unsigned i, int result)
{
	r->result[i] = result;
	toy_fill(page_address(r->folio + i), result, i);
}

/* Units @from to @to - 1; how many were done. */
static unsigned compress(struct rig *r, unsigned from, unsigned to)
{
	acomp_request_set_src_folio(&r->req, r->folio, from * PAGE_SIZE, (to - from) * PAGE_SIZE);
	acomp_request_set_unit_size(&r->req, PAGE_SIZE);
	acomp_request_set_dst_chain(&r->req, r->chain);
	assert_int_equal(crypto_acomp_compress(&r->req), 0);
	return acomp_chain_nr_done(r->chain);
}

/* All that is in the chain is what units @from and on compress to. */
static void check_results(struct rig *r, unsigned from)
{
	struct scatterlist *sg = acomp_chain_results(r->chain);
	unsigned char expected[PAGE_SIZE];

	for (unsigned i = 0; i < acomp_chain_nr_done(r->chain); i++) {
		unsigned length = r->result[from + i] < 0 ? 0 : r->result[from + i];
		const void *data;

		assert_int_equal(acomp_chain_take(r->chain, &sg, &data), length);
		toy_expect(expected, length, from + i);
		assert_memory_equal(data, expected, length);
	}
	assert_null(sg);
}

static void results_are_packed_without_a_gap_and_cross_pages(void **state)
{
	struct rig *r = rig_create("toy");
	const struct acomp_chain_stats *stats = acomp_chain_stats(r->chain);
	struct scatterlist *sg;

	for (unsigned i = 0; i < 8; i++)
		fill(r, i, 1500);
	assert_int_equal(compress(r, 0, 8), 8);
	/* 12000 bytes: the seed and two more. */
	assert_int_equal(stats->pages, 2);
	assert_int_equal(stats->crossings, 2);
	sg = acomp_chain_results(r->chain);
	for (unsigned i = 0, at = 0; sg; sg = sg_next(sg), i++) {
		assert_int_equal(sg->offset, at % PAGE_SIZE);
		at += sg->length;
		assert_int_equal(sg->cont, i == 2 || i == 6);
	}
	check_results(r, 0);
	rig_destroy(r);
}

static void a_unit_that_does_not_shrink_or_fails_has_an_entry_of_length_0(void **state)
{
	struct rig *r = rig_create("toy");
	struct scatterlist *sg;

	fill(r, 0, -ENOSPC);
	fill(r, 1, 40);
	fill(r, 2, -EINVAL);
	fill(r, 3, 41);
	assert_int_equal(compress(r, 0, 4), 4);
	sg = acomp_chain_results(r->chain);
	for (unsigned i = 0; i < 4; i++, sg = sg_next(sg))
		assert_int_equal(sg->length, i == 1 ? 40 : i == 3 ? 41 : 0);
	check_results(r, 0);
	rig_destroy(r);
}

static void a_whole_page_of_results_needs_no_second_page(void **state)
{
	struct rig *r = rig_create("toy");

	fill(r, 0, 4000);
	fill(r, 1, 96);
	fill(r, 2, -EINVAL);
	assert_int_equal(compress(r, 0, 3), 3);
	assert_int_equal(acomp_chain_stats(r->chain)->pages, 0);
	fill(r, 3, 1);
	assert_int_equal(compress(r, 0, 4), 4);
	assert_int_equal(acomp_chain_stats(r->chain)->pages, 1);
	assert_int_equal(acomp_chain_stats(r->chain)->crossings, 0);
	check_results(r, 0);
	rig_destroy(r);
}

static void a_device_is_given_its_batch_at_once_and_the_tail_apart(void **state)
{
	struct rig *r = rig_create("toy-seg");

	for (unsigned i = 0; i < 19; i++)
		fill(r, i, 1000 + i);
	assert_int_equal(compress(r, 0, 19), 19);
	assert_int_equal(r->toy.calls, 3);
	assert_int_equal(r->toy.units[0], 8);
	assert_int_equal(r->toy.units[1], 8);
	assert_int_equal(r->toy.units[2], 3);
	assert_int_equal(r->tfm->counts.calls, 1);
	assert_int_equal(r->tfm->counts.units, 19);
	assert_int_equal(r->req.cost.modelled_ns, 1900);
	check_results(r, 0);
	rig_destroy(r);
}

/* Whatever fails, what is done is right, at least one unit is, and going on from there ends. */
static void go_on_to_the_end(struct rig *r, unsigned units)
{
	unsigned done = 0, calls = 0;

	while (done < units) {
		unsigned nr = compress(r, done, units);

		assert_true(nr > 0);
		check_results(r, done);
		done += nr;
		assert_true(++calls <= units);
	}
}

static void the_nth_allocation_fails(const char *alg, bool table)
{
	struct rig *r = rig_create(alg);
	const struct acomp_chain_stats *stats = acomp_chain_stats(r->chain);
	uint64_t allocations, stops = 0;

	for (unsigned i = 0; i < 64; i++)
		fill(r, i, i % 7 == 3 ? -ENOSPC : 1700 + 11 * i);
	assert_int_equal(compress(r, 0, 64), 64);
	allocations = table ? stats->tables : stats->pages;
	assert_true(allocations > 3);
	for (unsigned nth = 1; nth <= allocations; nth++) {
		if (table)
			acomp_chain_fail_table(r->chain, nth);
		else
			page_frames_fail_nth(r->k->frames, nth);
		go_on_to_the_end(r, 64);
		assert_int_equal(stats->stops, ++stops);
		acomp_chain_release(r->chain);
		assert_int_equal(live_pages(r), r->live);
		assert_int_equal(stats->bytes, 0);
	}
	acomp_chain_fail_table(r->chain, 0);
	page_frames_fail_nth(r->k->frames, 0);
	assert_int_equal(compress(r, 0, 64), 64);
	rig_destroy(r);
}

static void any_page_may_fail_and_the_units_before_it_are_kept(void **state)
{
	the_nth_allocation_fails("toy", false);
	the_nth_allocation_fails("toy-seg", false);
}

static void any_table_may_fail_and_the_units_before_it_are_kept(void **state)
{
	the_nth_allocation_fails("toy", true);
	the_nth_allocation_fails("toy-seg", true);
}

static void with_no_memory_at_all_every_call_does_one_unit(void **state)
{
	struct rig *r = rig_create("toy");

	for (unsigned i = 0; i < 10; i++)
		fill(r, i, 4000);
	for (unsigned i = 0; i < 10; i++) {
		page_frames_fail_nth(r->k->frames, 1);
		acomp_chain_fail_table(r->chain, 1);
		assert_int_equal(compress(r, i, 10), 1);
		check_results(r, i);
	}
	page_frames_fail_nth(r->k->frames, 0);
	rig_destroy(r);
}

static void units_compressed_in_vain_are_counted(void **state)
{
	struct rig *r = rig_create("toy-seg");

	for (unsigned i = 0; i < 16; i++)
		fill(r, i, 3000);
	page_frames_fail_nth(r->k->frames, 2);
	/* Two pages hold two results of 3000 bytes: six of the batch of eight are for nothing. */
	assert_int_equal(compress(r, 0, 16), 2);
	assert_int_equal(acomp_chain_stats(r->chain)->repeated, 6);
	rig_destroy(r);
}

static void a_large_folio_peaks_at_its_results_and_gives_all_back(void **state)
{
	struct rig *r = rig_create("toy");
	const struct acomp_chain_stats *stats = acomp_chain_stats(r->chain);

	for (unsigned i = 0; i < MAX_UNITS; i++)
		fill(r, i, 1024);
	assert_int_equal(compress(r, 0, MAX_UNITS), MAX_UNITS);
	assert_int_equal(stats->pages, 127);
	assert_int_equal(stats->crossings, 0);
	assert_true(stats->peak_bytes > 127 * PAGE_SIZE);
	assert_true(stats->peak_bytes < 127 * PAGE_SIZE + 127 * 256);
	check_results(r, 0);
	rig_destroy(r);
}

static void frames_are_those_of_single_requests_wherever_they_lie(void **state)
{
	struct rig *r = rig_create_with("zstd", backends_registry());
	struct page *out = alloc_pages(r->k->frames, 0, 0);
	struct acomp_req one = {.tfm = r->tfm};
	struct scatterlist *sg;
	uint32_t rng = 1;

	for (unsigned i = 0; i < 64; i++) {
		unsigned char *bytes = page_address(r->folio + i);

		memset(bytes, 0, PAGE_SIZE);
		for (unsigned j = 0; j < i * 64; j++)
			bytes[j] = (rng = rng * 1664525 + 1013904223) >> 24;
	}
	assert_int_equal(compress(r, 0, 64), 64);
	assert_true(acomp_chain_stats(r->chain)->crossings > 10);
	sg = acomp_chain_results(r->chain);
	for (unsigned i = 0; i < 64; i++) {
		const void *data;
		unsigned length = acomp_chain_take(r->chain, &sg, &data);

		acomp_request_set_src_folio(&one, r->folio + i, 0, PAGE_SIZE);
		acomp_request_set_dst_folio(&one, out, 0, PAGE_SIZE);
		if (crypto_acomp_compress(&one)) {
			assert_int_equal(length, 0);
			continue;
		}
		assert_int_equal(length, one.dlen);
		assert_memory_equal(data, page_address(out), length);
		assert_int_equal(acomp_chain_cost(r->chain, i)->path, ACOMP_PATH_ONESHOT);
	}
	free_pages(r->k->frames, out);
	rig_destroy(r);
}

static void what_does_not_fit_the_chain_is_refused(void **state)
{
	struct rig *r = rig_create("toy");
	char buf[64];

	fill(r, 0, 10);
	acomp_request_set_src_folio(&r->req, r->folio, 0, (MAX_UNITS + 1) * PAGE_SIZE);
	acomp_request_set_unit_size(&r->req, PAGE_SIZE);
	acomp_request_set_dst_chain(&r->req, r->chain);
	assert_int_equal(crypto_acomp_compress(&r->req), -EINVAL);
	acomp_request_set_src_folio(&r->req, r->folio, 0, 0);
	assert_int_equal(crypto_acomp_compress(&r->req), -EINVAL);
	acomp_request_set_src_dma(&r->req, buf, sizeof(buf));
	assert_int_equal(crypto_acomp_compress(&r->req), -EINVAL);
	acomp_request_set_src_folio(&r->req, r->folio, 0, 2 * PAGE_SIZE);
	acomp_request_set_unit_size(&r->req, 2 * PAGE_SIZE);
	assert_int_equal(crypto_acomp_compress(&r->req), -EINVAL);
	rig_destroy(r);
}

static void any_destination_ends_the_chain(void **state)
{
	struct rig *r = rig_create("toy");
	char buf[PAGE_SIZE];

	fill(r, 0, 10);
	compress(r, 0, 1);
	acomp_request_set_unit_size(&r->req, 0);
	acomp_request_set_dst_dma(&r->req, buf, sizeof(buf));
	assert_null(r->req.chain);
	assert_int_equal(crypto_acomp_compress(&r->req), 0);
	assert_int_equal(r->req.dlen, 10);
	rig_destroy(r);
}

/* Against a plain list of bytes. */
static void random_results_come_back_in_order(void **state)
{
	struct rig *r = rig_create("toy-seg");
	uint64_t rng = 7;

	for (unsigned round = 0; round < 60; round++) {
		unsigned units = 1;

		for (unsigned i = 0; i < MAX_UNITS; i++) {
			unsigned kind;

			rng = rng * 6364136223846793005u + 1442695040888963407u;
			kind = (rng >> 60) % 8;
			fill(r, i,
			     kind == 0	 ? -ENOSPC
			     : kind == 1 ? (rng >> 33) % 20
			     : kind == 2 ? PAGE_SIZE
					 : (rng >> 33) % 4097);
		}
		units += (rng >> 20) % MAX_UNITS;
		r->toy.batch = 1 + round % 8;
		assert_int_equal(compress(r, 0, units), units);
		check_results(r, 0);
	}
	rig_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_packed_without_a_gap_and_cross_pages),
		cmocka_unit_test(a_unit_that_does_not_shrink_or_fails_has_an_entry_of_length_0),
		cmocka_unit_test(a_whole_page_of_results_needs_no_second_page),
		cmocka_unit_test(a_device_is_given_its_batch_at_once_and_the_tail_apart),
		cmocka_unit_test(any_page_may_fail_and_the_units_before_it_are_kept),
		cmocka_unit_test(any_table_may_fail_and_the_units_before_it_are_kept),
		cmocka_unit_test(with_no_memory_at_all_every_call_does_one_unit),
		cmocka_unit_test(units_compressed_in_vain_are_counted),
		cmocka_unit_test(a_large_folio_peaks_at_its_results_and_gives_all_back),
		cmocka_unit_test(frames_are_those_of_single_requests_wherever_they_lie),
		cmocka_unit_test(what_does_not_fit_the_chain_is_refused),
		cmocka_unit_test(any_destination_ends_the_chain),
		cmocka_unit_test(random_results_come_back_in_order),
	};

	return cmocka_run_group_tests_name("acomp_chain", tests, NULL, NULL);
}
