// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/acomp_batch.h"

#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "tests/test.h"
#include "tests/toy_alg.h"

#define UNITS 8

struct rig {
	struct toy toy;
	struct crypto_registry registry;
	struct kernel *k;
	struct crypto_acomp *tfm;
	struct page *folio, *out[UNITS];
	struct scatterlist dst[UNITS];
	struct acomp_req req;
};

static struct rig *rig_create_with(const char *alg, const struct crypto_registry *registry)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct profile profile;
	char err[256];

	assert_int_equal(profile_init(&profile, PROFILE_DEFAULT, err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&(struct kernel_config){.profile = &profile}, &r->k), 0);
	r->toy.batch = UNITS;
	r->registry = registry ? *registry : toy_registry(&r->toy);
	crypto_init(r->k, &r->registry);
	assert_int_equal(crypto_alloc_acomp(r->k, alg, &r->tfm), 0);
	acomp_request_set_tfm(&r->req, r->tfm);
	r->folio = alloc_pages(r->k->frames, 3, 0);
	for (unsigned i = 0; i < UNITS; i++)
		r->out[i] = alloc_pages(r->k->frames, 0, 0);
	return r;
}

static struct rig *rig_create(const char *alg)
{
	return rig_create_with(alg, NULL);
}

static void rig_destroy(struct rig *r)
{
	crypto_free_acomp(r->tfm);
	crypto_exit(r->k);
	kernel_destroy(r->k);
	free(r);
}

/* A request over the first @nr pages of the folio. */
static int compress_units(struct rig *r, unsigned nr)
{
	sg_init_table(r->dst, nr);
	for (unsigned i = 0; i < nr; i++)
		sg_set_page(&r->dst[i], r->out[i], PAGE_SIZE, 0);
	acomp_request_set_src_folio(&r->req, r->folio, 0, nr * PAGE_SIZE);
	acomp_request_set_dst_sg(&r->req, r->dst, nr * PAGE_SIZE);
	acomp_request_set_unit_size(&r->req, PAGE_SIZE);
	return crypto_acomp_compress(&r->req);
}

static void *unit(struct rig *r, unsigned i)
{
	return page_address(r->folio + i);
}

static void assert_result(struct rig *r, unsigned i, unsigned length, unsigned tag)
{
	unsigned char expected[PAGE_SIZE];

	toy_expect(expected, length, tag);
	assert_int_equal(acomp_unit_result(&r->dst[i]), length);
	assert_memory_equal(page_address(r->out[i]), expected, length);
}

static void a_segmented_request_is_one_call_of_the_algorithm(void **state)
{
	struct rig *r = rig_create("toy-seg");

	for (unsigned i = 0; i < UNITS; i++)
		toy_fill(unit(r, i), 100 + i, i);
	assert_int_equal(compress_units(r, UNITS), 0);
	assert_int_equal(r->toy.calls, 1);
	assert_int_equal(r->toy.units[0], UNITS);
	for (unsigned i = 0; i < UNITS; i++)
		assert_result(r, i, 100 + i, i);
	assert_int_equal(r->tfm->counts.calls, 1);
	assert_int_equal(r->tfm->counts.units, UNITS);
	assert_int_equal(r->tfm->counts.submissions, 1);
	rig_destroy(r);
}

static void an_error_of_a_unit_is_in_the_length_of_its_entry_and_the_others_are_done(void **state)
{
	struct rig *r = rig_create("toy-seg");

	for (unsigned i = 0; i < UNITS; i++)
		toy_fill(unit(r, i), i == 3 ? -ENOSPC : i == 5 ? -EINVAL : 200, i);
	assert_int_equal(compress_units(r, UNITS), -ENOSPC);
	assert_true(r->dst[3].length > PAGE_SIZE);
	assert_int_equal(acomp_unit_result(&r->dst[3]), -ENOSPC);
	assert_int_equal(acomp_unit_result(&r->dst[5]), -EINVAL);
	for (unsigned i = 0; i < UNITS; i++) {
		if (i != 3 && i != 5)
			assert_result(r, i, 200, i);
	}
	rig_destroy(r);
}

static void without_the_segmentation_bit_exactly_one_unit_is_taken(void **state)
{
	struct rig *r = rig_create("toy");

	toy_fill(unit(r, 0), 300, 1);
	toy_fill(unit(r, 1), 300, 2);
	assert_int_equal(compress_units(r, 2), -ENOSYS);
	assert_int_equal(r->toy.calls, 0);
	assert_int_equal(r->dst[0].length, PAGE_SIZE);
	assert_int_equal(compress_units(r, 1), 0);
	assert_result(r, 0, 300, 1);
	toy_fill(unit(r, 0), -ENOSPC, 1);
	assert_int_equal(compress_units(r, 1), -ENOSPC);
	assert_int_equal(acomp_unit_result(&r->dst[0]), -ENOSPC);
	rig_destroy(r);
}

