// SPDX-License-Identifier: GPL-2.0-or-later
/* As one that was compiled with a later header of the same version, and uses what is new there. */
#include <zswapsim/policy.h>

static uint64_t what_is_new(void *self)
{
	return 1;
}

const struct {
	struct zswapsim_policy_ops ops;
	uint64_t (*later)(void *self);
} new_policy __asm__("zswapsim_policy") = {
	.ops =
		{
			.abi_version = ZSWAPSIM_POLICY_ABI,
			.struct_size = sizeof(new_policy),
			.name = "new",
		},
	.later = what_is_new,
};
