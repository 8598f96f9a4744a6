/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lengths of a trace's pages, for commands that replay without contents. */
#ifndef CMD_REPLAY_LENGTHS_H
#define CMD_REPLAY_LENGTHS_H

#include "sim/lengths.h"
#include "sim/replay.h"

/*
 * lengths_open() for what @config replays (profile, compressor, cryptography), with progress on
 * stderr. 0, or a negative errno: then the line is on stderr, after @name.
 */
int replay_lengths_open(const char *name, const char *path, struct trace_reader *reader,
			const struct replay_config *config, struct lengths **out);

#endif
