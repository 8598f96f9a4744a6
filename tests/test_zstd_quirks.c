// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The quirks of the acomp driver's loops by their numbers in kernel-spec B.6, its table of errors,
 * and case C15. Q5 and Q7 need HIGHMEM, Q13 was gone before 6.17.13, and nothing that the driver
 * does brings the decoder to Q11's sixteen calls without progress.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

/* The page P of C15, and its frames. */
struct page_p {
	uint8_t page[4096];
	uint8_t one[4096], stream[4096]; /* one shot; in two fragments of 2048 */
	unsigned one_len, stream_len;
	bool exact; /* the figures of C15 are this library's */
};

static struct rig *rig;
static struct page_p p;

static int set_up(void **state)
{
	struct side src, dst;

	rig = rig_create("7.3", NULL);
	gen_counters(p.page, sizeof(p.page));
	p.one_len = sizeof(p.one);
	assert_int_equal(rig_compress_flat(rig, p.page, sizeof(p.page), p.one, &p.one_len), 0);
	side_lengths(&src, rig, p.page, 2048, 2048);
	side_virt(&dst, rig, sizeof(p.stream), NULL);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	p.stream_len = rig->req.dlen;
	side_read(&dst, p.stream, p.stream_len);
	side_finish(&src);
	side_finish(&dst);
	p.exact = !strcmp(zstd_library_version(), "1.5.4");
	return 0;
}

static int tear_down(void **state)
{
	rig_destroy(rig);
	return 0;
}

/* P in two halves into @dst; the result in @out if it succeeds. */
static int compress_halves(struct side *dst, uint8_t *out)
{
	struct side src;
	int ret;

	side_lengths(&src, rig, p.page, 2048, 2048);
	ret = rig_compress(rig, &src, dst);
	if (!ret)
		side_read(dst, out, rig->req.dlen);
	side_finish(&src);
	side_finish(dst);
	return ret;
}

/* A frame in fragments of @cut and the rest (0: in one) into one destination of @dlen bytes. */
static int decompress_cut(const void *frame, unsigned len, unsigned cut, unsigned dlen,
			  uint8_t *out)
{
	struct side src, dst;
	int ret;

	if (cut)
		side_lengths(&src, rig, frame, cut, len - cut);
	else
		side_lengths(&src, rig, frame, len);
	side_virt(&dst, rig, dlen, NULL);
	ret = rig_decompress(rig, &src, &dst);
	if (!ret)
		side_read(&dst, out, rig->req.dlen);
	side_finish(&src);
	side_finish(&dst);
	return ret;
}

static void the_frames_of_case_c15_have_its_lengths(void **state)
{
	uint8_t back[4096];

	assert_int_equal(ref_decode(p.one, p.one_len, back, sizeof(back)), 4096);
	assert_memory_equal(back, p.page, sizeof(back));
	assert_int_equal(ref_decode(p.stream, p.stream_len, back, sizeof(back)), 4096);
	assert_memory_equal(back, p.page, sizeof(back));
	if (p.exact) {
		assert_int_equal(p.one_len, 1955);
		assert_int_equal(p.stream_len, 2306);
	}
}

/* Q1, C15 (b) */
static void q1_a_frame_that_lacks_one_or_two_bytes_of_room_succeeds_without_them(void **state)
{
	uint8_t out[4096];
	struct side dst;

	for (unsigned lack = 0; lack < 3; lack++) {
		side_lengths(&dst, rig, NULL, p.stream_len - lack);
		assert_int_equal(compress_halves(&dst, out), 0);
		assert_int_equal(rig->req.dlen, p.stream_len - lack);
		assert_memory_equal(out, p.stream, p.stream_len - lack);
	}
	for (unsigned lack = 3; lack < 100; lack++) {
		side_lengths(&dst, rig, NULL, p.stream_len - lack);
		assert_int_equal(compress_halves(&dst, out), -ENOSPC);
		assert_int_equal(rig->req.dlen, 0);
	}
}

/* Q1: what is still to come is lost although the list goes on for 4000 bytes. */
static void q1_the_end_is_written_into_the_current_fragment_only(void **state)
{
	uint8_t out[8192];
	struct side dst;

	/* All flushed output but 7 bytes fills the first two entries; C15 (c). */
	side_lengths(&dst, rig, NULL, 1029, p.stream_len - 7 - 1029, 4000);
	assert_int_equal(compress_halves(&dst, out), 0);
	if (p.exact)
		assert_int_equal(rig->req.dlen, 2299);
	assert_int_equal(rig->req.dlen, p.stream_len - 7);
	assert_memory_equal(out, p.stream, rig->req.dlen);
}

