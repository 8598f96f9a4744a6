/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one page compresses to: for tests and calibration of the synthetic pages. */
#ifndef TESTS_CODEC_SIZES_H
#define TESTS_CODEC_SIZES_H

#include <stdbool.h>

#define CODEC_NO_FIT 4096u

struct codec_sizes;

struct codec_sizes *codec_sizes_create(void); /* aborts without memory */
void codec_sizes_destroy(struct codec_sizes *c);

/* As crypto/zstd: one shot, level 3, 4096 bytes into 4096. CODEC_NO_FIT if it does not fit. */
unsigned codec_zstd_size(struct codec_sizes *c, const void *page);
/* One shot, acceleration 1; at most 4096. */
unsigned codec_lz4_size(const void *page);

#endif
