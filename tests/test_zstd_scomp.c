// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_scomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

static void check_linear(const struct rig *rig, unsigned copied)
{
	const struct acomp_cost *cost = &rig->req.cost;

	assert_int_equal(cost->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(cost->reason, ACOMP_STREAM_NOT);
	assert_int_equal(cost->copy_bytes, copied);
	assert_int_equal(cost->copy_ns > 0, copied > 0);
	assert_int_equal(cost->init_ns, 0);
	assert_true(cost->codec_ns > 0);
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
		bool codec = i == ACOMP_CALL_COMPRESS_CCTX || i == ACOMP_CALL_DECOMPRESS_DCTX;

		assert_true(cost->calls[i] <= codec);
	}
}

static void the_profile_decides_which_driver_zstd_is(void **state)
{
	struct rig *old = rig_create("6.12", NULL), *new = rig_create("7.3", NULL);
	struct rig *changed = rig_create("7.3", "zstd.api=scomp", NULL);

	assert_ptr_equal(old->tfm->alg, &zstd_scomp_alg.base);
	assert_ptr_equal(changed->tfm->alg, &zstd_scomp_alg.base);
	assert_ptr_equal(new->tfm->alg, &zstd_alg);
	rig_destroy(changed);
	rig_destroy(new);
	rig_destroy(old);
}

