/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a policy at work share. */
#ifndef SIM_POLICY_RUN_PRIVATE_H
#define SIM_POLICY_RUN_PRIVATE_H

#include "sim/future.h"
#include "sim/policy_guard.h"
#include "sim/policy_run.h"
#include "sim/slot_map.h"

/* What is known of a page. Nothing but what the policy is told relies on pub, which it can reach.
 */
struct policy_entry {
	struct zswapsim_entry pub;
	uint64_t slot;
	uint32_t generation; /* of its id; grows each time that it is used */
	uint32_t size, memcg;
	uint16_t node;
	uint8_t codec;
	uint32_t next_free;  /* index + 1 */
	uint64_t gone_event; /* of its last user */
	enum policy_gone gone;
	bool live;
};

#define POLICY_CHUNK 1024u /* entries that are allocated at once, and never move */

struct policy_run {
	struct policy *policy;
	struct zswapsim_policy_ops ops;
	void *self;
	struct policy_guard *guard; /* NULL: the code is ours */
	const struct future *future;
	struct zswapsim_pool pool, view; /* view: what the policy is shown */
	uint64_t ordinal;
	unsigned nr_codecs;

	struct policy_entry **chunks;
	char **privs;	   /* the policy's own bytes, apart from ours; NULL if it wants none */
	size_t priv_bytes; /* an entry */
	uint32_t nr_chunks, cap_chunks, first_free /* index + 1 */, nr_free;
	struct slot_map slots; /* of the live: index; of those that were loaded: their history */

	bool failed, crashed, ended;
	uint64_t failed_event;
	char error[320];
};

static inline struct policy_entry *policy_entry_at(const struct policy_run *run, uint32_t index)
{
	return &run->chunks[index / POLICY_CHUNK][index % POLICY_CHUNK];
}

/* policy_call.c: the calls themselves; false: it has failed, and there is no answer. */
bool policy_call_create(struct policy_run *run, const struct zswapsim_params *params, int *ret);
void policy_call_destroy(struct policy_run *run);
typedef void (*policy_entry_fn)(void *self, const struct zswapsim_entry *entry);
void policy_call_entry(struct policy_run *run, const char *what, policy_entry_fn fn,
		       const struct zswapsim_entry *entry);
void policy_call_reparented(struct policy_run *run, uint32_t memcg, uint32_t parent);
bool policy_call_admit(struct policy_run *run, const struct zswapsim_entry *page, int *answer);
bool policy_call_victim(struct policy_run *run, struct zswapsim_want *want, uint64_t *answer);
bool policy_call_target(struct policy_run *run, uint64_t *answer);
bool policy_call_compact(struct policy_run *run, int *answer);
bool policy_call_codec(struct policy_run *run, const struct zswapsim_entry *page, uint32_t *answer);

/* It has failed in @what, a function; what follows says how. */
void policy_run_fail(struct policy_run *run, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
