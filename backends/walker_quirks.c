// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/walker_quirks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct finder {
	const struct walker_request *request;
	struct walker_reader *reader;
	struct walker_result *res;
};

__attribute__((format(printf, 3, 4))) static void met(struct finder *f, unsigned id,
						      const char *format, ...)
{
	struct walker_quirk *q = &f->res->quirks[f->res->nr_quirks++];
	va_list args;

	q->id = id;
	va_start(args, format);
	vsnprintf(q->what, sizeof(q->what), format, args);
	va_end(args);
}

static const char *ret_in_words(int ret)
{
	switch (ret) {
	case 0:
		return "0";
	case -EIO:
		return "-EIO";
	case -EINVAL:
		return "-EINVAL";
	case -ENOSPC:
		return "-ENOSPC";
	}
	return "an error";
}

static unsigned capacity(const struct finder *f)
{
	return f->request->dlen;
}

/* ---- several sides ---- */

/* Entries of no length: Q6, or Q14 if nothing came before. */
static bool source_is_empty(const struct finder *f)
{
	return f->res->facts.src_ended_early && !f->res->facts.consumed;
}

static void find_q6(struct finder *f)
{
	const struct walker_facts *facts = &f->res->facts;

	if (facts->src_ended_early)
		met(f, 6, "an entry of length 0 ended the source after %u of %u bytes",
		    facts->consumed, f->request->slen);
	if (facts->dst_ended_early)
		met(f, 6, "an entry of length 0 ended the destination, though there was room left");
}

static void find_q9(struct finder *f)
{
	const struct walker_result *res = f->res;

	if (!res->linear_run)
		return;
	if (res->ret != res->linear_ret)
		met(f, 9, "the same bytes between linear buffers: %s in place of %s",
		    ret_in_words(res->linear_ret), ret_in_words(res->ret));
	else if (!res->linear_same)
		met(f, 9,
		    "the same bytes between linear buffers: other output, %u bytes in place of %u",
		    res->linear_dlen, res->dlen);
}

/* ---- compress ---- */

/* Ended, as the driver sees it, while the codec had bytes left. */
static bool is_cut(const struct walker_result *res)
{
	return !res->ret && res->facts.end_left;
}

static void find_q1(struct finder *f)
{
	const struct walker_result *res = f->res;

	if (is_cut(res) && !res->frame.oneshot.whole)
		met(f, 1,
		    "success, though end_stream had %zu bytes left to flush: the frame is cut",
		    res->facts.end_left);
}

static void find_q2_compress(struct finder *f)
{
	const struct walker_decode *stream = &f->res->frame.stream;

	if (is_cut(f->res) && !f->res->frame.oneshot.whole && !stream->error && stream->same &&
	    stream->bytes == f->res->facts.consumed)
		met(f, 2,
		    "the cut frame gives all %zu bytes to a decoder that streams, and an error "
		    "in one shot",
		    stream->bytes);
}

static void find_q8(struct finder *f)
{
	const struct walker_result *res = f->res;
	char linear[32] = "an error";

	if (res->ret || !res->facts.flushes)
		return;
	if (res->linear_run && !res->linear_ret)
		snprintf(linear, sizeof(linear), "%u bytes", res->linear_dlen);
	met(f, 8, "source flushed %u times, whole blocks %u%s; %u bytes, in one shot %s",
	    res->facts.flushes, res->frame.blocks,
	    res->frame.last_block_is_empty ? ", the last one empty" : "", res->dlen, linear);
}

static void find_q10_compress(struct finder *f)
{
	const struct walker_frame *frame = &f->res->frame;

	if (f->res->path == ACOMP_PATH_STREAM && frame->header && !frame->content_size_known)
		met(f, 10,
		    "the frame does not say its size, and has a window of %llu bytes that its "
		    "decoder must have",
		    (unsigned long long)frame->window);
}

static void find_q14(struct finder *f)
{
	if (!f->res->ret && source_is_empty(f))
		met(f, 14,
		    "the source seemed empty: success with an empty frame of %u bytes for %u",
		    f->res->dlen, f->request->slen);
}