static void q1_a_small_fragment_in_the_middle_loses_the_rest_of_the_frame(void **state)
{
	uint8_t whole[8192], out[8192];
	struct side src, dst;
	unsigned len;

	side_lengths(&src, rig, p.page, 4096);
	side_lengths(&dst, rig, NULL, 4095, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	len = rig->req.dlen;
	side_read(&dst, whole, len);
	assert_in_range(len, 1100, 4095);
	side_finish(&dst);

	side_lengths(&dst, rig, NULL, 1000, 20, 4000);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	assert_int_equal(rig->req.dlen, 1020);
	side_read(&dst, out, 1020);
	assert_memory_equal(out, whole, 1020);
	assert_int_equal(ref_decode(out, 1020, out + 1020, 4096), -1);
	side_finish(&src);
	side_finish(&dst);
}

static void
q2_a_frame_without_its_last_bytes_decodes_in_a_stream_and_fails_in_one_shot(void **state)
{
	uint8_t out[4096];

	for (unsigned lack = 1; lack < 3; lack++) {
		unsigned len = p.stream_len - lack;

		assert_int_equal(decompress_cut(p.stream, len, 1000, 4096, out), 0);
		assert_int_equal(rig->req.dlen, 4096);
		assert_memory_equal(out, p.page, sizeof(out));
		assert_int_equal(decompress_cut(p.stream, len, 0, 4096, out), -EINVAL);
		assert_int_equal(rig->req.dlen, 0);
	}
}

/* Q3, C15 (a) */
static void q3_a_cut_frame_in_two_fragments_succeeds_with_less(void **state)
{
	static const unsigned cuts[] = {1, 10};
	uint8_t out[4096];

	for (unsigned i = 0; i < 2; i++) {
		unsigned len = p.one_len - cuts[i];

		assert_int_equal(decompress_cut(p.one, len, 1000, 4096, out), 0);
		assert_int_equal(rig->req.dlen, 0);
		assert_int_equal(decompress_cut(p.one, len, 0, 4096, out), -EINVAL);
	}
	/* Of a frame in two blocks the first one comes out. */
	assert_int_equal(decompress_cut(p.stream, p.stream_len - 100, 1000, 4096, out), 0);
	assert_int_equal(rig->req.dlen, 2048);
	assert_memory_equal(out, p.page, 2048);
}

static void q4_an_end_that_lies_in_a_fragment_of_its_own_meets_a_full_destination(void **state)
{
	uint8_t out[4096];

	for (unsigned tail = 1; tail < 100; tail++) {
		int ret = decompress_cut(p.stream, p.stream_len, p.stream_len - tail, 4096, out);

		assert_int_equal(ret, tail <= 3 ? -ENOSPC : 0);
		assert_int_equal(rig->req.dlen, ret ? 0 : 4096);
		/* With room to spare, or as the only block of a frame, it does no harm. */
		assert_int_equal(
			decompress_cut(p.stream, p.stream_len, p.stream_len - tail, 4097, out), 0);
		assert_int_equal(decompress_cut(p.one, p.one_len, p.one_len - tail, 4096, out), 0);
		assert_memory_equal(out, p.page, sizeof(out));
	}
}

/* Q6, C15 (d) */
static void q6_an_empty_entry_in_the_middle_ends_the_source(void **state)
{
	uint8_t out[4096], back[4096];
	struct side src, dst;

	side_lengths(&src, rig, p.page, 2048, 0, 2048);
	side_lengths(&dst, rig, NULL, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	if (p.exact)
		assert_int_equal(rig->req.dlen, 1029);
	side_read(&dst, out, rig->req.dlen);
	assert_int_equal(ref_decode(out, rig->req.dlen, back, sizeof(back)), 2048);
	assert_memory_equal(back, p.page, 2048);
	side_finish(&src);

	side_lengths(&src, rig, p.one, 1000, 0, p.one_len - 1000);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	assert_int_equal(rig->req.dlen, 0);
	side_finish(&src);
	side_finish(&dst);
}

static void q6_an_empty_entry_in_the_destination_is_its_end(void **state)
{
	uint8_t out[4096];
	struct side src, dst;

	side_lengths(&dst, rig, NULL, 1000, 0, 4000);
	assert_int_equal(compress_halves(&dst, out), -ENOSPC);

	side_lengths(&src, rig, p.one, p.one_len);
	side_lengths(&dst, rig, NULL, 1000, 0, 3096);
	assert_int_equal(rig_decompress(rig, &src, &dst), -ENOSPC);
	side_finish(&dst);
	/* As the first one it is passed over. */
	side_lengths(&dst, rig, NULL, 0, 4096);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	assert_int_equal(rig->req.cost.path, ACOMP_PATH_ONESHOT);
	side_finish(&src);
	side_finish(&dst);
}

/* Blocks of a frame by their headers, from offset @begin on; the last one's content must be empty.
 */
static unsigned count_blocks(const uint8_t *frame, unsigned begin, unsigned len)
{
	unsigned nr = 0, last;

	do {
		unsigned header = frame[begin] | frame[begin + 1] << 8 | frame[begin + 2] << 16;
		unsigned size = (header >> 1 & 3) == 1 ? 1 : header >> 3;

		last = header & 1;
		begin += 3 + size;
		nr++;
	} while (!last && begin < len);
	assert_int_equal(begin, len);
	return nr;
}

static void q8_every_source_fragment_becomes_a_block_and_an_empty_one_follows(void **state)
{
	struct side src, dst;
	unsigned lengths[16], len_of_one = 0;
	uint8_t out[8192];

	for (unsigned nr = 1; nr <= 16; nr *= 2) {
		for (unsigned i = 0; i < nr; i++)
			lengths[i] = 4096 / nr;
		side_list(&src, rig, lengths, nr, p.page);
		/* An entry that is cut, so that even one source fragment streams. */
		side_lengths(&dst, rig, NULL, 4095, 4096);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		side_read(&dst, out, rig->req.dlen);
		assert_int_equal(count_blocks(out, 6, rig->req.dlen), nr + 1);
		assert_true(rig->req.dlen > len_of_one);
		if (nr == 1)
			len_of_one = rig->req.dlen;
		side_finish(&src);
		side_finish(&dst);
	}
	assert_int_equal(count_blocks(p.one, 7, p.one_len), 1);
}

static void q9_frame_and_error_depend_on_how_the_caller_chops_its_buffers(void **state)
{
	uint8_t random[4096], out[4096], damaged[4096];
	unsigned len = sizeof(out);
	struct side src, dst;

	gen_part_random(1, 4096, random, sizeof(random));
	assert_int_equal(rig_compress_flat(rig, random, 4096, out, &len), -EINVAL);
	side_lengths(&src, rig, random, 2048, 2048);
	side_lengths(&dst, rig, NULL, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), -ENOSPC);
	side_finish(&src);
	side_finish(&dst);

	memcpy(damaged, p.one, p.one_len);
	damaged[0] ^= 1;
	assert_int_equal(decompress_cut(damaged, p.one_len, 0, 4096, out), -EINVAL);
	assert_int_equal(decompress_cut(damaged, p.one_len, 1000, 4096, out), -EIO);
	assert_true(p.one_len != p.stream_len);
}

/* Q10: the limit of a stream's window is the workspace, not the window that the driver asks for. */
static void q10_a_window_is_too_big_when_the_workspace_is(void **state)
{
	unsigned biggest = 0;
	uint8_t out[4096];

	for (unsigned log = 10; log <= 27; log++) {
		ZSTD_CCtx *cctx = ZSTD_createCCtx();
		ZSTD_inBuffer in = {p.page, 4096, 0};
		uint8_t frame[8192];
		ZSTD_outBuffer to = {frame, sizeof(frame), 0};
		int ret;

		ZSTD_CCtx_setParameter(cctx, ZSTD_c_windowLog, log);
		ZSTD_compressStream2(cctx, &to, &in, ZSTD_e_continue);
		assert_int_equal(ZSTD_compressStream2(cctx, &to, &in, ZSTD_e_end), 0);
		ret = decompress_cut(frame, to.pos, 100, 4096, out);
		assert_in_set(-ret, ((unsigned long[]){0, EIO}), 2);
		if (!ret) {
			assert_int_equal(biggest, log - (log > 10 ? 1 : log));
			biggest = log;
			assert_memory_equal(out, p.page, 4096);
		}
		/* In one shot the destination is the window. */
		assert_int_equal(decompress_cut(frame, to.pos, 0, 4096, out), 0);
		ZSTD_freeCCtx(cctx);
	}
	/* 2^20 and two blocks fit into 1.49 MiB, 2^21 do not. */
	assert_int_equal(biggest, 20);
}

static void q12_concatenated_and_skippable_frames_are_accepted_on_both_paths(void **state)
{
	static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
	uint8_t frames[16384], out[8192];
	unsigned len = 0;

	memcpy(frames, skippable, sizeof(skippable));
	len += sizeof(skippable);
	memcpy(frames + len, p.one, p.one_len);
	len += p.one_len;
	memcpy(frames + len, p.stream, p.stream_len);
	len += p.stream_len;
	for (unsigned cut = 0; cut < 4096; cut += 1000) {
		struct side src, dst;

		if (cut) {
			side_lengths(&src, rig, frames, cut, len - cut);
		} else {
			side_virt(&src, rig, len, frames);
		}
		side_virt(&dst, rig, 8192, NULL);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.cost.path, cut ? ACOMP_PATH_STREAM : ACOMP_PATH_ONESHOT);
		assert_int_equal(rig->req.dlen, 8192);
		side_read(&dst, out, 8192);
		assert_memory_equal(out, p.page, 4096);
		assert_memory_equal(out + 4096, p.page, 4096);
		side_finish(&src);
		side_finish(&dst);
	}
}

