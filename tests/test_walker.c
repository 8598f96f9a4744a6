// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a walker says of requests whose course the specification gives: the states of B.3 to B.5 in
 * their order, facts, and counts.
 */
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

/* ---- the states ---- */

static void frames_that_are_made_have_the_lengths_of_case_c15(void **state)
{
	if (c.exact) {
		assert_int_equal(c.one_len, 1955);
		assert_int_equal(c.stream_len, 2306);
	}
	assert_true(c.one_len < c.stream_len);
}

static void one_shot_requests_pass_the_states_of_the_eager_and_the_deferred_driver(void **state)
{
	struct walker *eager = rig_walker("7.3", NULL), *deferred = rig_walker("7.4", NULL);
	const struct walker_result *res;
	struct side src, dst;

	VIRT(&src, 4096);
	SG(&dst, 4096);
	res = rig_walk(eager, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C2 C3 C4 C5 C5 C5 C5 C12");
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(res->facts.inits, 2);
	assert_int_equal(res->dlen, c.one_len);
	assert_memory_equal(res->output, c.one, c.one_len);
	assert_quirks(res, "");
	res = rig_walk(deferred, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C3 C4 C5 C5 C5 C5 C12");
	assert_int_equal(res->facts.inits, 1);
	assert_memory_equal(res->output, c.one, c.one_len);

	SG(&src, c.one_len);
	res = rig_walk(eager, false, &src, &dst, c.one);
	assert_steps(res, "D0 D1 D2 D3 D4 D5 D5 D5 D5 D9");
	assert_int_equal(res->facts.inits, 2);
	assert_true(res->output_same);
	assert_memory_equal(res->output, c.page, 4096);
	res = rig_walk(deferred, false, &src, &dst, c.one);
	assert_steps(res, "D0 D1 D3 D4 D5 D5 D5 D5 D9");
	assert_int_equal(res->facts.inits, 1);
	walker_destroy(deferred);
	walker_destroy(eager);
}

static void streams_pass_the_states_of_the_eager_and_the_deferred_driver(void **state)
{
	struct walker *eager = rig_walker("7.3", NULL), *deferred = rig_walker("7.4", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SG(&src, 2048, 2048);
	SG(&dst, 4096);
	res = rig_walk(eager, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C2 C3 C4 C7 C8 C9 C4 C7 C8 C9 C4 C6 C10 C11 C12");
	assert_int_equal(res->reason, ACOMP_STREAM_SRC);
	assert_int_equal(res->dlen, c.stream_len);
	assert_memory_equal(res->output, c.stream, c.stream_len);
	res = rig_walk(deferred, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C3 C4 C5a C7 C8 C9 C4 C7 C8 C9 C4 C6 C10 C11 C12");
	assert_memory_equal(res->output, c.stream, c.stream_len);

	/* A destination that is full in the middle is followed by the next. */
	SG(&dst, 500, 4096);
	res = rig_walk(eager, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C2 C3 C4 C7 C8 C9 C10 C3 C4 C7 C8 C9 C4 C6 C10 C11 C12");
	assert_memory_equal(res->output, c.stream, c.stream_len);

	SG(&src, 1000, c.one_len - 1000);
	SG(&dst, 4096);
	res = rig_walk(eager, false, &src, &dst, c.one);
	assert_steps(res, "D0 D1 D2 D3 D4 D7 D8 D8 D3 D4 D7 D8 D8 D3 D9");
	res = rig_walk(deferred, false, &src, &dst, c.one);
	assert_steps(res, "D0 D1 D3 D4 D6a D7 D8 D8 D3 D4 D7 D8 D8 D3 D9");
	assert_memory_equal(res->output, c.page, 4096);
	SG(&dst, 2048);
	res = rig_walk(eager, false, &src, &dst, c.one);
	assert_steps(res, "D0 D1 D2 D3 D4 D7 D8 D8 D3 D4 D7 D8 D4 D6 D9");
	assert_int_equal(res->ret, -ENOSPC);
	assert_true(res->facts.dst_full);
	assert_quirks(res, "9");
	walker_destroy(deferred);
	walker_destroy(eager);
}

static void requests_that_end_early_show_where(void **state)
{
	struct walker *w = rig_walker("7.3", NULL), *deferred = rig_walker("7.4", NULL);
	const struct walker_result *res;
	struct side src, dst;

	VIRT(&src, 0);
	SG(&dst, 4096);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C12");
	assert_int_equal(res->ret, -EINVAL);
	assert_int_equal(res->path, ACOMP_PATH_NONE);
	assert_false(res->judged);

	SG(&src, 4096);
	SG(&dst, 0, 0, 4096);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C2 C3 C12");
	assert_int_equal(res->ret, -ENOSPC);
	assert_quirks(res, "6");
	res = rig_walk(deferred, true, &src, &dst, c.page);
	assert_steps(res, "C0 C1 C3 C12");
	assert_int_equal(res->facts.inits, 0);

	SG(&src, 0, 0, c.one_len);
	SG(&dst, 4096);
	res = rig_walk(deferred, false, &src, &dst, c.one);
	assert_steps(res, "D0 D1 D3 D9");
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 0);
	assert_quirks(res, "6");

	/* Corrupt: the magic number. */
	c.one[0] ^= 1;
	SG(&src, 1000, c.one_len - 1000);
	res = rig_walk(w, false, &src, &dst, c.one);
	c.one[0] ^= 1;
	assert_steps(res, "D0 D1 D2 D3 D4 D7 D9");
	assert_int_equal(res->ret, -EIO);
	assert_string_equal(res->facts.error, "Unknown frame descriptor");
	assert_quirks(res, "9");
	walker_destroy(deferred);
	walker_destroy(w);
}

static void a_list_that_is_too_short_is_an_oops(void **state)
{
	struct walker *w = rig_walker("7.3", NULL);
	const struct walker_result *res;
	struct walker_request r;
	struct side src, dst;

	SG(&src, 1000, 1000);
	SG(&dst, 4096);
	r = (struct walker_request){
		.compress = true,
		.src = src.side,
		.dst = dst.side,
		.slen = 2001,
		.dlen = 4096,
		.bytes = c.page,
	};
	assert_int_equal(walker_run(w, &r, &res), 0);
	assert_true(res->oops);
	assert_int_equal(res->ret, -EFAULT);
	assert_int_equal(res->steps[res->nr_steps - 2].kind, WALKER_STEP_OOPS);
	assert_true(res->steps[res->nr_steps - 2].src);
	assert_false(res->linear_run || res->judged);
	r.slen = 2000;
	assert_int_equal(walker_run(w, &r, &res), 0);
	assert_int_equal(res->ret, 0);
	r.dst.size = r.dlen = 4096;
	SG(&dst, 10);
	r.dst = dst.side;
	assert_int_equal(walker_run(w, &r, &res), 0);
	assert_true(res->oops);
	assert_false(res->steps[res->nr_steps - 2].src);
	walker_destroy(w);
}

static void fragments_are_told_with_their_entries_and_what_was_left(void **state)
{
	static const struct {
		unsigned entry, bytes, left;
	} expected[] = {{0, 1000, 9000}, {1, 4096, 8000}, {1, 3904, 3904}, {1, 0, 0}};
	struct walker *w = rig_walker("7.3", NULL);
	static uint8_t bytes[9000];
	const struct walker_result *res;
	struct side src, dst;
	unsigned nr = 0;

	SG(&src, 1000, 8000);
	VIRT(&dst, 16384);
	res = rig_walk(w, true, &src, &dst, bytes);
	for (unsigned i = 0; i < res->nr_steps; i++) {
		const struct walker_step *s = &res->steps[i];

		if (s->kind != WALKER_STEP_EVENT || s->event != ACOMP_EVENT_NEXT_SRC)
			continue;
		assert_in_range(nr, 0, 3);
		assert_int_equal(s->entry, expected[nr].entry);
		assert_int_equal(s->bytes, expected[nr].bytes);
		assert_int_equal(s->left, expected[nr++].left);
	}
	assert_int_equal(nr, 4);
	walker_destroy(w);
}

static void a_folio_is_one_entry_at_its_offset(void **state)
{
	struct walker *w = rig_walker("7.3", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SIDE(&src, WALKER_FOLIO, 4096);
	src.side.offset = 12288 + 8;
	SIDE(&dst, WALKER_FOLIO, 4096);
	dst.side.offset = 4096;
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(res->dlen, c.one_len);
	assert_memory_equal(res->output, c.one, c.one_len);
	walker_destroy(w);
}

static void scomp_has_no_states_and_copies_what_is_not_linear(void **state)
{
	struct walker *w = rig_walker("6.12", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SG(&src, 2048, 2048);
	SG(&dst, 1000, 4000);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(res->nr_steps, 3);
	assert_int_equal(res->steps[0].event, ACOMP_EVENT_COPY);
	assert_int_equal(res->steps[1].call, ACOMP_CALL_COMPRESS_CCTX);
	assert_int_equal(res->steps[2].event, ACOMP_EVENT_COPY);
	assert_steps(res, "- - -");
	assert_int_equal(res->facts.inits, 0);
	assert_true(res->frame.oneshot.whole && res->frame.oneshot.same);
	assert_quirks(res, "");
	walker_destroy(w);
}

static void a_walker_makes_frames_without_leaving_a_trace_on_its_machine(void **state)
{
	struct walker *w = rig_walker("7.3", "zstd.cpuid=once");
	const struct walker_result *res;
	struct side src, dst;
	const uint8_t *frame;
	unsigned len;

	rig_needs_counting(w);
	SG(&src, 2048, 2048);
	SG(&dst, 4096);
	assert_int_equal(walker_make_frame(w, &src.side, c.page, false, &frame, &len), 0);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->facts.cpuids, 2);
	assert_int_equal(walker_make_frame(w, &src.side, c.page, true, &frame, &len), 0);
	res = rig_walk(w, true, &src, &dst, c.page);
	assert_int_equal(res->facts.cpuids, 0);
	walker_destroy(w);
}

/* ---- counting ---- */

/*
 * Executed, not computed; and the same as by kind. With little data, and parameters for a page,
 * so that few instructions are stepped over.
 */
static void stepped_requests_execute_as_many_cpuids_as_their_initialisations(void **state)
{
	static const struct {
		const char *preset, *change;
		unsigned oneshot, stream;
	} rows[] = {
		{"7.3", "zstd.params_hint=4096", 4, 2},
		{"7.4", "zstd.params_hint=4096", 2, 2},
		{"7.3", "zstd.cpuid=static", 0, 0},
		{"7.3", "zstd.context=once", 0, 0},
	};
	struct side dst, sides[2][2];

	SG(&dst, 512);
	SG(&sides[0][0], c.small_len);
	SG(&sides[0][1], 10, c.small_len - 10);
	SG(&sides[1][0], 64);
	SG(&sides[1][1], 32, 32);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct walker *w = rig_walker(rows[i].preset, rows[i].change);

		rig_needs_counting(w);
		for (unsigned k = 0; k < 4; k++) {
			bool compress = k & 1, streams = k & 2;
			const struct side *src = &sides[compress][streams];
			struct walker_request r = {
				.compress = compress,
				.src = src->side,
				.dst = dst.side,
				.slen = src->side.size,
				.dlen = dst.side.size,
				.bytes = compress ? c.page : c.small,
				.step = true,
			};
			const struct walker_result *res;

			/* The tables of a stream for 256 KiB take a million steps. */
			if (compress && streams && !strstr(rows[i].change, "hint"))
				continue;
			assert_int_equal(walker_run(w, &r, &res), 0);
			assert_true(res->stepped);
			assert_int_equal(res->ret, 0);
			assert_int_equal(res->path,
					 streams ? ACOMP_PATH_STREAM : ACOMP_PATH_ONESHOT);
			assert_int_equal(res->count.cpuids,
					 streams ? rows[i].stream : rows[i].oneshot);
			assert_int_equal(res->facts.cpuids, res->count.cpuids);
			assert_true(res->count.steps > 1000);
		}
		walker_destroy(w);
	}
}

static void asking_once_is_for_the_first_request_of_a_machine_stepped_or_not(void **state)
{
	struct walker *w = rig_walker("7.3", "zstd.cpuid=once");
	const struct walker_result *res;
	struct side src, dst;

	rig_needs_counting(w);
	SG(&src, c.small_len);
	SG(&dst, 512);
	for (unsigned i = 0; i < 2; i++) {
		struct walker_request r = {
			.src = src.side,
			.dst = dst.side,
			.slen = c.small_len,
			.dlen = dst.side.size,
			.bytes = c.small,
			.step = true,
		};

		assert_int_equal(walker_run(w, &r, &res), 0);
		assert_int_equal(res->facts.inits, 2);
		assert_int_equal(res->facts.cpuids, i ? 0 : 2);
		assert_int_equal(res->count.cpuids, i ? 0 : 2);
	}
	walker_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_are_made_have_the_lengths_of_case_c15),
		cmocka_unit_test(
			one_shot_requests_pass_the_states_of_the_eager_and_the_deferred_driver),
		cmocka_unit_test(streams_pass_the_states_of_the_eager_and_the_deferred_driver),
		cmocka_unit_test(requests_that_end_early_show_where),
		cmocka_unit_test(a_list_that_is_too_short_is_an_oops),
		cmocka_unit_test(fragments_are_told_with_their_entries_and_what_was_left),
		cmocka_unit_test(a_folio_is_one_entry_at_its_offset),
		cmocka_unit_test(scomp_has_no_states_and_copies_what_is_not_linear),
		cmocka_unit_test(a_walker_makes_frames_without_leaving_a_trace_on_its_machine),
		cmocka_unit_test(stepped_requests_execute_as_many_cpuids_as_their_initialisations),
		cmocka_unit_test(asking_once_is_for_the_first_request_of_a_machine_stepped_or_not),
	};

	return cmocka_run_group_tests_name("walker", tests, set_up, NULL);
}
