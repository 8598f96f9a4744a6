// SPDX-License-Identifier: GPL-2.0-or-later
/* What holds for every codec, whatever is behind it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

#define PAGE  4096u
#define SEEDS 3

static const char *const kernels[] = {"6.12", "6.17", "7.3"};
static const char *const codecs[] = {"zstd", "lz4", "lz4hc", "lzo", "deflate"};
#define NR_CODECS (sizeof(codecs) / sizeof(*codecs))

static void for_each_codec(void (*check)(struct rig *rig, const char *codec))
{
	for (unsigned k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
		for (unsigned c = 0; c < NR_CODECS; c++) {
			struct rig *rig = rig_create_codec(kernels[k], codecs[c], NULL);

			check(rig, codecs[c]);
			rig_destroy(rig);
		}
	}
}

static void load(struct rig *rig, const uint8_t *frame, unsigned len, unsigned cut,
		 const uint8_t *page)
{
	uint8_t back[PAGE];
	struct side src, dst;

	if (cut)
		side_lengths(&src, rig, frame, cut, len - cut);
	else
		side_lengths(&src, rig, frame, len);
	side_lengths(&dst, rig, NULL, PAGE);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	assert_int_equal(rig->req.dlen, PAGE);
	side_read(&dst, back, PAGE);
	assert_memory_equal(back, page, PAGE);
	side_check_around(&dst);
	side_finish(&src);
	side_finish(&dst);
}

static void check_round_trips(struct rig *rig, const char *codec)
{
	unsigned fit = 0;

	for (unsigned kind = 0; kind < GEN_NR_KINDS; kind++) {
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			uint8_t page[PAGE], frame[PAGE];
			struct side src, dst;
			unsigned len;

			gen_fill(kind, seed, page, PAGE);
			side_lengths(&src, rig, page, PAGE);
			side_lengths(&dst, rig, NULL, PAGE);
			if (!rig_compress(rig, &src, &dst)) {
				len = rig->req.dlen;
				assert_in_range(len, 1, PAGE);
				side_read(&dst, frame, len);
				load(rig, frame, len, 0, page);
				load(rig, frame, len, 1, page);
				load(rig, frame, len, len / 2, page);
				load(rig, frame, len, len - 1, page);
				fit++;
			}
			side_check_around(&dst);
			side_finish(&src);
			side_finish(&dst);
		}
	}
	assert_in_range(fit, (GEN_NR_KINDS - 1) * SEEDS, GEN_NR_KINDS * SEEDS);
}

static void every_kind_of_page_comes_back_in_one_piece_and_in_two(void **state)
{
	for_each_codec(check_round_trips);
}

static void check_too_small(struct rig *rig, const char *codec)
{
	bool walks = !strcmp(codec, "deflate") && rig->k->profile.deflate.api == DEFLATE_API_ACOMP;
	uint8_t page[PAGE], out[PAGE + 1];
	unsigned need = PAGE;

	gen_fill(GEN_TEXT, 2, page, PAGE);
	assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &need), 0);
	for (unsigned room = 1; room < need; room += 13) {
		unsigned len = room;
		int ret;

		memset(out, 0xee, sizeof(out));
		ret = rig_compress_flat(rig, page, PAGE, out, &len);
		assert_int_equal(ret, walks ? -ENOSPC : -EINVAL);
		for (unsigned i = room; i < sizeof(out); i++)
			assert_int_equal(out[i], 0xee);
	}
	/* And too small a page for what was compressed. */
	need = PAGE;
	assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &need), 0);
	for (unsigned room = 1; room < PAGE; room += 315) {
		struct side src, dst;

		side_lengths(&src, rig, out, need);
		side_lengths(&dst, rig, NULL, room);
		assert_int_equal(rig_decompress(rig, &src, &dst), walks ? -ENOSPC : -EINVAL);
		side_check_around(&dst);
		side_finish(&src);
		side_finish(&dst);
	}
}