static void q14_a_source_that_begins_with_two_empty_entries_gives_an_empty_frame(void **state)
{
	static const uint8_t empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00};
	static const char *const presets[] = {"7.3", "7.4"};

	for (unsigned i = 0; i < 2; i++) {
		struct rig *r = rig_create(presets[i], NULL);
		struct side src, dst;
		uint8_t out[16];

		side_lengths(&src, r, p.page, 0, 0, 4096);
		side_lengths(&dst, r, NULL, 4096);
		assert_int_equal(rig_compress(r, &src, &dst), 0);
		assert_int_equal(r->req.dlen, sizeof(empty));
		side_read(&dst, out, sizeof(empty));
		assert_memory_equal(out, empty, sizeof(empty));
		assert_int_equal(r->req.cost.calls[ACOMP_CALL_INIT_CSTREAM], 1);
		assert_int_equal(r->req.cost.calls[ACOMP_CALL_COMPRESS_STREAM], 0);
		assert_int_equal(r->req.cost.calls[ACOMP_CALL_END_STREAM], 1);
		side_finish(&src);
		side_finish(&dst);
		rig_destroy(r);
	}
}

/* Q15, C15 (e) */
static void q15_bytes_behind_the_frame_meet_a_full_destination_or_an_error(void **state)
{
	uint8_t frame[4100], out[5000];

	memcpy(frame, p.one, p.one_len);
	memset(frame + p.one_len, 0, 4);
	assert_int_equal(decompress_cut(frame, p.one_len + 4, 1000, 4096, out), -ENOSPC);
	assert_int_equal(decompress_cut(frame, p.one_len + 4, 1000, 5000, out), -EIO);
	assert_int_equal(decompress_cut(frame, p.one_len + 4, 0, 4096, out), -EINVAL);
	assert_int_equal(decompress_cut(frame, p.one_len + 4, 0, 5000, out), -EINVAL);
}

