// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/walker_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#define BLOCK_HEADER_SIZE 3
#define BLOCK_RLE	  1

struct walker_reader {
	ZSTD_DCtx *dctx;
	uint8_t *room;
	size_t size, streamed; /* bytes; of the last stream */
};

int walker_reader_create(struct walker_reader **out)
{
	struct walker_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->dctx = ZSTD_createDCtx();
	if (!r->dctx) {
		free(r);
		return -ENOMEM;
	}
	*out = r;
	return 0;
}

void walker_reader_destroy(struct walker_reader *r)
{
	if (!r)
		return;
	ZSTD_freeDCtx(r->dctx);
	free(r->room);
	free(r);
}

static int make_room(struct walker_reader *r, size_t size)
{
	void *room;

	if (r->room && size <= r->size)
		return 0;
	room = realloc(r->room, size ? size : 1);
	if (!room)
		return -ENOMEM;
	r->room = room;
	r->size = size;
	return 0;
}

static bool is_beginning(const uint8_t *p, size_t n, const void *plain, size_t plain_size)
{
	return plain && n <= plain_size && !memcmp(p, plain, n);
}

static size_t decode_oneshot(struct walker_reader *r, const void *bytes, size_t size,
			     size_t capacity)
{
	ZSTD_DCtx_reset(r->dctx, ZSTD_reset_session_only);
	return ZSTD_decompressDCtx(r->dctx, r->room, capacity, bytes, size);
}

static void read_oneshot(struct walker_reader *r, const void *bytes, size_t size, size_t capacity,
			 struct walker_decode *d)
{
	size_t ret = decode_oneshot(r, bytes, size, capacity);

	d->whole = !ZSTD_isError(ret);
	d->bytes = d->whole ? ret : 0;
	d->error = d->whole ? NULL : ZSTD_getErrorName(ret);
}

static void read_stream(struct walker_reader *r, const void *bytes, size_t size, size_t capacity,
			struct walker_decode *d)
{
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out = {r->room, capacity, 0};
	size_t before, hint = 1;

	ZSTD_DCtx_reset(r->dctx, ZSTD_reset_session_only);
	do {
		before = in.pos + out.pos;
		hint = ZSTD_decompressStream(r->dctx, &out, &in);
	} while (!ZSTD_isError(hint) && in.pos + out.pos != before && in.pos < in.size);
	d->bytes = out.pos;
	d->error = ZSTD_isError(hint) ? ZSTD_getErrorName(hint) : NULL;
	d->whole = !hint && in.pos == in.size;
}

static bool is_skippable(const uint8_t *p, size_t size)
{
	return size >= 4 && (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18;
}

static void count_blocks(const uint8_t *p, size_t size, size_t pos, struct walker_frame *f)
{
	bool last = false;

	while (!last && size - pos >= BLOCK_HEADER_SIZE) {
		unsigned header = p[pos] | p[pos + 1] << 8 | p[pos + 2] << 16, length = header >> 3;

		last = header & 1;
		if ((header >> 1 & 3) == BLOCK_RLE)
			length = 1;
		pos += BLOCK_HEADER_SIZE;
		if (length > size - pos)
			return;
		pos += length;
		f->blocks++;
		f->last_block_is_empty = last && !(header >> 3);
	}
}

static void read_header(const uint8_t *p, size_t size, struct walker_frame *f)
{
	ZSTD_frameHeader h;

	if (ZSTD_getFrameHeader(&h, p, size) || h.frameType != ZSTD_frame)
		return;
	f->header = true;
	f->content_size_known = h.frameContentSize != ZSTD_CONTENTSIZE_UNKNOWN;
	f->content_size = f->content_size_known ? h.frameContentSize : 0;
	f->window = h.windowSize;
	count_blocks(p, size, h.headerSize, f);
}

static void read_frames(const uint8_t *p, size_t size, struct walker_frame *f)
{
	while (size) {
		size_t n = ZSTD_findFrameCompressedSize(p, size);
		bool skippable = is_skippable(p, size);

		if (!skippable && !f->header)
			read_header(p, size, f);
		if (ZSTD_isError(n) || n > size)
			break;
		f->frames += !skippable;
		f->skippable += skippable;
		p += n;
		size -= n;
	}
	f->trailing = size;
}

int walker_frame_read(struct walker_reader *r, const void *bytes, size_t size, size_t capacity,
		      const void *plain, size_t plain_size, struct walker_frame *f)
{
	memset(f, 0, sizeof(*f));
	if (make_room(r, capacity))
		return -ENOMEM;
	read_frames(bytes, size, f);
	read_oneshot(r, bytes, size, capacity, &f->oneshot);
	f->oneshot.same = is_beginning(r->room, f->oneshot.bytes, plain, plain_size);
	read_stream(r, bytes, size, capacity, &f->stream);
	f->stream.same = is_beginning(r->room, f->stream.bytes, plain, plain_size);
	r->streamed = f->stream.bytes;
	return 0;
}

bool walker_frame_began_with(const struct walker_reader *r, const void *bytes, size_t size)
{
	return is_beginning(bytes, size, r->room, r->streamed);
}

long walker_frame_decode(struct walker_reader *r, const void *bytes, size_t size, size_t capacity)
{
	size_t ret;

	if (make_room(r, capacity))
		return -1;
	r->streamed = 0;
	ret = decode_oneshot(r, bytes, size, capacity);
	return ZSTD_isError(ret) ? -1 : (long)ret;
}
