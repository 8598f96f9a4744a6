/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes that building a context writes into one workspace, kept, and written again in place of
 * building it. That is how contexts are initialised without a CPUID by a library that always asks.
 *
 * Which bytes they are is found by building over different contents. A byte that is written, but
 * not always as the same value, is padding, or so it is taken: zstd_template_check() uses contexts
 * with other values there.
 */
#ifndef BACKENDS_ZSTD_TEMPLATE_H
#define BACKENDS_ZSTD_TEMPLATE_H

#include <stdint.h>
#include <string.h>

#include "backends/zstd_context.h"

/* Builds a context in @workspace (@size bytes), over whatever is there; NULL if it cannot. */
typedef void *(*zstd_build_fn)(void *arg, void *workspace, size_t size);

#define ZSTD_TEMPLATE_MAX_UNSTABLE 64

struct zstd_template {
	uint8_t *workspace;
	size_t size;
	void *context; /* what building returned */
	unsigned nr_ranges;
	struct zstd_template_range {
		size_t offset, length; /* bytes, in the workspace */
	} * ranges;
	size_t nr_bytes;
	uint8_t *bytes; /* of the ranges, one after the other */
	unsigned nr_unstable;
	size_t unstable[ZSTD_TEMPLATE_MAX_UNSTABLE]; /* indices of bytes */
};

/*
 * For this workspace only: contexts hold pointers into it. Its contents are lost. 0; or, with a
 * line in @err: -EINVAL (no context can be built), -ENOTSUP (what is built is not the same each
 * time), -ENOMEM.
 */
int zstd_template_create(zstd_build_fn build, void *arg, void *workspace, size_t size,
			 struct zstd_template **out, char *err, size_t err_size);
void zstd_template_destroy(struct zstd_template *t); /* accepts NULL */

/* Instead of building: writes the bytes, and returns the context. */
static inline void *zstd_template_restore(const struct zstd_template *t)
{
	const uint8_t *from = t->bytes;

	for (unsigned i = 0; i < t->nr_ranges; i++) {
		const struct zstd_template_range *r = &t->ranges[i];

		memcpy(t->workspace + r->offset, from, r->length);
		from += r->length;
	}
	return t->context;
}

/* What is unstable in @other, which writes the same bytes, is then taken to be so in @t too. */
void zstd_template_learn(struct zstd_template *t, const struct zstd_template *other);

/* One byte of a workspace that two templates have different values for. */
struct zstd_template_byte {
	size_t offset;
	uint8_t a, b;
};

/*
 * What differs between @a and @b, which are of the same workspace, apart from unstable bytes: how
 * many bytes, of which the first @max are in @diff. -EINVAL if they write different bytes at all.
 */
int zstd_template_compare(const struct zstd_template *a, const struct zstd_template *b,
			  struct zstd_template_byte *diff, unsigned max);

enum zstd_side { ZSTD_SIDE_COMPRESS, ZSTD_SIDE_DECOMPRESS, ZSTD_NR_SIDES };

/*
 * Has contexts that are built and contexts that are restored do the same work, one-shot and in
 * streams, on sample pages, good and bad frames. 0; or, with a line in @err: -ENOTSUP if any
 * result, frame or error differs, -EINVAL, -ENOMEM. The workspace's contents are lost.
 */
int zstd_template_check(struct zstd_template *t, enum zstd_side side, const zstd_parameters *params,
			zstd_build_fn build, void *arg, char *err, size_t err_size);

#endif