static void find_compress(struct finder *f)
{
	find_q1(f);
	find_q2_compress(f);
	if (!source_is_empty(f) || f->res->ret)
		find_q6(f);
	find_q8(f);
	find_q9(f);
	find_q10_compress(f);
	find_q14(f);
}

/* ---- decompress ---- */

/* Success, though the decoder was within a frame. */
static bool is_incomplete(const struct walker_result *res)
{
	return !res->ret && res->facts.decodes && res->facts.hint;
}

/* Whether all that the frame holds came out: by what is known of it, or else the caller's room. */
static bool all_came_out(const struct finder *f)
{
	const struct walker_frame *frame = &f->res->frame;

	if (f->request->plain)
		return f->res->dlen == f->request->plain_size;
	if (frame->content_size_known)
		return f->res->dlen == frame->content_size;
	return f->res->dlen == capacity(f);
}

static void find_q2_q3(struct finder *f)
{
	const struct walker_result *res = f->res;

	if (!is_incomplete(res))
		return;
	if (all_came_out(f) && !res->frame.oneshot.whole)
		met(f, 2,
		    "all %u bytes came out, and it succeeds though the frame has no end; in one "
		    "shot: -EINVAL",
		    res->dlen);
	else
		met(f, 3,
		    "success with %u bytes, though the decoder was within a frame and wanted more",
		    res->dlen);
}

/* What is left of the source when the destination is full decides: the end of a good frame (Q4),
 * or what belongs to no frame (Q15). */
static void find_q4_q15(struct finder *f)
{
	const struct walker_result *res = f->res;
	size_t frames = f->request->slen - res->frame.trailing;

	if (res->ret != -ENOSPC || !res->facts.dst_full || !res->judged)
		return;
	if (res->frame.oneshot.whole)
		met(f, 4,
		    "the source is good and fits (%zu bytes), but its last bytes met a full "
		    "destination",
		    res->frame.oneshot.bytes);
	else if (res->frame.frames && res->frame.trailing &&
		 walker_frame_decode(f->reader, f->request->bytes, frames, capacity(f)) ==
			 capacity(f))
		met(f, 15,
		    "%zu bytes behind a good frame met a full destination: -ENOSPC; with room "
		    "it would be another error",
		    res->frame.trailing);
}

static void find_q10_decompress(struct finder *f)
{
	const struct walker_frame *frame = &f->res->frame;

	if (f->res->facts.window_too_big)
		met(f, 10,
		    "a window of %llu bytes does not fit into the decoder's workspace; in one "
		    "shot the destination is the window",
		    (unsigned long long)frame->window);
}

static void find_q12(struct finder *f)
{
	const struct walker_frame *frame = &f->res->frame;

	if (!f->res->ret && (frame->frames > 1 || frame->skippable))
		met(f, 12, "the source is %u frames and %u skippable ones, and is accepted",
		    frame->frames, frame->skippable);
}

static void find_decompress(struct finder *f)
{
	find_q2_q3(f);
	find_q4_q15(f);
	find_q6(f);
	find_q9(f);
	find_q10_decompress(f);
	find_q12(f);
}

/* ---- all ---- */

static void sort(struct walker_result *res)
{
	for (unsigned i = 1; i < res->nr_quirks; i++) {
		struct walker_quirk q = res->quirks[i];
		unsigned k = i;

		for (; k && res->quirks[k - 1].id > q.id; k--)
			res->quirks[k] = res->quirks[k - 1];
		res->quirks[k] = q;
	}
}

void walker_quirks_find(const struct walker_request *request, struct walker_reader *reader,
			struct walker_result *result)
{
	struct finder f = {request, reader, result};

	result->nr_quirks = 0;
	if (result->oops || result->path == ACOMP_PATH_NONE) {
		/* Nothing was done, or nothing that its caller lives to see. */
		find_q6(&f);
		return;
	}
	if (request->compress)
		find_compress(&f);
	else
		find_decompress(&f);
	sort(result);
}
