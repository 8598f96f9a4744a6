// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of the quirks of kernel-spec B.6 a walker finds, with the page of case C15. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/zstd.h"
#include "sim/acomp_trace.h"
#include "tests/test.h"
#include "tests/walker_rig.h"

static struct c15 c;

static int set_up(void **state)
{
	c15_init(&c);
	return 0;
}

static const struct walker_result *walk_halves(struct walker *w, const struct side *dst)
{
	struct side src;

	SG(&src, 2048, 2048);
	return rig_walk(w, true, &src, dst, c.page);
}

static const struct walker_result *walk_cut(struct walker *w, const void *frame, unsigned len,
					    unsigned cut, unsigned dlen)
{
	struct side src, dst;

	SG(&src, cut, len - cut);
	SG(&dst, dlen);
	return rig_walk(w, false, &src, &dst, frame);
}

static void q1_and_q2_are_met_one_and_two_bytes_short_of_the_frame(void **state)
{
	struct walker *w = rig_walker("7.3", NULL),
		      *drain = rig_walker("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;
	struct side dst;

	for (unsigned lack = 0; lack < 8; lack++) {
		SG(&dst, c.stream_len - lack);
		res = walk_halves(w, &dst);
		assert_int_equal(res->ret, lack < 3 ? 0 : -ENOSPC);
		assert_quirks(res, lack == 0 ? "8 9 10" : lack < 3 ? "1 2 8 9 10" : "9");
		if (!lack || lack > 2)
			continue;
		assert_int_equal(res->facts.end_left, lack);
		assert_false(res->frame.oneshot.whole);
		assert_int_equal(res->frame.stream.bytes, 4096);
		assert_true(res->frame.stream.same);
		res = walk_halves(drain, &dst);
		assert_int_equal(res->ret, -ENOSPC);
		assert_quirks(res, "9");
	}
	walker_destroy(drain);
	walker_destroy(w);
}

static void q1_is_met_at_a_small_fragment_though_there_is_room_behind_it(void **state)
{
	struct walker *w = rig_walker("7.3", NULL),
		      *drain = rig_walker("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;
	struct side src, dst;

	SG(&dst, 1029, c.stream_len - 1036, 4000);
	res = walk_halves(w, &dst);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, c.stream_len - 7);
	assert_int_equal(res->facts.end_left, 7);
	assert_quirks(res, "1 8 9 10");
	if (c.exact)
		assert_int_equal(res->dlen, 2299);
	res = walk_halves(drain, &dst);
	assert_int_equal(res->dlen, c.stream_len);
	assert_quirks(res, "8 9 10");

	SG(&src, 4096);
	SG(&dst, 1000, 20, 4000);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 1020);
	assert_true(rig_met(res, 1));
	assert_false(rig_met(res, 2));
	walker_destroy(drain);
	walker_destroy(w);
}

static void q2_and_q3_are_told_apart_by_whether_all_came_out(void **state)
{
	struct walker *w = rig_walker("7.3", NULL),
		      *drain = rig_walker("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;

	for (unsigned cut = 1; cut < 20; cut++) {
		res = walk_cut(w, c.stream, c.stream_len - cut, 1000, 4096);
		assert_int_equal(res->ret, 0);
		assert_int_equal(res->dlen, cut <= 3 ? 4096 : 2048);
		/* Three bytes less and it ends between two blocks: within the frame all the same.
		 */
		assert_quirks(res, cut <= 3 ? "2 9" : "3 9");
		res = walk_cut(drain, c.stream, c.stream_len - cut, 1000, 4096);
		assert_int_equal(res->ret, -EINVAL);
		assert_quirks(res, "");

		res = walk_cut(w, c.one, c.one_len - cut, 1000, 4096);
		assert_int_equal(res->ret, 0);
		assert_int_equal(res->dlen, 0);
		assert_quirks(res, "3 9");
	}
	/* That all of a frame came out which does not say its size is known of what it was made. */
	res = walk_cut(w, c.stream, c.stream_len - 1, 1000, 5000);
	assert_int_equal(res->dlen, 4096);
	assert_quirks(res, "3 9");
	walker_destroy(drain);
	walker_destroy(w);
}

static void q4_is_met_at_the_last_three_splits_of_a_stream(void **state)
{
	struct walker *w = rig_walker("7.3", NULL),
		      *drain = rig_walker("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;

	for (unsigned tail = 1; tail <= 4; tail++) {
		res = walk_cut(w, c.stream, c.stream_len, c.stream_len - tail, 4096);
		assert_int_equal(res->ret, tail <= 3 ? -ENOSPC : 0);
		assert_quirks(res, tail <= 3 ? "4 9" : "");
		res = walk_cut(drain, c.stream, c.stream_len, c.stream_len - tail, 4096);
		assert_int_equal(res->ret, 0);
		assert_quirks(res, "");
		res = walk_cut(w, c.one, c.one_len, c.one_len - tail, 4096);
		assert_int_equal(res->ret, 0);
		assert_quirks(res, "");
	}
	walker_destroy(drain);
	walker_destroy(w);
}

static void q6_and_q14_are_entries_of_no_length(void **state)
{
	struct walker *w = rig_walker("7.3", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SG(&src, 2048, 0, 2048);
	SG(&dst, 4096);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->facts.consumed, 2048);
	assert_int_equal(res->frame.oneshot.bytes, 2048);
	assert_true(res->frame.oneshot.whole && res->frame.oneshot.same);
	assert_quirks(res, "6 8 9 10");
	if (c.exact)
		assert_int_equal(res->dlen, 1029);

	SG(&src, 1000, 0, c.one_len - 1000);
	res = rig_walk(w, false, &src, &dst, c.one);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 0);
	assert_quirks(res, "3 6 9");

	SG(&src, 0, 0, 4096);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 9);
	assert_quirks(res, "9 14");

	/* A first one is passed over. */
	SG(&src, 0, 4096);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_quirks(res, "");
	walker_destroy(w);
}

