// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/policy_side.h"

#include "sim/policy_load.h"
#include "tests/test.h"

void side_begin(struct side *s, const struct machine_config *config, struct policy *policy)
{
	struct policy_run_config run = {.policy = policy,
					.objective = ZSWAPSIM_KERNEL,
					.nr_nodes = config->nr_nodes ? config->nr_nodes : 1,
					.limit_ms = 1000};
	char err[256];

	s->m = machine_create(config);
	s->memcg[0] = s->m->memcg;
	for (unsigned i = 1; i < NR_MEMCGS; i++)
		s->memcg[i] = mem_cgroup_create(&s->m->memcgs, s->memcg[(i - 1) / 2], "/m");
	s->policy = policy;
	s->run = NULL;
	if (!policy)
		return;
	assert_int_equal(policy_run_create(&run, &s->run, err, sizeof(err)), 0);
	zswap_set_policy(s->m->z, s->run);
}

void side_end(struct side *s)
{
	machine_destroy(s->m);
	policy_run_destroy(s->run);
}
