/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine, its memcgs, and a policy in zswap's place or none. */
#ifndef TESTS_POLICY_SIDE_H
#define TESTS_POLICY_SIDE_H

#include "sim/zswap_policy.h"
#include "tests/machine.h"

#define NR_MEMCGS 5

struct side {
	struct machine *m;
	struct mem_cgroup *memcg[NR_MEMCGS];
	struct policy *policy;
	struct policy_run *run;
};

/* @policy may be NULL. */
void side_begin(struct side *s, const struct machine_config *config, struct policy *policy);
void side_end(struct side *s);

#endif
