// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/walk_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DATA "counters"
#define DEFAULT_SIZE 4096u

void walk_input_finish(struct walk_input *input)
{
	walk_buffer_finish(&input->bytes);
	walk_buffer_finish(&input->plain);
	free(input->src_lengths);
	free(input->dst_lengths);
}

static const char *data_of(const struct walk_spec *spec)
{
	return spec->data ? spec->data : DEFAULT_DATA;
}

const char *walk_spec_source(const struct walk_spec *spec, char *buf, size_t size)
{
	if (spec->op == WALK_OP_DECOMPRESS && spec->frame)
		snprintf(buf, size, "%s", spec->frame);
	else if (spec->op == WALK_OP_DECOMPRESS)
		snprintf(buf, size, "a frame made of %s%s", data_of(spec),
			 spec->split.given ? ", streamed" : "");
	else
		snprintf(buf, size, "%s", data_of(spec));
	return buf;
}

/* ---- from sizes to bytes ---- */

static int resolve(const struct walk_size *size, unsigned frame, const char *option,
		   unsigned *bytes, struct walk_error *err)
{
	int64_t n = size->bytes + (size->of_frame ? frame : 0);

	if (n < 0 || n > WALKER_MAX_BYTES)
		return walk_fail(err, "--%s: %" PRId64 " bytes (L is %u): not from 0 to %u", option,
				 n, frame, WALKER_MAX_BYTES);
	*bytes = n;
	return 0;
}

static bool uses_frame(const struct walk_list *list)
{
	for (unsigned i = 0; i < list->nr; i++) {
		if (list->sizes[i].of_frame)
			return true;
	}
	return false;
}

/* @lengths has *@room entries, and is made to have enough. */
static int resolve_side(struct walker_side *side, const struct walk_list *list, unsigned frame,
			const char *option, unsigned **lengths, unsigned *room,
			struct walk_error *err)
{
	uint64_t sum = 0;
	int ret;

	if (list->nr > *room) {
		free(*lengths);
		*room = 0;
		*lengths = malloc(list->nr * sizeof(**lengths));
		if (!*lengths)
			return walk_fail(err, "out of memory");
		*room = list->nr;
	}
	for (unsigned i = 0; i < list->nr; i++) {
		ret = resolve(&list->sizes[i], frame, option, &(*lengths)[i], err);
		if (ret)
			return ret;
		sum += (*lengths)[i];
	}
	if (sum > WALKER_MAX_BYTES)
		return walk_fail(err, "--%s: %" PRIu64 " bytes, more than %u", option, sum,
				 WALKER_MAX_BYTES);
	*side = (struct walker_side){
		.kind = list->kind,
		.offset = list->offset,
		.nr = list->nr,
		.lengths = *lengths,
		.size = sum,
	};
	return 0;
}

static int resolve_length(const struct walk_size *given, const struct walker_side *side,
			  unsigned frame, const char *option, unsigned *len, struct walk_error *err)
{
	int ret = 0;

	*len = side->size;
	if (given->given)
		ret = resolve(given, frame, option, len, err);
	if (!ret && side->kind == WALKER_VIRT && *len > side->size)
		return walk_fail(err,
				 "--%s %u: longer than the linear buffer of %u bytes; what lies "
				 "behind one is not simulated",
				 option, *len, side->size);
	return ret;
}

static int resolve_src(struct walk_input *in, const struct walk_spec *spec, unsigned frame,
		       struct walk_error *err)
{
	struct walker_request *r = &in->request;
	int ret = resolve_side(&r->src, &spec->src, frame, "src", &in->src_lengths, &in->src_room,
			       err);

	return ret ? ret : resolve_length(&spec->slen, &r->src, frame, "slen", &r->slen, err);
}

static int resolve_dst(struct walk_input *in, const struct walk_spec *spec, unsigned frame,
		       struct walk_error *err)
{
	struct walker_request *r = &in->request;
	int ret = resolve_side(&r->dst, &spec->dst, frame, "dst", &in->dst_lengths, &in->dst_room,
			       err);

	return ret ? ret : resolve_length(&spec->dlen, &r->dst, frame, "dlen", &r->dlen, err);
}

/* ---- frames ---- */

static int make_frame(struct walker *w, const struct walker_side *side, const void *bytes,
		      bool oneshot, const uint8_t **frame, unsigned *len, struct walk_error *err)
{
	int ret = walker_make_frame(w, side, bytes, oneshot, frame, len);

	if (ret == -EFAULT || ret == -EINVAL)
		return walk_fail(err, "no frame can be made of these %u bytes, so there is no L",
				 side->size);
	return ret ? walk_fail(err, "making a frame: %s", strerror(-ret)) : 0;
}

static int make_compress(struct walk_input *in, const struct walk_spec *spec, struct walker *w,
			 struct walk_error *err)
{
	struct walker_request *r = &in->request;
	const uint8_t *frame;
	int ret;

