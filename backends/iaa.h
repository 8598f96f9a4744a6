/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "deflate-iaa": a modelled device. What it makes of a page is real, by zlib (raw deflate, window
 * of 4 KiB, fixed Huffman codes, as the driver's mode of that name), so that lengths and loads are
 * what deflate gives, though not to the byte what the hardware does. The time that zlib takes for
 * it is that of a stand-in, in codec_ns; what the device would take is in modelled_ns, by the model
 * that is the registry's device (backends/iaa_model.h; NULL: "letter").
 *
 * Takes requests of one unit or of several (CRYPTO_ALG_REQ_SEG) and arrays of requests; a call of
 * one page has the latency of batch 1. Results: 0; -E2BIG (a page that does not shrink to the
 * capacity, as the driver's overflow); -EINVAL (lengths of 0, a source that is not in one piece of
 * memory when several units are asked for, anything that does not inflate); -ENOSPC (inflates to
 * more than dlen). req->dlen is 0 on error.
 *
 * A source in two entries is copied together first; the device takes one.
 */
#ifndef BACKENDS_IAA_H
#define BACKENDS_IAA_H

#include "backends/iaa_model.h"
#include "sim/acomp_batch.h"

extern const struct acomp_alg iaa_alg;

#endif
