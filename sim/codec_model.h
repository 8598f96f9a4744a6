/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without contents no codec runs; which contexts it would have built and which calls it would have
 * made follow from the profile and from the path alone. Times stay 0. That this agrees with what
 * really runs is tested (tests/test_codec_model.c), and against a real kernel by verify.
 */
#ifndef SIM_CODEC_MODEL_H
#define SIM_CODEC_MODEL_H

#include <stdbool.h>

#include "sim/acomp.h"

/* A page is compressed, whether it succeeds or not. */
void codec_model_compress(enum acomp_model model, const struct profile *p, struct acomp_cost *cost);
/* @slen bytes are decompressed to a page. @in_two: they are a list of two scatterlist entries. */
void codec_model_decompress(enum acomp_model model, const struct profile *p, unsigned slen,
			    bool in_two, struct acomp_cost *cost);

#endif
