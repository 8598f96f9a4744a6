/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocators that zpool.c knows. */
#ifndef SIM_ZPOOL_DRIVERS_H
#define SIM_ZPOOL_DRIVERS_H

#include "sim/zpool.h"

extern const struct zpool_driver zs_zpool_driver;
extern const struct zpool_driver zbud_zpool_driver;
extern const struct zpool_driver jemalloc_zpool_driver;

#endif
