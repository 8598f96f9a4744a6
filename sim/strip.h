/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A content-free trace of one with contents: the same events over the same pages, of which it has
 * nothing but what compressors make of them. People share such traces.
 */
#ifndef SIM_STRIP_H
#define SIM_STRIP_H

#include "sim/lengths.h"

#define STRIP_MAX 64u /* compressors of a trace */

struct strip_config {
	const char *path;  /* of the new trace, which must not be the old one */
	const char *maker; /* "zswapsim 0.1.0" */
	const char *command, *title;
	/* Command, and paths of memcgs; without it they are left out. Names of phases stay anyway.
	 */
	bool keep_names;
	const struct lengths *const *lengths; /* [nr], all of the trace; their keys are the names */
	unsigned nr;			      /* 1 to STRIP_MAX */
};

/*
 * Writes it, or leaves what is at its path as it was. 0 or a negative errno (-EINVAL: the trace is
 * content-free already), and one line in *err.
 */
int strip_trace(struct trace_reader *reader, const struct strip_config *config,
		struct trace_error *err);

#endif
