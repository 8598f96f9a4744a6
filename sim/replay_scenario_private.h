/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scenario that was checked against a trace: what its making and its running share. */
#ifndef SIM_REPLAY_SCENARIO_PRIVATE_H
#define SIM_REPLAY_SCENARIO_PRIVATE_H

#include "sim/replay_private.h"
#include "sim/scenario_file.h"

/* A memcg that the scenario names, or needs as a parent. */
struct scenario_node {
	char *path;
	int parent;			       /* index; -1: the root's */
	int trace_index;		       /* in the trace's table; -1: the scenario's own */
	const struct scenario_memcg *settings; /* NULL if it has no section */
	unsigned line;			       /* that names it first */
	bool online;			       /* while the trace is looked through */
	struct mem_cgroup *memcg;	       /* of the scenario's own, in the replay */
};

/* A change, resolved. */
struct scenario_action {
	uint64_t event;
	int node; /* -1: of no memcg */
	const struct scenario_change *change;
};

struct replay_scenario {
	struct scenario_file *file;
	struct scenario_node *nodes; /* the root first, parents before children */
	unsigned nr_nodes, cap_nodes;
	int *memcg_node;		 /* [file->nr_memcgs]: its node */
	struct scenario_action *actions; /* [file->nr_changes], by event */
	unsigned next;			 /* action */
};

#endif
