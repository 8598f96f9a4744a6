// SPDX-License-Identifier: GPL-2.0-or-later
/* The adapter by itself, in both generations; what is behind it is lz4 mostly. */
#include "backends/scomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/lz4.h"
#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

#define PAGE 4096u

/* A block of a page, in one piece. */
static unsigned make_block(struct rig *rig, uint8_t *page, uint8_t *block)
{
	unsigned len = PAGE;

	gen_fill(GEN_TEXT, 5, page, PAGE);
	assert_int_equal(rig_compress_flat(rig, page, PAGE, block, &len), 0);
	assert_in_range(len, 100, 3000);
	return len;
}

static void a_source_in_one_piece_is_not_copied(void **state)
{
	static const char *const presets[] = {"6.12", "7.3"};
	uint8_t page[PAGE], block[PAGE], back[PAGE];

	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = rig_create_codec(presets[i], "lz4", NULL);
		unsigned len = make_block(rig, page, block);
		struct side src, dst;

		side_lengths(&src, rig, block, len);
		side_lengths(&dst, rig, NULL, PAGE);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.dlen, PAGE);
		assert_int_equal(rig->req.cost.copy_bytes, 0);
		assert_int_equal(rig->req.cost.copy_ns, 0);
		assert_true(rig->req.cost.codec_ns > 0);
		assert_int_equal(rig->req.cost.init_ns, 0);
		side_read(&dst, back, PAGE);
		assert_memory_equal(back, page, PAGE);
		side_finish(&src);
		side_finish(&dst);
		rig_destroy(rig);
	}
}

static void an_object_over_two_pages_is_copied_together_at_any_cut(void **state)
{
	static const char *const presets[] = {"6.12", "6.17", "7.0", "7.3", "7.4"};
	uint8_t page[PAGE], block[PAGE], back[PAGE];

	for (unsigned i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
		struct rig *rig = rig_create_codec(presets[i], "lz4", NULL);
		unsigned len = make_block(rig, page, block);

		for (unsigned cut = 1; cut < len; cut += i ? 31 : 1) {
			struct side src, dst;

			side_lengths(&src, rig, block, cut, len - cut);
			side_lengths(&dst, rig, NULL, PAGE);
			assert_int_equal(rig_decompress(rig, &src, &dst), 0);
			assert_int_equal(rig->req.dlen, PAGE);
			assert_int_equal(rig->req.cost.copy_bytes, len);
			assert_true(rig->req.cost.copy_ns > 0);
			assert_int_equal(rig->req.cost.path, ACOMP_PATH_ONESHOT);
			assert_int_equal(rig->req.cost.reason, ACOMP_STREAM_NOT);
			side_read(&dst, back, PAGE);
			assert_memory_equal(back, page, PAGE);
			side_check_around(&dst);
			side_finish(&src);
			side_finish(&dst);
		}
		rig_destroy(rig);
	}
}

static void since_6_16_a_destination_in_pieces_is_enosys(void **state)
{
	struct rig *old = rig_create_codec("6.12", "lz4", NULL);
	struct rig *new = rig_create_codec("7.3", "lz4", NULL);
	uint8_t page[PAGE], block[PAGE], back[PAGE];
	unsigned len = make_block(new, page, block);
	struct side src, dst;

	side_lengths(&src, new, block, len);
	side_lengths(&dst, new, NULL, 4000, 96);
	assert_int_equal(rig_decompress(new, &src, &dst), -ENOSYS);
	assert_int_equal(new->req.dlen, PAGE);
	assert_int_equal(new->req.cost.path, ACOMP_PATH_NONE);
	assert_int_equal(new->req.cost.codec_ns + new->req.cost.copy_ns, 0);
	/* The first entry is all it looks at. */
	dst.len = 4000;
	assert_int_equal(rig_decompress(new, &src, &dst), -EINVAL);
	assert_int_equal(new->req.cost.path, ACOMP_PATH_ONESHOT);
	side_finish(&src);
	side_finish(&dst);
	side_lengths(&src, new, page, PAGE);
	side_lengths(&dst, new, NULL, PAGE - 1, 1);
	assert_int_equal(rig_compress(new, &src, &dst), -ENOSYS);
	side_finish(&src);
	side_finish(&dst);

	/* Before, it was put together in a scratch and copied. */
	side_lengths(&src, old, block, len);
	side_lengths(&dst, old, NULL, 4000, 0, 96);
	assert_int_equal(rig_decompress(old, &src, &dst), 0);
	assert_int_equal(old->req.cost.copy_bytes, PAGE);
	side_read(&dst, back, PAGE);
	assert_memory_equal(back, page, PAGE);
	side_check_around(&dst);
	side_finish(&src);
	side_finish(&dst);
	rig_destroy(old);
	rig_destroy(new);
}

