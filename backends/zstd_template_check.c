// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether contexts from a template do what contexts do that were built. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/zstd_template.h"

#define PAGE	   4096
#define NR_SAMPLES 5
#define MAX_FRAME  (2 * PAGE)
#define MAX_LOG	   (16 * NR_SAMPLES * MAX_FRAME)

/* All that a piece of work came to: results and bytes, one after the other. */
struct log {
	size_t len;
	uint8_t bytes[MAX_LOG];
};

struct check {
	struct zstd_template *t;
	enum zstd_side side;
	const zstd_parameters *params;
	zstd_build_fn build;
	void *arg;
	bool restore; /* rather than build */
	struct kernel timeless;
	struct acomp_cost not_a_request;
	struct zstd_meter meter;
	uint8_t samples[NR_SAMPLES][PAGE];
	uint8_t frames[NR_SAMPLES][MAX_FRAME];
	size_t frame_len[NR_SAMPLES];
	uint8_t out[MAX_FRAME];
	struct log expected, found;
	struct log *log;
};

static void *context(struct check *c)
{
	if (c->restore)
		return zstd_template_restore(c->t);
	return c->build(c->arg, c->t->workspace, c->t->size);
}

static void note(struct check *c, size_t result, size_t len)
{
	struct log *log = c->log;

	memcpy(log->bytes + log->len, &result, sizeof(result));
	log->len += sizeof(result);
	memcpy(log->bytes + log->len, c->out, len);
	log->len += len;
}

static void note_result(struct check *c, size_t result)
{
	note(c, result, zstd_is_error(result) ? 0 : result);
}

/* ---- work ---- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Zeros; text; counters; random bytes; half random, half text. */
static void make_samples(struct check *c)
{
	static const char *const words[] = {"page ", "swap ", "kernel ", "of ",
					    "the ",  "\n",    "zstd "};
	uint32_t r = 1;

	memset(c->samples[0], 0, PAGE);
	for (unsigned i = 0; i < PAGE;) {
		const char *word = words[next_random(&r) % 7];

		for (; *word && i < PAGE; word++, i++)
			c->samples[1][i] = *word;
	}
	for (uint32_t i = 0; i < PAGE / 4; i++)
		memcpy(&c->samples[2][4 * i], &i, 4);
	for (unsigned i = 0; i < PAGE; i++)
		c->samples[3][i] = next_random(&r);
	memcpy(c->samples[4], c->samples[3], PAGE / 2);
	memcpy(c->samples[4] + PAGE / 2, c->samples[1], PAGE / 2);
}

static void compress_one(struct check *c, const uint8_t *page, size_t capacity)
{
	zstd_cctx *cctx = context(c);

	note_result(c,
		    zstd_compress_cctx(&c->meter, cctx, c->out, capacity, page, PAGE, c->params));
}

static void compress_stream(struct check *c, const uint8_t *page, size_t first)
{
	zstd_cstream *cstream = zstd_restart_cstream(&c->meter, context(c), c->params, 0);
	zstd_out_buffer out = {c->out, MAX_FRAME, 0};
	zstd_in_buffer in = {page, first, 0};

	if (!cstream) {
		note(c, 0, 0);
		return;
	}
	note(c, zstd_compress_stream(&c->meter, cstream, &out, &in), 0);
	note(c, zstd_flush_stream(&c->meter, cstream, &out), 0);
	in.size = PAGE;
	note(c, zstd_compress_stream(&c->meter, cstream, &out, &in), 0);
	note(c, zstd_end_stream(&c->meter, cstream, &out), out.pos);
}

static void decompress_one(struct check *c, const uint8_t *frame, size_t len, size_t capacity)
{
	zstd_dctx *dctx = context(c);

	note_result(c, zstd_decompress_dctx(&c->meter, dctx, c->out, capacity, frame, len));
}

static void decompress_stream(struct check *c, const uint8_t *frame, size_t len, size_t first)
{
	zstd_dstream *dstream = context(c);
	zstd_out_buffer out = {c->out, PAGE, 0};
	zstd_in_buffer in = {frame, first, 0};

	note(c, zstd_decompress_stream(&c->meter, dstream, &out, &in), 0);
	in.size = len;
	note(c, zstd_decompress_stream(&c->meter, dstream, &out, &in), out.pos);
}

static void work_on_frame(struct check *c, uint8_t *frame, size_t len)
{
	decompress_one(c, frame, len, PAGE);
	decompress_one(c, frame, len, PAGE - 1);
	decompress_one(c, frame, len - 1, PAGE);
	decompress_stream(c, frame, len, len / 2);
	frame[len / 2] ^= 0x10;
	decompress_one(c, frame, len, PAGE);
	decompress_stream(c, frame, len, len / 3);
	frame[len / 2] ^= 0x10;
}

static void work_on(struct check *c, unsigned i)
{
	if (c->side == ZSTD_SIDE_DECOMPRESS) {
		work_on_frame(c, c->frames[i], c->frame_len[i]);
		return;
	}
	compress_one(c, c->samples[i], PAGE);
	compress_one(c, c->samples[i], MAX_FRAME);
	compress_one(c, c->samples[i], 10);
	compress_stream(c, c->samples[i], PAGE / 2);
	compress_stream(c, c->samples[i], 1);
}

static void work(struct check *c, struct log *log)
{
	c->log = log;
	log->len = 0;
	for (unsigned i = 0; i < NR_SAMPLES; i++)
		work_on(c, i);
}

/* ---- the check ---- */

/* Of the library's own making. */
static int make_frames(struct check *c)
{
	for (unsigned i = 0; i < NR_SAMPLES; i++) {
		c->frame_len[i] = ZSTD_compress(c->frames[i], MAX_FRAME, c->samples[i], PAGE, 3);
		if (zstd_is_error(c->frame_len[i]))
			return -EINVAL;
	}
	return 0;
}

/* @unstable: what the bytes are that differ from call to call. */
static bool restored_works_the_same(struct check *c, uint8_t before, int unstable)
{
	memset(c->t->workspace, before, c->t->size);
	for (unsigned i = 0; unstable >= 0 && i < c->t->nr_unstable; i++)
		c->t->bytes[c->t->unstable[i]] = unstable;
	work(c, &c->found);
	return c->found.len == c->expected.len &&
	       !memcmp(c->found.bytes, c->expected.bytes, c->found.len);
}

int zstd_template_check(struct zstd_template *t, enum zstd_side side, const zstd_parameters *params,
			zstd_build_fn build, void *arg, char *err, size_t err_size)
{
	struct check *c = calloc(1, sizeof(*c));
	int ret = 0;

	if (!c) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	c->t = t;
	c->side = side;
	c->params = params;
	c->build = build;
	c->arg = arg;
	zstd_meter_start(&c->meter, &c->timeless, &c->not_a_request);
	make_samples(c);
	ret = make_frames(c);
	if (ret) {
		snprintf(err, err_size, "the library does not compress the sample pages");
		goto out;
	}
	memset(t->workspace, 0x77, t->size);
	work(c, &c->expected);
	c->restore = true;
	if (!restored_works_the_same(c, 0x00, -1) || !restored_works_the_same(c, 0xff, 0x00) ||
	    !restored_works_the_same(c, 0xa5, 0xff)) {
		snprintf(err, err_size,
			 "a context that is restored from a template does not %s as one that is "
			 "built",
			 side == ZSTD_SIDE_COMPRESS ? "compress" : "decompress");
		ret = -ENOTSUP;
	}
out:
	free(c);
	return ret;
}