/* The table of B.6 row by row where no quirk above has it. */
static void errors_are_einval_in_one_shot_and_by_cause_in_a_stream(void **state)
{
	uint8_t bad[4096], out[4096];
	unsigned len = p.one_len - 1;
	struct side dst;

	/* Destination too small. */
	assert_int_equal(rig_compress_flat(rig, p.page, 4096, out, &len), -EINVAL);
	assert_int_equal(len, 0);
	side_lengths(&dst, rig, NULL, p.one_len - 100);
	assert_int_equal(compress_halves(&dst, out), -ENOSPC);
	assert_int_equal(decompress_cut(p.one, p.one_len, 0, 4095, out), -EINVAL);
	assert_int_equal(decompress_cut(p.one, p.one_len, 1000, 4095, out), -ENOSPC);

	/* A corrupt frame: a reserved block type. */
	memcpy(bad, p.one, p.one_len);
	bad[7] |= 6;
	assert_int_equal(decompress_cut(bad, p.one_len, 0, 4096, out), -EINVAL);
	assert_int_equal(decompress_cut(bad, p.one_len, 1000, 4096, out), -EIO);
	/* No frame at all. */
	memset(bad, 0, sizeof(bad));
	assert_int_equal(decompress_cut(bad, 100, 0, 4096, out), -EINVAL);
	assert_int_equal(decompress_cut(bad, 100, 50, 4096, out), -EIO);
}

