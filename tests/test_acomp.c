// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acomp.h"
#include "tests/test.h"

/*
 * An algorithm whose stream contexts are numbered as they are made, and whose compression gives the
 * number of the context that served it.
 */
static struct {
	unsigned nr_alloc, nr_live, nr_init, nr_exit;
	unsigned fail_at; /* the alloc of this number fails; 0: none */
	int init_ret;
	struct acomp_req *seen;
} fake;

static int fake_alloc_ctx(struct kernel *k, const struct acomp_alg *alg, int level, void **ctx)
{
	if (++fake.nr_alloc == fake.fail_at)
		return -ENOMEM;
	*ctx = malloc(sizeof(unsigned));
	*(unsigned *)*ctx = fake.nr_alloc;
	fake.nr_live++;
	return 0;
}

static void fake_free_ctx(void *ctx)
{
	free(ctx);
	fake.nr_live--;
}

static const struct acomp_alg fake_alg;

static int fake_init(struct crypto_acomp *tfm)
{
	fake.nr_init++;
	if (fake.init_ret)
		return fake.init_ret;
	return crypto_acomp_alloc_streams(tfm);
}

static void fake_exit(struct crypto_acomp *tfm)
{
	fake.nr_exit++;
}

static int fake_compress(struct acomp_req *req)
{
	unsigned *ctx = crypto_acomp_lock_stream_bh(req->tfm);

	assert_int_equal(req->cost.path, ACOMP_PATH_NONE);
	assert_int_equal(req->cost.calls[0], 0);
	req->cost.calls[0] = 1;
	req->cost.path = ACOMP_PATH_ONESHOT;
	req->cost.codec_ns = 7;
	req->dlen = *ctx;
	fake.seen = req;
	crypto_acomp_unlock_stream_bh(req->tfm);
	return 0;
}

static int fake_decompress(struct acomp_req *req)
{
	assert_int_equal(req->cost.codec_ns, 0);
	return -EIO;
}

static const struct acomp_alg fake_alg = {
	.cra_name = "fake",
	.cra_driver_name = "fake-generic",
	.init = fake_init,
	.exit = fake_exit,
	.compress = fake_compress,
	.decompress = fake_decompress,
	.alloc_ctx = fake_alloc_ctx,
	.free_ctx = fake_free_ctx,
};

static const struct acomp_alg other_alg = {
	.cra_name = "other",
	.cra_driver_name = "other-generic",
	.init = fake_init,
	.compress = fake_compress,
	.decompress = fake_decompress,
	.alloc_ctx = fake_alloc_ctx,
	.free_ctx = fake_free_ctx,
};

static const struct acomp_alg *const algs[] = {&fake_alg, &other_alg, NULL};
static const struct crypto_registry registry = {.algs = algs};

static struct kernel *kernel_of(unsigned nr_cpus)
{
	struct profile profile;
	struct kernel_config config = {.profile = &profile, .nr_cpus = nr_cpus};
	struct kernel *k;
	char err[128];

	memset(&fake, 0, sizeof(fake));
	assert_int_equal(profile_init(&profile, PROFILE_DEFAULT, err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&config, &k), 0);
	crypto_init(k, &registry);
	return k;
}

static void kernel_done(struct kernel *k)
{
	crypto_exit(k);
	assert_int_equal(fake.nr_live, 0);
	kernel_destroy(k);
}

static void an_algorithm_is_found_by_its_name_or_its_drivers(void **state)
{
	struct kernel *k = kernel_of(1);
	struct crypto_acomp *tfm;

	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), 0);
	assert_ptr_equal(tfm->alg, &fake_alg);
	crypto_free_acomp(tfm);
	assert_int_equal(crypto_alloc_acomp(k, "other-generic", &tfm), 0);
	assert_ptr_equal(tfm->alg, &other_alg);
	crypto_free_acomp(tfm);
	assert_int_equal(crypto_alloc_acomp(k, "fak", &tfm), -ENOENT);
	assert_int_equal(crypto_alloc_acomp(k, "", &tfm), -ENOENT);
	crypto_init(k, NULL);
	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), -ENOENT);
	assert_int_equal(fake.nr_init, 2);
	assert_int_equal(fake.nr_exit, 1);
	kernel_done(k);
}

