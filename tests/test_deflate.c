// SPDX-License-Identifier: GPL-2.0-or-later
/* The acomp driver of deflate, and the one before it, against zlib called directly. */
#include "backends/deflate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "backends/deflate_stream.h"
#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

#define PAGE 4096u

/* Raw deflate of @size bytes, window 2^11, memory level 8. */
static unsigned ref_deflate(const void *src, unsigned size, int level, void *out, unsigned room)
{
	z_stream z = {.next_in = (void *)src, .avail_in = size, .next_out = out, .avail_out = room};

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, -11, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static void frames_are_zlibs_at_every_level_with_either_driver(void **state)
{
	static const char *const presets[] = {"6.12", "7.3"};

	for (unsigned i = 0; i < 18; i++) {
		int level = 1 + i % 9;
		char name[16];
		struct rig *rig;

		snprintf(name, sizeof(name), "deflate:%d", level);
		rig = rig_create_codec(presets[i / 9], name, NULL);
		for (unsigned kind = 0; kind < GEN_NR_KINDS - 2; kind++) {
			uint8_t page[PAGE], out[PAGE], ref[2 * PAGE];
			unsigned len = PAGE, n;

			gen_fill(kind, i, page, PAGE);
			n = ref_deflate(page, PAGE, level, ref, sizeof(ref));
			assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), 0);
			assert_int_equal(len, n);
			assert_memory_equal(out, ref, n);
		}
		rig_destroy(rig);
	}
}

static void each_request_sets_a_stream_up_since_6_16(void **state)
{
	static const struct {
		const char *kernel;
		unsigned init, reset;
		enum acomp_path path;
	} rows[] = {{"6.12", 0, 1, ACOMP_PATH_ONESHOT}, {"7.3", 1, 1, ACOMP_PATH_STREAM}};

	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = rig_create_codec(rows[i].kernel, "deflate", NULL);
		const struct acomp_cost *cost = &rig->req.cost;
		uint8_t page[PAGE], out[PAGE], back[PAGE];
		unsigned len = PAGE;

		gen_fill(GEN_TEXT, 3, page, PAGE);
		assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), 0);
		assert_int_equal(cost->path, rows[i].path);
		assert_int_equal(cost->reason, ACOMP_STREAM_NOT);
		assert_int_equal(cost->calls[ACOMP_CALL_INIT_CCTX], rows[i].init);
		assert_int_equal(cost->calls[ACOMP_CALL_INIT_CSTREAM], rows[i].reset);
		assert_int_equal(cost->calls[ACOMP_CALL_COMPRESS_STREAM], 1);
		assert_int_equal(cost->init_ns > 0, rows[i].init);
		assert_true(cost->codec_ns > 0);
		acomp_request_set_src_dma(&rig->req, out, len);
		acomp_request_set_dst_dma(&rig->req, back, PAGE);
		assert_int_equal(crypto_acomp_decompress(&rig->req), 0);
		assert_int_equal(cost->calls[ACOMP_CALL_INIT_DCTX], rows[i].init);
		assert_int_equal(cost->calls[ACOMP_CALL_INIT_DSTREAM], rows[i].reset);
		assert_int_equal(cost->calls[ACOMP_CALL_DECOMPRESS_STREAM], 1);
		assert_int_equal(cost->init_ns > 0, rows[i].init);
		assert_memory_equal(back, page, PAGE);
		rig_destroy(rig);
	}
}

/* Any fragments on either side: the bytes are those of one piece, for nothing is flushed between.
 */
static void fragments_do_not_show_in_the_frame(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate", NULL);
	static uint8_t data[5 * PAGE], ref[6 * PAGE], out[6 * PAGE], back[5 * PAGE];
	uint64_t seed = 9;

	for (unsigned round = 0; round < 120; round++) {
		unsigned slen = 1 + gen_random(&seed) % sizeof(data), n, left, nr = 0;
		unsigned lengths[12];
		struct side src, dst;

		gen_fill(round % GEN_NR_KINDS, round, data, slen);
		n = ref_deflate(data, slen, 6, ref, sizeof(ref));
		for (left = slen; nr < 11 && left > 1; left -= lengths[nr++])
			lengths[nr] = 1 + gen_random(&seed) % (left - 1);
		lengths[nr++] = left;
		side_list(&src, rig, lengths, nr, data);
		side_lengths(&dst, rig, NULL, 1 + round, 700, sizeof(out) - 701 - round);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.dlen, n);
		side_read(&dst, out, n);
		assert_memory_equal(out, ref, n);
		side_check_around(&dst);
		side_finish(&src);
		side_finish(&dst);

		nr = 0;
		for (left = n; nr < 11 && left > 1; left -= lengths[nr++])
			lengths[nr] = 1 + gen_random(&seed) % (left - 1);
		lengths[nr++] = left;
		side_list(&src, rig, lengths, nr, out);
		/* A byte to spare: the end may lie in several fragments. */
		if (slen > 2)
			side_lengths(&dst, rig, NULL, 1, slen - 2, 2);
		else
			side_lengths(&dst, rig, NULL, slen + 1);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.dlen, slen);
		side_read(&dst, back, slen);
		assert_memory_equal(back, data, slen);
		side_check_around(&dst);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

