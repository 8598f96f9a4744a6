/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pool over time, as a CSV file: a header line, then a line a sample (docs/timeline.md has the
 * columns). It is written beside its place (mode 0600) and put there when it is whole; before that,
 * what is there stays as it was.
 *
 * Errors are a negative errno, and a line that names the file in *err.
 */
#ifndef CMD_TIMELINE_H
#define CMD_TIMELINE_H

#include "sim/replay.h"

struct timeline;

int timeline_create(const char *path, struct timeline **out, struct trace_error *err);
/* A replay_sample_fn; @arg is the struct timeline. That a write failed is told by the commit. */
void timeline_sample(void *arg, const struct replay_sample *sample);
/* Puts the file in its place and frees @t, whatever happens. */
int timeline_commit(struct timeline *t, struct trace_error *err);
/* Throws everything away. Accepts NULL. */
void timeline_abort(struct timeline *t);

#endif