static void limits_of_length_are_those_of_each_generation(void **state)
{
	struct rig *old = rig_create_codec("6.12", "lz4", NULL);
	struct rig *new = rig_create_codec("7.3", "lz4", NULL);
	unsigned max = SCOMP_SCRATCH_SIZE, len;
	uint8_t *data = malloc(max + 1), *out = malloc(2 * max);

	gen_fill(GEN_TEXT, 1, data, max + 1);
	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = i ? new : old;

		len = 2 * max;
		assert_int_equal(rig_compress_flat(rig, data, 0, out, &len), -EINVAL);
		len = 0;
		assert_int_equal(rig_compress_flat(rig, data, 1, out, &len), -EINVAL);
		assert_int_equal(rig->req.cost.path, ACOMP_PATH_NONE);
		len = 2 * max;
		assert_int_equal(rig_compress_flat(rig, data, max, out, &len), 0);
		len = 2 * max;
		assert_int_equal(rig_compress_flat(rig, data, max + 1, out, &len), i ? 0 : -EINVAL);
		assert_true(i ? len < max / 2 : len == 2 * max);
	}
	/* At most 128 KiB of room count in 6.12. */
	gen_part_random(1, max, data, max);
	len = 2 * max;
	assert_int_equal(rig_compress_flat(old, data, max, out, &len), -EINVAL);
	assert_int_equal(len, max);
	len = 2 * max;
	assert_int_equal(rig_compress_flat(new, data, max, out, &len), 0);
	assert_true(len > max);
	free(out);
	free(data);
	rig_destroy(old);
	rig_destroy(new);
}

static void no_buffer_is_einval_since_6_16(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "lz4", NULL);
	uint8_t page[PAGE] = {1};
	unsigned len = PAGE;

	assert_int_equal(rig_compress_flat(rig, NULL, PAGE, page, &len), -EINVAL);
	len = PAGE;
	assert_int_equal(rig_compress_flat(rig, page, PAGE, NULL, &len), -EINVAL);
	acomp_request_set_params(&rig->req, NULL, NULL, PAGE, PAGE);
	assert_int_equal(crypto_acomp_compress(&rig->req), -EINVAL);
	assert_int_equal(rig->req.cost.path, ACOMP_PATH_NONE);
	rig_destroy(rig);
}

/* The kernel writes over what is behind its scratch. */
static void a_source_in_pieces_that_is_longer_than_the_scratch_is_efault(void **state)
{
	struct rig *old = rig_create_codec("6.12", "lz4", NULL);
	struct rig *new = rig_create_codec("7.3", "lz4", NULL);
	uint8_t data[2 * PAGE];
	struct side src, dst;

	gen_fill(GEN_TEXT, 2, data, sizeof(data));
	side_lengths(&src, new, data, PAGE, 1);
	side_lengths(&dst, new, NULL, PAGE);
	assert_int_equal(rig_compress(new, &src, &dst), -EFAULT);
	assert_int_equal(new->req.cost.copy_bytes, 0);
	/* The stream was given back. */
	src.len = PAGE;
	assert_int_equal(rig_compress(new, &src, &dst), 0);
	assert_int_equal(new->req.cost.copy_bytes, 0);
	side_finish(&src);
	side_finish(&dst);

	side_lengths(&src, old, data, PAGE, PAGE);
	side_lengths(&dst, old, NULL, 2 * PAGE);
	assert_int_equal(rig_compress(old, &src, &dst), 0);
	assert_int_equal(old->req.cost.copy_bytes, 2 * PAGE);
	side_finish(&src);
	side_finish(&dst);
	rig_destroy(old);
	rig_destroy(new);
}

static void a_list_that_is_too_short_is_efault(void **state)
{
	static const char *const presets[] = {"6.12", "7.3"};
	uint8_t page[PAGE];

	gen_counters(page, sizeof(page));
	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = rig_create_codec(presets[i], "lz4", NULL);
		struct side src, dst;

		side_lengths(&src, rig, page, 500, 500);
		side_lengths(&dst, rig, NULL, PAGE);
		src.len = PAGE;
		assert_int_equal(rig_compress(rig, &src, &dst), -EFAULT);
		side_finish(&src);
		side_finish(&dst);
		rig_destroy(rig);
	}
}

/* A CPU's first request is served by CPU 0's context and scratch; the worker makes its own. */
static void contexts_are_streams_of_the_cpus_since_6_16(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "lz4", NULL);
	uint8_t page[PAGE], block[PAGE], back[PAGE];
	struct crypto_acomp *again;
	unsigned len;

	assert_int_equal(crypto_acomp_nr_contexts(rig->k, &lz4_alg.base), 1);
	len = make_block(rig, page, block);
	for (unsigned cpu = 1; cpu < 4; cpu++) {
		struct side src, dst;

		rig->k->cpu = cpu;
		for (unsigned round = 0; round < 2; round++) {
			side_lengths(&src, rig, block, 9, len - 9);
			side_lengths(&dst, rig, NULL, PAGE);
			assert_int_equal(rig_decompress(rig, &src, &dst), 0);
			side_read(&dst, back, PAGE);
			assert_memory_equal(back, page, PAGE);
			side_finish(&src);
			side_finish(&dst);
			assert_int_equal(crypto_acomp_run_worker(rig->k), !round);
		}
		assert_int_equal(crypto_acomp_nr_contexts(rig->k, &lz4_alg.base), cpu + 1);
		assert_int_equal(crypto_acomp_nr_fallbacks(rig->k, &lz4_alg.base), cpu);
	}
	/* All who use the module share them. */
	assert_int_equal(crypto_alloc_acomp(rig->k, "lz4", &again), 0);
	assert_ptr_equal(again->streams, rig->tfm->streams);
	assert_int_equal(crypto_acomp_nr_contexts(rig->k, &lz4_alg.base), 4);
	crypto_free_acomp(again);
	rig_destroy(rig);
}