static void the_reason_for_fragments_is_told(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate", NULL);
	static const struct {
		unsigned src[2], dst[2];
		enum acomp_stream_reason reason;
	} rows[] = {
		{{PAGE, 0}, {PAGE, 0}, ACOMP_STREAM_NOT},
		{{1000, 3096}, {PAGE, 0}, ACOMP_STREAM_SRC},
		{{PAGE, 0}, {100, 3996}, ACOMP_STREAM_DST},
		{{1000, 3096}, {100, 3996}, ACOMP_STREAM_BOTH},
	};
	uint8_t page[PAGE];

	gen_fill(GEN_TEXT, 8, page, PAGE);
	for (unsigned i = 0; i < 4; i++) {
		struct side src, dst;

		side_list(&src, rig, rows[i].src, 1 + !!rows[i].src[1], page);
		side_list(&dst, rig, rows[i].dst, 1 + !!rows[i].dst[1], NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.cost.reason, rows[i].reason);
		assert_int_equal(rig->req.cost.path, ACOMP_PATH_STREAM);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

/*
 * All of the page is made before the last byte, which holds the end of the stream only: the decoder
 * is called without room, and the request succeeds. So did 7.3's kernel (zswap_paths_deflate_end).
 */
static void the_end_alone_in_a_fragment_of_its_own_is_read(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate", NULL);
	unsigned full = 0;

	for (unsigned seed = 0; seed < 20; seed++) {
		uint8_t page[PAGE], out[PAGE], back[PAGE];
		z_stream z = {.avail_out = PAGE, .next_out = back};
		unsigned len = PAGE;
		struct side src, dst;

		gen_fill(GEN_TEXT, seed, page, PAGE);
		assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), 0);
		z.next_in = out;
		z.avail_in = len - 1;
		assert_int_equal(inflateInit2(&z, -11), Z_OK);
		assert_int_equal(inflate(&z, Z_NO_FLUSH), Z_OK);
		full += z.total_out == PAGE;
		inflateEnd(&z);

		side_lengths(&src, rig, out, len - 1, 1);
		side_lengths(&dst, rig, NULL, PAGE);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.cost.calls[ACOMP_CALL_DECOMPRESS_STREAM], 2);
		side_read(&dst, back, PAGE);
		assert_memory_equal(back, page, PAGE);
		side_finish(&src);
		side_finish(&dst);
	}
	assert_true(full > 10);
	rig_destroy(rig);
}

static void an_error_leaves_dlen_alone(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate", NULL);
	uint8_t page[PAGE], out[PAGE];
	unsigned len = PAGE;

	gen_part_random(1, PAGE, page, PAGE);
	assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), -ENOSPC);
	assert_int_equal(len, PAGE);
	len = 0;
	assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), -EINVAL);
	len = PAGE;
	assert_int_equal(rig_compress_flat(rig, page, 0, out, &len), -EINVAL);
	assert_int_equal(rig->req.cost.path, ACOMP_PATH_NONE);
	assert_int_equal(rig->req.cost.init_ns + rig->req.cost.codec_ns, 0);
	rig_destroy(rig);
}

static void a_truncated_stream_is_an_error(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate", NULL);
	uint8_t page[PAGE], out[PAGE];
	unsigned len = PAGE;

	gen_fill(GEN_POINTERS, 3, page, PAGE);
	assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), 0);
	for (unsigned n = 1; n < len; n += 17) {
		struct side src, dst;

		side_lengths(&src, rig, out, n);
		side_lengths(&dst, rig, NULL, PAGE);
		assert_int_equal(rig_decompress(rig, &src, &dst), -EINVAL);
		assert_int_equal(rig->req.dlen, PAGE);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

/* As in every walk: the rest is not seen, and a frame of less comes of it (kernel-spec A.5). */
static void an_entry_without_bytes_ends_the_source(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate", NULL);
	uint8_t page[PAGE], out[PAGE], ref[2 * PAGE];
	struct side src, dst;
	unsigned n;

	gen_fill(GEN_TEXT, 4, page, PAGE);
	n = ref_deflate(page, 1000, 6, ref, sizeof(ref));
	side_lengths(&src, rig, page, 1000, 0, 3096);
	side_lengths(&dst, rig, NULL, PAGE);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	assert_int_equal(rig->req.dlen, n);
	side_read(&dst, out, n);
	assert_memory_equal(out, ref, n);
	side_finish(&src);
	/* And a list that ends too early is no crash. */
	side_lengths(&src, rig, page, 1000, 1000);
	src.len = PAGE;
	assert_int_equal(rig_compress(rig, &src, &dst), -EFAULT);
	side_finish(&src);
	side_finish(&dst);
	rig_destroy(rig);
}

/* zlib asks for no memory but the workspace's: a stream that needs more would be an error here. */
static void a_workspace_is_used_again_and_again(void **state)
{
	struct rig *rig = rig_create_codec("7.3", "deflate:9", NULL);
	uint8_t page[PAGE], out[PAGE], back[PAGE];

	for (unsigned i = 0; i < 300; i++) {
		unsigned len = PAGE;

		gen_fill(i % (GEN_NR_KINDS - 2), i, page, PAGE);
		assert_int_equal(rig_compress_flat(rig, page, PAGE, out, &len), 0);
		acomp_request_set_src_dma(&rig->req, out, len);
		acomp_request_set_dst_dma(&rig->req, back, PAGE);
		assert_int_equal(crypto_acomp_decompress(&rig->req), 0);
		assert_memory_equal(back, page, PAGE);
	}
	assert_int_equal(crypto_acomp_nr_contexts(rig->k, &deflate_alg), 1);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_zlibs_at_every_level_with_either_driver),
		cmocka_unit_test(each_request_sets_a_stream_up_since_6_16),
		cmocka_unit_test(fragments_do_not_show_in_the_frame),
		cmocka_unit_test(the_reason_for_fragments_is_told),
		cmocka_unit_test(the_end_alone_in_a_fragment_of_its_own_is_read),
		cmocka_unit_test(an_error_leaves_dlen_alone),
		cmocka_unit_test(a_truncated_stream_is_an_error),
		cmocka_unit_test(an_entry_without_bytes_ends_the_source),
		cmocka_unit_test(a_workspace_is_used_again_and_again),
	};

	return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
