/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario: the memcgs, limits and settings of a replay, and their changes in mid-run, as an INI
 * file has them (docs/scenario.md). Here it is read and checked by itself; what it says about a
 * trace is checked when a replay is set up with it (sim/replay_scenario.c).
 *
 * All errors: a negative errno and one line in *err, "FILE:LINE: cause".
 */
#ifndef SIM_SCENARIO_FILE_H
#define SIM_SCENARIO_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/format.h"

/* A setting that may be given or not. */
struct scenario_value {
	bool given;
	uint64_t value;
};

/* Which pages a memcg takes from the trace, in place of the memcg that the trace has for them. */
enum scenario_from_kind {
	SCENARIO_FROM_MEMCG,  /* of a number in the trace's table */
	SCENARIO_FROM_CPU,    /* stored on these CPUs */
	SCENARIO_FROM_OFFSET, /* whose folio's first swap slot is among these */
};

struct scenario_from {
	enum scenario_from_kind kind;
	unsigned memcg;	    /* index in struct scenario_file */
	unsigned swap_type; /* of offsets */
	uint64_t first, last;
	unsigned line;
};

struct scenario_memcg {
	char *path;			 /* "/a/b" */
	struct scenario_value zswap_max; /* bytes; TRACE_NO_LIMIT: max */
	struct scenario_value zswap_writeback;
	unsigned line;
};

enum scenario_what {
	SCENARIO_MAX_POOL_PERCENT,
	SCENARIO_ACCEPT_THRESHOLD_PERCENT,
	SCENARIO_SHRINKER_ENABLED,
	SCENARIO_MEMCG_ZSWAP_MAX,
	SCENARIO_MEMCG_ZSWAP_WRITEBACK,
	SCENARIO_MEMCG_OFFLINE,
};

struct scenario_change {
	enum scenario_what what;
	char *path; /* of the memcg; NULL for what has none */
	uint64_t value;
	unsigned point; /* index in struct scenario_file */
	unsigned line;
};

/* When changes happen: before the event of that number, or before the first mark of that name. */
struct scenario_point {
	char *mark; /* NULL: at an event */
	uint64_t event;
	unsigned line;
};

struct scenario_file {
	char *path;			/* of the file, for messages */
	struct scenario_value totalram; /* bytes */
	struct scenario_value nodes, max_pool_percent, accept_threshold_percent, shrinker_enabled;
	struct scenario_memcg *memcgs; /* in the order of the file; so all four */
	struct scenario_from *from;
	struct scenario_change *changes;
	struct scenario_point *points;
	unsigned nr_memcgs, nr_from, nr_changes, nr_points;
};

int scenario_file_read(const char *path, struct scenario_file **out, struct trace_error *err);
void scenario_file_free(struct scenario_file *file); /* accepts NULL */

/* Fills *err with "FILE:LINE: cause" and returns @ret. */
__attribute__((format(printf, 5, 6))) int scenario_fail(const struct scenario_file *file,
							struct trace_error *err, unsigned line,
							int ret, const char *format, ...);

#endif
