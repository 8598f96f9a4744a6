/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings that a recording of zswap was made with: from the step "config" of the JSON beside
 * it, and from scenarios.json. A scenario may have phases, each until a step that the JSON dates by
 * a row.
 */
#ifndef SIM_VERIFY_SETTINGS_H
#define SIM_VERIFY_SETTINGS_H

#include <stdbool.h>

#include "sim/verify_rows.h"

#define VERIFY_MAX_PHASES 16

struct verify_phase {
	uint32_t until_row; /* first row that is not of this phase; UINT32_MAX: to the end */
	uint64_t zswap_max; /* bytes; MEMCG_MAX */
	bool writeback;
};

struct verify_settings {
	char compressor[32];
	char zpool[32];		 /* name of the allocator; "": the kernel had no choice */
	uint64_t totalram_pages; /* 0: not known */
	unsigned max_pool_percent, accept_threshold_percent;
	unsigned nr_nodes;
	bool shrinker_enabled;
	bool timing; /* the worker was not waited for: only totals can be compared */
	unsigned nr_phases;
	struct verify_phase phases[VERIFY_MAX_PHASES];
	int64_t base[VC_NR]; /* counters when the recording began */
	int64_t rows;	     /* as the JSON says; -1: it does not */
};

/* Absent files leave the kernel's defaults. 0, or a negative errno and a line in *err. */
int verify_settings_read(const char *recording, struct verify_settings *settings,
			 struct trace_error *err);

#endif
