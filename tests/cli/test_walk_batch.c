// SPDX-License-Identifier: GPL-2.0-or-later
/* A batch of random requests, against a model of the driver that shares nothing with the port. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "tests/cli/cli.h"
#include "tests/cli/walk_model.h"
#include "tests/gen_page.h"

#define NR_REQUESTS 2000u
#define NR_FRAMES   200u

/* What the requests are of: pages one after the other in one file, and frames in another. */
static uint8_t data[GEN_NR_KINDS * 8][4096];
static struct {
	uint8_t *bytes;
	size_t size;
	struct {
		size_t offset, size;
	} frame[NR_FRAMES];
} frames;

struct expected {
	struct model_request rq;
	size_t offset;
};

static struct expected *expected;
static struct model_result model;

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* In one shot, or flushed in the middle; whole, cut, followed by zeros, or damaged. */
static size_t make_frame(uint64_t *seed, uint8_t *to, size_t room)
{
	const uint8_t *page = data[gen_random(seed) % (GEN_NR_KINDS * 8)];
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	ZSTD_outBuffer out = {to, room, 0};
	unsigned half = gen_random(seed) % 4097;
	ZSTD_inBuffer in = {page, half, 0};
	size_t n;

	if (gen_random(seed) % 2) {
		assert_false(ZSTD_isError(ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_flush)));
		in = (ZSTD_inBuffer){page + half, 4096 - half, 0};
		assert_int_equal(ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_end), 0);
		n = out.pos;
	} else {
		n = ZSTD_compress2(cctx, to, room, page, 4096);
		assert_false(ZSTD_isError(n));
	}
	ZSTD_freeCCtx(cctx);
	switch (gen_random(seed) % 6) {
	case 0:
		return n - (1 + gen_random(seed) % 12);
	case 1:
		memset(to + n, 0, 6);
		return n + 1 + gen_random(seed) % 6;
	case 2:
		to[gen_random(seed) % n] ^= 1 << gen_random(seed) % 8;
		return n;
	}
	return n;
}

static void make_inputs(void)
{
	uint64_t seed = 7;

	for (unsigned i = 0; i < GEN_NR_KINDS * 8; i++)
		gen_fill(i % GEN_NR_KINDS, i, data[i], sizeof(data[i]));
	frames.bytes = malloc(NR_FRAMES * 8192);
	assert_non_null(frames.bytes);
	for (unsigned i = 0; i < NR_FRAMES; i++) {
		frames.frame[i].offset = frames.size;
		frames.frame[i].size = make_frame(&seed, frames.bytes + frames.size, 8192);
		frames.size += frames.frame[i].size;
	}
}

/* ---- requests ---- */

static void random_side(uint64_t *seed, struct model_side *side, unsigned size)
{
	side->linear = gen_random(seed) % 4 == 0;
	side->nr = side->linear ? 1 : 1 + gen_random(seed) % MODEL_MAX_ENTRIES;
	for (unsigned i = 0; i < side->nr; i++) {
		unsigned n = i + 1 == side->nr ? size : gen_random(seed) % (size + 1);

		/* Many small ones, at the end of which frames lie. */
		if (i + 1 < side->nr && gen_random(seed) % 3 == 0)
			n %= 8;
		if (i + 1 < side->nr && gen_random(seed) % 12 == 0)
			n = 0;
		side->lengths[i] = n;
		size -= n;
	}
}

/* Room for what comes out: plenty, a page, or about enough. */
static unsigned random_room(uint64_t *seed, unsigned about)
{
	switch (gen_random(seed) % 4) {
	case 0:
		return 8192;
	case 1:
		return 4096;
	case 2:
		return about + gen_random(seed) % 16 > 8 ? about + gen_random(seed) % 16 - 8 : 1;
	default:
		return 1 + gen_random(seed) % 5000;
	}
}

