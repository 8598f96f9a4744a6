/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every count in a struct replay_result by name, for whoever compares two of them; where the report
 * of a replay has it, too, by its path below "counts" there. For one trace, profile, settings and
 * library each is the same in every run.
 */
#ifndef SIM_REPLAY_COUNTERS_H
#define SIM_REPLAY_COUNTERS_H

#include "sim/replay.h"

struct replay_counter {
	char name[48]; /* "decompress.calls.zstd_init_dctx" */
	uint64_t value;
};

#define REPLAY_MAX_COUNTERS 160

/* All of them into @out[REPLAY_MAX_COUNTERS], always in the same order. Returns how many. */
unsigned replay_counters(const struct replay_result *result, struct replay_counter *out);

#endif
