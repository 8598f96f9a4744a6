// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

/* Context initialisations of the last request, of either direction. */
static unsigned nr_inits(const struct rig *rig)
{
	const uint32_t *calls = rig->req.cost.calls;

	return calls[ACOMP_CALL_INIT_CCTX] + calls[ACOMP_CALL_INIT_CSTREAM] +
	       calls[ACOMP_CALL_INIT_DCTX] + calls[ACOMP_CALL_INIT_DSTREAM];
}

static void check_calls(const struct rig *rig, const uint32_t *expected)
{
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
		if (rig->req.cost.calls[i] != expected[i])
			fail_msg("%s: %u calls, expected %u", acomp_call_names[i],
				 rig->req.cost.calls[i], expected[i]);
	}
}

/* The other way round than gen_part_random(), so that zstd meets the match at once: any length. */
static void zeros_then_random(uint64_t seed, unsigned nr_random, uint8_t *page)
{
	memset(page, 0, 4096 - nr_random);
	gen_random_bytes(&seed, page + 4096 - nr_random, nr_random);
}

static void lengths_are_the_kernels_only_with_its_library(void **state)
{
	bool is_154 = !strcmp(zstd_library_version(), "1.5.4");
	bool is_152 = !strcmp(zstd_library_version(), "1.5.2");
	bool is_157 = !strcmp(zstd_library_version(), "1.5.7");

	assert_int_equal(zstd_library_lengths_exact(ZSTD_LIBRARY_1_5_2), is_152 || is_154);
	assert_int_equal(zstd_library_lengths_exact(ZSTD_LIBRARY_1_5_7), is_157);
}

/* ---- frames ---- */

static void a_one_shot_frame_of_a_page_begins_with_its_size(void **state)
{
	static const uint8_t header[] = {0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x00, 0x0f};
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t page[4096], out[4096], ref[4096];
	unsigned len = sizeof(out);

	gen_counters(page, sizeof(page));
	assert_int_equal(rig_compress_flat(rig, page, sizeof(page), out, &len), 0);
	assert_memory_equal(out, header, sizeof(header));
	assert_int_equal(len, ref_oneshot_frame(page, sizeof(page), ref, sizeof(ref)));
	assert_memory_equal(out, ref, len);
	if (!strcmp(zstd_library_version(), "1.5.4"))
		assert_int_equal(len, 1955);
	rig_destroy(rig);
}

static void the_frame_descriptor_follows_the_size_of_the_source(void **state)
{
	static const struct {
		unsigned slen;
		uint8_t descriptor;
	} rows[] = {
		{1, 0x20},     {255, 0x20},    {256, 0x60},    {65791, 0x60},
		{65792, 0xa0}, {262144, 0xa0}, {262145, 0x80},
	};
	struct rig *rig = rig_create("7.3", NULL);
	unsigned max = 1u << 20;
	uint8_t *src = malloc(max), *out = malloc(max);

	gen_fill(GEN_TEXT, 1, src, max);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned len = max;

		assert_int_equal(rig_compress_flat(rig, src, rows[i].slen, out, &len), 0);
		assert_int_equal(out[4], rows[i].descriptor);
	}
	free(out);
	free(src);
	rig_destroy(rig);
}

static void a_stream_frame_has_no_size_and_ends_in_an_empty_block(void **state)
{
	static const uint8_t header[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x40};
	static const uint8_t tail[] = {0x01, 0x00, 0x00};
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t page[4096], out[4096];
	struct side src, dst;

	gen_counters(page, sizeof(page));
	side_lengths(&src, rig, page, 2048, 2048);
	side_virt(&dst, rig, sizeof(out), NULL);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	side_read(&dst, out, rig->req.dlen);
	assert_memory_equal(out, header, sizeof(header));
	assert_memory_equal(out + rig->req.dlen - 3, tail, sizeof(tail));
	if (!strcmp(zstd_library_version(), "1.5.4"))
		assert_int_equal(rig->req.dlen, 2306);
	side_finish(&src);
	side_finish(&dst);
	rig_destroy(rig);
}

