/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journals of a sweep's shards, joined. */
#ifndef CMD_SWEEP_MERGE_H
#define CMD_SWEEP_MERGE_H

#include "cmd/sweep_journal.h"
#include "sim/sweep_file.h"

struct sweep_merge {
	unsigned nr;
	struct sweep_journal **shards; /* [nr], shard 1 first */
	struct sweep_file *file;
};

/*
 * 0, or -EINVAL (or what reading gave) and a line in *err: shards of different sweeps, a shard that
 * is missing, there twice or not finished.
 */
int sweep_merge_open(const char *const *paths, unsigned nr, struct sweep_merge *m,
		     struct trace_error *err);
void sweep_merge_close(struct sweep_merge *m);
/* A row's value, to be decref'd; NULL: an error. @arg: struct sweep_merge. */
json_t *sweep_merge_get(void *arg, uint32_t row);

#endif