static void q12_and_q15_are_what_follows_a_frame(void **state)
{
	static uint8_t bytes[16384];
	struct walker *w = rig_walker("7.3", NULL);
	const struct walker_result *res;
	struct side src, dst;

	memcpy(bytes, c.one, c.one_len);
	memset(bytes + c.one_len, 0, 4);
	res = walk_cut(w, bytes, c.one_len + 4, 1000, 4096);
	assert_int_equal(res->ret, -ENOSPC);
	assert_quirks(res, "9 15");
	assert_int_equal(res->frame.trailing, 4);
	res = walk_cut(w, bytes, c.one_len + 4, 1000, 5000);
	assert_int_equal(res->ret, -EIO);
	assert_quirks(res, "9");

	memcpy(bytes + c.one_len, c.stream, c.stream_len);
	res = walk_cut(w, bytes, c.one_len + c.stream_len, 1000, 8192);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 8192);
	assert_int_equal(res->frame.frames, 2);
	assert_quirks(res, "12");
	VIRT(&src, c.one_len + c.stream_len);
	VIRT(&dst, 8192);
	res = rig_walk(w, false, &src, &dst, bytes);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_quirks(res, "12");
	/* A skippable frame alone. */
	memcpy(bytes,
	       "\x50\x2a\x4d\x18\x03\x00\x00\x00"
	       "abc",
	       11);
	VIRT(&src, 11);
	res = rig_walk(w, false, &src, &dst, bytes);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 0);
	assert_int_equal(res->frame.skippable, 1);
	assert_quirks(res, "12");
	walker_destroy(w);
}

static void q10_is_a_window_that_the_workspace_cannot_hold(void **state)
{
	struct walker *w = rig_walker("7.3", NULL),
		      *wide = rig_walker("7.3", "zstd.params_hint=4194304");
	const struct walker_result *res;
	static uint8_t frame[8192];
	struct side src, dst;
	unsigned len;

	SG(&src, 2048, 2048);
	VIRT(&dst, 8192);
	res = rig_walk(wide, true, &src, &dst, c.page);
	assert_true(rig_met(res, 10));
	assert_int_equal(res->frame.window, 1 << 21);
	len = res->dlen;
	memcpy(frame, res->output, len);
	res = walk_cut(w, frame, len, 100, 4096);
	assert_int_equal(res->ret, -EIO);
	assert_true(res->facts.window_too_big);
	assert_quirks(res, "9 10");
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->frame.window, 1 << 18);
	walker_destroy(wide);
	walker_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(q1_and_q2_are_met_one_and_two_bytes_short_of_the_frame),
		cmocka_unit_test(q1_is_met_at_a_small_fragment_though_there_is_room_behind_it),
		cmocka_unit_test(q2_and_q3_are_told_apart_by_whether_all_came_out),
		cmocka_unit_test(q4_is_met_at_the_last_three_splits_of_a_stream),
		cmocka_unit_test(q6_and_q14_are_entries_of_no_length),
		cmocka_unit_test(q12_and_q15_are_what_follows_a_frame),
		cmocka_unit_test(q10_is_a_window_that_the_workspace_cannot_hold),
	};

	return cmocka_run_group_tests_name("walker_quirks", tests, set_up, NULL);
}
