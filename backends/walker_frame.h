/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libzstd, used directly and as it is in userspace, makes of some bytes: the judge of what a
 * request put out or was given.
 */
#ifndef BACKENDS_WALKER_FRAME_H
#define BACKENDS_WALKER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One attempt to decode all of the bytes. */
struct walker_decode {
	size_t bytes;	   /* that came out */
	bool whole;	   /* no error, and the end of a frame is the end of the bytes */
	bool same;	   /* what came out is what the frame is known to hold, or its beginning */
	const char *error; /* libzstd's name for it; NULL: none */
};

struct walker_frame {
	struct walker_decode oneshot, stream;
	/* Whole frames, from the beginning. What follows them is no whole frame. */
	unsigned frames, skippable; /* frames: without the skippable ones */
	size_t trailing;	    /* bytes */
	/* Of the first frame that is not skippable, as far as it goes. */
	bool header; /* it has one, and what follows is known */
	bool content_size_known;
	uint64_t content_size, window; /* bytes */
	unsigned blocks;
	bool last_block_is_empty; /* and there */
};

struct walker_reader;

/* 0 or -ENOMEM. */
int walker_reader_create(struct walker_reader **out);
void walker_reader_destroy(struct walker_reader *r); /* accepts NULL */

/*
 * Decodes @size bytes into room for @capacity. @plain (NULL: not known) is what should come out, of
 * @plain_size bytes. 0 or -ENOMEM.
 */
int walker_frame_read(struct walker_reader *r, const void *bytes, size_t size, size_t capacity,
		      const void *plain, size_t plain_size, struct walker_frame *f);
/* Whether the stream of the last walker_frame_read() began with these bytes. */
bool walker_frame_began_with(const struct walker_reader *r, const void *bytes, size_t size);
/* In one shot only. Bytes; -1: an error. */
long walker_frame_decode(struct walker_reader *r, const void *bytes, size_t size, size_t capacity);

#endif
