/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of files, of directories, and of what archives hold (traces/archive_input.h says what
 * counts as one): each file is cut into pages of 4 KiB, the last one filled with zeros. Empty files
 * have no pages.
 */
#ifndef TRACES_BUILD_H
#define TRACES_BUILD_H

#include "traces/maker.h"

struct trace_build_config {
	const char *const *inputs;
	size_t nr_inputs;
	bool raw; /* look into nothing: every file is its bytes */
};

/*
 * Writes the trace, or leaves what is at its path as it was. 0 or a negative errno, and one line in
 * *err: also if it would replace one of the inputs, or there is no page in any of them.
 */
int trace_build(const struct trace_build_config *config, const struct trace_maker_config *maker,
		struct trace_made *made, struct trace_error *err);

#endif
