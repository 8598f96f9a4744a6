/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policies that are built in. They know nothing but the interface that all policies have. */
#ifndef SIM_POLICY_BUILTIN_H
#define SIM_POLICY_BUILTIN_H

#include "sim/policy.h"

extern const struct zswapsim_policy_ops policy_second_chance, policy_lru, policy_fifo, policy_clock,
	policy_size, policy_clairvoyant;

#endif
