// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/iaa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "backends/registry.h"
#include "tests/batch_rig.h"
#include "tests/gen_page.h"
#include "tests/test.h"

#define UNITS 16

struct rig {
	struct iaa_model model;
	struct crypto_registry registry;
	struct kernel *k;
	struct crypto_acomp *tfm;
	struct page *folio, *out[UNITS], *back;
	struct scatterlist dst[UNITS];
	struct acomp_req req;
};

/* 1 s and 1 ns: a clock that never moves would hide a time that is not taken. */
static uint64_t clock_of(void *arg)
{
	return *(uint64_t *)arg += 1000;
}

static struct rig *rig_create(const char *device)
{
	static uint64_t now;
	struct rig *r = calloc(1, sizeof(*r));
	struct profile profile;
	char err[256];

	assert_int_equal(profile_init(&profile, PROFILE_DEFAULT, err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&(struct kernel_config){.profile = &profile,
							       .clock = clock_of,
							       .clock_arg = &now},
				       &r->k),
			 0);
	r->registry = *backends_registry();
	if (device) {
		assert_int_equal(iaa_model_builtin(device, &r->model, err, sizeof(err)), 0);
		r->registry.device = &r->model;
	}
	crypto_init(r->k, &r->registry);
	assert_int_equal(crypto_alloc_acomp(r->k, "deflate-iaa", &r->tfm), 0);
	acomp_request_set_tfm(&r->req, r->tfm);
	r->folio = alloc_pages(r->k->frames, 4, 0);
	r->back = alloc_pages(r->k->frames, 0, 0);
	for (unsigned i = 0; i < UNITS; i++) {
		r->out[i] = alloc_pages(r->k->frames, 0, 0);
		gen_fill(i % 4 == 3 ? GEN_PART_RANDOM : GEN_TEXT, i, page_address(r->folio + i),
			 PAGE_SIZE);
	}
	return r;
}

static void rig_destroy(struct rig *r)
{
	crypto_free_acomp(r->tfm);
	crypto_exit(r->k);
	kernel_destroy(r->k);
	free(r);
}

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

/* By zlib itself, with a window of 4 KiB and no more. */
static void assert_inflates_to(const void *data, unsigned length, const void *page)
{
	unsigned char back[PAGE_SIZE];
	z_stream z = {.next_in = (unsigned char *)data,
		      .avail_in = length,
		      .next_out = back,
		      .avail_out = sizeof(back)};

	assert_int_equal(inflateInit2(&z, -12), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, PAGE_SIZE);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
	assert_memory_equal(back, page, PAGE_SIZE);
}

static void what_it_makes_is_raw_deflate_with_fixed_codes(void **state)
{
	struct rig *r = rig_create("letter");
	const unsigned char *frame = page_address(r->out[0]);

	assert_int_equal(compress_units(r, 1), 0);
	assert_true(r->dst[0].length < PAGE_SIZE);
	assert_inflates_to(frame, r->dst[0].length, page_address(r->folio));
	/* Last block, fixed Huffman codes: bits 1, 01. */
	assert_int_equal(frame[0] & 7, 3);
	rig_destroy(r);
}

static void the_interfaces_give_the_same_frames(void **state)
{
	struct rig *r = rig_create("letter"), *one = rig_create("letter");

	compress_units(r, UNITS);
	for (unsigned i = 0; i < UNITS; i++) {
		int result = acomp_unit_result(&r->dst[i]), ret;

		acomp_request_set_src_folio(&one->req, one->folio + i, 0, PAGE_SIZE);
		acomp_request_set_dst_folio(&one->req, one->out[i], 0, PAGE_SIZE);
		ret = crypto_acomp_compress(&one->req);
		if (ret) {
			assert_int_equal(result, ret);
			continue;
		}
		assert_int_equal(result, one->req.dlen);
		assert_memory_equal(page_address(r->out[i]), page_address(one->out[i]), result);
	}
	rig_destroy(one);
	rig_destroy(r);
}

static void a_page_that_does_not_shrink_is_e2big_and_does_not_touch_its_neighbours(void **state)
{
	struct rig *r = rig_create("letter");
	uint64_t rng = 1;

	gen_random_bytes(&rng, page_address(r->folio + 2), PAGE_SIZE);
	assert_int_equal(compress_units(r, 4), -E2BIG);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			assert_int_equal(acomp_unit_result(&r->dst[i]), -E2BIG);
		else
			assert_inflates_to(page_address(r->out[i]), r->dst[i].length,
					   page_address(r->folio + i));
	}
	rig_destroy(r);
}

