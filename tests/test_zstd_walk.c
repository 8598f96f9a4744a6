// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The driver on random fragmentations, against models that know the frame and the fragments only:
 * any way to chop a request that the kernel would accept round-trips or ends as the tables of
 * kernel-spec B.6 say.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

#define MAX_BYTES 16384u

struct outcome {
	int ret;
	unsigned len;
};

struct fragments {
	unsigned len[REF_MAX_FRAGMENTS], nr;
	enum ref_end end;
};

static struct fragments fragments_of(const struct side *side)
{
	struct fragments f;

	f.end = ref_fragments(side, PAGE_SIZE, f.len, &f.nr);
	return f;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned random_below(uint64_t *seed, unsigned n)
{
	return gen_random(seed) % n;
}

/* @total bytes in up to @max entries, some of which may be empty. */
static unsigned random_lengths(uint64_t *seed, unsigned total, unsigned max, bool empties,
			       unsigned *lengths)
{
	unsigned nr = 0, parts = 1 + random_below(seed, max);

	while (total) {
		unsigned part = total;

		if (empties && nr + 2 < RIG_MAX_ENTRIES && !random_below(seed, 12))
			lengths[nr++] = 0;
		if (parts-- > 1)
			part = 1 +
			       random_below(seed, random_below(seed, 2) ? total : 1 + total / 8);
		lengths[nr++] = part;
		total -= part;
	}
	return nr;
}

static void random_side(struct side *side, struct rig *rig, uint64_t *seed, unsigned total,
			bool empties, const void *data)
{
	unsigned lengths[RIG_MAX_ENTRIES];

	if (!random_below(seed, 5)) {
		side_virt(side, rig, total, data);
		return;
	}
	side_list(side, rig, lengths,
		  random_lengths(seed, total, 1 + random_below(seed, 12), empties, lengths), data);
}

/* ---- compress ---- */

/*
 * A stream frame is a string of bytes of which more becomes available with each source fragment.
 * The loop leaves a destination fragment when it is full, and ends it once, with whatever fits,
 * in the fragment that is the current one when the source is used up.
 */
static struct outcome model_compress_stream(const struct fragments *src,
					    const struct fragments *dst,
					    const struct ref_frame *frame)
{
	unsigned taken = 0, available = 0, written = 0;

	for (unsigned j = 0; j < dst->nr; j++) {
		unsigned room = dst->len[j];

		while (room) {
			unsigned n;

			if (taken == src->nr) {
				if (src->end == REF_END_FAULT)
					return (struct outcome){-EFAULT, 0};
				return (struct outcome){
					0, written + least(room, frame->len - written)};
			}
			n = least(room, available - written);
			written += n;
			room -= n;
			if (written < available)
				continue;
			/* The fragment is taken once nothing of the one before is left to flush. */
			available = frame->flushed[taken++];
			n = least(room, available - written);
			written += n;
			room -= n;
		}
	}
	return (struct outcome){dst->end == REF_END_FAULT ? -EFAULT : -ENOSPC, 0};
}

static bool is_one_shot(const struct side *src, const struct side *dst, const struct fragments *s,
			const struct fragments *d)
{
	return s->nr && d->nr && s->len[0] == src->len && d->len[0] == dst->len;
}

static void check_compress(struct rig *rig, struct side *src, struct side *dst, const void *data)
{
	static uint8_t out[2 * MAX_BYTES], expected[2 * MAX_BYTES], back[MAX_BYTES];
	struct fragments s = fragments_of(src), d = fragments_of(dst);
	struct ref_frame frame = {0};
	struct outcome model;
	unsigned seen = 0;
	int ret;

	for (unsigned i = 0; i < s.nr; i++)
		seen += s.len[i];
	if (is_one_shot(src, dst, &s, &d)) {
		long len = ref_oneshot_frame(data, src->len, expected, dst->len);

		model = (struct outcome){len < 0 ? -EINVAL : 0, len < 0 ? 0 : len};
		frame.len = model.len;
	} else {
		ref_stream_frame(&frame, data, s.len, s.nr);
		memcpy(expected, frame.bytes, frame.len);
		model = model_compress_stream(&s, &d, &frame);
	}
	ret = rig_compress(rig, src, dst);
	assert_int_equal(ret, model.ret);
	assert_int_equal(rig->req.dlen, model.len);
	side_check_around(dst);
	side_read(dst, out, model.len);
	assert_memory_equal(out, expected, model.len);
	if (!ret && model.len == frame.len) {
		assert_int_equal(ref_decode(out, model.len, back, sizeof(back)), seen);
		assert_memory_equal(back, data, seen);
	}
	free(frame.bytes);
}

/* @flaws: empty entries, and lengths of the request that are not the lists'. */
static void compress_rounds(bool flaws, unsigned rounds)
{
	struct rig *rigs[] = {rig_create("7.3", NULL), rig_create("7.4", NULL),
			      rig_create("7.3", "zstd.context=once", NULL)};
	static uint8_t data[MAX_BYTES], frame[2 * MAX_BYTES];
	uint64_t seed = flaws;

	for (unsigned round = 0; round < rounds; round++) {
		struct rig *rig = rigs[round % 3];
		unsigned slen = 1 + random_below(&seed, random_below(&seed, 2) ? 4096 : MAX_BYTES);
		struct side src, dst;
		unsigned dlen;
		int flaw;

		gen_fill(round % GEN_NR_KINDS, round, data, slen);
		random_side(&src, rig, &seed, slen, flaws, data);
		/* The edges are where a frame just fits or just does not. */
		side_virt(&dst, rig, sizeof(frame), NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		dlen = rig->req.dlen;
		side_finish(&dst);
		dlen += random_below(&seed, 2) ? random_below(&seed, 11) - 5
					       : random_below(&seed, 2) * 2000;
		random_side(&dst, rig, &seed, dlen ? dlen : 1, flaws, NULL);
		flaw = flaws ? random_below(&seed, 8) : 8;
		if (flaw == 0 && src.nr)
			src.len += 1 + random_below(&seed, 5000);
		if (flaw == 1 && dst.nr)
			dst.len += 1 + random_below(&seed, 5000);
		if (flaw == 2)
			src.len = 1 + random_below(&seed, src.len);
		check_compress(rig, &src, &dst, data);
		side_finish(&src);
		side_finish(&dst);
	}
	for (unsigned i = 0; i < 3; i++)
		rig_destroy(rigs[i]);
}

static void compress_gives_the_frame_or_the_part_of_it_that_the_fragments_allow(void **state)
{
	compress_rounds(false, 1500);
}

static void compress_of_flawed_lists_ends_where_the_walk_ends(void **state)
{
	compress_rounds(true, 1500);
}

/* ---- decompress ---- */

/* A good frame, in pieces: what is to be read before so much more content appears. */
struct pieces {
	unsigned end[2 * REF_MAX_FRAGMENTS + 2]; /* offset in the frame behind the piece */
	unsigned content[2 * REF_MAX_FRAGMENTS + 2];
	bool raw[2 * REF_MAX_FRAGMENTS + 2]; /* each byte of input is one of content */
	unsigned nr;
};

static void add_block(struct pieces *p, const uint8_t *frame, unsigned begin, unsigned end,
		      unsigned content)
{
	bool raw = (frame[begin] >> 1 & 3) == 0;

	p->end[p->nr] = raw ? begin + 3 : end;
	p->content[p->nr++] = raw ? 0 : content;
	if (raw && content) {
		p->end[p->nr] = end;
		p->raw[p->nr++] = true;
	}
}

/* @src: the fragments that were compressed, each of which became a block. */
static struct pieces pieces_of(const uint8_t *frame, unsigned frame_len, const void *data,
			       const struct fragments *src, bool stream)
{
	struct pieces p = {.nr = 0};
	struct ref_frame ref;
	unsigned begin = 6;

	if (!stream) {
		/* A descriptor and a content size of one or two bytes. */
		add_block(&p, frame, frame[4] == 0x20 ? 6 : 7, frame_len, src->len[0]);
		return p;
	}
	ref_stream_frame(&ref, data, src->len, src->nr);
	for (unsigned i = 0; i < src->nr; i++) {
		add_block(&p, frame, begin, ref.flushed[i], src->len[i]);
		begin = ref.flushed[i];
	}
	add_block(&p, frame, begin, frame_len, 0);
	free(ref.bytes);
	return p;
}

/* The next piece, or what there is of a raw one, within the first @end bytes: its content. */
static bool read_piece(const struct pieces *p, unsigned end, unsigned *next, unsigned *read,
		       unsigned *content)
{
	unsigned to = least(p->end[*next], end);

	if (p->raw[*next] ? to == *read : to < p->end[*next]) {
		*read = to;
		return false;
	}
	*content = p->raw[*next] ? to - *read : p->content[*next];
	*read = to;
	*next += to == p->end[*next];
	return true;
}

/*
 * The decoder reads a piece, gives its content, and reads the next one only when it has given all;
 * at the end of the frame it holds back a byte of input until then. The loop brings the next
 * destination fragment as long as the current source fragment is not used up; how much of a
 * fragment was used is where the next one begins, so a long entry is not cut at fixed places.
 */
static struct outcome model_decompress_stream(const struct fragments *src,
					      const struct side *dst_side, const struct pieces *p)
{
	unsigned read = 0, next = 0, pending = 0, written = 0, end = 0, j = 0;
	unsigned limit = dst_side->nr ? PAGE_SIZE : UINT_MAX;
	struct fragments dst; /* not cut at pages */

	dst.end = ref_fragments(dst_side, UINT_MAX, dst.len, &dst.nr);
	for (unsigned i = 0; i < src->nr; i++) {
		bool held;

		end += src->len[i];
		do {
			unsigned room;

			if (j < dst.nr && !dst.len[j])
				j++;
			if (j == dst.nr)
				return (struct outcome){
					dst.end == REF_END_FAULT ? -EFAULT : -ENOSPC, 0};
			room = least(dst.len[j], limit);
			for (;;) {
				unsigned n = least(pending, room);

				pending -= n;
				room -= n;
				dst.len[j] -= n;
				written += n;
				if (pending || next == p->nr ||
				    !read_piece(p, end, &next, &read, &pending)) {
					break;
				}
			}
			held = pending && next == p->nr;
		} while (read != end || held);
	}
	if (src->end == REF_END_FAULT)
		return (struct outcome){-EFAULT, 0};
	return (struct outcome){0, written};
}

static void check_decompress(struct rig *rig, struct side *src, struct side *dst,
			     const struct pieces *p, const void *data, unsigned content)
{
	static uint8_t back[2 * MAX_BYTES];
	struct fragments s = fragments_of(src), d = fragments_of(dst);
	struct outcome model;
	int ret;

	if (is_one_shot(src, dst, &s, &d))
		model = dst->len < content ? (struct outcome){-EINVAL, 0}
					   : (struct outcome){0, content};
	else
		model = model_decompress_stream(&s, dst, p);
	ret = rig_decompress(rig, src, dst);
	assert_int_equal(ret, model.ret);
	assert_int_equal(rig->req.dlen, model.len);
	side_check_around(dst);
	side_read(dst, back, model.len);
	assert_memory_equal(back, data, model.len);
}

static void decompress_gives_the_source_back_or_the_code_of_the_table(void **state)
{
	struct rig *rigs[] = {rig_create("7.3", NULL), rig_create("7.4", NULL),
			      rig_create("7.4", "zstd.context=once", NULL)};
	static uint8_t data[MAX_BYTES], frame[2 * MAX_BYTES];
	uint64_t seed = 5;

	for (unsigned round = 0; round < 2000; round++) {
		struct rig *rig = rigs[round % 3];
		unsigned content =
			1 + random_below(&seed, random_below(&seed, 2) ? 4096 : MAX_BYTES);
		unsigned len, lengths[RIG_MAX_ENTRIES], nr, dlen = content;
		struct fragments s;
		struct side src, dst;
		struct pieces p;

		gen_fill(round % GEN_NR_KINDS, round, data, content);
		random_side(&src, rig, &seed, content, false, data);
		side_virt(&dst, rig, sizeof(frame), NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		len = rig->req.dlen;
		s = fragments_of(&src);
		side_read(&dst, frame, len);
		p = pieces_of(frame, len, data, &s, rig->req.cost.path == ACOMP_PATH_STREAM);
		side_finish(&src);
		side_finish(&dst);

		if (random_below(&seed, 3) == 0) {
			/* A cut near the end. */
			nr = 2;
			lengths[1] = 1 + random_below(&seed, 8);
			lengths[0] = len - lengths[1];
			side_list(&src, rig, lengths, nr, frame);
		} else {
			random_side(&src, rig, &seed, len, random_below(&seed, 3) == 0, frame);
		}
		if (random_below(&seed, 3) == 0)
			dlen = 1 + random_below(&seed, 2 * content);
		random_side(&dst, rig, &seed, dlen, random_below(&seed, 3) == 0, NULL);
		if (dst.nr && random_below(&seed, 8) == 0)
			dst.len += 1 + random_below(&seed, 100);
		if (src.nr && random_below(&seed, 8) == 0)
			src.len += 1 + random_below(&seed, 100);
		check_decompress(rig, &src, &dst, &p, data, content);
		side_finish(&src);
		side_finish(&dst);
	}
	for (unsigned i = 0; i < 3; i++)
		rig_destroy(rigs[i]);
}

static void a_cut_or_damaged_frame_never_gives_more_than_the_table_allows(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	static uint8_t data[4096], frame[8192], out[8192], back[8192];
	uint64_t seed = 6;

	for (unsigned round = 0; round < 2000; round++) {
		unsigned len, cut, lengths[RIG_MAX_ENTRIES];
		bool stream = round % 2, damage = round % 4 > 1, one, error;
		struct side src, dst;
		int ret;

		gen_fill(round % GEN_NR_KINDS, round, data, sizeof(data));
		side_list(&src, rig, (unsigned[]){1000, 3096}, 2, data);
		if (!stream) {
			side_finish(&src);
			side_lengths(&src, rig, data, 4096);
		}
		side_virt(&dst, rig, sizeof(frame), NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		len = rig->req.dlen;
		side_read(&dst, frame, len);
		side_finish(&src);
		side_finish(&dst);

		cut = len;
		if (damage)
			frame[random_below(&seed, len)] ^= 1 + random_below(&seed, 255);
		else
			cut = 1 + random_below(&seed, len - 1);
		side_list(&src, rig, lengths,
			  random_lengths(&seed, cut, 1 + random_below(&seed, 3), false, lengths),
			  frame);
		side_lengths(&dst, rig, NULL, 4096);
		ret = rig_decompress(rig, &src, &dst);
		one = rig->req.cost.path == ACOMP_PATH_ONESHOT;
		side_check_around(&dst);
		if (ret) {
			assert_int_equal(rig->req.dlen, 0);
		} else {
			size_t n = ref_decode_stream(frame, cut, back, 4096, &error);

			assert_false(error);
			assert_int_equal(rig->req.dlen, n);
			side_read(&dst, out, n);
			assert_memory_equal(out, back, n);
		}
		if (one && !damage)
			assert_int_equal(ret, -EINVAL);
		else if (one)
			assert_in_set(-ret, ((unsigned long[]){0, EINVAL}), 2);
		else if (!damage)
			assert_in_set(-ret, ((unsigned long[]){0, ENOSPC}), 2);
		else
			assert_in_set(-ret, ((unsigned long[]){0, EIO, ENOSPC}), 3);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			compress_gives_the_frame_or_the_part_of_it_that_the_fragments_allow),
		cmocka_unit_test(compress_of_flawed_lists_ends_where_the_walk_ends),
		cmocka_unit_test(decompress_gives_the_source_back_or_the_code_of_the_table),
		cmocka_unit_test(a_cut_or_damaged_frame_never_gives_more_than_the_table_allows),
	};

	return cmocka_run_group_tests_name("zstd_walk", tests, NULL, NULL);
}
