// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/registry.h"

#include "backends/zstd.h"

const struct crypto_registry *backends_registry(void)
{
	static const struct acomp_alg *const algs[] = {&zstd_alg, NULL};
	static const struct crypto_registry registry = {.algs = algs};

	return &registry;
}
