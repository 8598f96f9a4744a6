/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lengths of a trace's pages for a command that needs them, with progress on a terminal. */
#ifndef CMD_POLICY_LENGTHS_H
#define CMD_POLICY_LENGTHS_H

#include "sim/lengths.h"
#include "sim/replay.h"

/* By @config's compressor and profile. 0, or a negative errno: then one line is on stderr. */
int policy_lengths_open(const struct replay_config *config, const char *trace,
			struct trace_reader *reader, const char *name, struct lengths **out);

#endif
