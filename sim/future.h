/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When each stored page is loaded: one number for each page that a trace stores, in order (4 bytes;
 * 8 in traces of 2^32 events and more), found in one pass over the trace. A page has no next use if
 * its slot is freed or stored anew before it is loaded.
 */
#ifndef SIM_FUTURE_H
#define SIM_FUTURE_H

#include <stdbool.h>
#include <stdint.h>

#define FUTURE_NEVER UINT64_MAX

struct future;

/* @nr_events: numbers of events are below it. 0 or -ENOMEM. */
int future_create(uint64_t nr_events, uint64_t nr_stored_pages, struct future **out);
void future_destroy(struct future *future); /* accepts NULL */

/* The next page that is stored, in @slot. 0, -ENOMEM, -EINVAL: more pages than was said. */
int future_store(struct future *future, uint64_t slot);
/* Event @event loads @slot: the page is used, and gone. */
void future_load(struct future *future, uint64_t slot, uint64_t event);
void future_free(struct future *future, uint64_t slot);
/* No more of the above: what was only needed for them is given back. */
void future_finish(struct future *future);

/* Of the @ordinal-th page stored, from 0; FUTURE_NEVER. */
uint64_t future_next_use(const struct future *future, uint64_t ordinal);
uint64_t future_bytes(const struct future *future);

#endif
