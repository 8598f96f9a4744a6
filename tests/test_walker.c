// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a walker says of requests whose course the specification gives: the states B.3 to B.5 in
 * their order, facts, and the quirks of B.6 with the page of case C15.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/walker.h"
#include "backends/zstd.h"
#include "sim/acomp_trace.h"
#include "tests/gen_page.h"
#include "tests/test.h"

#define MAX_ENTRIES 8

static struct walker *create(const char *preset, const char *change)
{
	struct profile profile;
	struct walker *w;
	char err[256];

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	if (change)
		assert_int_equal(profile_set(&profile, change, err, sizeof(err)), 0);
	assert_int_equal(walker_create(&profile, &w, err, sizeof(err)), 0);
	return w;
}

struct side {
	struct walker_side side;
	unsigned lengths[MAX_ENTRIES];
};

static void side_init(struct side *s, enum walker_kind kind, const unsigned *lengths, unsigned nr)
{
	assert_in_range(nr, 1, MAX_ENTRIES);
	memset(s, 0, sizeof(*s));
	memcpy(s->lengths, lengths, nr * sizeof(*lengths));
	s->side.kind = kind;
	s->side.nr = nr;
	s->side.lengths = s->lengths;
	for (unsigned i = 0; i < nr; i++)
		s->side.size += lengths[i];
}

#define SIDE(s, kind, ...)                                                                         \
	side_init(s, kind, (const unsigned[]){__VA_ARGS__},                                        \
		  sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))
#define SG(s, ...)   SIDE(s, WALKER_SG, __VA_ARGS__)
#define VIRT(s, len) SIDE(s, WALKER_VIRT, len)

static const struct walker_result *walk(struct walker *w, bool compress, const struct side *src,
					const struct side *dst, const void *bytes)
{
	struct walker_request r = {
		.compress = compress,
		.src = src->side,
		.dst = dst->side,
		.slen = src->side.size,
		.dlen = dst->side.size,
		.bytes = bytes,
	};
	const struct walker_result *res;

	assert_int_equal(walker_run(w, &r, &res), 0);
	return res;
}

/* The names of the steps, in order, as one word each. */
static void assert_steps(const struct walker_result *res, const char *expected)
{
	char names[1024] = "";

	for (unsigned i = 0; i < res->nr_steps; i++) {
		if (i)
			strcat(names, " ");
		strcat(names, res->steps[i].name);
		assert_true(strlen(names) < sizeof(names) - 8);
	}
	assert_string_equal(names, expected);
}

static bool met(const struct walker_result *res, unsigned id)
{
	for (unsigned i = 0; i < res->nr_quirks; i++) {
		if (res->quirks[i].id == id)
			return true;
	}
	return false;
}

/* The ids, e.g. "1 2 8". */
static void assert_quirks(const struct walker_result *res, const char *expected)
{
	char ids[128] = "";

	for (unsigned i = 0; i < res->nr_quirks; i++)
		snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s%u", i ? " " : "",
			 res->quirks[i].id);
	assert_string_equal(ids, expected);
}

/* ---- the states ---- */

static uint8_t page[4096], one[8192], stream[8192], small[1024];
static unsigned one_len, stream_len, small_len; /* frames of the page; of 64 bytes of it */
static bool exact;				/* the figures of C15 are this library's */

static int set_up(void **state)
{
	struct walker *w = create("7.3", NULL);
	const uint8_t *frame;
	struct side src;

	gen_counters(page, sizeof(page));
	VIRT(&src, 4096);
	assert_int_equal(walker_make_frame(w, &src.side, page, true, &frame, &one_len), 0);
	memcpy(one, frame, one_len);
	VIRT(&src, 64);
	assert_int_equal(walker_make_frame(w, &src.side, page, true, &frame, &small_len), 0);
	memcpy(small, frame, small_len);
	SG(&src, 2048, 2048);
	assert_int_equal(walker_make_frame(w, &src.side, page, false, &frame, &stream_len), 0);
	memcpy(stream, frame, stream_len);
	exact = !strcmp(zstd_library_version(), "1.5.4");
	walker_destroy(w);
	return 0;
}

static void frames_that_are_made_have_the_lengths_of_case_c15(void **state)
{
	if (exact) {
		assert_int_equal(one_len, 1955);
		assert_int_equal(stream_len, 2306);
	}
	assert_true(one_len < stream_len);
}