static void the_window_of_a_stream_is_the_one_of_the_hint(void **state)
{
	static const struct {
		const char *hint;
		uint8_t window; /* (log - 10) << 3 */
	} rows[] = {
		{"zstd.params_hint=262144", 0x40},
		{"zstd.params_hint=0", 0x58},
		{"zstd.params_hint=4096", 0x10},
	};
	uint8_t page[4096], out[4096];

	gen_counters(page, sizeof(page));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig *rig = rig_create("7.3", rows[i].hint, NULL);
		struct side src, dst, back;

		side_lengths(&src, rig, page, 2048, 2048);
		side_virt(&dst, rig, sizeof(out), NULL);
		side_virt(&back, rig, sizeof(page), NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		side_read(&dst, out, rig->req.dlen);
		assert_int_equal(out[5], rows[i].window);
		dst.len = rig->req.dlen;
		assert_int_equal(rig_decompress(rig, &dst, &back), 0);
		assert_memory_equal(back.virt, page, sizeof(page));
		side_finish(&src);
		side_finish(&dst);
		side_finish(&back);
		rig_destroy(rig);
	}
}

static void virtual_buffers_of_any_size_go_in_one_shot(void **state)
{
	static const unsigned lengths[] = {1, 2, 4095, 4096, 4097, 65536, 262145, 1u << 20};
	struct rig *rig = rig_create("7.3", NULL);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct side src, dst, back;
		void *data = malloc(lengths[i]);

		gen_fill(GEN_TEXT, i, data, lengths[i]);
		side_virt(&src, rig, lengths[i], data);
		side_virt(&dst, rig, lengths[i] + 64, NULL);
		side_virt(&back, rig, lengths[i], NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.cost.path, ACOMP_PATH_ONESHOT);
		assert_int_equal(rig->req.cost.reason, ACOMP_STREAM_NOT);
		dst.len = rig->req.dlen;
		assert_int_equal(rig_decompress(rig, &dst, &back), 0);
		assert_int_equal(rig->req.cost.path, ACOMP_PATH_ONESHOT);
		assert_int_equal(rig->req.dlen, lengths[i]);
		assert_memory_equal(back.virt, data, lengths[i]);
		side_finish(&src);
		side_finish(&dst);
		side_finish(&back);
		free(data);
	}
	rig_destroy(rig);
}

static void a_64_kib_folio_streams_in_sixteen_fragments(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	struct page *folio = alloc_pages(rig->k->frames, 4, 0);
	uint8_t *out = malloc(65536), *back = malloc(65536);

	gen_fill(GEN_TEXT, 3, page_address(folio), 65536);
	acomp_request_set_src_folio(&rig->req, folio, 0, 65536);
	acomp_request_set_dst_dma(&rig->req, out, 65536);
	assert_int_equal(crypto_acomp_compress(&rig->req), 0);
	check_calls(rig, (uint32_t[ACOMP_NR_CALLS]){
				 [ACOMP_CALL_INIT_CSTREAM] = 1,
				 [ACOMP_CALL_COMPRESS_STREAM] = 16,
				 [ACOMP_CALL_FLUSH_STREAM] = 16,
				 [ACOMP_CALL_END_STREAM] = 1,
			 });
	assert_int_equal(rig->req.cost.path, ACOMP_PATH_STREAM);
	assert_int_equal(rig->req.cost.reason, ACOMP_STREAM_SRC);
	assert_int_equal(ref_decode(out, rig->req.dlen, back, 65536), 65536);
	assert_memory_equal(back, page_address(folio), 65536);
	free(back);
	free(out);
	free_pages(rig->k->frames, folio);
	rig_destroy(rig);
}

