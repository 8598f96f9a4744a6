/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of commands that replay in either mode: --mode, and how policy mode comes by the
 * lengths of the pages (sim/lengths.h). A command names mode_options_argp as a child and gives it
 * its struct mode_options.
 */
#ifndef CMD_MODE_OPTIONS_H
#define CMD_MODE_OPTIONS_H

#include <argp.h>

#include "sim/lengths.h"
#include "sim/replay.h"

struct mode_options {
	enum replay_mode mode;
	unsigned nr_threads; /* of the pass; 0: as many as there are CPUs */
	bool no_file;
	const char *needs_policy; /* an option that was given, and is for policy mode */
};

extern const struct argp mode_options_argp;

/*
 * The compressor of a replay, once the mode is known: lengths of a content-free trace may be of one
 * that cannot be had. options_error() if not.
 */
void mode_options_check_compressor(const struct argp_state *state, const struct mode_options *o,
				   const char *compressor);

/*
 * The lengths of @config's profile and compressor. Progress goes to stderr, if that is a terminal;
 * errors, and that the file cannot be kept, too, under the command's @name. 0 or an errno.
 */
int mode_options_lengths(const struct mode_options *o, const char *name, const char *trace,
			 struct trace_reader *reader, const struct replay_config *config,
			 struct lengths **out);

/* "computed", "file", "trace". */
extern const char *const lengths_origin_names[LENGTHS_NR_ORIGINS];

#endif
