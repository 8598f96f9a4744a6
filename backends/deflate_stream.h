/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's zlib (lib/zlib_deflate, lib/zlib_inflate, 6.12 to 7.3) over zlib: the calls that
 * crypto/deflate makes, under the kernel's names, in a workspace instead of allocated memory. Each
 * counts what the kernel's would count, and charges its time: init_ns for setting a stream up,
 * codec_ns for the rest. Raw deflate, window 2^11, memory level 8.
 */
#ifndef BACKENDS_DEFLATE_STREAM_H
#define BACKENDS_DEFLATE_STREAM_H

#include <zlib.h>

#include "backends/meter.h"

#define DEFLATE_DEF_LEVEL    6 /* Z_DEFAULT_COMPRESSION */
#define DEFLATE_DEF_WINBITS  11
#define DEFLATE_DEF_MEMLEVEL 8

/* One workspace, of which a stream takes what it asks zlib for; a new one takes it over. */
struct deflate_stream {
	z_stream z;
	int level;
	size_t used;
	uint8_t *workspace;
};

extern const char *const deflate_call_names[ACOMP_NR_CALLS];

/* Of the zlib in use: "zlib 1.2.13". */
const char *deflate_library(void);
extern const char *const deflate_length_keys[];
struct acomp_levels deflate_levels(void);
/* Whether this is zlib itself: every length recorded in 6.12 and 7.3 is zlib's (docs/codecs.md). */
bool deflate_lengths_exact(const struct profile *p);

/* 0; -ENOMEM, also if the workspace is too small for this zlib. */
int deflate_stream_create(int level, struct deflate_stream **out);
void deflate_stream_destroy(struct deflate_stream *s); /* accepts NULL */

/* Set up for compression, for decompression: Z_OK or an error. Includes a reset. */
int zlib_deflateInit2(struct deflate_stream *s, struct meter *m);
int zlib_inflateInit2(struct deflate_stream *s, struct meter *m);
/* Made ready for another, having been set up for the same. */
int zlib_deflateReset(struct deflate_stream *s, struct meter *m);
int zlib_inflateReset(struct deflate_stream *s, struct meter *m);
int zlib_deflate(struct deflate_stream *s, struct meter *m, int flush);
int zlib_inflate(struct deflate_stream *s, struct meter *m, int flush);

#endif