static void an_object_over_two_pages_is_copied_together_and_comes_back(void **state)
{
	struct rig *r = rig_create("sweep");
	struct scatterlist src[2];
	unsigned length;

	assert_int_equal(compress_units(r, 1), 0);
	length = r->dst[0].length;
	memcpy(page_address(r->out[1]), (char *)page_address(r->out[0]) + 100, length - 100);
	sg_init_table(src, 2);
	sg_set_page(&src[0], r->out[0], 100, 0);
	sg_set_page(&src[1], r->out[1], length - 100, 0);
	acomp_request_set_src_sg(&r->req, src, length);
	acomp_request_set_dst_folio(&r->req, r->back, 0, PAGE_SIZE);
	assert_int_equal(crypto_acomp_decompress(&r->req), 0);
	assert_int_equal(r->req.dlen, PAGE_SIZE);
	assert_int_equal(r->req.cost.copy_bytes, length);
	assert_memory_equal(page_address(r->back), page_address(r->folio), PAGE_SIZE);
	rig_destroy(r);
}

static void damaged_and_missing_data_is_refused(void **state)
{
	struct rig *r = rig_create("sweep");
	unsigned length;

	assert_int_equal(compress_units(r, 1), 0);
	length = r->dst[0].length;
	acomp_request_set_dst_folio(&r->req, r->back, 0, PAGE_SIZE);
	acomp_request_set_src_dma(&r->req, page_address(r->out[0]), length - 1);
	assert_int_equal(crypto_acomp_decompress(&r->req), -EINVAL);
	assert_int_equal(r->req.dlen, 0);
	acomp_request_set_src_dma(&r->req, page_address(r->out[0]), 0);
	r->req.dlen = PAGE_SIZE;
	assert_int_equal(crypto_acomp_decompress(&r->req), -EINVAL);
	acomp_request_set_src_dma(&r->req, page_address(r->out[0]), length);
	r->req.dlen = 100;
	assert_int_equal(crypto_acomp_decompress(&r->req), -ENOSPC);
	memset(page_address(r->out[0]), 0xff, 16);
	r->req.dlen = PAGE_SIZE;
	assert_int_equal(crypto_acomp_decompress(&r->req), -EINVAL);
	/* A list that is shorter than it says. */
	sg_init_table(r->dst, 1);
	sg_set_page(r->dst, r->out[0], 10, 0);
	acomp_request_set_src_sg(&r->req, r->dst, 20);
	r->req.dlen = PAGE_SIZE;
	assert_int_equal(crypto_acomp_decompress(&r->req), -EINVAL);
	rig_destroy(r);
}

static void the_time_of_a_call_is_the_models_of_its_pages(void **state)
{
	struct rig *r = rig_create("sweep");

	for (unsigned nr = 1; nr <= UNITS; nr++) {
		compress_units(r, nr);
		assert_int_equal(r->req.cost.modelled_ns,
				 (uint64_t)(iaa_model_ns(&r->model, IAA_COMPRESS, nr, 0) + 0.5));
		/* What the stand-in took is by the clock, and is no part of that. */
		assert_int_equal(r->req.cost.codec_ns, 1000);
		assert_int_equal(r->req.cost.calls[ACOMP_CALL_COMPRESS_CCTX], nr);
	}
	rig_destroy(r);
}

static void an_array_of_requests_takes_the_time_of_its_batch(void **state)
{
	struct rig *r = rig_create("sweep");
	struct acomp_req req[8] = {0}, *reqs[8];
	unsigned dlens[8], back[8];
	const void *srcs[8];
	struct page *pages[8];
	uint64_t sum = 0;
	void *dsts[8];
	int errors[8];

	for (unsigned i = 0; i < 8; i++) {
		reqs[i] = &req[i];
		acomp_request_set_tfm(reqs[i], r->tfm);
		gen_fill(GEN_TEXT, i, page_address(r->folio + i), PAGE_SIZE);
		pages[i] = r->folio + i;
		dsts[i] = page_address(r->out[i]);
		srcs[i] = dsts[i];
		dlens[i] = PAGE_SIZE;
	}
	assert_true(crypto_acomp_batch_compress(reqs, pages, dsts, dlens, errors, 8));
	for (unsigned i = 0; i < 8; i++) {
		sum += req[i].cost.modelled_ns;
		pages[i] = r->folio + 8 + i;
	}
	assert_int_equal(sum, 8 * 1378);
	assert_true(crypto_acomp_batch_decompress(reqs, srcs, pages, dlens, back, errors, 8));
	sum = 0;
	for (unsigned i = 0; i < 8; i++) {
		sum += req[i].cost.modelled_ns;
		assert_memory_equal(page_address(r->folio + 8 + i), page_address(r->folio + i),
				    PAGE_SIZE);
	}
	assert_int_equal(sum, 8 * 773);
	rig_destroy(r);
}