static void each_level_has_streams_of_its_own(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "lz4", NULL);
	struct crypto_acomp *fast, *zstd, *best;
	uint8_t page[PAGE], out[PAGE];
	unsigned len[2];

	gen_fill(GEN_POINTERS, 1, page, PAGE);
	assert_int_equal(crypto_alloc_acomp(rig->k, "lz4:64", &fast), 0);
	assert_ptr_not_equal(fast->streams, rig->tfm->streams);
	assert_int_equal(crypto_acomp_nr_contexts(rig->k, &lz4_alg.base), 2);
	assert_int_equal(crypto_alloc_acomp(rig->k, "zstd", &zstd), 0);
	assert_int_equal(crypto_alloc_acomp(rig->k, "zstd:19", &best), 0);
	assert_ptr_not_equal(zstd->streams, best->streams);
	for (unsigned i = 0; i < 2; i++) {
		acomp_request_set_tfm(&rig->req, i ? fast : rig->tfm);
		len[i] = PAGE;
		assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len[i]), 0);
	}
	assert_true(len[0] < len[1]);
	crypto_free_acomp(best);
	crypto_free_acomp(zstd);
	crypto_free_acomp(fast);
	rig_destroy(rig);
}

static void before_6_16_a_transform_has_its_own_context(void **state)
{
	struct rig *rig = rig_create_codec("6.12", "lz4", NULL);
	uint8_t page[PAGE], block[PAGE];

	rig->k->cpu = 3;
	make_block(rig, page, block);
	assert_int_equal(crypto_acomp_nr_contexts(rig->k, &lz4_alg.base), 0);
	assert_int_equal(crypto_acomp_nr_fallbacks(rig->k, &lz4_alg.base), 0);
	assert_int_equal(crypto_acomp_run_worker(rig->k), 0);
	rig_destroy(rig);
}

/* zstd of 6.16: behind the newer adapter, its context built once. */
static void zstd_and_deflate_go_through_either_generation(void **state)
{
	static const char *const adapters[] = {"scomp.adapter=copies", "scomp.adapter=streams"};
	static const char *const compressors[] = {"zstd", "deflate"};
	uint8_t page[PAGE], frame[PAGE], back[PAGE];

	gen_fill(GEN_NOISY_TEXT, 3, page, PAGE);
	for (unsigned i = 0; i < 4; i++) {
		struct rig *rig = rig_create_codec("7.3", compressors[i & 1], "zstd.api=scomp",
						   "zstd.context=once", "deflate.api=scomp",
						   adapters[i >> 1], NULL);
		unsigned len = PAGE;
		struct side src, dst;

		assert_string_equal(rig->tfm->alg->cra_driver_name,
				    i & 1 ? "deflate-scomp" : "zstd-scomp");
		assert_int_equal(rig_compress_flat(rig, page, PAGE, frame, &len), 0);
		assert_int_equal(rig->req.cost.init_ns, 0);
		side_lengths(&src, rig, frame, len / 2, len - len / 2);
		side_lengths(&dst, rig, NULL, PAGE);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.cost.copy_bytes, len);
		side_read(&dst, back, PAGE);
		assert_memory_equal(back, page, PAGE);
		side_finish(&src);
		side_finish(&dst);
		assert_int_equal(crypto_acomp_nr_contexts(rig->k, rig->tfm->alg), i >> 1);
		rig_destroy(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_in_one_piece_is_not_copied),
		cmocka_unit_test(an_object_over_two_pages_is_copied_together_at_any_cut),
		cmocka_unit_test(since_6_16_a_destination_in_pieces_is_enosys),
		cmocka_unit_test(limits_of_length_are_those_of_each_generation),
		cmocka_unit_test(no_buffer_is_einval_since_6_16),
		cmocka_unit_test(a_source_in_pieces_that_is_longer_than_the_scratch_is_efault),
		cmocka_unit_test(a_list_that_is_too_short_is_efault),
		cmocka_unit_test(contexts_are_streams_of_the_cpus_since_6_16),
		cmocka_unit_test(each_level_has_streams_of_its_own),
		cmocka_unit_test(before_6_16_a_transform_has_its_own_context),
		cmocka_unit_test(zstd_and_deflate_go_through_either_generation),
	};

	return cmocka_run_group_tests_name("scomp", tests, NULL, NULL);
}
