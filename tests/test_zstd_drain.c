// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

#define MAX_BYTES 12288u

static struct rig *eager, *deferred, *released;

static int set_up(void **state)
{
	eager = rig_create("7.3", "zstd.stream_drain=yes", NULL);
	deferred = rig_create("7.4", "zstd.stream_drain=yes", NULL);
	released = rig_create("7.3", NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_destroy(released);
	rig_destroy(deferred);
	rig_destroy(eager);
	return 0;
}

static unsigned random_below(uint64_t *seed, unsigned n)
{
	return gen_random(seed) % n;
}

/* @total bytes in one to eight entries, none of them empty. */
static void random_list(struct side *side, struct rig *rig, uint64_t *seed, unsigned total,
			const void *data)
{
	unsigned lengths[8], nr = 0, max = 1 + random_below(seed, 8);

	while (nr + 1 < max && total > 1) {
		lengths[nr] =
			1 + random_below(seed, random_below(seed, 2) ? total - 1 : 1 + total / 9);
		if (lengths[nr] >= total)
			lengths[nr] = total - 1;
		total -= lengths[nr++];
	}
	lengths[nr++] = total;
	side_list(side, rig, lengths, nr, data);
}

/* The page P of C15 as two halves; the stream frame into @frame. */
static unsigned stream_frame_of_p(uint8_t *page, uint8_t *frame)
{
	struct side src, dst;
	unsigned len;

	gen_counters(page, 4096);
	side_lengths(&src, eager, page, 2048, 2048);
	side_virt(&dst, eager, 4096, NULL);
	assert_int_equal(rig_compress(eager, &src, &dst), 0);
	len = eager->req.dlen;
	side_read(&dst, frame, len);
	side_finish(&src);
	side_finish(&dst);
	return len;
}

static int decompress_cut(const void *frame, unsigned len, unsigned cut, unsigned dlen)
{
	struct rig *rigs[] = {eager, deferred};
	int ret[2];

	for (unsigned i = 0; i < 2; i++) {
		struct side src, dst;

		side_lengths(&src, rigs[i], frame, cut, len - cut);
		side_lengths(&dst, rigs[i], NULL, dlen);
		ret[i] = rig_decompress(rigs[i], &src, &dst);
		side_finish(&src);
		side_finish(&dst);
	}
	assert_int_equal(ret[0], ret[1]);
	return ret[0];
}

/* Q1, C15 (b) and (c) */
static void the_whole_frame_comes_out_or_enospc(void **state)
{
	uint8_t page[4096], frame[4096], out[8192];
	unsigned len = stream_frame_of_p(page, frame);
	struct side src, dst;

	side_lengths(&src, eager, page, 2048, 2048);
	for (unsigned lack = 0; lack < 5; lack++) {
		side_lengths(&dst, eager, NULL, len - lack);
		assert_int_equal(rig_compress(eager, &src, &dst), lack ? -ENOSPC : 0);
		side_finish(&dst);
	}
	side_lengths(&dst, eager, NULL, 1029, len - 7 - 1029, 4000);
	assert_int_equal(rig_compress(eager, &src, &dst), 0);
	assert_int_equal(eager->req.dlen, len);
	side_read(&dst, out, len);
	assert_memory_equal(out, frame, len);
	side_finish(&dst);
	side_finish(&src);
}

/* Q2, Q3, C15 (a) */
static void a_cut_frame_is_einval_wherever_it_is_cut(void **state)
{
	uint8_t page[4096], frames[2][4096];
	unsigned len[2] = {4096, stream_frame_of_p(page, frames[1])};

	assert_int_equal(rig_compress_flat(eager, page, 4096, frames[0], &len[0]), 0);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned keep = 2; keep < len[i]; keep += keep < len[i] - 20 ? 13 : 1) {
			assert_int_equal(decompress_cut(frames[i], keep, keep / 2, 4096), -EINVAL);
			assert_int_equal(decompress_cut(frames[i], keep, keep - 1, 5000), -EINVAL);
		}
		assert_int_equal(decompress_cut(frames[i], len[i], 1000, 4096), 0);
	}
}

/* Q4 */
static void an_end_of_frame_needs_no_room(void **state)
{
	uint8_t page[4096], frame[4096];
	unsigned len = stream_frame_of_p(page, frame);

	for (unsigned tail = 1; tail < 10; tail++) {
		assert_int_equal(decompress_cut(frame, len, len - tail, 4096), 0);
		assert_int_equal(eager->req.dlen, 4096);
		assert_int_equal(decompress_cut(frame, len, len - tail, 4095), -ENOSPC);
	}
}

