/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "lzo" (crypto/lzo.c, 6.12 to 7.3), over liblzo2, behind the scomp adapter. No levels. Errors:
 * -EINVAL.
 *
 * What kernels call lzo1x_1 gives the lengths of the library's lzo1x_1_15: for every page that was
 * recorded, where lzo1x_1 does for 42 % (docs/codecs.md). The library does not look how much room
 * there is in compression, so it writes into a buffer of the context, and what it wrote is copied
 * if it fits: codec_ns includes that.
 */
#ifndef BACKENDS_LZO_H
#define BACKENDS_LZO_H

#include "backends/scomp.h"

extern const struct scomp_alg lzo_alg;

#endif
