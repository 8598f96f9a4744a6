/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several policies over one trace, under both objectives, beside clairvoyant and the bound. No page
 * contents are touched: lengths say what each page takes.
 *
 * The bound of the kernel's objective is rigorous for every policy: its capacity is all that the
 * pool's limit ever allows, with what one folio may add beyond it, as bytes of objects; pages that
 * no kernel of the profile keeps are read from disk whatever the policy; pages of memcgs that may
 * not write back are left out, since they never reach the disk.
 */
#ifndef SIM_POLICY_TABLE_H
#define SIM_POLICY_TABLE_H

#include "sim/bound.h"
#include "sim/ideal.h"
#include "sim/lengths.h"
#include "sim/policy_load.h"
#include "sim/replay.h"

#define POLICY_TABLE_MAX 64

struct policy_table_config {
	struct trace_reader *reader;
	const struct lengths *lengths; /* of this trace */
	/*
	 * The kernel's settings: replayed in policy mode, whatever its mode is, without its
	 * observer, samples or clock. Its policy is not used; its codecs are those that the
	 * policies may choose from, with their lengths.
	 */
	const struct replay_config *kernel;
	uint64_t capacity; /* bytes, of the ideal objective; 0: the pool's limit by @kernel */
	bool ideal, real;  /* which objectives */
	/* Of a replay under the same settings that came to its end; NULL: there was none. */
	const struct replay_result *replayed;
	unsigned nr_policies;
	struct policy *policies[POLICY_TABLE_MAX]; /* NULL: the kernel's own */
	/* After each of the runs, of which there are @total; may be NULL. */
	void (*progress)(void *arg, unsigned done, unsigned total);
	void *progress_arg;
};

/* What a replay came to, in pages. */
struct policy_kernel_counts {
	uint64_t hits, disk_reads, written_back, refused;
	uint64_t refused_policy; /* of refused: by the policy itself */
	uint64_t peak_pages;	 /* of the pool */
	uint64_t compactions, compacted_pages;
	uint64_t mismatched, failed;
	/*
	 * "": it was replayed to the end. Else why not, and nothing is known: under this policy no
	 * copy is left of a page that the trace loads.
	 */
	char stopped[384];
};

struct policy_row {
	const char *name;	/* as it was given; "kernel" */
	const char *ideal_name; /* what stands for it under the ideal objective */
	struct ideal_counts ideal;
	struct policy_kernel_counts kernel;
};

struct policy_table {
	uint64_t capacity, kernel_capacity; /* bytes, that the bounds are of */
	uint64_t max_pages, accept_thr_pages;
	struct bound_result ideal_bound, kernel_bound;
	bool kernel_known; /* some replay came to its end; else kernel_bound and its capacity are 0
			    */
	unsigned nr_rows;
	struct policy_row rows[POLICY_TABLE_MAX];
	struct policy_row clairvoyant; /* that of the rows, or one of its own */
};

/* Runs over the trace that policy_table_run() would do. */
unsigned policy_table_nr_runs(const struct policy_table_config *config);

/*
 * 0, or a negative errno and one line in *err: the trace is at fault (-EINVAL), the machine, or a
 * policy, which is named; -EFAULT: its code crashed or did not return, and the program had better
 * end.
 */
int policy_table_run(const struct policy_table_config *config, struct policy_table *table,
		     struct trace_error *err);

#endif
