/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs rows of a sweep in policy mode on several threads. All share one mapping of the trace, and
 * those of one codec share its lengths; each has a simulated machine of its own. Which thread runs
 * which row depends on timing, what comes out does not.
 */
#ifndef SIM_SWEEP_RUN_H
#define SIM_SWEEP_RUN_H

#include "sim/sweep_lengths.h"

struct sweep_row {
	uint32_t row;
	const struct settings *settings;
	const struct replay_result *result; /* NULL: the replay stopped, by the trace or a policy */
	const char *error;		    /* why; else NULL */
};

/*
 * Told of each row that is done, by the thread that ran it: several may be in here at once. 0, or a
 * negative errno, which ends the run and is its value.
 */
typedef int (*sweep_row_fn)(void *arg, const struct sweep_row *row);

struct sweep_run_config {
	const struct sweep_file *file;
	struct trace_reader *reader;
	const struct sweep_lengths *lengths; /* open for every row that is run */
	const struct crypto_registry *crypto;
	const uint32_t *rows; /* to be run, in the order in which they are begun */
	uint32_t nr_rows;
	unsigned nr_threads; /* 1 or more; never more than there are rows are started */
	sweep_row_fn done;
	void *arg;
};

/*
 * 0, or a negative errno and a line in *err, whose message is "" if the error was @done's. Rows
 * that are under way then are finished, and @done is told of them. A trace that stops a replay in
 * mid-run is a result, not an error.
 */
int sweep_run(const struct sweep_run_config *config, struct trace_error *err);

#endif