static void too_little_room_is_einval_and_enospc_of_deflate_since_6_16(void **state)
{
	for_each_codec(check_too_small);
}

static void check_random(struct rig *rig, const char *codec)
{
	uint8_t page[PAGE], out[PAGE];
	unsigned len = PAGE;

	gen_part_random(11, PAGE, page, PAGE);
	assert_true(rig_compress_flat(rig, page, PAGE, out, &len) < 0);
	assert_int_not_equal(rig->req.cost.path, ACOMP_PATH_NONE);
	assert_true(rig->req.cost.codec_ns > 0);
}

static void a_page_of_random_bytes_does_not_fit(void **state)
{
	for_each_codec(check_random);
}

/* What was never compressed, or is damaged: an error or some bytes, and nothing beyond the page. */
static void check_garbage(struct rig *rig, const char *codec)
{
	uint8_t page[PAGE], frame[PAGE];
	unsigned len = PAGE, errors = 0;
	uint64_t seed = 5;

	gen_fill(GEN_POINTERS, 4, page, PAGE);
	assert_int_equal(rig_compress_flat(rig, page, PAGE, frame, &len), 0);
	for (unsigned round = 0; round < 200; round++) {
		uint8_t bad[PAGE];
		struct side src, dst;
		unsigned n = len;
		int ret;

		memcpy(bad, frame, len);
		if (round % 4 == 0)
			gen_random_bytes(&seed, bad, len);
		else if (round % 4 == 1)
			n = 1 + gen_random(&seed) % len;
		else
			bad[gen_random(&seed) % len] ^= 1 << gen_random(&seed) % 8;
		if (round & 8 && n > 1)
			side_lengths(&src, rig, bad, n / 2, n - n / 2);
		else
			side_lengths(&src, rig, bad, n);
		side_lengths(&dst, rig, NULL, PAGE);
		ret = rig_decompress(rig, &src, &dst);
		if (ret) {
			assert_true(ret == -EINVAL || ret == -ENOSPC || ret == -EIO);
			errors++;
		} else {
			assert_true(rig->req.dlen <= PAGE);
		}
		side_check_around(&dst);
		side_finish(&src);
		side_finish(&dst);
	}
	assert_in_range(errors, 20, 200);
	load(rig, frame, len, 0, page);
}

static void damaged_objects_are_errors_and_harm_nothing(void **state)
{
	for_each_codec(check_garbage);
}

/* More work makes less of it, roughly, and any level's frames are read at any other. */
static void levels_trade_length_for_work(void **state)
{
	static const struct {
		const char *loose, *tight;
	} rows[] = {
		{"zstd:-20", "zstd:1"}, {"zstd:1", "zstd:19"},	  {"zstd", "zstd:22"},
		{"lz4:20", "lz4"},	{"lz4", "lz4hc:1"},	  {"lz4hc:1", "lz4hc"},
		{"lz4hc", "lz4hc:12"},	{"deflate:1", "deflate"}, {"deflate", "deflate:9"},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (unsigned k = 0; k < 2; k++) {
			const char *kernel = k ? "7.3" : "6.12";
			struct rig *loose = rig_create_codec(kernel, rows[i].loose, NULL);
			struct rig *tight = rig_create_codec(kernel, rows[i].tight, NULL);
			unsigned sum[2] = {0}, len;
			uint8_t page[PAGE], out[PAGE];

			for (unsigned seed = 0; seed < 12; seed++) {
				gen_fill(seed & 1 ? GEN_TEXT : GEN_POINTERS, seed, page, PAGE);
				len = PAGE;
				assert_int_equal(rig_compress_flat(loose, page, PAGE, out, &len),
						 0);
				load(tight, out, len, len / 3, page);
				sum[0] += len;
				len = PAGE;
				assert_int_equal(rig_compress_flat(tight, page, PAGE, out, &len),
						 0);
				load(loose, out, len, len / 3, page);
				sum[1] += len;
			}
			if (sum[1] >= sum[0])
				fail_msg("%s: %u bytes, %s: %u", rows[i].loose, sum[0],
					 rows[i].tight, sum[1]);
			rig_destroy(loose);
			rig_destroy(tight);
		}
	}
}

