/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every algorithm that this program has; pass it to crypto_init(). */
#ifndef BACKENDS_REGISTRY_H
#define BACKENDS_REGISTRY_H

#include "sim/acomp.h"

const struct crypto_registry *backends_registry(void);

#endif