static void random_compress(uint64_t *seed, struct expected *e)
{
	unsigned size = gen_random(seed) % 4 ? 4096 : gen_random(seed) % 8193;

	/* Two pages are there from any of them on but the last. */
	e->offset = 4096 * (gen_random(seed) % (GEN_NR_KINDS * 8 - 1));
	e->rq.compress = true;
	e->rq.bytes = data[0] + e->offset;
	e->rq.slen = size;
	random_side(seed, &e->rq.src, size);
	/* About where a stream ends: the model says where. */
	e->rq.dst = (struct model_side){.nr = 1, .lengths = {16384}};
	e->rq.dlen = 16384;
	model_run(&e->rq, &model);
	e->rq.dlen = random_room(seed, model.dlen);
	random_side(seed, &e->rq.dst, e->rq.dlen);
}

static void random_decompress(uint64_t *seed, struct expected *e)
{
	unsigned i = gen_random(seed) % NR_FRAMES;

	e->offset = frames.frame[i].offset;
	e->rq.bytes = frames.bytes + e->offset;
	e->rq.slen = frames.frame[i].size;
	random_side(seed, &e->rq.src, e->rq.slen);
	e->rq.dlen = random_room(seed, 4096);
	random_side(seed, &e->rq.dst, e->rq.dlen);
}

/* Now and then a list is too short for what the request says. */
static void shorten(uint64_t *seed, struct model_side *side, unsigned *len)
{
	if (!side->linear && gen_random(seed) % 20 == 0 && *len + 100 < MODEL_MAX_BYTES)
		*len += 1 + gen_random(seed) % 100;
}

static void put_side(FILE *f, const char *option, const struct model_side *side, bool folio)
{
	fprintf(f, " %s %s:", option, side->linear ? "virt" : folio ? "folio" : "sg");
	for (unsigned i = 0; i < side->nr; i++)
		fprintf(f, "%s%u", i ? "," : "", side->lengths[i]);
	if (folio && !side->linear)
		fprintf(f, "@%u", 4096 + side->lengths[0] % 100);
}

static void put_request(FILE *f, const struct expected *e, uint64_t *seed)
{
	fprintf(f, "--op %s --skip %zu --slen %u --dlen=%u",
		e->rq.compress ? "compress" : "decompress", e->offset, e->rq.slen, e->rq.dlen);
	/* A folio is a list of one entry. */
	put_side(f, "--src", &e->rq.src, e->rq.src.nr == 1 && gen_random(seed) % 2);
	put_side(f, "--dst", &e->rq.dst, e->rq.dst.nr == 1 && gen_random(seed) % 2);
	fprintf(f, " %s\n", e->rq.compress ? "--data data" : "--frame 'frames'  # a comment");
}

static char *make_batch(size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	uint64_t seed = 42;

	assert_non_null(f);
	expected = calloc(NR_REQUESTS, sizeof(*expected));
	assert_non_null(expected);
	for (unsigned i = 0; i < NR_REQUESTS; i++) {
		struct expected *e = &expected[i];

		if (i % 2)
			random_decompress(&seed, e);
		else
			random_compress(&seed, e);
		shorten(&seed, &e->rq.src, &e->rq.slen);
		shorten(&seed, &e->rq.dst, &e->rq.dlen);
		put_request(f, e, &seed);
	}
	assert_int_equal(fclose(f), 0);
	return text;
}

/* ---- results ---- */

static bool met(const json_t *root, const char *id)
{
	const json_t *quirk;
	size_t i;

	json_array_foreach(json_object_get(root, "quirks"), i, quirk)
	{
		if (!strcmp(json_string_value(json_object_get(quirk, "id")), id))
			return true;
	}
	return false;
}

static bool decodes(const void *bytes, size_t size, size_t room)
{
	static uint8_t out[MODEL_MAX_BYTES];

	return !ZSTD_isError(ZSTD_decompress(out, room, bytes, size));
}

