// SPDX-License-Identifier: GPL-2.0-or-later
/* As one that was compiled with an older header: its structure ends after stored(). */
#include <zswapsim/policy.h>

static void stored(void *self, const struct zswapsim_entry *entry)
{
	++*(unsigned *)entry->priv;
}

const struct {
	uint32_t abi_version, struct_size;
	const char *name;
	uint32_t flags, entry_bytes;
	int (*create)(const struct zswapsim_params *params, void **self);
	void (*destroy)(void *self);
	void (*stored)(void *self, const struct zswapsim_entry *entry);
	const char *not_of_it;
} old __asm__("zswapsim_policy") = {
	.abi_version = ZSWAPSIM_POLICY_ABI,
	.struct_size = offsetof(struct zswapsim_policy_ops, loaded),
	.name = "old",
	.entry_bytes = sizeof(unsigned),
	.stored = stored,
	.not_of_it = "what follows is not called",
};