static void contexts_are_never_built_by_a_request_and_nothing_streams(void **state)
{
	struct rig *rig = rig_create("6.12", NULL);
	uint8_t page[4096], frame[4096], back[4096];
	struct side src, dst;
	unsigned len;

	gen_counters(page, sizeof(page));
	for (unsigned round = 0; round < 3; round++) {
		side_lengths(&src, rig, page, 4096);
		side_lengths(&dst, rig, NULL, 4096);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		check_linear(rig, 0);
		assert_int_equal(rig->req.cost.calls[ACOMP_CALL_COMPRESS_CCTX], 1);
		len = rig->req.dlen;
		side_read(&dst, frame, len);
		side_finish(&src);

		/* An object over two pages. */
		side_lengths(&src, rig, frame, 1000, len - 1000);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		check_linear(rig, len);
		assert_int_equal(rig->req.cost.calls[ACOMP_CALL_DECOMPRESS_DCTX], 1);
		side_read(&dst, back, sizeof(back));
		assert_memory_equal(back, page, sizeof(page));
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

static void any_fragmentation_gives_the_linear_frame(void **state)
{
	struct rig *rig = rig_create("6.12", NULL);
	static uint8_t data[40000], linear[50000], out[50000];
	uint64_t seed = 3;

	for (unsigned round = 0; round < 300; round++) {
		unsigned slen = 1 + gen_random(&seed) % sizeof(data), left = slen, nr = 0, len;
		unsigned lengths[8], capacity = sizeof(linear);
		struct side src, dst;

		gen_fill(round % GEN_NR_KINDS, round, data, slen);
		len = capacity;
		assert_int_equal(rig_compress_flat(rig, data, slen, linear, &len), 0);
		check_linear(rig, 0);
		while (nr < 7 && left > 1) {
			lengths[nr] = gen_random(&seed) % 5 ? gen_random(&seed) % left : 0;
			left -= lengths[nr++];
		}
		lengths[nr++] = left;
		side_list(&src, rig, lengths, nr, data);
		side_lengths(&dst, rig, NULL, 1000, 0, capacity - 1000);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.dlen, len);
		check_linear(rig, len + (nr > 1 ? slen : 0));
		side_check_around(&dst);
		side_read(&dst, out, len);
		assert_memory_equal(out, linear, len);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

static void lengths_are_limited_to_the_scratch(void **state)
{
	struct rig *rig = rig_create("6.12", NULL);
	unsigned max = SCOMP_SCRATCH_SIZE, len;
	uint8_t *data = malloc(max + 1), *out = malloc(2 * max);

	gen_fill(GEN_TEXT, 1, data, max + 1);
	len = 2 * max;
	assert_int_equal(rig_compress_flat(rig, data, max, out, &len), 0);
	assert_in_range(len, 1, max / 2);
	len = 2 * max;
	assert_int_equal(rig_compress_flat(rig, data, max + 1, out, &len), -EINVAL);
	assert_int_equal(len, 2 * max);
	assert_int_equal(rig->req.cost.path, ACOMP_PATH_NONE);
	assert_int_equal(rig_compress_flat(rig, data, 0, out, &len), -EINVAL);
	len = 0;
	assert_int_equal(rig_compress_flat(rig, data, 1, out, &len), -EINVAL);

	/* A capacity beyond the scratch counts as the scratch's. */
	gen_part_random(1, max, data, max);
	len = 2 * max;
	assert_int_equal(rig_compress_flat(rig, data, max, out, &len), -EINVAL);
	assert_int_equal(len, max);
	free(out);
	free(data);
	rig_destroy(rig);
}

static void every_codec_error_is_einval_and_leaves_dlen(void **state)
{
	struct rig *rig = rig_create("6.12", NULL);
	uint8_t page[4096], frame[8192];
	struct side src, dst;
	unsigned len = 4096;

	gen_part_random(7, 4096, page, sizeof(page));
	assert_int_equal(rig_compress_flat(rig, page, 4096, frame, &len), -EINVAL);
	assert_int_equal(len, 4096);
	check_linear(rig, 0);
	/* zram's capacity of two pages takes it. */
	len = 8192;
	assert_int_equal(rig_compress_flat(rig, page, 4096, frame, &len), 0);
	assert_int_equal(len, 4106);

	for (unsigned cut = 1; cut < len; cut += 100) {
		side_lengths(&src, rig, frame, len - cut);
		side_lengths(&dst, rig, NULL, 4096);
		assert_int_equal(rig_decompress(rig, &src, &dst), -EINVAL);
		assert_int_equal(rig->req.dlen, 4096);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

static void a_list_that_is_too_short_is_an_error_and_no_crash(void **state)
{
	struct rig *rig = rig_create("6.12", NULL);
	static const unsigned short_lists[][2] = {{1000, 0}, {500, 500}};
	uint8_t page[4096];

	gen_counters(page, sizeof(page));
	for (unsigned i = 0; i < 2; i++) {
		struct side src, dst;

		side_list(&src, rig, short_lists[i], 2, page);
		side_lengths(&dst, rig, NULL, 4096);
		src.len = 4096;
		assert_int_equal(rig_compress(rig, &src, &dst), -EFAULT);
		side_finish(&src);
		side_finish(&dst);

		side_lengths(&src, rig, page, 4096);
		side_list(&dst, rig, short_lists[i], 2, NULL);
		dst.len = 4096;
		assert_int_equal(rig_compress(rig, &src, &dst), -EFAULT);
		side_check_around(&dst);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

static void with_contexts_per_request_each_builds_one(void **state)
{
	struct rig *rig = rig_create("6.12", "zstd.context=per_request", NULL);
	struct rig *once = rig_create("6.12", NULL);
	uint8_t page[4096], frame[4096], same[4096], back[4096];
	unsigned len = sizeof(frame), n = sizeof(same);

	gen_fill(GEN_POINTERS, 1, page, sizeof(page));
	assert_int_equal(rig_compress_flat(rig, page, 4096, frame, &len), 0);
	assert_int_equal(rig->req.cost.calls[ACOMP_CALL_INIT_CCTX], 1);
	assert_true(rig->req.cost.init_ns > 0);
	assert_int_equal(rig_compress_flat(once, page, 4096, same, &n), 0);
	assert_int_equal(n, len);
	assert_memory_equal(same, frame, len);
	acomp_request_set_src_dma(&rig->req, frame, len);
	acomp_request_set_dst_dma(&rig->req, back, sizeof(back));
	assert_int_equal(crypto_acomp_decompress(&rig->req), 0);
	assert_int_equal(rig->req.cost.calls[ACOMP_CALL_INIT_DCTX], 1);
	assert_memory_equal(back, page, sizeof(page));
	rig_destroy(once);
	rig_destroy(rig);
}

/* 6.12's hint of 0 gives minMatch 5, whose frames are other ones than those of the acomp driver. */
static void the_hint_shows_in_the_frames(void **state)
{
	struct rig *old = rig_create("6.12", NULL), *zram, *new;
	uint8_t page[4096], out[4096];
	unsigned total[3] = {0};
	struct rig *rigs[3];

	zram = rig_create("6.12", "zstd.params_hint=4096", NULL);
	new = rig_create("7.3", NULL);
	rigs[0] = old;
	rigs[1] = zram;
	rigs[2] = new;
	for (unsigned seed = 0; seed < 20; seed++) {
		gen_fill(GEN_TEXT, seed, page, sizeof(page));
		for (unsigned i = 0; i < 3; i++) {
			unsigned len = sizeof(out);

			assert_int_equal(rig_compress_flat(rigs[i], page, 4096, out, &len), 0);
			total[i] += len;
		}
	}
	assert_int_equal(total[1], total[2]);
	assert_int_not_equal(total[0], total[1]);
	for (unsigned i = 0; i < 3; i++)
		rig_destroy(rigs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_profile_decides_which_driver_zstd_is),
		cmocka_unit_test(contexts_are_never_built_by_a_request_and_nothing_streams),
		cmocka_unit_test(any_fragmentation_gives_the_linear_frame),
		cmocka_unit_test(lengths_are_limited_to_the_scratch),
		cmocka_unit_test(every_codec_error_is_einval_and_leaves_dlen),
		cmocka_unit_test(a_list_that_is_too_short_is_an_error_and_no_crash),
		cmocka_unit_test(with_contexts_per_request_each_builds_one),
		cmocka_unit_test(the_hint_shows_in_the_frames),
	};

	return cmocka_run_group_tests_name("zstd_scomp", tests, NULL, NULL);
}
