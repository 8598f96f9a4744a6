/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs what is missing in the journal of a sweep. */
#ifndef CMD_SWEEP_JOB_H
#define CMD_SWEEP_JOB_H

#include <stdio.h>

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

/* The compression passes alone; a line about each on @out. 0, or a negative errno and *err. */
int sweep_job_prepare(const struct sweep_job *job, FILE *out, struct trace_error *err);

#endif