/* C08: pages of k random bytes around the edge of what fits. */
static void no_frame_of_a_page_is_longer_than_4039_bytes(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t page[4096], out[8192];
	unsigned longest = 0, refused = 0;

	for (unsigned seed = 0; seed < 20; seed++) {
		for (unsigned k = 3900; k <= 4096; k += seed ? 1 : 10) {
			unsigned len = 4096, raw = 8192;
			int ret;

			if (seed % 2)
				gen_part_random(seed, k, page, sizeof(page));
			else
				zeros_then_random(seed, k, page);
			ret = rig_compress_flat(rig, page, sizeof(page), out, &len);
			assert_in_set(-ret, ((unsigned long[]){0, EINVAL}), 2);
			if (!ret) {
				longest = len > longest ? len : longest;
				continue;
			}
			assert_int_equal(len, 0);
			refused++;
			assert_int_equal(rig_compress_flat(rig, page, sizeof(page), out, &raw), 0);
			assert_int_equal(raw, 4106);
		}
	}
	assert_int_equal(longest, 4039);
	assert_true(refused > 0);
	rig_destroy(rig);
}

static void a_page_of_one_byte_takes_19_bytes(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t page[4096], out[4096];

	for (unsigned byte = 0; byte < 256; byte += 51) {
		unsigned len = sizeof(out);

		memset(page, byte, sizeof(page));
		assert_int_equal(rig_compress_flat(rig, page, sizeof(page), out, &len), 0);
		assert_int_equal(len, 19);
	}
	rig_destroy(rig);
}

/* ---- paths and what they cost ---- */

struct shape {
	const char *what;
	unsigned src[4], nr_src; /* nr 0: virtual, as long as src[0] */
	unsigned dst[4], nr_dst;
	enum acomp_path path;
	enum acomp_stream_reason reason;
};

static void make_shape_side(struct side *side, struct rig *rig, const unsigned *lengths,
			    unsigned nr, const void *data)
{
	if (nr)
		side_list(side, rig, lengths, nr, data);
	else
		side_virt(side, rig, lengths[0], data);
}

static void a_request_is_one_shot_if_each_side_is_one_fragment(void **state)
{
	static const struct shape shapes[] = {
		{"virt to virt", {4096}, 0, {4096}, 0, ACOMP_PATH_ONESHOT, ACOMP_STREAM_NOT},
		{"page to virt", {4096}, 1, {4096}, 0, ACOMP_PATH_ONESHOT, ACOMP_STREAM_NOT},
		{"page to page", {4096}, 1, {4096}, 1, ACOMP_PATH_ONESHOT, ACOMP_STREAM_NOT},
		{"empty, page to page", {0, 4096}, 2, {4096}, 1, ACOMP_PATH_ONESHOT, 0},
		{"two to virt", {2048, 2048}, 2, {4096}, 0, ACOMP_PATH_STREAM, ACOMP_STREAM_SRC},
		{"two to page", {1, 4095}, 2, {4096}, 1, ACOMP_PATH_STREAM, ACOMP_STREAM_SRC},
		{"virt to two", {4096}, 0, {4095, 1}, 2, ACOMP_PATH_STREAM, ACOMP_STREAM_DST},
		{"page to two", {4096}, 1, {2000, 2096}, 2, ACOMP_PATH_STREAM, ACOMP_STREAM_DST},
		{"two to two",
		 {96, 4000},
		 2,
		 {2096, 2000},
		 2,
		 ACOMP_PATH_STREAM,
		 ACOMP_STREAM_BOTH},
		{"long virt to page", {8192}, 0, {4096}, 1, ACOMP_PATH_ONESHOT, ACOMP_STREAM_NOT},
		{"long entry to virt", {4097}, 1, {4096}, 0, ACOMP_PATH_STREAM, ACOMP_STREAM_SRC},
		{"virt to long entry", {4096}, 0, {4097}, 1, ACOMP_PATH_STREAM, ACOMP_STREAM_DST},
	};
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t data[8192], frame[8192], back[8192];

	gen_fill(GEN_TEXT, 9, data, sizeof(data));
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		struct side src, dst;

		make_shape_side(&src, rig, s->src, s->nr_src, data);
		make_shape_side(&dst, rig, s->dst, s->nr_dst, NULL);
		if (rig_compress(rig, &src, &dst) || rig->req.cost.path != s->path ||
		    rig->req.cost.reason != s->reason)
			fail_msg("%s: path %d, reason %d", s->what, rig->req.cost.path,
				 rig->req.cost.reason);
		side_read(&dst, frame, rig->req.dlen);
		side_check_around(&dst);
		assert_int_equal(ref_decode(frame, rig->req.dlen, back, sizeof(back)), src.len);
		assert_memory_equal(back, data, src.len);
		side_finish(&src);
		side_finish(&dst);
	}
	rig_destroy(rig);
}

