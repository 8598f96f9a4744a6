/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small trace that a test writes event by event, and replays. Contents are those of
 * content_fill() (tests/machine.h). Four CPUs, two swap devices; events are 1 us apart.
 */
#ifndef TESTS_DRAFT_H
#define TESTS_DRAFT_H

#include "sim/replay.h"
#include "traces/writer.h"

struct draft {
	char path[256];
	struct trace_writer *w;
	uint64_t time;		/* ns, of the next event */
	struct trace_error err; /* of the run that failed last */
};

void draft_begin(struct draft *d);
/* The index of a memcg of the trace's table that is online from the start. */
uint16_t draft_memcg(struct draft *d, const char *path, uint16_t parent);

/* Any event; its time is filled in. @contents: of a STORE, [1 << order]; else NULL. */
void draft_append(struct draft *d, struct trace_event *ev, const uint32_t *contents);
/* Memcg 0, CPU slot mod 4. @contents: of a STORE, [1 << order]; else NULL. */
void draft_event(struct draft *d, enum trace_event_type type, uint64_t slot, unsigned order,
		 const uint32_t *contents);
void draft_store(struct draft *d, uint64_t slot, uint32_t content);
void draft_store_as(struct draft *d, uint64_t slot, uint32_t content, uint16_t memcg, uint16_t cpu);
void draft_load(struct draft *d, uint64_t slot);
void draft_pressure(struct draft *d, uint16_t memcg, uint64_t nr_to_scan);
void draft_mark(struct draft *d, const char *name);
void draft_memcg_event(struct draft *d, uint16_t memcg, enum trace_memcg_op op, uint64_t arg);

/* Writes it, if it was not written yet. */
void draft_commit(struct draft *d);
/*
 * Runs it under a preset with up to one change, with the defaults; replay_run()'s value. Fails
 * unless policy mode comes to the same (tests/same_counts.h).
 */
int draft_run(struct draft *d, const char *kernel, const char *set, struct replay_result *result);
/* The same with another configuration, of which profile and crypto are filled in. */
int draft_run_config(struct draft *d, const char *kernel, const struct replay_config *config,
		     struct replay_result *result);
/* And with up to one change of the preset. */
int draft_run_set(struct draft *d, const char *kernel, const char *set,
		  const struct replay_config *config, struct replay_result *result);
/* The trace is gone. */
void draft_end(struct draft *d);

#endif
