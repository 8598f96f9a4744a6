/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy at work: it keeps the record of what is stored that the policy sees (sim/policy.h),
 * tells it what happens, asks it, and checks what it answers. Who uses it knows the pool: zswap
 * (sim/zswap_policy.h) or the engine of the ideal objective (sim/ideal.h).
 *
 * A policy that crashes, does not return or answers what cannot be has failed: it is not called
 * again (but by destroy(), if it did not crash), and everything is answered as if it had no
 * function for it. policy_run_failed() says so; who drives the run ends it.
 *
 * Used by the thread that created it.
 */
#ifndef SIM_POLICY_RUN_H
#define SIM_POLICY_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/policy.h"
#include "sim/policy_load.h"

struct policy_run;
struct future;

struct policy_run_config {
	struct policy *policy; /* outlives the run */
	enum zswapsim_objective objective;
	unsigned nr_nodes;
	uint64_t limit, nr_events;
	unsigned nr_codecs;
	const char *const *codecs;
	const struct future *future; /* needed by policies with ZSWAPSIM_FUTURE; outlives the run */
	unsigned limit_ms;	     /* of a call; 0: for ever */
};

/*
 * 0, or a negative errno and one line in @err, which names the policy. -EFAULT: its code crashed,
 * or did not return.
 */
int policy_run_create(const struct policy_run_config *config, struct policy_run **out, char *err,
		      size_t err_size);
/*
 * The run is over: destroy() is called, which may fail as any call may (policy_run_failed()).
 * Nothing is called after it.
 */
void policy_run_end(struct policy_run *run);
void policy_run_destroy(struct policy_run *run); /* ends it, if that was not done; accepts NULL */

/* The event at hand, and the number of its first page among all pages stored, for the future. */
void policy_run_at(struct policy_run *run, uint64_t event, uint64_t time_ns, uint64_t ordinal);
/* For whoever knows the pool to keep current: used, limit, accept, disk_reads, written_back. */
struct zswapsim_pool *policy_run_pool(struct policy_run *run);

/* Makes sure that storing @nr pages allocates nothing. 0 or -ENOMEM. */
int policy_run_reserve(struct policy_run *run, unsigned nr);

/* A page that the trace stores, the @index-th of its folio. */
struct policy_page {
	uint64_t slot;
	unsigned index;
	uint32_t size, memcg;
	uint16_t node;
	uint8_t order, codec;
};

enum policy_gone { POLICY_LOADED, POLICY_INVALIDATED, POLICY_WRITTEN_BACK, POLICY_NR_GONE };

unsigned policy_run_codec(struct policy_run *run, const struct policy_page *page);
bool policy_run_admit(struct policy_run *run, const struct policy_page *page);
/*
 * @page is stored; what its slot had before is gone already. Its id; ZSWAPSIM_NONE: there is no
 * memory for it, and the policy has failed.
 */
uint64_t policy_run_stored(struct policy_run *run, const struct policy_page *page);
/* Whether @slot has an entry; its size and compressor. */
bool policy_run_find(const struct policy_run *run, uint64_t slot, uint32_t *size, unsigned *codec);
/*
 * What was in @slot is not any more; nothing happens if nothing was. After POLICY_INVALIDATED,
 * @reused says that the slot is stored anew at once.
 */
void policy_run_gone(struct policy_run *run, uint64_t slot, enum policy_gone how, bool reused);
/* @slot was freed, or its new contents went elsewhere: what was known of it is forgotten. */
void policy_run_forget(struct policy_run *run, uint64_t slot);
/* A page of @slot was read from disk. */
void policy_run_missed(struct policy_run *run, uint64_t slot, uint32_t memcg);
/* The victim @slot stays. */
void policy_run_kept(struct policy_run *run, uint64_t slot);
void policy_run_reparented(struct policy_run *run, uint32_t memcg, uint32_t parent);

/* Whether there is a victim, checked against @want; its slot. It costs one of want->budget. */
bool policy_run_victim(struct policy_run *run, struct zswapsim_want *want, uint64_t *slot);
bool policy_run_has_target(const struct policy_run *run);
/* UINT64_MAX: as it is. */
uint64_t policy_run_target(struct policy_run *run);
bool policy_run_compact(struct policy_run *run);

/* Whether the policy wants victims of any memcg at once. */
bool policy_run_is_global(const struct policy_run *run);

/* How it failed, in one line that names the policy, and at which event; NULL: it did not. */
const char *policy_run_failed(const struct policy_run *run, uint64_t *event);
/* Whether that was a crash or a call that did not return: who knows what it left behind. */
bool policy_run_crashed(const struct policy_run *run);

/* 0, or -EUCLEAN and one line in @err: the record and its index must agree. */
int policy_run_check(const struct policy_run *run, char *err, size_t err_size);

#endif