/* One request of each kind; the calls that a real 7.3 kernel makes, and those of other profiles. */
static void check_paths(const char *change, unsigned streams_per_one_shot, unsigned kept)
{
	struct rig *rig = rig_create("7.3", change, NULL);
	uint8_t page[4096], frame[4096], back[4096];
	unsigned len, init = !kept;
	struct side src, dst;

	gen_counters(page, sizeof(page));
	side_lengths(&src, rig, page, 4096);
	side_lengths(&dst, rig, NULL, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	check_calls(rig, (uint32_t[ACOMP_NR_CALLS]){
				 [ACOMP_CALL_INIT_CSTREAM] = streams_per_one_shot,
				 [ACOMP_CALL_INIT_CCTX] = init,
				 [ACOMP_CALL_COMPRESS_CCTX] = 1,
			 });
	len = rig->req.dlen;
	side_read(&dst, frame, len);
	side_finish(&src);

	side_lengths(&src, rig, frame, len);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	check_calls(rig, (uint32_t[ACOMP_NR_CALLS]){
				 [ACOMP_CALL_INIT_DSTREAM] = streams_per_one_shot,
				 [ACOMP_CALL_INIT_DCTX] = init,
				 [ACOMP_CALL_DECOMPRESS_DCTX] = 1,
			 });
	side_read(&dst, back, sizeof(back));
	assert_memory_equal(back, page, sizeof(page));
	side_finish(&src);

	side_lengths(&src, rig, frame, 1000, len - 1000);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	check_calls(rig, (uint32_t[ACOMP_NR_CALLS]){
				 [ACOMP_CALL_INIT_DSTREAM] = init,
				 [ACOMP_CALL_DECOMPRESS_STREAM] = 2,
			 });
	assert_int_equal(rig->req.cost.reason, ACOMP_STREAM_SRC);
	side_read(&dst, back, sizeof(back));
	assert_memory_equal(back, page, sizeof(page));
	side_finish(&src);

	side_lengths(&src, rig, page, 2048, 2048);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	check_calls(rig, (uint32_t[ACOMP_NR_CALLS]){
				 [ACOMP_CALL_INIT_CSTREAM] = init,
				 [ACOMP_CALL_COMPRESS_STREAM] = 2,
				 [ACOMP_CALL_FLUSH_STREAM] = 2,
				 [ACOMP_CALL_END_STREAM] = 1,
			 });
	side_finish(&src);
	side_finish(&dst);
	rig_destroy(rig);
}

static void an_eager_driver_builds_a_stream_that_a_one_shot_request_does_not_use(void **state)
{
	check_paths("zstd.stream_init=eager", 1, 0);
}

static void a_deferred_driver_builds_the_one_context_it_uses(void **state)
{
	check_paths("zstd.stream_init=deferred", 0, 0);
}

static void kept_contexts_are_never_built_by_a_request(void **state)
{
	check_paths("zstd.context=once", 0, 1);
}

/* The last two rows of the table in B.5, and a request that the walk refuses. */
static void requests_that_fail_early_build_what_they_met(void **state)
{
	static const struct {
		const char *change;
		unsigned eager;
	} rows[] = {{"zstd.stream_init=eager", 1}, {"zstd.stream_init=deferred", 0}};
	uint8_t page[4096];

	gen_counters(page, sizeof(page));
	for (size_t i = 0; i < 2; i++) {
		struct rig *rig = rig_create("7.3", rows[i].change, NULL);
		struct side src, dst;

		side_lengths(&src, rig, page, 0, 0, 4096);
		side_lengths(&dst, rig, NULL, 4096);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		assert_int_equal(rig->req.dlen, 0);
		assert_int_equal(nr_inits(rig), rows[i].eager);
		assert_int_equal(rig->req.cost.path, ACOMP_PATH_NONE);
		side_finish(&dst);

		side_lengths(&dst, rig, NULL, 0, 0, 4096);
		assert_int_equal(rig_compress(rig, &src, &dst), -ENOSPC);
		assert_int_equal(nr_inits(rig), rows[i].eager);
		assert_int_equal(rig->req.cost.path, ACOMP_PATH_NONE);
		side_finish(&dst);

		side_virt(&dst, rig, 0, NULL);
		assert_int_equal(rig_compress(rig, &src, &dst), -EINVAL);
		assert_int_equal(nr_inits(rig), 0);
		assert_int_equal(rig_decompress(rig, &src, &dst), -EINVAL);
		assert_int_equal(nr_inits(rig), 0);
		side_finish(&dst);
		side_finish(&src);
		rig_destroy(rig);
	}
}

static void empty_sides_are_refused_whatever_they_are_made_of(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t byte = 0;

	for (int i = 0; i < 4; i++) {
		struct page *page = alloc_pages(rig->k->frames, 0, 0);

		if (i & 1)
			acomp_request_set_src_folio(&rig->req, page, 0, i < 2 ? 0 : 1);
		else
			acomp_request_set_src_dma(&rig->req, &byte, i < 2 ? 0 : 1);
		acomp_request_set_dst_dma(&rig->req, &byte, i < 2 ? 1 : 0);
		assert_int_equal(crypto_acomp_compress(&rig->req), -EINVAL);
		assert_int_equal(rig->req.dlen, 0);
		acomp_request_set_dst_dma(&rig->req, &byte, i < 2 ? 1 : 0);
		assert_int_equal(crypto_acomp_decompress(&rig->req), -EINVAL);
		assert_int_equal(rig->req.dlen, 0);
		free_pages(rig->k->frames, page);
	}
	rig_destroy(rig);
}

/* Any shape, the same bytes; and exactly one context more for each one-shot request. */
static void eager_deferred_and_kept_contexts_give_identical_frames(void **state)
{
	struct rig *rigs[] = {
		rig_create("7.3", NULL),
		rig_create("7.4", NULL),
		rig_create("7.3", "zstd.context=once", NULL),
		rig_create("7.4", "zstd.context=once", NULL),
	};
	uint8_t data[4096], frames[4][8192], back[4096];
	uint64_t seed = 11;

	for (unsigned round = 0; round < 600; round++) {
		unsigned lengths[4], nr = 1 + gen_random(&seed) % 3, left = sizeof(data);
		unsigned len[4], inits[4], capacity = gen_random(&seed) % 2 ? 4096 : 8192;

		gen_fill(round % GEN_NR_KINDS, round, data, sizeof(data));
		for (unsigned i = 0; i < nr; i++) {
			lengths[i] = i + 1 == nr ? left : 1 + gen_random(&seed) % (left - nr);
			left -= lengths[i];
		}
		for (unsigned i = 0; i < 4; i++) {
			struct side src, dst;
			int ret;

			side_list(&src, rigs[i], lengths, nr, data);
			side_virt(&dst, rigs[i], capacity, NULL);
			ret = rig_compress(rigs[i], &src, &dst);
			len[i] = rigs[i]->req.dlen;
			inits[i] = nr_inits(rigs[i]);
			if (!ret)
				side_read(&dst, frames[i], len[i]);
			else
				assert_int_equal(ret, nr == 1 ? -EINVAL : -ENOSPC);
			assert_int_equal(len[i], len[0]);
			assert_memory_equal(frames[i], frames[0], len[0]);
			side_finish(&src);
			side_finish(&dst);
		}
		assert_int_equal(inits[1], 1);
		assert_int_equal(inits[0] - inits[1], nr == 1 ? 1 : 0);
		assert_int_equal(inits[2] + inits[3], 0);
		for (unsigned i = 0; len[0] && i < 4; i++) {
			struct side src, dst;

			nr = len[0] > 40 && round % 2 ? 2 : 1;
			lengths[0] = nr == 2 ? 30 : len[0];
			lengths[1] = len[0] - 30;
			side_list(&src, rigs[i], lengths, nr, frames[i]);
			side_lengths(&dst, rigs[i], NULL, 4096);
			assert_int_equal(rig_decompress(rigs[i], &src, &dst), 0);
			inits[i] = nr_inits(rigs[i]);
			assert_int_equal(rigs[i]->req.dlen, 4096);
			side_read(&dst, back, sizeof(back));
			assert_memory_equal(back, data, sizeof(data));
			side_finish(&src);
			side_finish(&dst);
		}
		if (len[0]) {
			/* A raw frame is longer than a page, and so than a fragment. */
			bool one_shot = nr == 1 && len[0] <= 4096;

			assert_int_equal(inits[1], 1);
			assert_int_equal(inits[0] - inits[1], one_shot);
			assert_int_equal(inits[2] + inits[3], 0);
		}
	}
	for (unsigned i = 0; i < 4; i++)
		rig_destroy(rigs[i]);
}

/* C13, as far as the driver goes: objects of 1200 bytes in chunks of 1216, ten in three pages. */
static void a_thousand_stores_and_loads_build_the_contexts_of_case_c13(void **state)
{
	static const struct {
		const char *preset;
		unsigned store_inits, load_inits;
	} rows[] = {{"7.3", 2000, 1800}, {"7.4", 1000, 1000}, {"6.12", 0, 0}};
	uint8_t page[4096], frame[4096];
	unsigned len;

	for (size_t row = 0; row < 3; row++) {
		struct rig *rig = rig_create(rows[row].preset, NULL);
		unsigned stores = 0, loads = 0, streamed = 0, seed = 0;
		struct side src, dst;

		do {
			assert_true(seed < 1000);
			zeros_then_random(seed, 1150 + seed % 50, page);
			len = sizeof(frame);
			assert_int_equal(rig_compress_flat(rig, page, sizeof(page), frame, &len),
					 0);
			seed++;
		} while (len != 1200);
		for (unsigned i = 0; i < 1000; i++) {
			unsigned begin = i % 10 * 1216 + 8, cut = 4096 - begin % 4096;
			bool straddles = cut < len;

			side_lengths(&src, rig, page, 4096);
			side_lengths(&dst, rig, NULL, 4096);
			assert_int_equal(rig_compress(rig, &src, &dst), 0);
			stores += nr_inits(rig);
			side_finish(&src);
			if (straddles)
				side_lengths(&src, rig, frame, cut, len - cut);
			else
				side_lengths(&src, rig, frame, len);
			assert_int_equal(rig_decompress(rig, &src, &dst), 0);
			loads += nr_inits(rig);
			streamed += rig->req.cost.path == ACOMP_PATH_STREAM;
			side_finish(&src);
			side_finish(&dst);
		}
		assert_int_equal(stores, rows[row].store_inits);
		assert_int_equal(loads, rows[row].load_inits);
		assert_int_equal(streamed, strcmp(rows[row].preset, "6.12") ? 200 : 0);
		rig_destroy(rig);
	}
}

static void time_is_split_into_contexts_and_codec_by_three_clock_reads(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	struct side src, dst;
	uint8_t page[4096];
	uint64_t before;

	gen_counters(page, sizeof(page));
	side_lengths(&src, rig, page, 4096);
	side_lengths(&dst, rig, NULL, 4096);
	before = rig->clock_reads;
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	assert_int_equal(rig->clock_reads - before, 3);
	/* Two contexts one after the other are one interval. */
	assert_int_equal(rig->req.cost.init_ns, 1000);
	assert_int_equal(rig->req.cost.codec_ns, 1000);
	assert_int_equal(rig->req.cost.copy_ns, 0);
	side_finish(&src);

	side_lengths(&src, rig, page, 1000, 3096);
	before = rig->clock_reads;
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	assert_int_equal(rig->clock_reads - before, 3);
	assert_int_equal(rig->req.cost.init_ns, 1000);
	assert_int_equal(rig->req.cost.codec_ns, 1000);
	side_finish(&src);
	side_finish(&dst);
	rig_destroy(rig);
}

static void each_cpu_uses_its_own_workspace_and_all_give_the_same_frame(void **state)
{
	struct rig *rig = rig_create("7.3", NULL);
	uint8_t page[4096], first[4096], out[4096];
	unsigned len = sizeof(first), n;

	gen_fill(GEN_TEXT, 5, page, sizeof(page));
	assert_int_equal(rig_compress_flat(rig, page, sizeof(page), first, &len), 0);
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		rig->k->cpu = cpu % 4;
		n = sizeof(out);
		assert_int_equal(rig_compress_flat(rig, page, sizeof(page), out, &n), 0);
		assert_int_equal(n, len);
		assert_memory_equal(out, first, len);
		crypto_acomp_run_worker(rig->k);
	}
	assert_int_equal(crypto_acomp_nr_contexts(rig->k, &zstd_alg), 4);
	assert_int_equal(crypto_acomp_nr_fallbacks(rig->k, &zstd_alg), 3);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_the_kernels_only_with_its_library),
		cmocka_unit_test(a_one_shot_frame_of_a_page_begins_with_its_size),
		cmocka_unit_test(the_frame_descriptor_follows_the_size_of_the_source),
		cmocka_unit_test(a_stream_frame_has_no_size_and_ends_in_an_empty_block),
		cmocka_unit_test(the_window_of_a_stream_is_the_one_of_the_hint),
		cmocka_unit_test(virtual_buffers_of_any_size_go_in_one_shot),
		cmocka_unit_test(a_64_kib_folio_streams_in_sixteen_fragments),
		cmocka_unit_test(no_frame_of_a_page_is_longer_than_4039_bytes),
		cmocka_unit_test(a_page_of_one_byte_takes_19_bytes),
		cmocka_unit_test(a_request_is_one_shot_if_each_side_is_one_fragment),
		cmocka_unit_test(
			an_eager_driver_builds_a_stream_that_a_one_shot_request_does_not_use),
		cmocka_unit_test(a_deferred_driver_builds_the_one_context_it_uses),
		cmocka_unit_test(kept_contexts_are_never_built_by_a_request),
		cmocka_unit_test(requests_that_fail_early_build_what_they_met),
		cmocka_unit_test(empty_sides_are_refused_whatever_they_are_made_of),
		cmocka_unit_test(eager_deferred_and_kept_contexts_give_identical_frames),
		cmocka_unit_test(a_thousand_stores_and_loads_build_the_contexts_of_case_c13),
		cmocka_unit_test(time_is_split_into_contexts_and_codec_by_three_clock_reads),
		cmocka_unit_test(each_cpu_uses_its_own_workspace_and_all_give_the_same_frame),
	};

	return cmocka_run_group_tests_name("zstd", tests, NULL, NULL);
}