static void what_init_returns_is_what_alloc_returns(void **state)
{
	struct kernel *k = kernel_of(1);
	struct crypto_acomp *tfm;

	fake.init_ret = -EINVAL;
	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), -EINVAL);
	fake.init_ret = 0;
	fake.fail_at = 1;
	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), -ENOMEM);
	assert_int_equal(fake.nr_exit, 0);
	/* Nothing was kept of the attempt. */
	assert_int_equal(crypto_acomp_nr_contexts(k, &fake_alg), 0);
	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), 0);
	crypto_free_acomp(tfm);
	crypto_free_acomp(NULL);
	kernel_done(k);
}

static void setters_mark_a_side_as_virtual_or_not(void **state)
{
	struct acomp_req req = {.flags = 0};
	struct scatterlist src = {0}, dst = {0};
	char a[8] = "", b[8] = "";

	acomp_request_set_src_nondma(&req, a, 3);
	assert_int_equal(req.flags, ACOMP_REQ_SRC_VIRT | ACOMP_REQ_SRC_NONDMA);
	assert_ptr_equal(req.svirt, a);
	acomp_request_set_dst_nondma(&req, b, 4);
	assert_int_equal(req.flags, ACOMP_REQ_SRC_VIRT | ACOMP_REQ_SRC_NONDMA | ACOMP_REQ_DST_VIRT |
					    ACOMP_REQ_DST_NONDMA);
	assert_ptr_equal(req.dvirt, b);
	acomp_request_set_src_dma(&req, b, 5);
	acomp_request_set_dst_dma(&req, a, 6);
	assert_int_equal(req.flags, ACOMP_REQ_SRC_VIRT | ACOMP_REQ_DST_VIRT);
	assert_int_equal(req.slen, 5);
	assert_int_equal(req.dlen, 6);
	acomp_request_set_src_sg(&req, &src, 7);
	assert_int_equal(req.flags, ACOMP_REQ_DST_VIRT);
	acomp_request_set_dst_sg(&req, &dst, 8);
	assert_int_equal(req.flags, 0);
	acomp_request_set_src_dma(&req, b, 5);
	acomp_request_set_params(&req, &src, &dst, 9, 10);
	assert_int_equal(req.flags, 0);
	assert_ptr_equal(req.src, &src);
	assert_ptr_equal(req.dst, &dst);
	assert_int_equal(req.slen, 9);
	assert_int_equal(req.dlen, 10);
}

static void a_folio_is_one_embedded_entry_with_any_offset(void **state)
{
	struct kernel *k = kernel_of(1);
	struct page *folio = alloc_pages(k->frames, 4, 0);
	struct acomp_req req = {.flags = ACOMP_REQ_SRC_VIRT | ACOMP_REQ_DST_VIRT};

	acomp_request_set_src_folio(&req, folio, 3 * 4096, 4096);
	acomp_request_set_dst_folio(&req, folio, 9 * 4096 + 1, 100);
	assert_int_equal(req.flags, 0);
	assert_ptr_equal(req.src, &req.src_sg);
	assert_ptr_equal(sg_virt(req.src), page_address(folio + 3));
	assert_int_equal(req.src->length, 4096);
	assert_null(sg_next(req.src));
	assert_ptr_equal(req.dst, &req.dst_sg);
	assert_ptr_equal(sg_virt(req.dst), (char *)page_address(folio + 9) + 1);
	assert_int_equal(req.slen, 4096);
	assert_int_equal(req.dlen, 100);
	free_pages(k->frames, folio);
	kernel_done(k);
}

static void a_call_begins_with_an_empty_cost_record(void **state)
{
	struct kernel *k = kernel_of(1);
	struct crypto_acomp *tfm;
	struct acomp_req req = {.flags = 0};
	char byte = 0;

	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), 0);
	acomp_request_set_tfm(&req, tfm);
	acomp_request_set_src_dma(&req, &byte, 1);
	acomp_request_set_dst_dma(&req, &byte, 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(crypto_acomp_compress(&req), 0);
		assert_int_equal(req.cost.calls[0], 1);
		assert_int_equal(req.cost.codec_ns, 7);
		assert_int_equal(crypto_acomp_decompress(&req), -EIO);
	}
	assert_ptr_equal(fake.seen, &req);
	crypto_free_acomp(tfm);
	kernel_done(k);
}