static void damage_and_bytes_behind_the_frame_are_eio(void **state)
{
	uint8_t page[4096], frame[4100];
	unsigned len = stream_frame_of_p(page, frame);

	memset(frame + len, 0, 4);
	assert_int_equal(decompress_cut(frame, len + 4, 1000, 4096), -EIO);
	assert_int_equal(decompress_cut(frame, len + 4, 1000, 5000), -EIO);
	frame[6] |= 6;
	assert_int_equal(decompress_cut(frame, len, 1000, 4096), -EIO);
}

/* Q6 is the walk's, and stays on the way in; on the way out the frame is seen to be cut. */
static void an_empty_entry_still_ends_the_source(void **state)
{
	uint8_t page[4096], frame[4096], out[4096], back[4096];
	unsigned len = stream_frame_of_p(page, frame);
	struct side src, dst;

	side_lengths(&src, eager, page, 2048, 0, 2048);
	side_lengths(&dst, eager, NULL, 4096);
	assert_int_equal(rig_compress(eager, &src, &dst), 0);
	side_read(&dst, out, eager->req.dlen);
	assert_int_equal(ref_decode(out, eager->req.dlen, back, sizeof(back)), 2048);
	side_finish(&src);
	side_lengths(&src, eager, frame, 1000, 0, len - 1000);
	assert_int_equal(rig_decompress(eager, &src, &dst), -EINVAL);
	side_finish(&src);
	side_lengths(&src, eager, frame, 0, 0, len);
	assert_int_equal(rig_decompress(eager, &src, &dst), -EINVAL);
	side_finish(&src);
	side_finish(&dst);
}

static void a_walk_past_a_list_is_an_error_and_no_crash(void **state)
{
	uint8_t page[4096], frame[4096];
	unsigned len = stream_frame_of_p(page, frame);
	struct side src, dst;

	side_lengths(&src, eager, page, 1000, 1000);
	src.len = 4096;
	side_lengths(&dst, eager, NULL, 4096);
	assert_int_equal(rig_compress(eager, &src, &dst), -EFAULT);
	side_finish(&src);
	side_finish(&dst);
	side_lengths(&src, eager, frame, 1000, len - 1000);
	side_lengths(&dst, eager, NULL, 1000);
	dst.len = 4096;
	assert_int_equal(rig_decompress(eager, &src, &dst), -EFAULT);
	src.len += 10;
	side_finish(&dst);
	side_lengths(&dst, eager, NULL, 4096);
	assert_int_equal(rig_decompress(eager, &src, &dst), -EFAULT);
	side_finish(&src);
	side_finish(&dst);
}

/* What @src becomes on the path that @rig took: the frame in @frame, its length, 0 if refused. */
static unsigned expected_frame(const struct rig *rig, const struct side *src, const void *data,
			       unsigned dlen, uint8_t *frame)
{
	unsigned fragments[REF_MAX_FRAGMENTS], nr;
	struct ref_frame ref;
	long len;

	if (rig->req.cost.path == ACOMP_PATH_ONESHOT) {
		len = ref_oneshot_frame(data, src->len, frame, dlen);
		return len < 0 ? 0 : len;
	}
	assert_int_equal(ref_fragments(src, PAGE_SIZE, fragments, &nr), REF_END_TOTAL);
	ref_stream_frame(&ref, data, fragments, nr);
	memcpy(frame, ref.bytes, ref.len);
	free(ref.bytes);
	return ref.len <= dlen ? ref.len : 0;
}

static int too_small(const struct rig *rig)
{
	return rig->req.cost.path == ACOMP_PATH_ONESHOT ? -EINVAL : -ENOSPC;
}

/* Returns the frame's length, 0 if the destination of @dlen bytes is too small. */
static unsigned check_compress(struct rig *rig, struct side *src, uint64_t *seed, unsigned dlen,
			       const void *data, uint8_t *frame)
{
	static uint8_t expected[2 * MAX_BYTES];
	struct side dst;
	unsigned len;
	int ret;

	random_list(&dst, rig, seed, dlen, NULL);
	ret = rig_compress(rig, src, &dst);
	len = expected_frame(rig, src, data, dlen, expected);
	assert_int_equal(ret, len ? 0 : too_small(rig));
	assert_int_equal(rig->req.dlen, len);
	side_read(&dst, frame, len);
	assert_memory_equal(frame, expected, len);
	side_check_around(&dst);
	side_finish(&dst);
	return len;
}

