/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine with a transform, of zstd mostly, the two sides of a request in any fragmentation, and
 * an independent reference: frames as libzstd makes them when it is called directly, and the
 * fragments of a list by a second reading of the rules.
 */
#ifndef TESTS_ZSTD_RIG_H
#define TESTS_ZSTD_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/zstd.h"
#include "sim/acomp.h"

#define RIG_MAX_ENTRIES 128
#define RIG_FILL	0xa5 /* bytes that nobody has written */

struct rig {
	struct kernel *k;
	struct crypto_acomp *tfm;
	struct acomp_req req; /* of the last call */
	uint64_t clock_reads; /* of the machine's clock; each one is 1000 ns after the one before */
};

/* @preset, then any number of "KEY=VALUE", then NULL. */
struct rig *rig_create(const char *preset, ...) __attribute__((sentinel));
/* The same with any compressor. */
struct rig *rig_create_codec(const char *preset, const char *compressor, ...)
	__attribute__((sentinel));
void rig_destroy(struct rig *rig);

/* One side of a request: a virtual buffer, or a list of entries that lie in pages of their own. */
struct side {
	struct rig *rig;
	unsigned len; /* slen or dlen of the request */
	void *virt;
	struct scatterlist sg[RIG_MAX_ENTRIES];
	unsigned nr; /* entries; 0: virtual */
};

/* @len bytes; contents are @data, or RIG_FILL if it is NULL. */
void side_virt(struct side *side, struct rig *rig, unsigned len, const void *data);
/* Entries of these lengths, zero allowed; @data fills them all, in order. side->len is their sum.
 */
void side_list(struct side *side, struct rig *rig, const unsigned *lengths, unsigned nr,
	       const void *data);
#define side_lengths(side, rig, data, ...)                                                         \
	side_list(side, rig, (const unsigned[]){__VA_ARGS__},                                      \
		  sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), data)
/* The first @n bytes, into @buf. */
void side_read(const struct side *side, void *buf, unsigned n);
/* Fails the test if a byte around the entries was written. Within them a codec may scribble. */
void side_check_around(const struct side *side);
void side_finish(struct side *side);

/* The request's return value; what it left is in rig->req. */
int rig_compress(struct rig *rig, struct side *src, struct side *dst);
int rig_decompress(struct rig *rig, struct side *src, struct side *dst);

/* As rig_compress, between two flat buffers. *@out_len: capacity, then the result. */
int rig_compress_flat(struct rig *rig, const void *src, unsigned slen, void *out,
		      unsigned *out_len);

/* ---- reference ---- */

/* Decodes a whole frame in one call. Bytes, or -1. */
long ref_decode(const void *frame, size_t size, void *out, size_t capacity);
/* Decodes as far as it goes, as a stream. Bytes produced; *@error: whether libzstd objected. */
size_t ref_decode_stream(const void *frame, size_t size, void *out, size_t capacity, bool *error);

#define REF_MAX_FRAGMENTS 256

/* A stream frame of a source that is flushed after each of its fragments. */
struct ref_frame {
	uint8_t *bytes; /* to be freed */
	unsigned len;
	unsigned flushed[REF_MAX_FRAGMENTS]; /* bytes of the frame after that fragment's flush */
};

void ref_stream_frame(struct ref_frame *frame, const void *src, const unsigned *fragments,
		      unsigned nr);
/* The frame of a source of known size. Bytes, or -1 if it does not fit. */
long ref_oneshot_frame(const void *src, unsigned slen, void *out, size_t capacity);

/* How a list ends for a walk of @total bytes. */
enum ref_end { REF_END_TOTAL, REF_END_ZERO, REF_END_FAULT };

/*
 * The fragments that a walk of side->len bytes sees if it uses each of them whole. @limit: of an
 * entry's fragments; PAGE_SIZE, or UINT_MAX for the entries themselves.
 */
enum ref_end ref_fragments(const struct side *side, unsigned limit, unsigned *fragments,
			   unsigned *nr);

#endif
