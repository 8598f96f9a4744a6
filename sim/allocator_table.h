/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trace over each allocator in turn, in policy mode: what each pool holds, and loses, over
 * time.
 */
#ifndef SIM_ALLOCATOR_TABLE_H
#define SIM_ALLOCATOR_TABLE_H

#include "sim/replay.h"

#define ALLOCATOR_TABLE_MAX	 3u
#define ALLOCATOR_TABLE_MAX_ROWS 10000u

struct allocator_table_config {
	/*
	 * Whose allocator is replaced; its mode is policy mode, its observer and samples are
	 * ignored. What it says of compaction goes for zsmalloc only.
	 */
	const struct replay_config *replay;
	const struct lengths *lengths;
	unsigned rows; /* moments, spread evenly over the events; the last event is the last one */
	void (*progress)(void *arg); /* after each replay; may be NULL */
	void *progress_arg;
};

struct allocator_moment {
	uint64_t event;
	uint64_t stored_pages;
	struct zpool_usage pool;
};

struct allocator_column {
	const char *type;
	unsigned nr_moments; /* the same in all columns */
	struct allocator_moment *moments;
	/* The whole replay. */
	uint64_t refused_pages, written_back_pages;
	uint64_t mismatched_pages, failed_loads; /* 0 but for a bug */
	struct zpool_usage peak;
	uint64_t stored_at_peak;
	double mean_pages; /* over all events */
	struct replay_compaction compaction;
};

struct allocator_table {
	unsigned nr;
	struct allocator_column columns[ALLOCATOR_TABLE_MAX];
};

/* 0, or what replay_run() gave and a line in *err. allocator_table_finish() in any case. */
int allocator_table_run(const struct allocator_table_config *config, struct trace_reader *reader,
			struct allocator_table *table, struct trace_error *err);
void allocator_table_finish(struct allocator_table *table);

#endif