static void every_counted_call_has_a_name(void **state)
{
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
		assert_non_null(acomp_call_names[i]);
		assert_memory_equal(acomp_call_names[i], "zstd_", 5);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(acomp_call_names[i], acomp_call_names[j]);
	}
}

/* ---- the walk ---- */

static void a_walk_refuses_empty_sides(void **state)
{
	struct acomp_req req = {.flags = 0};
	struct acomp_walk walk;
	char byte = 0;

	acomp_request_set_src_dma(&req, &byte, 0);
	acomp_request_set_dst_dma(&req, &byte, 1);
	assert_int_equal(acomp_walk_virt(&walk, &req), -EINVAL);
	acomp_request_set_src_dma(&req, &byte, 1);
	acomp_request_set_dst_dma(&req, &byte, 0);
	assert_int_equal(acomp_walk_virt(&walk, &req), -EINVAL);
	acomp_request_set_dst_dma(&req, &byte, 1);
	assert_int_equal(acomp_walk_virt(&walk, &req), 0);
}

static void a_linear_side_is_one_fragment_whatever_its_length(void **state)
{
	static const unsigned lengths[] = {1, 4096, 4097, 65536, 1u << 24};
	struct acomp_req req = {.flags = 0};
	struct acomp_walk walk;
	char *buf = malloc(1u << 24);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		acomp_request_set_src_dma(&req, buf, lengths[i]);
		acomp_request_set_dst_nondma(&req, buf, lengths[i]);
		assert_int_equal(acomp_walk_virt(&walk, &req), 0);
		assert_int_equal(acomp_walk_next_src(&walk), lengths[i]);
		assert_ptr_equal(walk.src_addr, buf);
		assert_int_equal(acomp_walk_next_dst(&walk), lengths[i]);
		assert_ptr_equal(walk.dst_addr, buf);
		acomp_walk_done_src(&walk, lengths[i]);
		assert_int_equal(acomp_walk_next_src(&walk), 0);
		acomp_walk_done_dst(&walk, lengths[i] - 1);
		assert_int_equal(acomp_walk_next_dst(&walk), 1);
		assert_ptr_equal(walk.dst_addr, buf + lengths[i] - 1);
		assert_int_equal(walk.fault, 0);
	}
	free(buf);
}

static void a_folio_of_64_kib_is_sixteen_fragments(void **state)
{
	struct kernel *k = kernel_of(1);
	struct page *folio = alloc_pages(k->frames, 4, 0);
	struct acomp_req req = {.flags = 0};
	struct acomp_walk walk;

	acomp_request_set_src_folio(&req, folio, 0, 65536);
	acomp_request_set_dst_folio(&req, folio, 0, 65536);
	assert_int_equal(acomp_walk_virt(&walk, &req), 0);
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(acomp_walk_next_src(&walk), 4096);
		assert_ptr_equal(walk.src_addr, page_address(folio + i));
		acomp_walk_done_src(&walk, 4096);
		assert_int_equal(acomp_walk_next_dst(&walk), 4096);
		acomp_walk_done_dst(&walk, 4096);
	}
	assert_int_equal(acomp_walk_next_src(&walk), 0);
	assert_int_equal(acomp_walk_next_dst(&walk), 0);
	assert_int_equal(walk.fault, 0);
	free_pages(k->frames, folio);
	kernel_done(k);
}

static void asking_twice_gives_the_same_fragment(void **state)
{
	struct kernel *k = kernel_of(1);
	struct page *folio = alloc_pages(k->frames, 1, 0);
	struct acomp_req req = {.flags = 0};
	struct acomp_walk walk;
	void *first;

	acomp_request_set_src_folio(&req, folio, 8, 5000);
	acomp_request_set_dst_folio(&req, folio, 8, 5000);
	assert_int_equal(acomp_walk_virt(&walk, &req), 0);
	assert_int_equal(acomp_walk_next_src(&walk), 4096);
	first = walk.src_addr;
	assert_int_equal(acomp_walk_next_src(&walk), 4096);
	assert_ptr_equal(walk.src_addr, first);
	acomp_walk_done_src(&walk, 4000);
	assert_int_equal(acomp_walk_next_src(&walk), 1000);
	assert_ptr_equal(walk.src_addr, (char *)first + 4000);
	free_pages(k->frames, folio);
	kernel_done(k);
}

