/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of verify that compares lengths of pages, and no operations. */
#ifndef CMD_VERIFY_CODEC_H
#define CMD_VERIFY_CODEC_H

#include "sim/verify_lengths.h"

struct verify_codec {
	const struct profile *profile;
	const char *path;	/* perpage_*.csv */
	const char *compressor; /* NULL: by the name of that */
	const struct recording_pages *pages;
	unsigned at_least; /* percent of the pages that must have the kernel's length */
};

/* Prints; an exit status, or a negative errno with a line in *err. */
int verify_codec_run(const struct verify_codec *v, struct trace_error *err);

#endif
