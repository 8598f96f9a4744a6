/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The streaming loops of the zstd acomp driver as the rewrite of March 2026 has them (mailed twice,
 * not merged; profile zstd.stream_drain=yes), made from the description of its effects and not from
 * its text. It ends quirks Q1 to Q5: a stream is ended until nothing is left to flush, a
 * destination fragment counts by what was produced, the decoder may read what gives no output when
 * the destination is full and gives what it holds when the source is used up, and an incomplete
 * frame is -EINVAL. Paths, contexts and one-shot requests are those of the released driver, and so
 * are the quirks that come from the walk (Q6, Q14).
 */
#ifndef BACKENDS_ZSTD_DRAIN_H
#define BACKENDS_ZSTD_DRAIN_H

#include "backends/zstd_request.h"

/* After the set-up of the walk. 0 with bytes produced in *@total, or a negative errno. */
int zstd_drain_compress(struct zstd_request *r, unsigned *total);
int zstd_drain_decompress(struct zstd_request *r, unsigned *total);

#endif
