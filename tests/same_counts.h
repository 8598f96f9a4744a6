/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Policy mode's promise: every count is measure mode's. */
#ifndef TESTS_SAME_COUNTS_H
#define TESTS_SAME_COUNTS_H

#include "sim/replay.h"

/* Fails, and prints what differs, unless all that is no time is the same in both. */
void assert_same_counts(const struct replay_result *measured, const struct replay_result *policy,
			const struct profile *profile);

/*
 * Runs @config in policy mode and compares with @measured, the result of measure mode (@ret: what
 * that returned, with its line in *@measured_err: then policy mode must fail in the same way).
 * @trace: its path. The lengths are computed anew, or those of @lengths if it is not NULL.
 */
struct lengths;
void assert_policy_is_same(const char *trace, struct trace_reader *reader,
			   const struct replay_config *config, const struct lengths *lengths,
			   int ret, const struct replay_result *measured,
			   const struct trace_error *measured_err);

/* What a number of runs came to, so that a test can see that they exercised something. */
struct same_totals {
	uint64_t written_back, refused, streamed, raw; /* pages */
	uint64_t runs, errors;
};

/* Runs @config in measure mode, then as assert_policy_is_same(). */
void run_both_modes(const char *trace, struct trace_reader *reader,
		    const struct replay_config *config, const struct lengths *lengths,
		    struct same_totals *totals);

#endif
