/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lengths of a trace by several compressors under several kernels, each key once: for the
 * commands that make them ahead of time or share them.
 */
#ifndef CMD_LENGTHS_SET_H
#define CMD_LENGTHS_SET_H

#include <argp.h>

#include "cmd/mode_options.h"
#include "sim/strip.h"

struct lengths_set {
	/* Of the options; NULL: zstd, all presets. */
	const char *compressors, *kernels;
	struct mode_options mode; /* of which the threads are used, and whether there are files */
	struct lengths *lengths[STRIP_MAX];
	unsigned nr;
};

/* --compressor, --kernels and -j; its input is the struct. */
extern const struct argp lengths_set_argp;

/* 0, or the exit status: then it is said why, under the command's @name. */
int lengths_set_open(struct lengths_set *set, const char *name, const char *trace,
		     struct trace_reader *reader);
void lengths_set_close(struct lengths_set *set);

#endif
