/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "lz4hc" (crypto/lz4hc.c, 6.12 to 7.3), over liblz4, behind the scomp adapter. Level 9 in the
 * kernel; those of liblz4 are 1 to 12. Errors: -EINVAL.
 */
#ifndef BACKENDS_LZ4HC_H
#define BACKENDS_LZ4HC_H

#include "backends/scomp.h"

extern const struct scomp_alg lz4hc_alg;

#endif
