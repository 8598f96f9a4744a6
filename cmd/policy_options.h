/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that name policies: a child of argp, whose input is a struct policy_options. */
#ifndef CMD_POLICY_OPTIONS_H
#define CMD_POLICY_OPTIONS_H

#include <argp.h>

#include "sim/policy_table.h"

struct policy_options {
	const char *specs[POLICY_TABLE_MAX]; /* of --policy, in order */
	unsigned nr;
	unsigned limit_ms; /* of --policy-timeout; the default if it was not given */
	/* Of --policy-codec, and their lengths once they are open. */
	const char *codecs[ZSWAP_MAX_CODECS];
	const struct lengths *codec_lengths[ZSWAP_MAX_CODECS];
	unsigned nr_codecs;
};

extern const struct argp policy_options_argp;

/*
 * Loads what was named, or, if nothing was, the kernel's and all that are built in. NULL is the
 * kernel's own. 0, or an exit status: then one line is on stderr.
 */
int policy_options_load(const struct policy_options *options, unsigned *nr,
			struct policy *policies[POLICY_TABLE_MAX], const char *name);

/*
 * The lengths of all compressors that a policy may choose from, but the first; they go into
 * @config. 0, or an exit status: then one line is on stderr. policy_options_close_codecs() in any
 * case.
 */
int policy_options_open_codecs(struct policy_options *options, const char *name, const char *trace,
			       struct trace_reader *reader, struct replay_config *config);
void policy_options_close_codecs(struct policy_options *options);

/*
 * After an error that was said already: if @ret is that a policy's code crashed, ends the program
 * with STATUS_USAGE at once. Who knows what it left of our memory to be tidied up.
 */
void policy_options_end_if_crashed(int ret);

#endif
