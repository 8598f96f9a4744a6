/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of several memcgs: reading what rows say of them, and doing it to the port's. */
#ifndef SIM_VERIFY_MEMCGS_H
#define SIM_VERIFY_MEMCGS_H

#include "sim/memcg.h"
#include "sim/verify.h"
#include "sim/verify_rows.h"

struct zswap;

/* ---- reading ---- */

struct verify_memcg_columns {
	int memcg, key, value; /* -1: the recording does not have several memcgs */
	int result;	       /* -1: it has no calls of the shrinker */
	int node;	       /* -1: there is one */
	int bytes[VERIFY_MAX_MEMCGS];
};

/* 0, or a negative errno and a line in *err. */
int verify_memcgs_read_names(struct csv *csv, struct verify_memcgs *memcgs,
			     struct verify_memcg_columns *columns, struct trace_error *err);
/* Nothing happens if the recording does not have several. */
int verify_memcgs_parse(struct csv *csv, const struct verify_memcgs *memcgs,
			const struct verify_memcg_columns *columns, struct verify_row *row,
			struct trace_error *err);
void verify_memcgs_finish(struct verify_memcgs *memcgs);

/* ---- replaying ---- */

struct verify_memcg_tree {
	const struct verify_memcgs *names;
	struct memcgs *memcgs;
	struct mem_cgroup *made[VERIFY_MAX_MEMCGS]; /* NULL: not yet; may be offline */
};

/* The memcg of the row; NULL if it was never made. */
struct mem_cgroup *verify_memcg_of(const struct verify_memcg_tree *tree,
				   const struct verify_row *row);
/*
 * VERIFY_MKDIR, VERIFY_RMDIR, VERIFY_SET. -EEXIST or -ENOENT: it is there already, or not there;
 * -EBUSY: it has children; -ENOMEM.
 */
int verify_memcgs_change(struct verify_memcg_tree *tree, struct zswap *z,
			 const struct verify_row *row);
/* VERIFY_COUNT, VERIFY_SCAN: *result is as recorded, -1 for SHRINK_STOP. -EINVAL: it was never
 * made. */
int verify_memcgs_call(const struct verify_memcg_tree *tree, struct zswap *z,
		       const struct verify_row *row, int64_t *result);
/* Compares what is charged to each. */
void verify_memcgs_compare(const struct verify_memcg_tree *tree, const struct verify_row *row,
			   struct verify_report *report);

#endif