static void lengths_beyond_the_list_fault_and_lengths_within_it_do_not(void **state)
{
	struct kernel *k = kernel_of(1);
	struct page *page = alloc_pages(k->frames, 0, 0);
	struct acomp_req req = {.flags = 0};
	struct scatterlist src = {0}, dst = {0};
	struct acomp_walk walk;

	sg_init_table(&src, 1);
	sg_set_page(&src, page, 100, 0);
	dst = src;
	acomp_request_set_params(&req, &src, &dst, 60, 60);
	assert_int_equal(acomp_walk_virt(&walk, &req), 0);
	assert_int_equal(acomp_walk_next_src(&walk), 60);
	acomp_walk_done_src(&walk, 60);
	assert_int_equal(acomp_walk_next_src(&walk), 0);
	assert_int_equal(walk.fault, 0);

	acomp_request_set_params(&req, &src, &dst, 101, 101);
	assert_int_equal(acomp_walk_virt(&walk, &req), 0);
	assert_int_equal(acomp_walk_next_dst(&walk), 100);
	acomp_walk_done_dst(&walk, 100);
	assert_int_equal(acomp_walk_next_dst(&walk), 0);
	assert_int_equal(walk.fault, -EFAULT);

	assert_int_equal(acomp_walk_virt(&walk, &req), 0);
	assert_int_equal(walk.fault, 0);
	assert_int_equal(acomp_walk_next_src(&walk), 100);
	acomp_walk_done_src(&walk, 100);
	assert_int_equal(acomp_walk_next_src(&walk), 0);
	assert_int_equal(walk.fault, -EFAULT);
	free_pages(k->frames, page);
	kernel_done(k);
}

/* ---- streams ---- */

/* The number of the context that serves a request on @cpu. */
static unsigned served_by(struct crypto_acomp *tfm, unsigned cpu)
{
	struct acomp_req req = {.flags = 0};
	char byte = 0;

	tfm->k->cpu = cpu;
	acomp_request_set_tfm(&req, tfm);
	acomp_request_set_src_dma(&req, &byte, 1);
	acomp_request_set_dst_dma(&req, &byte, 1);
	assert_int_equal(crypto_acomp_compress(&req), 0);
	return req.dlen;
}

static void the_first_operation_of_a_cpu_is_served_by_the_first_cpus_stream(void **state)
{
	struct kernel *k = kernel_of(4);
	struct crypto_acomp *tfm;

	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), 0);
	assert_int_equal(crypto_acomp_nr_contexts(k, &fake_alg), 1);
	assert_int_equal(served_by(tfm, 0), 1);
	assert_int_equal(crypto_acomp_nr_fallbacks(k, &fake_alg), 0);
	assert_int_equal(served_by(tfm, 3), 1);
	assert_int_equal(served_by(tfm, 3), 1);
	assert_int_equal(crypto_acomp_nr_fallbacks(k, &fake_alg), 2);
	assert_int_equal(crypto_acomp_run_worker(k), 1);
	assert_int_equal(served_by(tfm, 3), 2);
	assert_int_equal(served_by(tfm, 0), 1);
	assert_int_equal(crypto_acomp_nr_fallbacks(k, &fake_alg), 2);
	assert_int_equal(crypto_acomp_nr_contexts(k, &fake_alg), 2);
	crypto_free_acomp(tfm);
	kernel_done(k);
}

static void the_worker_makes_what_was_asked_for_and_no_more(void **state)
{
	struct kernel *k = kernel_of(8);
	struct crypto_acomp *tfm;

	assert_int_equal(crypto_acomp_run_worker(k), 0);
	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), 0);
	assert_int_equal(crypto_acomp_run_worker(k), 0);
	served_by(tfm, 7);
	served_by(tfm, 2);
	served_by(tfm, 2);
	assert_int_equal(crypto_acomp_run_worker(k), 2);
	assert_int_equal(crypto_acomp_run_worker(k), 0);
	/* In the order of the CPUs, not of the requests. */
	assert_int_equal(served_by(tfm, 2), 2);
	assert_int_equal(served_by(tfm, 7), 3);
	crypto_free_acomp(tfm);
	kernel_done(k);
}

