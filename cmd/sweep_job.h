/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs what is missing in the journal of a sweep; joins the journals of its shards. */
#ifndef CMD_SWEEP_JOB_H
#define CMD_SWEEP_JOB_H

#include "cmd/sweep_journal.h"
#include "sim/sweep_file.h"

struct sweep_job {
	const char *name; /* "zswapsim sweep", before lines on stderr */
	const struct sweep_file *file;
	struct trace_reader *reader;
	const struct crypto_registry *crypto;
	const char *journal;	   /* path */
	uint32_t shard, nr_shards; /* from 1 */
	unsigned nr_threads;
	bool progress;
};

/* 0, *out having all rows of the shard; or a negative errno and a line in *err. */
int sweep_job_run(const struct sweep_job *job, struct sweep_journal **out, struct trace_error *err);

/* The shards of one sweep; what they have is whole. */
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