static void a_walk_past_a_list_is_an_error_and_no_crash(void **state)
{
	struct side src, dst;
	uint8_t out[4096];

	/* A source that is shorter than slen. */
	side_lengths(&src, rig, p.page, 1000, 1000);
	side_lengths(&dst, rig, NULL, 4096);
	src.len = 4096;
	assert_int_equal(rig_compress(rig, &src, &dst), -EFAULT);
	assert_int_equal(rig->req.dlen, 0);
	side_finish(&src);
	side_lengths(&src, rig, p.one, 1000);
	src.len = p.one_len;
	assert_int_equal(rig_decompress(rig, &src, &dst), -EFAULT);
	side_finish(&src);
	side_finish(&dst);

	/* A destination that is shorter than dlen. */
	side_lengths(&dst, rig, NULL, 1000);
	dst.len = 4096;
	assert_int_equal(compress_halves(&dst, out), -EFAULT);
	side_lengths(&src, rig, p.one, p.one_len);
	side_lengths(&dst, rig, NULL, 1000);
	dst.len = 4096;
	assert_int_equal(rig_decompress(rig, &src, &dst), -EFAULT);
	side_finish(&src);
	side_finish(&dst);
}

static void a_request_after_a_failed_one_is_not_disturbed(void **state)
{
	static const char *const contexts[] = {"zstd.context=once", "zstd.context=per_request"};

	for (unsigned i = 0; i < 2; i++) {
		struct rig *saved = rig;
		uint8_t out[8192], bad[4096];
		unsigned len;
		struct side dst;

		rig = rig_create("7.4", contexts[i], NULL);
		memcpy(bad, p.one, p.one_len);
		bad[7] |= 6;
		for (unsigned round = 0; round < 20; round++) {
			side_lengths(&dst, rig, NULL, 500, 20, 4000);
			compress_halves(&dst, out);
			len = 100;
			assert_int_equal(rig_compress_flat(rig, p.page, 4096, out, &len), -EINVAL);
			len = 4096;
			assert_int_equal(rig_compress_flat(rig, p.page, 4096, out, &len), 0);
			assert_int_equal(len, p.one_len);
			assert_memory_equal(out, p.one, len);
			assert_int_equal(decompress_cut(bad, p.one_len, 1000, 4096, out), -EIO);
			assert_int_equal(decompress_cut(p.stream, p.stream_len, 1000, 4096, out),
					 0);
			assert_memory_equal(out, p.page, 4096);
			side_lengths(&dst, rig, NULL, 500);
			assert_int_equal(compress_halves(&dst, out), -ENOSPC);
			side_lengths(&dst, rig, NULL, 4096);
			assert_int_equal(compress_halves(&dst, out), 0);
			assert_int_equal(rig->req.dlen, p.stream_len);
			assert_memory_equal(out, p.stream, p.stream_len);
		}
		rig_destroy(rig);
		rig = saved;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_frames_of_case_c15_have_its_lengths),
		cmocka_unit_test(
			q1_a_frame_that_lacks_one_or_two_bytes_of_room_succeeds_without_them),
		cmocka_unit_test(q1_the_end_is_written_into_the_current_fragment_only),
		cmocka_unit_test(q1_a_small_fragment_in_the_middle_loses_the_rest_of_the_frame),
		cmocka_unit_test(
			q2_a_frame_without_its_last_bytes_decodes_in_a_stream_and_fails_in_one_shot),
		cmocka_unit_test(q3_a_cut_frame_in_two_fragments_succeeds_with_less),
		cmocka_unit_test(
			q4_an_end_that_lies_in_a_fragment_of_its_own_meets_a_full_destination),
		cmocka_unit_test(q6_an_empty_entry_in_the_middle_ends_the_source),
		cmocka_unit_test(q6_an_empty_entry_in_the_destination_is_its_end),
		cmocka_unit_test(q8_every_source_fragment_becomes_a_block_and_an_empty_one_follows),
		cmocka_unit_test(q9_frame_and_error_depend_on_how_the_caller_chops_its_buffers),
		cmocka_unit_test(q10_a_window_is_too_big_when_the_workspace_is),
		cmocka_unit_test(q12_concatenated_and_skippable_frames_are_accepted_on_both_paths),
		cmocka_unit_test(
			q14_a_source_that_begins_with_two_empty_entries_gives_an_empty_frame),
		cmocka_unit_test(q15_bytes_behind_the_frame_meet_a_full_destination_or_an_error),
		cmocka_unit_test(errors_are_einval_in_one_shot_and_by_cause_in_a_stream),
		cmocka_unit_test(a_walk_past_a_list_is_an_error_and_no_crash),
		cmocka_unit_test(a_request_after_a_failed_one_is_not_disturbed),
	};

	return cmocka_run_group_tests_name("zstd_quirks", tests, set_up, tear_down);
}
