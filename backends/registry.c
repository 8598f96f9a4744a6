// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/registry.h"

#include "backends/deflate.h"
#include "backends/iaa.h"
#include "backends/lz4.h"
#include "backends/lz4hc.h"
#include "backends/lzo.h"
#include "backends/zstd.h"

static const struct acomp_alg lzo_rle_alg = {
	.cra_name = "lzo-rle",
	.cra_driver_name = "lzo-rle-scomp",
	.model = ACOMP_MODEL_SCOMP,
	.refused = "no library compresses so (LZO1X-1 of liblzo2 knows no runs of zeros)",
};

static const struct acomp_alg alg_842 = {
	.cra_name = "842",
	.cra_driver_name = "842-scomp",
	.model = ACOMP_MODEL_SCOMP,
	.refused = "no library has it, only kernels and the processors of its maker",
};

const struct crypto_registry *backends_registry(void)
{
	static const struct acomp_alg *const algs[] = {
		&zstd_alg, &lz4_alg.base, &lz4hc_alg.base, &lzo_alg.base, &deflate_alg,
		&iaa_alg,  &lzo_rle_alg,  &alg_842,	   NULL};
	static const struct crypto_registry registry = {.algs = algs};

	return &registry;
}
