/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running the requests of `zswapsim walk`: one, or a batch. */
#ifndef CMD_WALK_RUN_H
#define CMD_WALK_RUN_H

#include "cmd/walk_print.h"

#define WALK_MAX_SET 64

struct walk_run {
	/* By the user. */
	const char *name; /* of the command, for messages */
	const struct profile *profile;
	/* Options that every request has, in order. */
	struct {
		const struct walk_option *option;
		const char *value;
	} set[WALK_MAX_SET];
	unsigned nr_set;
	uint64_t warm; /* that many times before the one that is shown */
	bool step, json, steps, hex, keep_going;

	/* Of the walk_run. */
	struct walker *walker;
	struct walker *released; /* the loops as released, beside the rewritten ones; or NULL */
	struct walk_spec spec;
	struct walk_input input;
};

/* 0, or -EINVAL with a line in *err. */
int walk_run_start(struct walk_run *run, struct walk_error *err);
void walk_run_finish(struct walk_run *run);

/* The request that the options make. */
int walk_run_one(struct walk_run *run, struct walk_error *err);
/* One request for each line of @path ("-": standard input). The exit status. */
int walk_run_batch(struct walk_run *run, const char *path);

#endif