static void a_unit_size_needs_a_source_and_a_list_as_destination(void **state)
{
	struct rig *r = rig_create("toy-seg");
	unsigned char buf[PAGE_SIZE];

	acomp_request_set_unit_size(&r->req, PAGE_SIZE);
	acomp_request_set_src_folio(&r->req, r->folio, 0, PAGE_SIZE);
	acomp_request_set_dst_dma(&r->req, buf, PAGE_SIZE);
	assert_int_equal(crypto_acomp_compress(&r->req), -EINVAL);
	assert_int_equal(compress_units(r, 1), 0);
	acomp_request_set_src_folio(&r->req, r->folio, 0, 0);
	assert_int_equal(crypto_acomp_compress(&r->req), -EINVAL);
	rig_destroy(r);
}

static void without_a_unit_size_nothing_is_cut_and_no_length_is_written(void **state)
{
	struct rig *r = rig_create("toy-seg");

	toy_fill(unit(r, 0), 77, 1);
	compress_units(r, 1);
	acomp_request_set_unit_size(&r->req, 0);
	sg_set_page(&r->dst[0], r->out[0], PAGE_SIZE, 0);
	acomp_request_set_dst_sg(&r->req, r->dst, PAGE_SIZE);
	assert_int_equal(crypto_acomp_compress(&r->req), 0);
	assert_int_equal(r->dst[0].length, PAGE_SIZE);
	assert_int_equal(r->req.dlen, 77);
	rig_destroy(r);
}

struct arrays {
	struct acomp_req req[UNITS], *reqs[UNITS];
	struct page *pages[UNITS];
	void *dsts[UNITS];
	unsigned dlens[UNITS];
	int errors[UNITS];
};

static void arrays_init(struct arrays *a, struct rig *r)
{
	memset(a, 0, sizeof(*a));
	for (unsigned i = 0; i < UNITS; i++) {
		a->reqs[i] = &a->req[i];
		acomp_request_set_tfm(&a->req[i], r->tfm);
		a->pages[i] = r->folio + i;
		a->dsts[i] = page_address(r->out[i]);
		a->dlens[i] = PAGE_SIZE;
	}
}

static void arrays_are_one_call_or_one_a_page(const char *alg, unsigned calls)
{
	struct rig *r = rig_create(alg);
	struct arrays a;

	arrays_init(&a, r);
	for (unsigned i = 0; i < UNITS; i++)
		toy_fill(unit(r, i), i == 2 ? -EINVAL : 50 * i, i);
	assert_false(crypto_acomp_batch_compress(a.reqs, a.pages, a.dsts, a.dlens, a.errors, 8));
	assert_int_equal(r->toy.calls, calls);
	for (unsigned i = 0; i < UNITS; i++) {
		assert_int_equal(a.errors[i], i == 2 ? -EINVAL : 0);
		assert_int_equal(a.dlens[i], i == 2 ? 0 : 50 * i);
	}
	assert_int_equal(r->tfm->counts.calls, 1);
	assert_int_equal(r->tfm->counts.units, 8);
	assert_int_equal(r->tfm->counts.submissions, calls);
	toy_fill(unit(r, 2), 5, 2);
	for (unsigned i = 0; i < UNITS; i++)
		a.dlens[i] = PAGE_SIZE;
	assert_true(crypto_acomp_batch_compress(a.reqs, a.pages, a.dsts, a.dlens, a.errors, 8));
	rig_destroy(r);
}

static void an_algorithm_that_knows_arrays_gets_them_in_one_call(void **state)
{
	arrays_are_one_call_or_one_a_page("toy-seg", 1);
}

static void any_other_gets_one_request_after_the_other(void **state)
{
	arrays_are_one_call_or_one_a_page("toy", 8);
}

static void what_a_batch_compressed_a_batch_gets_back(const char *alg,
						      const struct crypto_registry *registry)
{
	struct rig *r = rig_create_with(alg, registry);
	const void *srcs[UNITS];
	unsigned char expected[PAGE_SIZE];
	unsigned back[UNITS];
	struct arrays a;

	arrays_init(&a, r);
	for (unsigned i = 0; i < UNITS; i++) {
		toy_fill(unit(r, i), 60 + i, 1 + i);
		srcs[i] = a.dsts[i];
	}
	assert_true(crypto_acomp_batch_compress(a.reqs, a.pages, a.dsts, a.dlens, a.errors, 8));
	for (unsigned i = 0; i < UNITS; i++)
		memset(unit(r, i), 0, PAGE_SIZE);
	assert_true(
		crypto_acomp_batch_decompress(a.reqs, srcs, a.pages, a.dlens, back, a.errors, 8));
	for (unsigned i = 0; i < UNITS; i++) {
		toy_fill(expected, 60 + i, 1 + i);
		assert_int_equal(back[i], PAGE_SIZE);
		assert_memory_equal(unit(r, i), expected, PAGE_SIZE);
	}
	/* One that is damaged does not touch its neighbours. */
	memset(a.dsts[4], 0, 60);
	assert_false(
		crypto_acomp_batch_decompress(a.reqs, srcs, a.pages, a.dlens, back, a.errors, 8));
	for (unsigned i = 0; i < UNITS; i++)
		assert_int_equal(a.errors[i] != 0, i == 4);
	rig_destroy(r);
}

