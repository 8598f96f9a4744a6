/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which quirks of kernel-spec B.6 a request met. Each is told from what was observed: the steps,
 * the result, what libzstd in userspace makes of the bytes, and the same request between linear
 * buffers; never from the lengths that were asked for. docs/walk.md has the rule of each. Q5 and Q7
 * need HIGHMEM, Q13 is gone, and nothing that the driver does leads to Q11.
 */
#ifndef BACKENDS_WALKER_QUIRKS_H
#define BACKENDS_WALKER_QUIRKS_H

#include "backends/walker.h"

/* Fills result->quirks, in order of their numbers; the rest of *@result is complete. */
void walker_quirks_find(const struct walker_request *request, struct walker_reader *reader,
			struct walker_result *result);

#endif