static void without_a_device_it_is_the_letters(void **state)
{
	struct rig *r = rig_create(NULL);

	assert_int_equal(crypto_acomp_batch_size(r->tfm), 8);
	compress_units(r, 1);
	assert_in_range(r->req.cost.modelled_ns, 3000, 3800);
	rig_destroy(r);
}

/*
 * A page whose frame has exactly 4096 bytes. Fixed codes have 8 bits for bytes below 144, and 10
 * bits around them: a short run has to save between 10 and 17.
 */
static bool find_page_of_4096(struct rig *r, void *page)
{
	unsigned char *bytes = page;

	for (uint64_t seed = 1; seed < 50; seed++) {
		uint64_t rng = seed;

		gen_random_bytes(&rng, page, PAGE_SIZE);
		for (unsigned i = 0; i < PAGE_SIZE; i++)
			bytes[i] %= 144;
		for (unsigned run = 0; run < 8; run++) {
			memset(bytes + 1000, 0x11, run);
			acomp_request_set_unit_size(&r->req, 0);
			acomp_request_set_src_dma(&r->req, page, PAGE_SIZE);
			acomp_request_set_dst_folio(&r->req, r->back, 0, PAGE_SIZE);
			if (!crypto_acomp_compress(&r->req) && r->req.dlen == PAGE_SIZE)
				return true;
		}
	}
	return false;
}

/* E.9: so a device that may fill its buffer to the last byte loses a page under v14. */
static void a_frame_of_exactly_4096_bytes_is_lost_by_segmented_alone(void **state)
{
	struct rig *r = rig_create("letter");
	unsigned char page[PAGE_SIZE];

	assert_true(find_page_of_4096(r, page));
	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct machine *m =
			batch_machine(&(struct machine_config){.compressor = "deflate-iaa"}, mode);
		struct folio folio = machine_folio(m, 5, 0, NULL);
		enum swapout where;
		enum swapin from;
		bool same;

		memcpy(page_address(folio.page), page, PAGE_SIZE);
		assert_int_equal(swap_writeout(m->io, &folio, &where), 0);
		assert_int_equal(where, SWAPOUT_ZSWAP);
		assert_int_equal(swap_read_folio(m->io, &folio, &from), 0);
		same = !memcmp(page_address(folio.page), page, PAGE_SIZE);
		assert_int_equal(same, mode != ZSWAP_BATCHING_SEGMENTED);
		machine_destroy(m);
	}
	rig_destroy(r);
}

static void every_interface_stores_the_same_objects_of_it(void **state)
{
	struct machine_config config = {.compressor = "deflate-iaa", .max_pool_percent = 100};
	struct machine *none = batch_machine(&config, 0);
	uint32_t ids[64];

	for (unsigned i = 0; i < 64; i++)
		ids[i] = i % 9 == 4 ? 4 * i + 3 : i + 1;
	for (unsigned slot = 0; slot < 256; slot += 64)
		machine_store(none, slot, 6, ids);
	for (unsigned mode = 1; mode < NR_BATCHING; mode++) {
		struct machine *m = batch_machine(&config, mode);

		for (unsigned slot = 0; slot < 256; slot += 64)
			machine_store(m, slot, 6, ids);
		assert_int_equal(assert_same_objects(none, m, 256), 256);
		assert_same_counters(none, m);
		for (unsigned slot = 0; slot < 256; slot++)
			assert_int_equal(machine_load(m, slot, ids[slot % 64], NULL), 0);
		machine_destroy(m);
	}
	machine_destroy(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_makes_is_raw_deflate_with_fixed_codes),
		cmocka_unit_test(the_interfaces_give_the_same_frames),
		cmocka_unit_test(
			a_page_that_does_not_shrink_is_e2big_and_does_not_touch_its_neighbours),
		cmocka_unit_test(an_object_over_two_pages_is_copied_together_and_comes_back),
		cmocka_unit_test(damaged_and_missing_data_is_refused),
		cmocka_unit_test(the_time_of_a_call_is_the_models_of_its_pages),
		cmocka_unit_test(an_array_of_requests_takes_the_time_of_its_batch),
		cmocka_unit_test(without_a_device_it_is_the_letters),
		cmocka_unit_test(a_frame_of_exactly_4096_bytes_is_lost_by_segmented_alone),
		cmocka_unit_test(every_interface_stores_the_same_objects_of_it),
	};

	return cmocka_run_group_tests_name("iaa", tests, NULL, NULL);
}
