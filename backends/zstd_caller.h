/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Those in the kernel who use zstd, as far as a benchmark of contexts is concerned: how long their
 * requests are, which contexts each of them initialises, and in what pieces it feeds them
 * (kernel-spec F.4: common defaults, not ported code).
 *
 *	zswap	 a page by a request to the acomp driver, as the profile has it
 *	squashfs a block of 128 KiB, decompressed only: a stream a block, in pages
 *	erofs	 a cluster of 128 KiB, decompressed only: a stream a cluster, in pages
 *	btrfs	 an extent of 128 KiB: a stream an extent each way, in pages
 *	f2fs	 a cluster of 16 KiB: a stream a cluster each way, in one piece
 *	zram	 a page in one shot, with contexts that are kept
 *
 * All but zswap have their contexts by zstd.cpuid and zstd.bmi2 of the profile; the rest of it is
 * the acomp driver's alone.
 */
#ifndef BACKENDS_ZSTD_CALLER_H
#define BACKENDS_ZSTD_CALLER_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/zstd_template.h"
#include "sim/acomp.h"

enum zstd_caller_kind {
	ZSTD_CALLER_ACOMP, /* requests to the driver */
	ZSTD_CALLER_STREAM,
	ZSTD_CALLER_KEPT, /* one-shot, in contexts that are kept */
};

struct zstd_caller_info {
	const char *name;
	enum zstd_caller_kind kind;
	unsigned size;		     /* bytes of a request, usually */
	unsigned min_size, max_size; /* multiples of 4096 */
	bool compresses;	     /* false: decompresses only */
	unsigned piece;		     /* bytes that a stream is fed and drained at a time; 0: all */
	bool pledges;		     /* the stream is told the size */
	const char *doc;	     /* what its contexts are, in a few words */
};

/* In the order above; ends with name == NULL. */
extern const struct zstd_caller_info zstd_caller_infos[];
/* By name; NULL if there is none. */
const struct zstd_caller_info *zstd_caller_find(const char *name);

struct zstd_caller_config {
	const struct zstd_caller_info *info;
	const struct profile *profile;
	const struct crypto_registry *crypto;
	const char *compressor; /* of zswap's requests; NULL, and for the others: zstd */
	const void *data;	/* what is compressed; copied */
	unsigned size;		/* bytes of it, a multiple of 4096 within the limits */
};

struct zstd_caller;

/*
 * Ready to run: the data has been there and back, and came back as it was. 0, or a negative errno
 * and one line in @err: -EINVAL (the size), -ENOTSUP (a policy that cannot be had here), -ENOMEM,
 * -EILSEQ (it came back changed).
 */
int zstd_caller_create(const struct zstd_caller_config *config, struct zstd_caller **out, char *err,
		       size_t err_size);
void zstd_caller_destroy(struct zstd_caller *c); /* accepts NULL */

/* Whether it does this: not every caller compresses, and what does not shrink is not decompressed.
 */
bool zstd_caller_does(const struct zstd_caller *c, enum zstd_side side);
/* One request. 0, or the driver's error: -EINVAL for a page that does not shrink, say. */
int zstd_caller_run(struct zstd_caller *c, enum zstd_side side);

/* Of the last request: initialisations are in its calls. */
const struct acomp_cost *zstd_caller_cost(const struct zstd_caller *c);
unsigned zstd_caller_frame_bytes(const struct zstd_caller *c); /* 0: the data does not shrink */

#endif
