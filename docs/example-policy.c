// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes back, of a few pages taken at random, the one that has taken most memory for longest. */
#include <stdlib.h>
#include <zswapsim/policy.h>

#define MOST (1u << 24) /* pages: 64 GiB of them */

struct sampler {
	size_t nr, samples;
	uint64_t random;
	const struct zswapsim_entry *all[MOST]; /* in no order; untouched, it takes no memory */
};

static int create(const struct zswapsim_params *params, void **self)
{
	struct sampler *s = *self = calloc(1, sizeof(*s));

	if (s)
		s->samples = *params->args ? strtoul(params->args, NULL, 10) : 16;
	return s ? 0 : -1;
}

static void stored(void *self, const struct zswapsim_entry *entry)
{
	struct sampler *s = self;

	if (s->nr == MOST)
		abort();
	*(size_t *)entry->priv = s->nr; /* ours, as long as the page is stored */
	s->all[s->nr++] = entry;
}

static void gone(void *self, const struct zswapsim_entry *entry)
{
	struct sampler *s = self;
	size_t i = *(size_t *)entry->priv;

	s->all[i] = s->all[--s->nr];
	*(size_t *)s->all[i]->priv = i;
}

static uint64_t victim(void *self, struct zswapsim_want *want, const struct zswapsim_pool *pool)
{
	uint64_t most = 0, id = ZSWAPSIM_NONE;
	struct sampler *s = self;

	for (size_t i = 0; s->nr && i < s->samples; i++) {
		const struct zswapsim_entry *e;

		s->random = s->random * 6364136223846793005u + 1442695040888963407u;
		e = s->all[(s->random >> 33) % s->nr];
		if (zswapsim_fits(want, e) && e->size * (pool->event - e->event + 1) > most) {
			most = e->size * (pool->event - e->event + 1);
			id = e->id;
		}
	}
	return id;
}

const struct zswapsim_policy_ops zswapsim_policy = {
	.abi_version = ZSWAPSIM_POLICY_ABI,
	.struct_size = sizeof(struct zswapsim_policy_ops),
	.name = "sampler",
	.entry_bytes = sizeof(size_t),
	.create = create,
	.destroy = free,
	.stored = stored,
	.loaded = gone,
	.invalidated = gone,
	.written_back = gone,
	.victim = victim,
};
