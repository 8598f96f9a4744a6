/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays a recording of a zram device on the allocator and compares what the kernel reported after
 * every row. Which form it is, its columns tell:
 *
 *   operations (perpage, random)  write, discard, compact, discard_all: all columns of mm_stat that
 *                                 the recording has, live zspages and handles
 *   sweep    objects are allocated until the next zspage: pages and objects of a zspage for each
 *            compressed length, and, with a codec, the length itself
 *   fixed    pages of so many random bytes, made again here; needs a codec
 */
#ifndef SIM_VERIFY_ZRAM_H
#define SIM_VERIFY_ZRAM_H

#include "sim/verify.h"
#include "sim/zram.h"
#include "traces/recording.h"

/* @src that the codec is given for a page which is not from the file of pages. */
#define VERIFY_ZRAM_NO_SRC UINT32_MAX

struct verify_zram_config {
	const struct profile *profile;
	/* May be NULL: then which pages are same-filled is taken from @lengths. */
	const struct recording_pages *pages;
	/* May be NULL: then lengths are asked of @length. */
	const struct recording_lengths *lengths;
	/*
	 * The codec as zram uses it (zstd: parameters for 4096 bytes, a destination of 8192), or
	 * NULL. Never asked about a same-filled page, nor without a page.
	 */
	zram_length_fn length;
	void *length_arg;
};

/* Whether verify_zram() knows this form. */
bool verify_zram_form(enum recording_form form);

/*
 * 0 whether or not rows differ; a negative errno and a line in *err for a file that is not what it
 * should be, or that needs what @config does not have. If the JSON beside the recording says how
 * many rows there are, another number is an error.
 */
int verify_zram(const char *path, const struct verify_zram_config *config,
		struct verify_report *report, struct trace_error *err);

#endif
