/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without contents no codec runs; which contexts it would have built, which calls it would have
 * made and what would have been copied follow from the algorithm, the profile and the lengths
 * alone. Times stay 0. That this agrees with what really runs is tested for every algorithm and
 * profile (tests/test_codec_model.c), and against real kernels by verify.
 */
#ifndef SIM_CODEC_MODEL_H
#define SIM_CODEC_MODEL_H

#include <stdbool.h>

#include "sim/acomp.h"

/* A page, into a buffer in one piece. */
void codec_model_compress(enum acomp_model model, const struct profile *p, struct acomp_cost *cost);
/*
 * An object of @slen bytes, into a page. @two_entries: it is given as two scatterlist entries, for
 * it lies over two pages.
 */
void codec_model_decompress(enum acomp_model model, const struct profile *p, bool two_entries,
			    unsigned slen, struct acomp_cost *cost);

/* Whether a source in two entries is streamed; else the scomp adapter copies it together. */
bool codec_model_streams(enum acomp_model model, const struct profile *p);

#endif