/* Requests of one machine do not depend on what went before. */
static void check_repeatable(struct rig *rig, const char *codec)
{
	uint8_t page[2][PAGE], first[2][PAGE], again[PAGE];
	unsigned len[2] = {PAGE, PAGE};

	for (unsigned i = 0; i < 2; i++) {
		gen_fill(i ? GEN_TEXT : GEN_SPARSE, 6, page[i], PAGE);
		assert_int_equal(rig_compress_flat(rig, page[i], PAGE, first[i], &len[i]), 0);
	}
	for (unsigned round = 0; round < 6; round++) {
		unsigned i = round & 1, n = PAGE;
		uint8_t junk[PAGE];

		gen_part_random(round, PAGE, junk, PAGE);
		rig_compress_flat(rig, junk, PAGE, again, &n);
		load(rig, first[!i], len[!i], round, page[!i]);
		n = PAGE;
		assert_int_equal(rig_compress_flat(rig, page[i], PAGE, again, &n), 0);
		assert_int_equal(n, len[i]);
		assert_memory_equal(again, first[i], n);
	}
}

static void a_page_has_the_same_bytes_whatever_went_before(void **state)
{
	for_each_codec(check_repeatable);
}

static void check_every_length(struct rig *rig, const char *codec)
{
	static uint8_t data[3 * PAGE], out[4 * PAGE], back[3 * PAGE];

	gen_fill(GEN_NOISY_TEXT, 1, data, sizeof(data));
	for (unsigned n = 1; n < sizeof(data); n += n < 70 ? 1 : 509) {
		unsigned len = sizeof(out);

		assert_int_equal(rig_compress_flat(rig, data, n, out, &len), 0);
		acomp_request_set_src_dma(&rig->req, out, len);
		acomp_request_set_dst_dma(&rig->req, back, n);
		assert_int_equal(crypto_acomp_decompress(&rig->req), 0);
		assert_int_equal(rig->req.dlen, n);
		assert_memory_equal(back, data, n);
	}
}

static void sources_may_have_any_length(void **state)
{
	for_each_codec(check_every_length);
}

/* Its entry, and none but those for a codec that has it. */
static void every_codec_names_the_functions_that_it_calls(void **state)
{
	for (const struct acomp_alg *const *alg = backends_registry()->algs; *alg; alg++) {
		struct rig *rig;

		assert_int_equal(!(*alg)->refused, !!(*alg)->call_names);
		if ((*alg)->refused)
			continue;
		for (unsigned k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
			uint8_t page[PAGE], out[PAGE];
			unsigned len = PAGE;

			rig = rig_create_codec(kernels[k], (*alg)->cra_name, NULL);
			gen_fill(GEN_TEXT, 1, page, PAGE);
			assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), 0);
			for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
				if (rig->req.cost.calls[i])
					assert_non_null((*alg)->call_names[i]);
			}
			load(rig, out, len, len / 2, page);
			for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
				if (rig->req.cost.calls[i])
					assert_non_null((*alg)->call_names[i]);
			}
			rig_destroy(rig);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_page_comes_back_in_one_piece_and_in_two),
		cmocka_unit_test(too_little_room_is_einval_and_enospc_of_deflate_since_6_16),
		cmocka_unit_test(a_page_of_random_bytes_does_not_fit),
		cmocka_unit_test(damaged_objects_are_errors_and_harm_nothing),
		cmocka_unit_test(levels_trade_length_for_work),
		cmocka_unit_test(a_page_has_the_same_bytes_whatever_went_before),
		cmocka_unit_test(sources_may_have_any_length),
		cmocka_unit_test(every_codec_names_the_functions_that_it_calls),
	};

	return cmocka_run_group_tests_name("codecs", tests, NULL, NULL);
}