static void one_shot_requests_pass_the_states_of_the_eager_and_the_deferred_driver(void **state)
{
	struct walker *eager = create("7.3", NULL), *deferred = create("7.4", NULL);
	const struct walker_result *res;
	struct side src, dst;

	VIRT(&src, 4096);
	SG(&dst, 4096);
	res = walk(eager, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C2 C3 C4 C5 C5 C5 C5 C12");
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(res->facts.inits, 2);
	assert_int_equal(res->dlen, one_len);
	assert_memory_equal(res->output, one, one_len);
	assert_quirks(res, "");
	res = walk(deferred, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C3 C4 C5 C5 C5 C5 C12");
	assert_int_equal(res->facts.inits, 1);
	assert_memory_equal(res->output, one, one_len);

	SG(&src, one_len);
	res = walk(eager, false, &src, &dst, one);
	assert_steps(res, "D0 D1 D2 D3 D4 D5 D5 D5 D5 D9");
	assert_int_equal(res->facts.inits, 2);
	assert_true(res->output_same);
	assert_memory_equal(res->output, page, 4096);
	res = walk(deferred, false, &src, &dst, one);
	assert_steps(res, "D0 D1 D3 D4 D5 D5 D5 D5 D9");
	assert_int_equal(res->facts.inits, 1);
	walker_destroy(deferred);
	walker_destroy(eager);
}

static void streams_pass_the_states_of_the_eager_and_the_deferred_driver(void **state)
{
	struct walker *eager = create("7.3", NULL), *deferred = create("7.4", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SG(&src, 2048, 2048);
	SG(&dst, 4096);
	res = walk(eager, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C2 C3 C4 C7 C8 C9 C4 C7 C8 C9 C4 C6 C10 C11 C12");
	assert_int_equal(res->reason, ACOMP_STREAM_SRC);
	assert_int_equal(res->dlen, stream_len);
	assert_memory_equal(res->output, stream, stream_len);
	res = walk(deferred, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C3 C4 C5a C7 C8 C9 C4 C7 C8 C9 C4 C6 C10 C11 C12");
	assert_memory_equal(res->output, stream, stream_len);

	/* A destination that is full in the middle is followed by the next. */
	SG(&dst, 500, 4096);
	res = walk(eager, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C2 C3 C4 C7 C8 C9 C10 C3 C4 C7 C8 C9 C4 C6 C10 C11 C12");
	assert_memory_equal(res->output, stream, stream_len);

	SG(&src, 1000, one_len - 1000);
	SG(&dst, 4096);
	res = walk(eager, false, &src, &dst, one);
	assert_steps(res, "D0 D1 D2 D3 D4 D7 D8 D8 D3 D4 D7 D8 D8 D3 D9");
	res = walk(deferred, false, &src, &dst, one);
	assert_steps(res, "D0 D1 D3 D4 D6a D7 D8 D8 D3 D4 D7 D8 D8 D3 D9");
	assert_memory_equal(res->output, page, 4096);
	SG(&dst, 2048);
	res = walk(eager, false, &src, &dst, one);
	assert_steps(res, "D0 D1 D2 D3 D4 D7 D8 D8 D3 D4 D7 D8 D4 D6 D9");
	assert_int_equal(res->ret, -ENOSPC);
	assert_true(res->facts.dst_full);
	assert_quirks(res, "9");
	walker_destroy(deferred);
	walker_destroy(eager);
}

static void requests_that_end_early_show_where(void **state)
{
	struct walker *w = create("7.3", NULL), *deferred = create("7.4", NULL);
	const struct walker_result *res;
	struct side src, dst;

	VIRT(&src, 0);
	SG(&dst, 4096);
	res = walk(w, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C12");
	assert_int_equal(res->ret, -EINVAL);
	assert_int_equal(res->path, ACOMP_PATH_NONE);
	assert_false(res->judged);

	SG(&src, 4096);
	SG(&dst, 0, 0, 4096);
	res = walk(w, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C2 C3 C12");
	assert_int_equal(res->ret, -ENOSPC);
	assert_quirks(res, "6");
	res = walk(deferred, true, &src, &dst, page);
	assert_steps(res, "C0 C1 C3 C12");
	assert_int_equal(res->facts.inits, 0);

	SG(&src, 0, 0, one_len);
	SG(&dst, 4096);
	res = walk(deferred, false, &src, &dst, one);
	assert_steps(res, "D0 D1 D3 D9");
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 0);
	assert_quirks(res, "6");

	/* Corrupt: the magic number. */
	one[0] ^= 1;
	SG(&src, 1000, one_len - 1000);
	res = walk(w, false, &src, &dst, one);
	one[0] ^= 1;
	assert_steps(res, "D0 D1 D2 D3 D4 D7 D9");
	assert_int_equal(res->ret, -EIO);
	assert_string_equal(res->facts.error, "Unknown frame descriptor");
	assert_quirks(res, "9");
	walker_destroy(deferred);
	walker_destroy(w);
}

static void a_list_that_is_too_short_is_an_oops(void **state)
{
	struct walker *w = create("7.3", NULL);
	const struct walker_result *res;
	struct walker_request r;
	struct side src, dst;

	SG(&src, 1000, 1000);
	SG(&dst, 4096);
	r = (struct walker_request){true, src.side, dst.side, 2001, 4096, page, NULL, 0, false};
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
	struct walker *w = create("7.3", NULL);
	static uint8_t bytes[9000];
	const struct walker_result *res;
	struct side src, dst;
	unsigned nr = 0;

	SG(&src, 1000, 8000);
	VIRT(&dst, 16384);
	res = walk(w, true, &src, &dst, bytes);
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
	struct walker *w = create("7.3", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SIDE(&src, WALKER_FOLIO, 4096);
	src.side.offset = 12288 + 8;
	SIDE(&dst, WALKER_FOLIO, 4096);
	dst.side.offset = 4096;
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(res->dlen, one_len);
	assert_memory_equal(res->output, one, one_len);
	walker_destroy(w);
}

static void scomp_has_no_states_and_copies_what_is_not_linear(void **state)
{
	struct walker *w = create("6.12", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SG(&src, 2048, 2048);
	SG(&dst, 1000, 4000);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_int_equal(res->nr_steps, 3);
	assert_int_equal(res->steps[0].event, ACOMP_EVENT_COPY);
	assert_int_equal(res->steps[1].call, ACOMP_CALL_COMPRESS_CCTX);
	assert_int_equal(res->steps[2].event, ACOMP_EVENT_COPY);
	assert_steps(res, "  ");
	assert_int_equal(res->facts.inits, 0);
	assert_true(res->frame.oneshot.whole && res->frame.oneshot.same);
	assert_quirks(res, "");
	walker_destroy(w);
}

static void a_walker_makes_frames_without_leaving_a_trace_on_its_machine(void **state)
{
	struct walker *w = create("7.3", "zstd.cpuid=once");
	const struct walker_result *res;
	struct side src, dst;
	const uint8_t *frame;
	unsigned len;

	if (walker_cpuid_reason(w)) {
		print_message("# SKIP CPUIDs: %s\n", walker_cpuid_reason(w));
		walker_destroy(w);
		skip();
	}
	SG(&src, 2048, 2048);
	SG(&dst, 4096);
	assert_int_equal(walker_make_frame(w, &src.side, page, false, &frame, &len), 0);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->facts.cpuids, 2);
	assert_int_equal(walker_make_frame(w, &src.side, page, true, &frame, &len), 0);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->facts.cpuids, 0);
	walker_destroy(w);
}

/* ---- counting ---- */

/*
 * Executed, not computed; and the same as by kind. With little data, and parameters for a page, so
 * that few instructions are stepped over.
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
	SG(&sides[0][0], small_len);
	SG(&sides[0][1], 10, small_len - 10);
	SG(&sides[1][0], 64);
	SG(&sides[1][1], 32, 32);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct walker *w = create(rows[i].preset, rows[i].change);

		if (walker_cpuid_reason(w)) {
			print_message("# SKIP CPUIDs: %s\n", walker_cpuid_reason(w));
			walker_destroy(w);
			skip();
		}
		for (unsigned k = 0; k < 4; k++) {
			bool compress = k & 1, streams = k & 2;
			const struct side *src = &sides[compress][streams];
			struct walker_request r = {
				compress,	src->side, dst.side,
				src->side.size, 512,	   compress ? page : small,
				NULL,		0,	   true};
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
	struct walker *w = create("7.3", "zstd.cpuid=once");
	const struct walker_result *res;
	struct side src, dst;

	if (walker_cpuid_reason(w)) {
		print_message("# SKIP CPUIDs: %s\n", walker_cpuid_reason(w));
		walker_destroy(w);
		skip();
	}
	SG(&src, small_len);
	SG(&dst, 512);
	for (unsigned i = 0; i < 2; i++) {
		struct walker_request r = {false, src.side, dst.side, small_len, 512,
					   small, NULL,	    0,	      true};

		assert_int_equal(walker_run(w, &r, &res), 0);
		assert_int_equal(res->facts.inits, 2);
		assert_int_equal(res->facts.cpuids, i ? 0 : 2);
		assert_int_equal(res->count.cpuids, i ? 0 : 2);
	}
	walker_destroy(w);
}

/* ---- quirks ---- */

static const struct walker_result *walk_halves(struct walker *w, const struct side *dst)
{
	struct side src;

	SG(&src, 2048, 2048);
	return walk(w, true, &src, dst, page);
}

static const struct walker_result *walk_cut(struct walker *w, const void *frame, unsigned len,
					    unsigned cut, unsigned dlen)
{
	struct side src, dst;

	SG(&src, cut, len - cut);
	SG(&dst, dlen);
	return walk(w, false, &src, &dst, frame);
}

static void q1_and_q2_are_met_one_and_two_bytes_short_of_the_frame(void **state)
{
	struct walker *w = create("7.3", NULL), *drain = create("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;
	struct side dst;

	for (unsigned lack = 0; lack < 8; lack++) {
		SG(&dst, stream_len - lack);
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
	struct walker *w = create("7.3", NULL), *drain = create("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;
	struct side src, dst;

	SG(&dst, 1029, stream_len - 1036, 4000);
	res = walk_halves(w, &dst);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, stream_len - 7);
	assert_int_equal(res->facts.end_left, 7);
	assert_quirks(res, "1 8 9 10");
	if (exact)
		assert_int_equal(res->dlen, 2299);
	res = walk_halves(drain, &dst);
	assert_int_equal(res->dlen, stream_len);
	assert_quirks(res, "8 9 10");

	SG(&src, 4096);
	SG(&dst, 1000, 20, 4000);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 1020);
	assert_true(met(res, 1));
	assert_false(met(res, 2));
	walker_destroy(drain);
	walker_destroy(w);
}

static void q2_and_q3_are_told_apart_by_whether_all_came_out(void **state)
{
	struct walker *w = create("7.3", NULL), *drain = create("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;

	for (unsigned cut = 1; cut < 20; cut++) {
		res = walk_cut(w, stream, stream_len - cut, 1000, 4096);
		assert_int_equal(res->ret, 0);
		assert_int_equal(res->dlen, cut <= 3 ? 4096 : 2048);
		/* Three bytes less and it ends between two blocks: within the frame all the same.
		 */
		assert_quirks(res, cut <= 3 ? "2 9" : "3 9");
		res = walk_cut(drain, stream, stream_len - cut, 1000, 4096);
		assert_int_equal(res->ret, -EINVAL);
		assert_quirks(res, "");

		res = walk_cut(w, one, one_len - cut, 1000, 4096);
		assert_int_equal(res->ret, 0);
		assert_int_equal(res->dlen, 0);
		assert_quirks(res, "3 9");
	}
	/* That all of a frame came out which does not say its size is known of what it was made. */
	res = walk_cut(w, stream, stream_len - 1, 1000, 5000);
	assert_int_equal(res->dlen, 4096);
	assert_quirks(res, "3 9");
	walker_destroy(drain);
	walker_destroy(w);
}

static void q4_is_met_at_the_last_three_splits_of_a_stream(void **state)
{
	struct walker *w = create("7.3", NULL), *drain = create("7.3", "zstd.stream_drain=yes");
	const struct walker_result *res;

	for (unsigned tail = 1; tail <= 4; tail++) {
		res = walk_cut(w, stream, stream_len, stream_len - tail, 4096);
		assert_int_equal(res->ret, tail <= 3 ? -ENOSPC : 0);
		assert_quirks(res, tail <= 3 ? "4 9" : "");
		res = walk_cut(drain, stream, stream_len, stream_len - tail, 4096);
		assert_int_equal(res->ret, 0);
		assert_quirks(res, "");
		res = walk_cut(w, one, one_len, one_len - tail, 4096);
		assert_int_equal(res->ret, 0);
		assert_quirks(res, "");
	}
	walker_destroy(drain);
	walker_destroy(w);
}

static void q6_and_q14_are_entries_of_no_length(void **state)
{
	struct walker *w = create("7.3", NULL);
	const struct walker_result *res;
	struct side src, dst;

	SG(&src, 2048, 0, 2048);
	SG(&dst, 4096);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->facts.consumed, 2048);
	assert_int_equal(res->frame.oneshot.bytes, 2048);
	assert_true(res->frame.oneshot.whole && res->frame.oneshot.same);
	assert_quirks(res, "6 8 9 10");
	if (exact)
		assert_int_equal(res->dlen, 1029);

	SG(&src, 1000, 0, one_len - 1000);
	res = walk(w, false, &src, &dst, one);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 0);
	assert_quirks(res, "3 6 9");

	SG(&src, 0, 0, 4096);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 9);
	assert_quirks(res, "9 14");

	/* A first one is passed over. */
	SG(&src, 0, 4096);
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_quirks(res, "");
	walker_destroy(w);
}

static void q12_and_q15_are_what_follows_a_frame(void **state)
{
	static uint8_t bytes[16384];
	struct walker *w = create("7.3", NULL);
	const struct walker_result *res;
	struct side src, dst;

	memcpy(bytes, one, one_len);
	memset(bytes + one_len, 0, 4);
	res = walk_cut(w, bytes, one_len + 4, 1000, 4096);
	assert_int_equal(res->ret, -ENOSPC);
	assert_quirks(res, "9 15");
	assert_int_equal(res->frame.trailing, 4);
	res = walk_cut(w, bytes, one_len + 4, 1000, 5000);
	assert_int_equal(res->ret, -EIO);
	assert_quirks(res, "9");

	memcpy(bytes + one_len, stream, stream_len);
	res = walk_cut(w, bytes, one_len + stream_len, 1000, 8192);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 8192);
	assert_int_equal(res->frame.frames, 2);
	assert_quirks(res, "12");
	VIRT(&src, one_len + stream_len);
	VIRT(&dst, 8192);
	res = walk(w, false, &src, &dst, bytes);
	assert_int_equal(res->path, ACOMP_PATH_ONESHOT);
	assert_quirks(res, "12");
	/* A skippable frame alone. */
	memcpy(bytes,
	       "\x50\x2a\x4d\x18\x03\x00\x00\x00"
	       "abc",
	       11);
	VIRT(&src, 11);
	res = walk(w, false, &src, &dst, bytes);
	assert_int_equal(res->ret, 0);
	assert_int_equal(res->dlen, 0);
	assert_int_equal(res->frame.skippable, 1);
	assert_quirks(res, "12");
	walker_destroy(w);
}

static void q10_is_a_window_that_the_workspace_cannot_hold(void **state)
{
	struct walker *w = create("7.3", NULL), *wide = create("7.3", "zstd.params_hint=4194304");
	const struct walker_result *res;
	static uint8_t frame[8192];
	struct side src, dst;
	unsigned len;

	SG(&src, 2048, 2048);
	VIRT(&dst, 8192);
	res = walk(wide, true, &src, &dst, page);
	assert_true(met(res, 10));
	assert_int_equal(res->frame.window, 1 << 21);
	len = res->dlen;
	memcpy(frame, res->output, len);
	res = walk_cut(w, frame, len, 100, 4096);
	assert_int_equal(res->ret, -EIO);
	assert_true(res->facts.window_too_big);
	assert_quirks(res, "9 10");
	res = walk(w, true, &src, &dst, page);
	assert_int_equal(res->frame.window, 1 << 18);
	walker_destroy(wide);
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
		cmocka_unit_test(q1_and_q2_are_met_one_and_two_bytes_short_of_the_frame),
		cmocka_unit_test(q1_is_met_at_a_small_fragment_though_there_is_room_behind_it),
		cmocka_unit_test(q2_and_q3_are_told_apart_by_whether_all_came_out),
		cmocka_unit_test(q4_is_met_at_the_last_three_splits_of_a_stream),
		cmocka_unit_test(q6_and_q14_are_entries_of_no_length),
		cmocka_unit_test(q12_and_q15_are_what_follows_a_frame),
		cmocka_unit_test(q10_is_a_window_that_the_workspace_cannot_hold),
	};

	return cmocka_run_group_tests_name("walker", tests, set_up, NULL);
}