static void the_worker_stops_at_a_failure_and_goes_on_when_scheduled_again(void **state)
{
	struct kernel *k = kernel_of(8);
	struct crypto_acomp *tfm;

	assert_int_equal(crypto_alloc_acomp(k, "fake", &tfm), 0);
	for (unsigned cpu = 1; cpu < 5; cpu++)
		served_by(tfm, cpu);
	fake.fail_at = 3; /* 1 is CPU 0's, 2 CPU 1's */
	assert_int_equal(crypto_acomp_run_worker(k), 1);
	/* Nobody scheduled it since. */
	assert_int_equal(crypto_acomp_run_worker(k), 0);
	assert_int_equal(served_by(tfm, 3), 1);
	/* One CPU scheduled it, and all that are still wanted are made. */
	assert_int_equal(crypto_acomp_run_worker(k), 3);
	assert_int_equal(crypto_acomp_nr_contexts(k, &fake_alg), 5);
	crypto_free_acomp(tfm);
	kernel_done(k);
}

static void streams_are_shared_by_all_transforms_and_outlive_them(void **state)
{
	struct kernel *k = kernel_of(2);
	struct crypto_acomp *a, *b;

	assert_int_equal(crypto_alloc_acomp(k, "fake", &a), 0);
	assert_int_equal(crypto_alloc_acomp(k, "fake", &b), 0);
	assert_int_equal(fake.nr_alloc, 1);
	served_by(a, 1);
	crypto_acomp_run_worker(k);
	assert_int_equal(served_by(b, 1), 2);
	crypto_free_acomp(a);
	assert_int_equal(served_by(b, 1), 2);
	crypto_free_acomp(b);
	assert_int_equal(fake.nr_live, 2);
	assert_int_equal(crypto_alloc_acomp(k, "fake", &a), 0);
	assert_int_equal(fake.nr_alloc, 2);
	crypto_free_acomp(a);
	kernel_done(k);
}

static void two_kernels_share_nothing(void **state)
{
	struct kernel *a = kernel_of(2), *b = kernel_of(2);
	struct crypto_acomp *in_a, *in_b;

	assert_int_equal(crypto_alloc_acomp(a, "fake", &in_a), 0);
	assert_int_equal(crypto_alloc_acomp(b, "fake", &in_b), 0);
	assert_int_equal(served_by(in_a, 1), 1);
	assert_int_equal(served_by(in_b, 0), 2);
	assert_int_equal(crypto_acomp_run_worker(b), 0);
	assert_int_equal(crypto_acomp_run_worker(a), 1);
	assert_int_equal(crypto_acomp_nr_contexts(b, &fake_alg), 1);
	crypto_free_acomp(in_a);
	crypto_free_acomp(in_b);
	crypto_exit(a);
	kernel_destroy(a);
	kernel_done(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_algorithm_is_found_by_its_name_or_its_drivers),
		cmocka_unit_test(what_init_returns_is_what_alloc_returns),
		cmocka_unit_test(setters_mark_a_side_as_virtual_or_not),
		cmocka_unit_test(a_folio_is_one_embedded_entry_with_any_offset),
		cmocka_unit_test(a_call_begins_with_an_empty_cost_record),
		cmocka_unit_test(every_counted_call_has_a_name),
		cmocka_unit_test(a_walk_refuses_empty_sides),
		cmocka_unit_test(a_linear_side_is_one_fragment_whatever_its_length),
		cmocka_unit_test(a_folio_of_64_kib_is_sixteen_fragments),
		cmocka_unit_test(asking_twice_gives_the_same_fragment),
		cmocka_unit_test(lengths_beyond_the_list_fault_and_lengths_within_it_do_not),
		cmocka_unit_test(the_first_operation_of_a_cpu_is_served_by_the_first_cpus_stream),
		cmocka_unit_test(the_worker_makes_what_was_asked_for_and_no_more),
		cmocka_unit_test(the_worker_stops_at_a_failure_and_goes_on_when_scheduled_again),
		cmocka_unit_test(streams_are_shared_by_all_transforms_and_outlive_them),
		cmocka_unit_test(two_kernels_share_nothing),
	};

	return cmocka_run_group_tests_name("acomp", tests, NULL, NULL);
}