static void check_decompress(struct rig *rig, uint64_t *seed, const uint8_t *frame, unsigned len,
			     unsigned dlen, const void *data, unsigned content)
{
	static uint8_t back[2 * MAX_BYTES];
	struct side src, dst;
	int ret;

	random_list(&src, rig, seed, len, frame);
	random_list(&dst, rig, seed, dlen, NULL);
	ret = rig_decompress(rig, &src, &dst);
	assert_int_equal(ret, dlen >= content ? 0 : too_small(rig));
	assert_int_equal(rig->req.dlen, ret ? 0 : content);
	side_read(&dst, back, rig->req.dlen);
	assert_memory_equal(back, data, rig->req.dlen);
	side_check_around(&dst);
	side_finish(&src);
	side_finish(&dst);
}

static void any_fragmentation_round_trips_or_the_destination_is_too_small(void **state)
{
	static uint8_t data[MAX_BYTES], frame[2 * MAX_BYTES];
	struct rig *rigs[] = {eager, deferred};
	uint64_t seed = 21;

	for (unsigned round = 0; round < 800; round++) {
		unsigned content = 1 + random_below(&seed, MAX_BYTES), len, dlen;
		struct rig *rig = rigs[round % 2];
		struct side src;

		gen_fill(round % GEN_NR_KINDS, round, data, content);
		random_list(&src, rig, &seed, content, data);
		len = check_compress(rig, &src, &seed, 2 * MAX_BYTES, data, frame);
		check_compress(rig, &src, &seed, len - 4 + random_below(&seed, 9), data, frame);
		len = check_compress(rig, &src, &seed, 2 * MAX_BYTES, data, frame);
		side_finish(&src);

		check_decompress(rig, &seed, frame, len, content, data, content);
		dlen = 1 + random_below(&seed, 2 * content);
		check_decompress(rig, &seed, frame, len, dlen, data, content);
	}
}

/* Where the released loops do their job nothing changes: result, path, and what it costs. */
static void requests_that_were_good_before_cost_the_same_calls(void **state)
{
	uint8_t page[4096], frame[2][4096] = {{0}};

	gen_counters(page, sizeof(page));
	for (unsigned cut = 0; cut < 4096; cut += 500) {
		struct rig *rigs[] = {eager, released};
		struct acomp_cost cost[2];

		for (unsigned i = 0; i < 2; i++) {
			struct side src, dst;

			if (cut)
				side_lengths(&src, rigs[i], page, cut, 4096 - cut);
			else
				side_lengths(&src, rigs[i], page, 4096);
			side_lengths(&dst, rigs[i], NULL, 4096);
			assert_int_equal(rig_compress(rigs[i], &src, &dst), 0);
			cost[i] = rigs[i]->req.cost;
			side_read(&dst, frame[i], rigs[i]->req.dlen);
			side_finish(&src);
			side_lengths(&src, rigs[i], frame[i], 100, rigs[i]->req.dlen - 100);
			assert_int_equal(rig_decompress(rigs[i], &src, &dst), 0);
			for (unsigned call = 0; call < ACOMP_NR_CALLS; call++)
				cost[i].calls[call] += rigs[i]->req.cost.calls[call];
			side_finish(&src);
			side_finish(&dst);
		}
		assert_memory_equal(frame[0], frame[1], sizeof(frame[0]));
		assert_memory_equal(cost[0].calls, cost[1].calls, sizeof(cost[0].calls));
		assert_int_equal(cost[0].path, cost[1].path);
		assert_int_equal(cost[0].reason, cost[1].reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_frame_comes_out_or_enospc),
		cmocka_unit_test(a_cut_frame_is_einval_wherever_it_is_cut),
		cmocka_unit_test(an_end_of_frame_needs_no_room),
		cmocka_unit_test(damage_and_bytes_behind_the_frame_are_eio),
		cmocka_unit_test(an_empty_entry_still_ends_the_source),
		cmocka_unit_test(a_walk_past_a_list_is_an_error_and_no_crash),
		cmocka_unit_test(any_fragmentation_round_trips_or_the_destination_is_too_small),
		cmocka_unit_test(requests_that_were_good_before_cost_the_same_calls),
	};

	return cmocka_run_group_tests_name("zstd_drain", tests, set_up, tear_down);
}