	if (spec->frame || spec->split.given || spec->size.given)
		return walk_fail(err, "--%s: only for --op decompress",
				 spec->frame	    ? "frame"
				 : spec->size.given ? "size"
						    : "frame-split");
	if (uses_frame(&spec->src) || spec->slen.of_frame)
		return walk_fail(err,
				 "--src, --slen: L is known when there is a frame, and that is "
				 "made of the source");
	ret = resolve_src(in, spec, 0, err);
	if (!ret)
		ret = walk_data_make(&in->bytes, data_of(spec), spec->seed, spec->skip, r->src.size,
				     spec->pad, err);
	if (!ret && (uses_frame(&spec->dst) || spec->dlen.of_frame))
		ret = make_frame(w, &r->src, in->bytes.bytes, false, &frame, &in->frame_bytes, err);
	if (ret)
		return ret;
	r->bytes = in->bytes.bytes;
	return resolve_dst(in, spec, in->frame_bytes, err);
}

/* The frame that is decompressed, made of data, into in->bytes; the data into in->plain. */
static int frame_from_data(struct walk_input *in, const struct walk_spec *spec, struct walker *w,
			   struct walk_error *err)
{
	struct walker_side side = {.kind = WALKER_SG, .nr = spec->split.nr};
	unsigned *lengths = NULL, room = 0, size;
	const uint8_t *frame;
	int ret;

	/* The default fits into one fragment: in one shot it lies in one anyway. */
	size = spec->size.given ? spec->size.bytes : DEFAULT_SIZE;
	if (spec->split.given)
		ret = resolve_side(&side, &spec->split, 0, "frame-split", &lengths, &room, err);
	else
		side = (struct walker_side){.nr = 1, .lengths = &size, .size = size}, ret = 0;
	side.kind = WALKER_SG;
	if (!ret && spec->split.given && spec->size.given && side.size != size)
		ret = walk_fail(err, "--frame-split: %u bytes, but --size is %u", side.size, size);
	if (!ret)
		ret = walk_data_make(&in->plain, data_of(spec), spec->seed, spec->skip, side.size,
				     spec->pad, err);
	if (!ret)
		ret = make_frame(w, &side, in->plain.bytes, !spec->split.given, &frame,
				 &in->frame_bytes, err);
	if (!ret)
		ret = walk_buffer_reserve(&in->bytes, in->frame_bytes, err);
	if (!ret) {
		memcpy(in->bytes.bytes, frame, in->frame_bytes);
		in->request.plain = in->plain.bytes;
		in->request.plain_size = side.size;
	}
	free(lengths);
	return ret;
}

static int frame_from_file(struct walk_input *in, const struct walk_spec *spec,
			   struct walk_error *err)
{
	size_t size;
	int ret;

	if (spec->data || spec->size.given || spec->split.given)
		return walk_fail(err,
				 "--frame takes the frame as it is: --%s is for one that is made",
				 spec->data	    ? "data"
				 : spec->size.given ? "size"
						    : "frame-split");
	ret = walk_file_read(&in->bytes, spec->frame, spec->skip, WALKER_MAX_BYTES, &size, err);
	in->frame_bytes = size;
	return ret;
}

/* The source may be longer than the frame, if it is to be filled up. */
static int pad_source(struct walk_input *in, const struct walk_spec *spec, struct walk_error *err)
{
	unsigned size = in->request.src.size;
	uint8_t *p;

	if (size <= in->frame_bytes)
		return 0;
	if (!spec->pad)
		return walk_fail(err,
				 "--src: %u bytes, but the frame has %u; --pad fills up with zeros",
				 size, in->frame_bytes);
	if (size > in->bytes.size) {
		p = realloc(in->bytes.bytes, size);
		if (!p)
			return walk_fail(err, "out of memory");
		in->bytes.bytes = p;
		in->bytes.size = size;
	}
	memset(in->bytes.bytes + in->frame_bytes, 0, size - in->frame_bytes);
	return 0;
}

static int make_decompress(struct walk_input *in, const struct walk_spec *spec, struct walker *w,
			   struct walk_error *err)
{
	int ret = spec->frame ? frame_from_file(in, spec, err) : frame_from_data(in, spec, w, err);

	if (!ret)
		ret = resolve_src(in, spec, in->frame_bytes, err);
	if (!ret)
		ret = pad_source(in, spec, err);
	if (!ret)
		ret = resolve_dst(in, spec, in->frame_bytes, err);
	in->request.bytes = in->bytes.bytes;
	return ret;
}

int walk_input_make(struct walk_input *in, const struct walk_spec *spec, struct walker *w,
		    bool step, struct walk_error *err)
{
	struct walker_request *r = &in->request;
	int ret;

	memset(r, 0, sizeof(*r));
	in->frame_bytes = 0;
	if (spec->op == WALK_OP_NONE)
		return walk_fail(err, "--op compress or --op decompress is needed");
	if (!spec->src.given || !spec->dst.given)
		return walk_fail(err, "--%s is needed", spec->src.given ? "dst" : "src");
	r->compress = spec->op == WALK_OP_COMPRESS;
	r->step = step;
	ret = r->compress ? make_compress(in, spec, w, err) : make_decompress(in, spec, w, err);
	if (!ret && step &&
	    (r->slen > WALKER_MAX_STEPPED_BYTES || r->dlen > WALKER_MAX_STEPPED_BYTES))
		return walk_fail(err, "--step: of slen and dlen at most %u bytes; more takes hours",
				 WALKER_MAX_STEPPED_BYTES);
	return ret;
}
