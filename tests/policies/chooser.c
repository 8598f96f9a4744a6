// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives the pages of even slots the first compressor, those of odd ones the last; or what ARGS
 * says. */
#include <stdlib.h>
#include <zswapsim/policy.h>

struct chooser {
	uint32_t nr_codecs, always;
};

static int create(const struct zswapsim_params *params, void **self)
{
	struct chooser *c = malloc(sizeof(*c));

	if (!c)
		return -1;
	c->nr_codecs = params->nr_codecs;
	c->always = *params->args ? strtoul(params->args, NULL, 10) : UINT32_MAX;
	*self = c;
	return 0;
}

static uint32_t codec(void *self, const struct zswapsim_entry *page,
		      const struct zswapsim_pool *pool)
{
	const struct chooser *c = self;

	if (c->always != UINT32_MAX)
		return c->always;
	return page->slot % 2 ? c->nr_codecs - 1 : 0;
}

const struct zswapsim_policy_ops zswapsim_policy = {
	.abi_version = ZSWAPSIM_POLICY_ABI,
	.struct_size = sizeof(struct zswapsim_policy_ops),
	.name = "chooser",
	.create = create,
	.destroy = free,
	.codec = codec,
};
