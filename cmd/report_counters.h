/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters that a kernel shows of zswap and swap: /sys/kernel/debug/zswap and /proc/vmstat,
 * under its names, at the end of a replay.
 */
#ifndef CMD_REPORT_COUNTERS_H
#define CMD_REPORT_COUNTERS_H

#include "sim/replay.h"

struct report_counter {
	const char *name;
	uint64_t value;
	bool absent; /* from this kernel: value is 0 */
};

#define REPORT_MAX_COUNTERS 20u

/* In order of print; returns how many. */
unsigned report_counters(const struct replay_result *x, const struct profile *profile,
			 struct report_counter out[REPORT_MAX_COUNTERS]);

#endif