static void check_quirks(const json_t *root, const struct model_request *rq)
{
	bool streams = model.path == MODEL_STREAM, cut, early;

	if (model.oops) {
		assert_int_equal(met(root, "Q6"), model.src_zero || model.dst_zero);
		return;
	}
	if (rq->compress) {
		cut = !model.ret && streams && !decodes(model.output, model.dlen, rq->slen);
		early = !model.ret && model.src_zero && model.src_zero_first;
		assert_int_equal(met(root, "Q1"), cut);
		assert_int_equal(met(root, "Q14"), early);
		assert_int_equal(met(root, "Q6"), (model.src_zero && !early) || model.dst_zero);
		assert_false(met(root, "Q3") || met(root, "Q4") || met(root, "Q15"));
		return;
	}
	assert_int_equal(met(root, "Q2") || met(root, "Q3"),
			 !model.ret && streams && model.within_frame);
	if (model.dst_full && model.ret == -ENOSPC)
		assert_int_equal(met(root, "Q4"), decodes(rq->bytes, rq->slen, rq->dlen));
	else
		assert_false(met(root, "Q4") || met(root, "Q15"));
	assert_int_equal(met(root, "Q6"), model.src_zero || model.dst_zero);
	assert_false(met(root, "Q1") || met(root, "Q8") || met(root, "Q14"));
}

static int64_t number(const json_t *root, const char *key)
{
	const json_t *value = json_object_get(root, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void check_output(const json_t *root)
{
	const char *hex = json_string_value(json_object_get(root, "output_hex"));

	assert_non_null(hex);
	assert_int_equal(strlen(hex), 2 * model.dlen);
	for (unsigned i = 0; i < model.dlen; i++) {
		char two[3];

		snprintf(two, sizeof(two), "%02x", model.output[i]);
		if (memcmp(hex + 2 * i, two, 2))
			fail_msg("byte %u of the output differs", i);
	}
}

static void check_result(const json_t *root, const struct model_request *rq)
{
	static const char *const paths[] = {"none", "oneshot", "stream"};

	model_run(rq, &model);
	assert_int_equal(number(root, "ret"), model.ret);
	assert_int_equal(number(root, "dlen_bytes"), model.dlen);
	assert_int_equal(json_is_true(json_object_get(root, "oops")), model.oops);
	assert_string_equal(json_string_value(json_object_get(root, "path")), paths[model.path]);
	assert_int_equal(json_array_size(json_object_get(root, "initialisations")), model.inits);
	if (!strcmp(json_string_value(json_object_get(root, "cpuids_counted")),
		    "init_stepped_once_times_inits"))
		assert_int_equal(number(root, "cpuids"), 2 * model.inits);
	check_output(root);
	check_quirks(root, rq);
}

static void check_lines(char *text, bool deferred, unsigned seen[3])
{
	char *line = text, *end;

	for (unsigned i = 0; i < NR_REQUESTS; i++, line = end + 1) {
		json_t *root;

		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		root = json_loads(line, 0, NULL);
		assert_non_null(root);
		assert_int_equal(number(root, "line"), i + 1);
		expected[i].rq.deferred = deferred;
		check_result(root, &expected[i].rq);
		seen[model.path]++;
		json_decref(root);
	}
	assert_int_equal(*line, '\0');
}

static void two_thousand_random_requests_end_as_the_model_has_it(void **state)
{
	static const char *const kernels[] = {"7.3", "7.4"};
	const char *batch = cli_path(state, "batch");
	char program_dir[4096];
	unsigned seen[3] = {0};
	size_t size;
	char *text;

	make_inputs();
	text = make_batch(&size);
	write_file(batch, text, size);
	write_file(cli_path(state, "data"), data, sizeof(data));
	write_file(cli_path(state, "frames"), frames.bytes, frames.size);
	free(text);
	assert_non_null(getcwd(program_dir, sizeof(program_dir)));
	for (unsigned i = 0; i < 2; i++) {
		struct cli_result r;

		assert_int_equal(chdir(cli_path(state, ".")), 0);
		r = run("walk", "--kernel", kernels[i], "--json", "--no-steps", "--hex", "--batch",
			"batch");
		assert_int_equal(chdir(program_dir), 0);
		assert_status(&r, 0);
		assert_int_equal(r.err_size, 0);
		check_lines(r.out, i, seen);
		cli_free(&r);
	}
	/* The batch is worth running: all paths, each many times. */
	for (unsigned i = 0; i < 3; i++)
		assert_true(seen[i] >= 20);
	free(expected);
	free(frames.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_thousand_random_requests_end_as_the_model_has_it),
	};

	return cmocka_run_group_tests_name("cli_walk_batch", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
