/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "zstd" as it was to 6.16 (crypto/zstd.c, 6.12; kernel-spec A.7, B.1): behind the scomp adapter,
 * so always one shot, in contexts that are built once. Any codec error is -EINVAL.
 */
#ifndef BACKENDS_ZSTD_SCOMP_H
#define BACKENDS_ZSTD_SCOMP_H

#include "backends/scomp.h"

extern const struct scomp_alg zstd_scomp_alg;

#endif
