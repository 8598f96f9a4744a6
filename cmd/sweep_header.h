/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a sweep's journal: all that its results depend on. */
#ifndef CMD_SWEEP_HEADER_H
#define CMD_SWEEP_HEADER_H

#include <jansson.h>

#include "sim/sweep_file.h"

#define SWEEP_JOURNAL_SCHEMA	     "zswapsim.sweep-journal"
#define SWEEP_JOURNAL_SCHEMA_VERSION 1

struct sweep_lengths;

/*
 * The versions and the hash of the program, the trace, the settings, hashes of the files that these
 * name, the codecs, how many rows there are, and "I/N" of the shard. NULL: a line in *err.
 */
json_t *sweep_header_make(const struct sweep_file *file, const struct trace_info *trace_info,
			  const struct sweep_lengths *lengths, uint32_t shard, uint32_t nr_shards,
			  struct trace_error *err);

#endif
