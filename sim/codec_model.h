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

void codec_model_compress(const struct profile *p, struct acomp_cost *cost);
void codec_model_decompress(const struct profile *p, bool streams, struct acomp_cost *cost);

#endif
