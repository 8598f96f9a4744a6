/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that a test makes event by event; pages are named by content (tests/machine.h). */
#ifndef TESTS_DRAFT_H
#define TESTS_DRAFT_H

#include "traces/writer.h"

struct draft {
	char path[64];
	struct trace_writer *w; /* NULL once it is written */
	uint64_t time;
	struct trace_error err;
};

/* In the current directory; 4 CPUs, 2 swap devices, no memcg but the root. */
void draft_begin(struct draft *d);
/* On swap device 0, by CPU @slot mod 4. @contents: of a STORE, 1 << @order ids; else NULL. */
void draft_event(struct draft *d, enum trace_event_type type, uint64_t slot, unsigned order,
		 const uint32_t *contents);
void draft_store(struct draft *d, uint64_t slot, uint32_t content);
void draft_load(struct draft *d, uint64_t slot);
/* Writes it, if it was not written yet. */
void draft_commit(struct draft *d);
/* Removes it. */
void draft_end(struct draft *d);

#endif