static void a_batch_comes_back_from_a_device(void **state)
{
	what_a_batch_compressed_a_batch_gets_back("toy-seg", NULL);
}

static void a_batch_comes_back_one_by_one(void **state)
{
	what_a_batch_compressed_a_batch_gets_back("toy", NULL);
}

static void a_batch_comes_back_from_zstd(void **state)
{
	what_a_batch_compressed_a_batch_gets_back("zstd", backends_registry());
}

static void the_batch_size_is_the_algorithms_and_1_of_software(void **state)
{
	struct rig *r = rig_create("toy-seg");

	assert_int_equal(crypto_acomp_batch_size(r->tfm), 8);
	r->toy.batch = 0;
	assert_int_equal(crypto_acomp_batch_size(r->tfm), 1);
	r->toy.batch = 1000;
	assert_int_equal(crypto_acomp_batch_size(r->tfm), ACOMP_MAX_BATCH_SIZE);
	rig_destroy(r);
	r = rig_create("toy");
	assert_int_equal(crypto_acomp_batch_size(r->tfm), 1);
	rig_destroy(r);
}

static void the_parts_of_a_cost_make_the_whole(void **state)
{
	struct acomp_cost whole = {.calls = {3, 1},
				   .path = ACOMP_PATH_ONESHOT,
				   .init_ns = 17,
				   .codec_ns = 1003,
				   .copy_ns = 5,
				   .copy_bytes = 9,
				   .modelled_ns = 5736};
	uint64_t init = 0, codec = 0, copy = 0, modelled = 0;
	unsigned calls = 0, bytes = 0;

	for (unsigned i = 0; i < 8; i++) {
		struct acomp_cost part;

		acomp_cost_part(&whole, 8, i, &part);
		init += part.init_ns;
		codec += part.codec_ns;
		copy += part.copy_ns;
		modelled += part.modelled_ns;
		calls += part.calls[0] + part.calls[1];
		bytes += part.copy_bytes;
		assert_int_equal(part.path, ACOMP_PATH_ONESHOT);
	}
	assert_int_equal(init, 17);
	assert_int_equal(codec, 1003);
	assert_int_equal(copy, 5);
	assert_int_equal(modelled, 5736);
	assert_int_equal(calls, 4);
	assert_int_equal(bytes, 9);
}

struct log {
	struct acomp_watch watch;
	unsigned called, units, submitting, submitted;
	uint64_t modelled_ns;
};

static void log_call(struct acomp_watch *watch, unsigned units, uint64_t ns)
{
	struct log *log = (struct log *)watch;

	log->called++;
	log->units += units;
}

static void log_begin(struct acomp_watch *watch)
{
	struct log *log = (struct log *)watch;

	assert_int_equal(log->submitting++, log->submitted);
}

static void log_submission(struct acomp_watch *watch, unsigned units, uint64_t modelled_ns)
{
	struct log *log = (struct log *)watch;

	log->submitted++;
	log->modelled_ns += modelled_ns;
}

static void a_watch_is_told_of_calls_and_of_what_they_come_to(void **state)
{
	struct log log = {.watch = {log_call, log_begin, log_submission}};
	struct rig *r = rig_create("toy-seg");
	struct arrays a;

	r->tfm->watch = &log.watch;
	for (unsigned i = 0; i < UNITS; i++)
		toy_fill(unit(r, i), 10, i);
	compress_units(r, 8);
	compress_units(r, 3);
	arrays_init(&a, r);
	crypto_acomp_batch_compress(a.reqs, a.pages, a.dsts, a.dlens, a.errors, 5);
	assert_int_equal(log.called, 3);
	assert_int_equal(log.units, 16);
	assert_int_equal(log.submitted, 3);
	assert_int_equal(log.modelled_ns, 1600);
	rig_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_segmented_request_is_one_call_of_the_algorithm),
		cmocka_unit_test(
			an_error_of_a_unit_is_in_the_length_of_its_entry_and_the_others_are_done),
		cmocka_unit_test(without_the_segmentation_bit_exactly_one_unit_is_taken),
		cmocka_unit_test(a_unit_size_needs_a_source_and_a_list_as_destination),
		cmocka_unit_test(without_a_unit_size_nothing_is_cut_and_no_length_is_written),
		cmocka_unit_test(an_algorithm_that_knows_arrays_gets_them_in_one_call),
		cmocka_unit_test(any_other_gets_one_request_after_the_other),
		cmocka_unit_test(a_batch_comes_back_from_a_device),
		cmocka_unit_test(a_batch_comes_back_one_by_one),
		cmocka_unit_test(a_batch_comes_back_from_zstd),
		cmocka_unit_test(the_batch_size_is_the_algorithms_and_1_of_software),
		cmocka_unit_test(the_parts_of_a_cost_make_the_whole),
		cmocka_unit_test(a_watch_is_told_of_calls_and_of_what_they_come_to),
	};

	return cmocka_run_group_tests_name("acomp_batch", tests, NULL, NULL);
}
